"""Parameters of tools: their JSON schema, and what clients pass read strictly or refused.

Models and clients write lists as JSON texts or with commas, numbers as texts and ids with a `#`:
what can mean one thing only is taken, everything else is refused by name. Nothing is ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import attrs

from .. import validation
from ..errors import InvalidInput

_ID = re.compile(r"\s*(?:memory:|memkit://memory/)?#?([0-9]{1,18})\s*", re.ASCII)
_WHOLE = re.compile(r"\s*[0-9]{1,9}\s*", re.ASCII)
# Values of a list: what is said of each has to go into one answer.
MAX_VALUES = 50
_TRUTHS = {"true": True, "false": False}


class Form(StrEnum):
    """Form of a parameter's value."""

    TEXT = "text"
    TEXTS = "texts"
    INTEGER = "integer"
    ID = "id"
    IDS = "ids"
    FLAG = "flag"


# Without titles and other keys that models do not need: definitions are paid for in tokens.
_SCHEMAS: Mapping[Form, Mapping[str, Any]] = {
    Form.TEXT: {"type": "string"},
    Form.TEXTS: {"type": "array", "items": {"type": "string"}},
    Form.INTEGER: {"type": "integer"},
    Form.ID: {"type": "integer"},
    Form.IDS: {"type": "array", "items": {"type": "integer"}},
    Form.FLAG: {"type": "boolean"},
}


@attrs.frozen
class Parameter:
    """One parameter of a tool.

    Attributes:
        choices: the only values that a text can have. default: what stands for a missing value.
        minimum, maximum: bounds of an integer.
    """

    name: str
    help: str = ""
    form: Form = Form.TEXT
    choices: tuple[str, ...] = ()
    default: Any = None
    minimum: int = 1
    maximum: int | None = None
    is_required: bool = False

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        limits = {"minimum": self.minimum, "maximum": self.maximum}
        is_bounded = self.form is Form.INTEGER and self.maximum is not None
        return {
            **_SCHEMAS[self.form],
            **({"enum": list(self.choices)} if self.choices else {}),
            **(limits if is_bounded else {}),
            **({"default": self.default} if self.default is not None else {}),
            **({"description": self.help} if self.help else {}),
        }

    def read(self, value: object) -> Any:
        """Return what a client's value means; raises InvalidInput."""
        match self.form:
            case Form.TEXTS:
                return self._bounded(validation.texts(_several(value), name=self.name))
            case Form.IDS:
                values = _several(value)
                numbers = values if isinstance(values, list) else [values]
                return self._bounded([_id(number, self.name) for number in numbers])
            case Form.ID:
                return _id(value, self.name)
            case Form.INTEGER:
                low, high = self.minimum, self.maximum
                return validation.integer(_whole(value), name=self.name, minimum=low, maximum=high)
            case Form.FLAG:
                truth = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else None
                return validation.boolean(value if truth is None else truth, name=self.name)
        return self._text(value)

    def _bounded(self, values: Sequence[Any]) -> Sequence[Any]:
        if len(values) > MAX_VALUES:
            raise InvalidInput(
                f"{self.name}: found {len(values)} values; give at most {MAX_VALUES} at once"
            )
        return values

    def _text(self, value: object) -> str:
        text = validation.text(value, name=self.name)
        if self.is_required and not text.strip():
            raise InvalidInput(f"{self.name}: is blank, expected {self.help}")
        text = validation.named(text, name=self.name)
        if self.choices and text not in self.choices:
            known = ", ".join(self.choices)
            raise InvalidInput(
                f"{self.name}: {validation.shown(text)} is unknown; give one of {known}"
            )
        return text


def schema_of(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments."""
    required = [parameter.name for parameter in parameters if parameter.is_required]
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def read_arguments(
    tool: str, parameters: Sequence[Parameter], arguments: Mapping[str, object]
) -> dict[str, Any]:
    """Return the value of every parameter, its default where nothing (or null) is passed; raises
    InvalidInput for a missing, unknown or wrong one."""
    names = [parameter.name for parameter in parameters]
    if unknown := [name for name in arguments if name not in names]:
        raise InvalidInput(
            f"{tool}: {validation.shown(unknown[0])} is no parameter; give some of "
            f"{', '.join(names)}"
        )
    values: dict[str, Any] = {}
    for parameter in parameters:
        value = arguments.get(parameter.name)
        if value is None and parameter.is_required:
            raise InvalidInput(f"{tool}: {parameter.name} is missing: {parameter.help}")
        values[parameter.name] = parameter.default if value is None else parameter.read(value)
    return values


def _several(value: object) -> object:
    """Return a list that was written as a text (JSON, or parted by commas) as a list."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except ValueError:
            pass
    return [part.strip() for part in value.split(",") if part.strip()]


def _whole(value: object) -> object:
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _id(value: object, name: str) -> int:
    number = _whole(value)
    if isinstance(number, str) and (written := _ID.fullmatch(number)):
        number = int(written[1])
    if isinstance(number, int) and not isinstance(number, bool):
        return number
    raise InvalidInput(
        f"{name}: {validation.shown(value)} names no memory; give its number as answers show it "
        "behind '#'"
    )
