"""Texts that people and other tools keep, read into drafts: notes by heading, and MCP memory files.

Pure functions. The same text gives the same drafts with the same `source`, so reading it again
updates what changed and leaves the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Any

import attrs

from ..errors import InvalidInput
from ..memories.identity import is_blank, short_hash
from ..memories.kinds import ArtifactKind, Form, Kind, Provenance
from ..memories.records import Draft
from ..safety import quoted
from .headings import Markup, Section, pieces, sections, slug, unique
from .rules import kind_of, procedure_of

_MARKUPS = {
    ".md": Markup.MARKDOWN, ".markdown": Markup.MARKDOWN, ".mdc": Markup.MARKDOWN,
    ".mdx": Markup.MARKDOWN, ".rst": Markup.RST, ".txt": Markup.PLAIN,
}  # fmt: skip
_BULLET = re.compile(r"[-*+][ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)")
_FENCE_MARK = re.compile(r"\s*(?:```|~~~)")
# Words of a rule that name it: a change further on updates it in place.
_NAMING_WORDS = 4
_OVERTAKEN = re.compile(r"\b(superseded|deprecated|rejected|obsolete)\b", re.I)
# Letters of prose that can be one rule; a longer text says more than that something is forbidden.
_MAX_RULE = 400
# Letters of an entity's type that become its tag.
_MAX_TAG = 100
# Belief in a decision record that says of itself that it no longer holds.
_OVERTAKEN_CONFIDENCE = 0.3
_OVERTAKEN_TAG = "notes:superseded"


class Role(StrEnum):
    """What a file of notes is for; also the tag of what is read from it.

    No tag is a plain word: a question that has the word in it would name all of them.
    """

    README = "notes:readme"
    AGENT_NOTES = "notes:agent"
    AGENT_MEMORY = "notes:agent-memory"
    ADR = "notes:adr"
    DOCS = "notes:docs"
    CHANGELOG = "notes:changelog"
    CONTRIBUTING = "notes:contributing"
    NOTES = "notes:other"


@attrs.frozen
class Relation:
    """An edge between two drafts of one reading, by their places in it."""

    src: int
    dst: int


@attrs.frozen
class Reading:
    """What a file says: drafts in order, and how they hang together."""

    drafts: tuple[Draft, ...]
    relations: tuple[Relation, ...] = ()


def decode(data: bytes) -> str:
    """Return the text of a file or stream: UTF-8, or UTF-16 where a byte order mark says so.

    What is not valid becomes U+FFFD; nothing is refused.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "replace")


def markup_of(path: str) -> Markup:
    """Return the markup that a file's name stands for; names without a known ending are
    Markdown."""
    return _MARKUPS.get(PurePosixPath(path).suffix.lower(), Markup.MARKDOWN)


def read_notes(
    text: str, *, path: str, role: Role = Role.NOTES, markup: Markup | None = None
) -> list[Draft]:
    """Return a draft for each section of a document, or for each rule of agent notes.

    The path of headings stands before the text; `source` is `path#heading`, with `~2` for the
    second part of a long section and `/first-words` for a rule.
    """
    found = sections(text, markup_of(path) if markup is None else markup)
    overtaken = role is Role.ADR and _is_overtaken(found)
    reader = _rules if role is Role.AGENT_NOTES else _prose
    decision = [(ArtifactKind.ADR, path)] if role is Role.ADR else []
    base = Draft(
        provenance=Provenance.EXTRACTED,
        tags=(role, _OVERTAKEN_TAG) if overtaken else (role,),
        confidence=_OVERTAKEN_CONFIDENCE if overtaken else 1.0,
        file_paths=(path,),
        artifacts=decision,
    )
    drafts = (d for section in found for d in reader(section, base, f"{path}#{section.slug}"))
    return [draft for draft in drafts if not is_blank(draft.text)]


def read_graph(text: str, *, name: str) -> Reading:
    """Return what a file of the MCP memory server holds: JSON Lines of entities and relations.

    Each observation is a memory tagged with the type of its entity; a relation is a memory that
    relates to the first memory of both its ends. One JSON document with both lists is read too.
    Raises InvalidInput that names the line.
    """
    records = list(_graph_records(text, name))
    found: list[Draft] = []
    first: dict[str, int] = {}
    for entity in (item for item in records if item["type"] == "entity"):
        first.setdefault(entity["name"], len(found))
        found += _entity(entity)
    relations: list[Relation] = []
    for item in (item for item in records if item["type"] == "relation"):
        ends = [first[item[end]] for end in ("from", "to") if item[end] in first]
        relations += [Relation(len(found), end) for end in dict.fromkeys(ends)]
        found.append(
            _graph_draft(f"{item['from']} {item['relationType']} {item['to']}", "relation", "")
        )
    return Reading(tuple(found), tuple(relations))


def is_graph(text: str) -> bool:
    """Whether a text looks like a file of the MCP memory server."""
    start = text.lstrip()[:2000]
    first, _, _ = start.partition("\n")
    return start.startswith("{") and (
        bool(re.search(r'"type"\s*:\s*"(entity|relation)"', first)) or '"entities"' in start
    )


