"""Bounded previews of parameters, results and outputs."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from math import isfinite
from typing import Any, NamedTuple

from ...redaction import clean_text, redact, redact_json
from ...redaction.redactor import strip_rendered
from ...text.patterns import lazy_pattern
from ..records import OutputType
from .tool_vocabulary import names_file

# --- Parameters and results of tool calls, bounded: what a call asked for, not what it carried.
#
# Of contents of files and of what a model said only the size is kept.

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
_PATCH = lazy_pattern(r"\*\*\* Begin Patch.*?(?:^\*\*\* End Patch|\Z)", re.S | re.M)
_HEREDOC = lazy_pattern(r"(<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n).*?(^[ \t]*\2[ \t]*$|\Z)", re.S | re.M)


class Redactions:
    """Kinds of secrets that were replaced while one event was cleaned."""

    def __init__(self) -> None:
        self.kinds: list[str] = []

    def text(self, text: str, limit: int) -> str:
        """Return a text without secrets, memkit's own blocks and what is beyond `limit`."""
        stripped = strip_rendered(clean_text(text)).strip()
        # Cut after the filter, so that no half of a secret stands at the cut unrecognised; what
        # lies far beyond is not looked at.
        redaction = redact(stripped[: 4 * limit + 1000])
        self.kinds += [finding.kind for finding in redaction.findings]
        safe = redaction.text
        return safe if len(safe) <= limit else safe[: limit - 1].rstrip() + "…"

    def optional(self, text: object, limit: int) -> str | None:
        """Return the same, or None if nothing is left."""
        if text is None:
            return None
        return self.text(text if isinstance(text, str) else json_text(text), limit) or None

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


def begun(text: str, limit: int) -> str:
    """Return the beginning of a short text that goes through the filter with what is around it."""
    if len(text) <= limit:
        return text
    # Cut after the filter, so that no half of a secret stands at the cut unrecognised.
    return redact(clean_text(text[: 4 * limit + 1000])).text[:limit]


def parameters_preview(
    parameters: Mapping[str, Any],
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
    edits = "new_string" if names_file(parameters) else "code"
    short = {
        begun(clean_text(str(key)), _KEY): shorten.value(
            edits if key == "code" else str(key).lower(), value
        )
        for key, value in list(parameters.items())[:40]
    }
    text = json_text(redactions.json(short))
    if len(text) <= PARAMETERS:
        return text
    names = {key: _at_most(value, 80) for key, value in short.items()}
    return json_text(redact_json(dict(list(names.items())[:8])))


class _Shortening(NamedTuple):
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
                begun(clean_text(str(k)), _KEY): self.value(str(k).lower(), v, depth=depth + 1)
                for k, v in list(value.items())[:20]
            }
        if isinstance(value, list | tuple):
            return [self.value(key, v, depth=depth + 1) for v in list(value)[:20]]
        return self.text(key, str(value))

    def text(self, key: str, value: str) -> str:
        """Return one text, bounded and without contents of files."""
        if key in _CONTENTS or (self.private and key in _EDITS):
            return _sized(value)
        limit = _EDIT_CHARS if key in _EDITS else PARAMETER
        bare = self.relative(strip_rendered(clean_text(value)))
        if limit == PARAMETER:
            bare = _without_contents(bare)
        if len(bare) <= limit:
            return bare  # the whole of the parameters goes through the filter afterwards
        # Cut after the filter, so that no half of a secret stands at the cut unrecognised.
        safe = redact(bare[: 4 * limit + 1000]).text + bare[4 * limit + 1000 :]
        return str(_at_most(safe, limit))


def _without_contents(command: str) -> str:
    """Return a command without the file contents that it carries: patches and here-documents."""
    if "<<" not in command and "*** Begin Patch" not in command:
        return command
    command = _PATCH.sub(lambda match: _patch_heads(match[0]), command)
    return _HEREDOC.sub(lambda match: f"{match[1]}{_sized(match[0])}\n{match[2]}", command)


def _patch_heads(patch: str) -> str:
    return "\n".join(line for line in patch.splitlines() if line.startswith("*** "))


def _sized(text: str) -> str:
    lines = text.count("\n") + 1
    return f"[{len(text):,} characters, {lines:,} lines, sha256 {content_hash(text)}]"


def _at_most(value: Any, limit: int) -> Any:
    if not isinstance(value, str):
        size = len(json_text(value))
        return value if size <= limit else f"[{size:,} characters]"
    if len(value) <= limit:
        return value
    return f"{value[:limit]}[… {len(value) - limit:,} characters]"


