"""Verbatim JSON: what frameworks store word for word, but for secrets."""

from __future__ import annotations

import json

from ..errors import InvalidInput
from ..redaction import redact_json
from ..text.analyzer import well_formed


def stored_json(value: object, *, name: str) -> str:
    """Return a value as JSON text, secrets replaced, all else as it is: the order of keys too, and
    NUL and lone surrogates as escapes. Raises InvalidInput for what JSON cannot hold."""
    try:
        text = json.dumps(redact_json(value), ensure_ascii=False, allow_nan=False)
        return text if well_formed(text) == text else json.dumps(json.loads(text))
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{name}: {error}; give what JSON can hold: texts, numbers, lists, objects"
        ) from None
