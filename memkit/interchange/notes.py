"""Texts that people and agents keep, read into drafts by heading.

Pure functions. The same text gives the same drafts with the same `source`, so reading it again
updates what changed and leaves the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import PurePosixPath

import attrs

from ..memories.identity import is_blank
from ..memories.kinds import ArtifactKind, Form, Kind, Provenance
from ..memories.records import Draft
from .headings import Markup, Section, front_matter, pieces, sections, slug, unique
from .rules import kind_of, procedure_of

_MARKUPS = {
    ".md": Markup.MARKDOWN, ".markdown": Markup.MARKDOWN, ".mdc": Markup.MARKDOWN,
    ".mdx": Markup.MARKDOWN, ".rst": Markup.RST, ".txt": Markup.PLAIN,
}  # fmt: skip
_BULLET = re.compile(r"[-*+][ \t]+(?:\[[ xX]\][ \t]+)?(\S.*)")
_FENCE_MARK = re.compile(r"\s*(?:```|~~~)")
# Words of a rule that name it: a change further on updates it in place.
_NAMING_WORDS = 4
# Notes for agents that hold for the folder they lie in.
FOLDER_NOTES = frozenset({"AGENTS.md", "AGENT.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"})
_STATUS = re.compile(r"^\W*status\W*:(.*)", re.I | re.M)
_OVERTAKEN = re.compile(r"\b(superseded|deprecated|rejected|obsolete)\b", re.I)
# Letters of prose that can be one rule; a longer text says more than that something is forbidden.
_MAX_RULE = 400
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


def markup_of(path: str) -> Markup:
    """Return the markup that a file's name stands for; names without a known ending are
    Markdown."""
    return _MARKUPS.get(PurePosixPath(path).suffix.lower(), Markup.MARKDOWN)


def read_notes(
    text: str, *, path: str, role: Role = Role.NOTES, markup: Markup | None = None
) -> list[Draft]:
    """Return a draft for each section of a document, or for each rule of agent notes.

    The path of headings stands before the text, and before it the folder for which alone agent
    notes hold; `source` is `path#heading`, with `~2` for the
    second part of a long section and `/first-words` for a rule.
    """
    found = sections(text, markup_of(path) if markup is None else markup)
    if folder := _folder(path, role):
        found = [attrs.evolve(one, headings=(folder, *one.headings)) for one in found]
    overtaken = _overtaken(found, front_matter(text)) if role is Role.ADR else ""
    if overtaken:
        found = [attrs.evolve(one, headings=_marked(one.headings, overtaken)) for one in found]
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


def _folder(path: str, role: Role) -> str:
    """Return the folder below the root for which agent notes hold; "" if for all of it."""
    place = PurePosixPath(path)
    is_bound = role is Role.AGENT_NOTES and place.name in FOLDER_NOTES and path[0] != "."
    return place.parent.as_posix() if is_bound and len(place.parts) > 1 else ""


def _marked(headings: Sequence[str], status: str) -> tuple[str, ...]:
    """Return headings of which the first says what became of the record."""
    first = f"{headings[0]} ({status})" if headings else status
    return (first, *headings[1:])


def _overtaken(found: Iterable[Section], front: str) -> str:
    """Return how a decision record says of itself that it does not hold any more, or ""."""
    overtaken = _OVERTAKEN.search(_status(found, front))
    return overtaken[1].lower() if overtaken else ""


def _status(found: Iterable[Section], front: str) -> str:
    if status := _STATUS.search(front):
        return status[1]
    for section in found:
        body = section.blocks[0]
        if section.headings and section.headings[-1].casefold() == "status":
            return body
        if status := _STATUS.search(body):
            return status[1]
    return ""
