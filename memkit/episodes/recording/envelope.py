"""Envelope: what a tool writes around the output of a program, with its verdict.

    Exit code: 1              Chunk ID: 3fa1                KeyError: 'user'
    Wall time: 0.2 seconds    Process exited with code 1    [Command finished with exit code 1]
    Output:                   Output:

Its lines are none of the program's: a fault is told from what is inside. A line counts only whole
and only at the edge, for a program may print the same words in a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ...text.patterns import lazy_pattern
from . import tolerant_json

# Envelopes inside each other that are opened: a script that ran a command, say.
_DEPTH = 3
# Lines of a header or footer at most, and characters of an output that are parsed as JSON.
_LINES, _JSON = 12, 200_000
_CODE = r"(?P<code>-?\d{1,10})"
# What says at an edge how the program ended.
_VERDICT = lazy_pattern(
    r"(?:"
    rf"exit(?:ed)? ?(?:code|status)\s*[:=]?\s*{_CODE}"
    r"|(?:the |your )?(?:process|command|program|script)(?: was)?"
    r" (?:exited|completed|finished|failed|ended|executed)"
    r"\b[^\n]{0,140}?\b(?:with )?(?:exit )?(?:code|status):?\s*(?P<code2>-?\d{1,10})"
    r"|exited with (?:exit )?(?:code|status):?\s*(?P<code3>-?\d{1,10})"
    r"|return ?code:?\s*(?P<code4>-?\d{1,10})"
    r"|script (?P<word>completed|failed)"
    r")\.?",
    re.I,
)
# What may follow a verdict on its line: it is no sentence of a program.
_REST = lazy_pattern(r"\s*(?:\([^)]*\)|[.,;]?)\s*")
_TAGGED_CODE = lazy_pattern(r"<(?:returncode|exit_code|exitcode)>\s*(-?\d{1,10})\s*</\w+>", re.I)
# What else stands in a header or footer: measures, and what was run where.
_FACT = lazy_pattern(
    r"(?:(?:chunk id|wall[ -]?time|duration|elapsed|original token count|total output lines"
    r"|session id|process group pgid|pgid|signal|background pids|current working directory"
    r"|python interpreter|command|directory|working directory|cwd|pid)\s*:[^\n]{0,400}"
    r"|wall time [\d.]+ \w+|(?:process|script) running with \w+ id \S+)",
    re.I,
)
# What begins the output: after it nothing is header any more.
_OPENS = lazy_pattern(r"(?:(?:command |combined )?output|stdout):(?P<rest>.*)", re.I)
# A second stream after the first, and one of which nothing came.
_STDERR = lazy_pattern(r"(?m)^stderr: ?(?:\((?:none|empty)\)\n?)?", re.I)
_EMPTY = lazy_pattern(r"(?:stderr|error|output):\s*\((?:none|empty)\)", re.I)
_BRACKETS = {"[": "]", "<": ">", "(": ")"}
_FENCED = lazy_pattern(r"\s*(`{3,})[\w-]*\n(.*?)\n?\1\s*\Z", re.S)
_TAGGED = lazy_pattern(r"\s*<(output|stdout)>\n?(.*?)\n?</\1>\s*\Z", re.S)
# What an object may call its exit code.
_CODES = (
    "exit_code", "exitCode", "exitcode", "exit_status", "exitStatus", "returncode", "returnCode",
    "return_code",
)  # fmt: skip


class Envelope(NamedTuple):
    """An output without what its tool wrote around it.

    Attributes:
        body: what the program printed. exit_code: what the envelope says of it, or None.
        is_failed: whether the envelope says in words that it failed; None if it says nothing.
    """

    body: str
    exit_code: int | None = None
    is_failed: bool | None = None

    @property
    def success(self) -> bool | None:
        """What the envelope says of success, or None."""
        if self.exit_code is not None:
            return self.exit_code == 0
        return None if self.is_failed is None else not self.is_failed


@lru_cache(maxsize=64)
def unwrap(output: str) -> Envelope:
    """Return an output without its envelopes; the verdict of the innermost holds, but a failure of
    an outer one stays."""
    envelope = Envelope(output)
    for _ in range(_DEPTH):
        inner = _opened(envelope.body)
        if inner is None:
            break
        failed = envelope.success is False and inner.success is not False
        code = envelope.exit_code if failed or inner.success is None else inner.exit_code
        word = envelope.is_failed if failed or inner.success is None else inner.is_failed
        envelope = Envelope(inner.body, code, word)
    return envelope


# -- inside


def _opened(text: str) -> Envelope | None:
    """Return what is inside one envelope, or None if there is none."""
    if (document := _of_json(text)) is not None:
        return document
    lines = text.splitlines(keepends=True)
    verdicts: list[Envelope] = []
    start = _header(lines, verdicts)
    end = _footer(lines, start, verdicts)
    if (start, end) == (0, len(lines)) and not verdicts:
        return None
    body = "".join(lines[start:end])
    if start:
        matches = (rule.fullmatch(body) for rule in (_FENCED, _TAGGED))
        body = next((match[2] for match in matches if match), body)
    return verdicts[-1]._replace(body=body) if verdicts else Envelope(body)


def _of_json(text: str) -> Envelope | None:
    """Return an output that stands in JSON beside its exit code."""
    if not text.lstrip().startswith("{") or len(text) > _JSON:
        return None
    document = tolerant_json.mapping(tolerant_json.parsed(text.strip()))
    facts = {**document, **tolerant_json.mapping_at(document, "metadata")}
    code = exit_code_in(facts)
    texts = [
        part for key in ("output", "stdout", "stderr") if isinstance(part := document.get(key), str)
    ]
    if code is None or not texts:
        return None
    return Envelope("\n".join(filter(None, texts)), code)


def exit_code_in(facts: Mapping[str, Any]) -> int | None:
    """Return the exit code that an object tells of, by whichever of its names."""
    codes = (tolerant_json.whole(facts.get(key)) for key in _CODES)
    return next((code for code in codes if code is not None), None)


def _header(lines: list[str], verdicts: list[Envelope]) -> int:
    """Return how many lines stand before the output; what they say is added to `verdicts`."""
    end = facts = 0
    said: list[Envelope] = []
    for number, line in enumerate(lines[:_LINES]):
        bare = _bare(line)
        opens = _OPENS.fullmatch(bare)
        if opens and (facts or said):
            verdicts += said
            return _begin(lines, number, opens["rest"])
        if (verdict := _verdict(bare)) is not None:
            said.append(verdict)
        elif _FACT.fullmatch(bare):
            facts += 1
        elif bare:
            break
        end = number + 1
    # Facts alone, or a word alone, are no envelope: a program prints its duration as well.
    if not any(verdict.exit_code is not None for verdict in said) and not (said and facts):
        return 0
    verdicts += said
    return end


def _begin(lines: list[str], number: int, rest: str) -> int:
    """Return where the output begins, after the line that opens it or on it."""
    lines[number:] = _STDERR.sub("", "".join(lines[number:]), count=1).splitlines(keepends=True)
    if not rest.strip():
        return number + 1
    lines[number] = lines[number].partition(":")[2].lstrip(" ")
    return number


def _footer(lines: list[str], start: int, verdicts: list[Envelope]) -> int:
    """Return where the lines after the output begin."""
    said: list[Envelope] = []
    first = len(lines)
    for number in range(len(lines) - 1, max(start, len(lines) - _LINES) - 1, -1):
        bare = _bare(lines[number])
        verdict = _verdict(bare)
        if verdict is not None and verdict.exit_code is not None:
            said.append(verdict)
        elif not bare or not (_FACT.fullmatch(bare) or _EMPTY.fullmatch(bare)):
            if bare:
                break
            continue
        first = number
    verdicts += said[::-1]
    return first if said else len(lines)


def _bare(line: str) -> str:
    """Return a line without blanks and the brackets around it."""
    bare = line.strip()
    if len(bare) > 2 and bare[-1] == _BRACKETS.get(bare[0]) and not _TAGGED_CODE.fullmatch(bare):
        return bare[1:-1].strip()
    return bare


def _verdict(line: str) -> Envelope | None:
    tagged = _TAGGED_CODE.fullmatch(line)
    match = tagged or _VERDICT.match(line)
    if match is None or (match.end() < len(line) and not _REST.fullmatch(line, match.end())):
        return None
    codes = [group for group in match.groups() if group and group.lstrip("-").isdigit()]
    if codes:
        return Envelope("", int(codes[0]))
    return Envelope("", is_failed=line.lower().startswith("script failed"))