def result(value: object, redactions: Redactions, *, relative: Callable[[str], str]) -> str | None:
    """Return a structured result as JSON, or only its size if it is large."""
    if value is None:
        return None
    short = _Shortening(relative).value("", value)
    text = json_text(redactions.json(short))
    return text if len(text) <= RESULT else json_text({"characters": len(text)})


# --- What a tool gave back, as little of it as tells what happened.
#
# Head, error lines and tail are kept, each cut is marked with counts, and size, hash and type are
# of the whole. Nothing is decoded and nothing is kept of what is no text.

# Characters of an output that are kept. What succeeded is hardly asked for again: with these the
# traces take about half a megabyte per 1,000 events (`python -m bench episodes`), as seed 000
# estimates. What failed is evidence.
HEAD, TAIL, ERRORS = 60, 120, 200
FAILED_HEAD, FAILED_TAIL, FAILED_ERRORS = 240, 500, 600
# A line is kept up to so many characters: minified code and progress bars are single lines.
LINE = 240
# Only so much of an output is searched for error lines and secrets, a quarter of it from the
# beginning: to look through 100,000 characters for secrets takes some 10 ms.
SEARCHED = 100_000
# Of what failed and says no fault there, so much before its end is looked through for one, which
# takes up to .1 s a million characters; of the lines that are found the last few are kept.
LOOKED_THROUGH = 5_000_000
_FAULTS = 5
_ERROR_LINE = lazy_pattern(
    r"(?i)\b(?:error|errors|exception|fatal|failed|failure|panic(?:ked)?|undefined reference"
    r"|cannot|can't|could not|not found|no such|denied|refused|timed out|traceback|segfault)\b"
    r"|\w(?:Error|Exception)\b"
)
_NO_ERROR = lazy_pattern(r"(?i)\b(?:0|no) (?:errors?|failed|failures?)\b")
_BASE64 = lazy_pattern(r"[A-Za-z0-9+/_-]{200,}={0,2}")
_DATA_URL = lazy_pattern(r"\s*data:[\w.+-]+/[\w.+-]+(?:;[\w=.-]+)*;base64,")
# Shares above which a text is taken for base64, or bytes for no text.
_BASE64_SHARE = 0.8
_CONTROL_SHARE = 0.1
# Different characters in 200 of base64: 16 is what a byte or two said again and again gives less
# than, and any picture or archive more.
_BASE64_LETTERS = 16
_CONTROLS = lazy_pattern("[\0-\x08\x0e-\x1a\x1c-\x1f]")


class Preview(NamedTuple):
    """What is kept of an output.

    Attributes:
        text: head, error lines and tail; None if nothing of it may or need be kept.
        original_bytes, output_hash: size and sha256/16 of the whole output.
        redacted: kinds of secrets that were replaced by markers.
    """

    text: str | None
    original_bytes: int
    output_hash: str
    output_type: OutputType
    redacted: tuple[str, ...] = ()


def preview(output: object, *, failed: bool, keep: bool = True) -> Preview | None:
    """Return what is kept of an output (text, bytes, or anything that JSON can hold), or None if
    there was none. With `keep` false only size, hash and type."""
    if output is None or output in ("", b""):
        return None
    data, text = _both(output)
    digest = content_hash(data)
    kind = _type_of(text, is_json=not isinstance(output, str | bytes | bytearray | memoryview))
    if not keep or text is None or kind in (OutputType.BASE64, OutputType.BINARY):
        return Preview(None, len(data), digest, kind)
    excerpt, redacted = output_preview(text, failed=failed)
    return Preview(excerpt, len(data), digest, kind, redacted)


def output_preview(text: str, *, failed: bool) -> tuple[str, tuple[str, ...]]:
    """Return head, error lines and tail of a text, cuts marked, and the kinds of secrets that were
    replaced."""
    head, tail, errors = (
        (FAILED_HEAD, FAILED_TAIL, FAILED_ERRORS) if failed else (HEAD, TAIL, ERRORS)
    )
    window = _searched(text, failed=failed)
    safe = redact(strip_rendered(clean_text(window)))
    left_out = len(text) - len(window)
    excerpt = _cut(safe.text, head, tail, errors, left_out)
    return excerpt, tuple(finding.kind for finding in safe.findings)


