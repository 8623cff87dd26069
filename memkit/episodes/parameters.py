"""Parameters and results of tool calls, bounded: what a call asked for, not what it carried.

Of contents of files and of what a model said only the size is kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from hashlib import sha256
from math import isfinite
from typing import Any

import attrs

from ..safety import clean_text, redact, redact_json
from ..safety.rendered import strip_rendered
from .transcripts.toolpaths import names_file

# Characters of one text in the parameters, of all of them together, and of a result.
PARAMETER, PARAMETERS, RESULT = 300, 1_200, 1_000
# Parameters that hold what is written into a file, or what a model said: of these only the size,
# or for the texts of an edit a short beginning.
_CONTENTS = frozenset(
    "content contents file_text new_content new_source source text body data input_text prompt"
    " thinking reasoning messages response old_file new_file originalfile codecontent".split()
)
_EDITS = frozenset(
    "old_string new_string old_str new_str oldstring newstring oldtext newtext old_text new_text"
    " code_edit newcode replacement replace patch diff edits".split()
)
_EDIT_CHARS = 100
# Characters of a parameter's name.
_KEY = 60
# Parameters nested deeper than this are not looked into.
_DEPTH = 6
_PATCH = re.compile(r"\*\*\* Begin Patch.*?(?:^\*\*\* End Patch|\Z)", re.S | re.M)
_HEREDOC = re.compile(r"(<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n).*?(^[ \t]*\2[ \t]*$|\Z)", re.S | re.M)


@attrs.define
class Redactions:
    """Kinds of secrets that were replaced while one event was cleaned."""

    kinds: list[str] = attrs.Factory(list)

    def text(self, text: str, most: int) -> str:
        """Return a text without secrets, memkit's own blocks and what is beyond `most`."""
        stripped = strip_rendered(clean_text(text)).strip()
        # Cut after the filter, so that no half of a secret stands at the cut unrecognised; what
        # lies far beyond is not looked at.
        found = redact(stripped[: 4 * most + 1000])
        self.kinds += [finding.kind for finding in found.findings]
        return found.text if len(found.text) <= most else found.text[: most - 1].rstrip() + "…"

    def optional(self, text: object, most: int) -> str | None:
        """Return the same, or None if nothing is left."""
        if text is None:
            return None
        return self.text(text if isinstance(text, str) else json_text(text), most) or None

    def json(self, value: object) -> object:
        """Return a value of JSON without secrets."""
        safe = redact_json(value)
        if safe != value:
            self.kinds.append("secret")
        return safe


def content_hash(content: str | bytes) -> str:
    """Return the hash by which an unchanged file is recognised: sha256/16 of its bytes."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return sha256(data).hexdigest()[:16]


def json_text(value: object) -> str:
    """Return JSON without spaces, its letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def begun(text: str, most: int) -> str:
    """Return the beginning of a short text that goes through the filter with what is around it."""
    if len(text) <= most:
        return text
    # Cut after the filter, so that no half of a secret stands at the cut unrecognised.
    return redact(clean_text(text[: 4 * most + 1000])).text[:most]


def shortened(
    given: Mapping[str, Any],
    redactions: Redactions,
    *,
    private: bool,
    relative: Callable[[str], str],
) -> str:
    """Return the parameters of a call as JSON of at most PARAMETERS characters.

    `relative` gives a text in which paths below the root are relative to it.
    """
    shorten = _Shortening(relative, private)
    # Code beside the file that it goes into is no program to run.
    edits = "new_string" if names_file(given) else "code"
    short = {
        begun(str(key), _KEY): shorten.value(edits if key == "code" else str(key).lower(), value)
        for key, value in list(given.items())[:40]
    }
    text = json_text(redactions.json(short))
    if len(text) <= PARAMETERS:
        return text
    names = {key: _at_most(value, 80) for key, value in short.items()}
    return json_text(redact_json(dict(list(names.items())[:8])))


@attrs.frozen
class _Shortening:
    """How the values of one call are shortened; of a private file only sizes of edits are kept."""

    relative: Callable[[str], str]
    private: bool = False

    def value(self, key: str, value: Any, *, depth: int = 0) -> Any:
        """Return one parameter, bounded and without secrets; of contents only their size."""
        if isinstance(value, str):
            return self.text(key, value)
        if isinstance(value, float) and not isfinite(value):  # JSON has no word for it
            return str(value)
        if value is None or isinstance(value, bool | int | float):
            return value
        if depth > _DEPTH:
            return "[…]"
        if isinstance(value, Mapping):
            return {
                begun(str(k), _KEY): self.value(str(k).lower(), v, depth=depth + 1)
                for k, v in list(value.items())[:20]
            }
        if isinstance(value, list | tuple):
            return [self.value(key, v, depth=depth + 1) for v in list(value)[:20]]
        return self.text(key, str(value))

    def text(self, key: str, value: str) -> str:
        """Return one text, bounded and without contents of files."""
        if key in _CONTENTS or (self.private and key in _EDITS):
            return _sized(value)
        most = _EDIT_CHARS if key in _EDITS else PARAMETER
        bare = self.relative(strip_rendered(clean_text(value)))
        if most == PARAMETER:
            bare = _without_contents(bare)
        if len(bare) <= most:
            return bare  # the whole of the parameters goes through the filter afterwards
        # Cut after the filter, so that no half of a secret stands at the cut unrecognised.
        safe = redact(bare[: 4 * most + 1000]).text + bare[4 * most + 1000 :]
        return str(_at_most(safe, most))


def _without_contents(command: str) -> str:
    """Return a command without the file contents that it carries: patches and here-documents."""
    if "<<" not in command and "*** Begin Patch" not in command:
        return command
    command = _PATCH.sub(lambda found: _patch_heads(found[0]), command)
    return _HEREDOC.sub(lambda found: f"{found[1]}{_sized(found[0])}\n{found[2]}", command)


def _patch_heads(patch: str) -> str:
    return "\n".join(line for line in patch.splitlines() if line.startswith("*** "))


def _sized(text: str) -> str:
    lines = text.count("\n") + 1
    return f"[{len(text):,} characters, {lines:,} lines, sha256 {content_hash(text)}]"


def _at_most(value: Any, most: int) -> Any:
    if not isinstance(value, str):
        return value if len(json_text(value)) <= most else f"[{len(json_text(value)):,} characters]"
    if len(value) <= most:
        return value
    return f"{value[:most]}[… {len(value) - most:,} characters]"


def result(given: object, redactions: Redactions, *, relative: Callable[[str], str]) -> str | None:
    """Return a structured result as JSON, or only its size if it is large."""
    if given is None:
        return None
    short = _Shortening(relative).value("", given)
    text = json_text(redactions.json(short))
    return text if len(text) <= RESULT else json_text({"characters": len(text)})