# -- sections


def _prose(section: Section, base: Draft, source: str) -> Iterator[Draft]:
    heading = section.headings[-1] if section.headings else ""
    for number, body in enumerate(pieces(section.blocks), 1):
        kind = kind_of(body, heading=heading)
        yield attrs.evolve(
            base,
            text=_under(section.headings, body),
            kind=kind,
            form=Form.WORKFLOW if kind is Kind.PROCEDURE else Form.FACT,
            procedure=procedure_of(body, name=heading),
            source=source if number == 1 else f"{source}~{number}",
        )


def _rules(section: Section, base: Draft, source: str) -> Iterator[Draft]:
    taken: set[str] = set()
    prose: list[str] = []
    for block in section.blocks:
        rest, bullets = _bullets(block)
        if rest and not (bullets and rest.endswith(":") and "\n" not in rest):
            prose.append(rest)
        for rule in bullets:
            words = " ".join(rule.split()[:_NAMING_WORDS])
            yield attrs.evolve(
                base,
                text=_under(section.headings, rule),
                kind=kind_of(rule, is_rule=True),
                source=f"{source}/{unique(slug(words), taken)}",
            )
    for draft in _prose(attrs.evolve(section, blocks=tuple(prose)), base, source):
        if draft.kind is Kind.FACT and len(draft.text) <= _MAX_RULE:
            body = draft.text.removeprefix(" › ".join(section.headings)).lstrip(": \n")
            draft = attrs.evolve(draft, kind=kind_of(body, is_rule=True))
        yield draft


def _bullets(block: str) -> tuple[str, list[str]]:
    """Return the text before the top-level bullets of a block, and each bullet with what belongs
    to it."""
    before: list[str] = []
    bullets: list[list[str]] = []
    in_fence = False
    for line in block.split("\n"):
        match = None if in_fence else _BULLET.fullmatch(line)
        if _FENCE_MARK.match(line):
            in_fence = not in_fence
        if match:
            bullets.append([match[1]])
        elif bullets:
            bullets[-1].append(line)
        else:
            before.append(line)
    return "\n".join(before).strip(), ["\n".join(lines).strip() for lines in bullets]


def _under(headings: Sequence[str], body: str) -> str:
    path = " › ".join(headings)
    if not path:
        return body
    return f"{path}: {body}" if "\n" not in body else f"{path}\n\n{body}"


def _is_overtaken(found: Iterable[Section]) -> bool:
    for section in found:
        body = section.blocks[0]
        if section.headings and section.headings[-1].casefold() == "status":
            return bool(_OVERTAKEN.search(body))
        if status := re.search(r"^\W*status\W*:(.*)", body, re.I | re.M):
            return bool(_OVERTAKEN.search(status[1]))
    return False


# -- the MCP memory server


def _graph_records(text: str, name: str) -> Iterator[dict[str, Any]]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and whole.keys() & {"entities", "relations"}:
        for kind, plural in (("entity", "entities"), ("relation", "relations")):
            listed = whole.get(plural, [])
            for number, item in enumerate(listed if isinstance(listed, list) else [listed], 1):
                yield _checked(item, f"{name}: {plural} {number}", kind)
        return
    if whole is not None:
        yield _checked(whole, f"{name} line 1", None)
        return
    yield from _graph_lines(text, name)


def _graph_lines(text: str, name: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                item = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InvalidInput(
                    f"{name} line {number}: is no JSON ({error}); restore the line or remove it"
                ) from None
            yield _checked(item, f"{name} line {number}", None)


_NEEDED: Mapping[str, tuple[str, ...]] = {
    "entity": ("name",),
    "relation": ("from", "to", "relationType"),
}


def _checked(item: object, place: str, kind: str | None) -> dict[str, Any]:
    if isinstance(item, dict):
        found = kind or item.get("type")
        needed = _NEEDED.get(found) if isinstance(found, str) else None
        if needed and all(_is_told(item.get(key)) for key in needed):
            return {**item, "type": found}
    raise InvalidInput(
        f"{place}: found {quoted(item, most=60)}, expected a line of 'memkit export', or of MCP "
        "memory an entity (name, entityType, observations) or a relation (from, to, relationType)"
    )


def _is_told(value: object) -> bool:
    return isinstance(value, str) and not is_blank(value)


def _entity(entity: Mapping[str, Any]) -> Iterator[Draft]:
    name, sort = entity["name"], entity.get("entityType")
    sort = sort if isinstance(sort, str) else ""
    listed = entity.get("observations")
    said = [str(text) for text in listed if str(text).strip()] if isinstance(listed, list) else []
    for text in dict.fromkeys(said):
        yield _graph_draft(f"{name}: {text}", "entity", sort)
    if not said:
        yield _graph_draft(f"{name} ({sort})" if sort else name, "entity", sort)


def _graph_draft(text: str, part: str, tag: str) -> Draft:
    return Draft(
        text,
        tags=(tag[:_MAX_TAG],) if tag.strip(" #") else (),
        source=f"mcp-memory:{part}/{short_hash(text)}",
        provenance=Provenance.EXTRACTED,
    )