def error_lines(text: str) -> Iterator[str]:
    """Yield the lines of a text that speak of a fault, each bounded."""
    for line in text.splitlines():
        if _ERROR_LINE.search(line) and not _NO_ERROR.search(line):
            yield _line(line)


# -- inside


def _both(output: object) -> tuple[bytes, str | None]:
    """Return the bytes of an output, and its text if it is one."""
    if isinstance(output, bytes | bytearray | memoryview):
        data = bytes(output)
        try:
            return data, data.decode("utf-8")
        except UnicodeDecodeError:
            return data, None
    text = output if isinstance(output, str) else _json(output)
    return text.encode("utf-8", "surrogatepass"), text


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return repr(value)


def _type_of(text: str | None, *, is_json: bool) -> OutputType:
    if text is None:
        return OutputType.BINARY
    if is_json:
        return OutputType.JSON
    sample = text[:20_000]
    if len(_CONTROLS.findall(sample)) > _CONTROL_SHARE * len(sample):
        return OutputType.BINARY
    if _DATA_URL.match(sample):
        return OutputType.BASE64
    dense = sum(len(run) for run in _BASE64.findall(sample) if _is_mixed(run))
    return OutputType.BASE64 if dense > _BASE64_SHARE * len(sample) else OutputType.TEXT


def _is_mixed(run: str) -> bool:
    """Whether a run of letters is as mixed as encoded bytes are: a rule of dashes, one word again
    and again, digits and a sequence of bases are not."""
    sorts = (str.isupper, str.islower, str.isdigit)
    return len(set(run)) >= _BASE64_LETTERS and all(any(map(sort, run)) for sort in sorts)


def _searched(text: str, *, failed: bool) -> str:
    """Return the text, or its beginning and its end if it is too long to be read through; of what
    failed, where neither speaks of a fault, with the last that does between them."""
    if len(text) <= SEARCHED:
        return text
    quarter = SEARCHED // 4
    cut = len(text) - SEARCHED
    begin, end = text[:quarter], text[-3 * quarter :]
    between = ""
    if failed and not any(True for part in (begin, end) for _ in error_lines(part)):
        between = _last_faults(text, quarter, len(text) - 3 * quarter)
    return f"{begin}\n{between}{_mark(cut)}\n{end}"


def _last_faults(text: str, start: int, end: int) -> str:
    """Return the lines that speak of a fault in the last piece of a range in which any does."""
    first = max(start, end - LOOKED_THROUGH)
    while end > first:
        begin = max(first, end - SEARCHED)
        if lines := list(dict.fromkeys(error_lines(text[begin:end]))):
            return "\n".join(lines[-_FAULTS:]) + "\n"
        end = begin
    return ""


def _cut(text: str, head: int, tail: int, errors: int, left_out: int) -> str:
    if len(text) <= head + tail + errors and not left_out:
        return text
    start, end = _at_line_end(text, head), _at_line_start(text, len(text) - tail)
    if end <= start:
        return text
    middle = text[start:end]
    lines = _errors(middle, errors)
    shown = sum(map(len, lines))
    mark = _mark(len(middle) - shown + max(left_out, 0), middle.count("\n"))
    again = "[…]" if lines else ""
    parts = [text[:start].rstrip("\n"), mark, *lines, again, text[end:].lstrip("\n")]
    return "\n".join(part for part in parts if part)


def _errors(text: str, budget: int) -> list[str]:
    """Return error lines, the last ones first chosen, in their order and without repetition."""
    chosen: list[str] = []
    for line in reversed(list(dict.fromkeys(error_lines(text)))):
        budget -= len(line)
        if budget < 0:
            break
        chosen.append(line)
    return chosen[::-1]


def _mark(characters: int, lines: int = 0) -> str:
    of_lines = f", {lines:,} lines" if lines else ""
    return f"[… {characters:,} characters{of_lines} left out …]"


def _line(line: str) -> str:
    line = line.strip()
    return line if len(line) <= LINE else f"{line[:LINE]}[… {len(line) - LINE:,} characters …]"


def _at_line_end(text: str, limit: int) -> int:
    """Return where the head ends: at a line's end if one is near."""
    end = text.rfind("\n", limit // 2, limit)
    return end + 1 if end > 0 else limit


def _at_line_start(text: str, min_start: int) -> int:
    start = text.find("\n", min_start, min_start + (len(text) - min_start) // 2)
    return start + 1 if start > 0 else max(min_start, 0)
