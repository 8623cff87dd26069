"""Notes parser: documents into drafts, section by section, with the kind of each by wording.

Pure functions of the text. The same text gives the same drafts with the same `source`, so reading
it again updates what changed and leaves the rest. A section is the unit: a bullet without the
sentence that leads to it has lost its sense, and so has half a line under a heading of its own.

Only wording in the imperative makes a rule: "Never retry a POST" forbids, "it never finished"
tells. That shows in the place of words in a sentence and in their endings, hardly in lists of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import PurePosixPath

import attrs

from ..memories.identity import is_blank
from ..memories.records import ArtifactKind, Draft, Form, Kind, Procedure, Provenance
from .note_sections import (
    ITEM,
    Markup,
    Section,
    clean_heading,
    front_matter,
    join_short_sections,
    lead_of,
    pieces,
    sections,
    slug,
    unique,
)

_MARKUPS = {
    ".md": Markup.MARKDOWN, ".markdown": Markup.MARKDOWN, ".mdc": Markup.MARKDOWN,
    ".mdx": Markup.MARKDOWN, ".rst": Markup.RST, ".txt": Markup.PLAIN,
}  # fmt: skip
# Words of a rule that name it: a change further on updates it in place.
_NAMING_WORDS = 4
# Versions of a changelog that are worth remembering: the newest ones.
CHANGELOG_SECTIONS = 5
# Notes for agents that hold for the folder they lie in.
FOLDER_NOTES = frozenset({"AGENTS.md", "AGENT.md", "CLAUDE.md", "GEMINI.md", "QWEN.md"})
_STATUS = re.compile(r"^\W*status\W*:(.*)", re.I | re.M)
_OVERTAKEN = re.compile(r"\b(superseded|deprecated|rejected|obsolete)\b", re.I)
# Belief in a decision record that says of itself that it no longer holds.
_OVERTAKEN_CONFIDENCE = 0.3
_OVERTAKEN_TAG = "notes:superseded"
# Fields of front matter that say under what a document is filed.
_TAG_FIELDS = ("tags", "tag", "keywords", "categories", "category", "labels", "topics")
_TAG_SIGNS = re.compile(r"[,#]")
# Fields of front matter in which tools say for which files a rule is.
_GLOB_FIELDS = ("globs", "applyto", "paths", "filematchpattern")
_EVERYTHING = frozenset({"*", "**", "**/*", "**/**", "/", "./"})
# Letters of globs that stand before a rule; more is no heading.
_MAX_GLOBS = 80
# A path in prose or code: it has an ending or a folder.
_PATH = re.compile(r"(?<![\w/.@-])(?:[\w.@-]+/)*[\w.@-]*\w(?![\w/])")
_FIRST_SENTENCE = re.compile(r".*?(?:[.!?](?=\s)|\n|$)", re.S)
# A comma between globs, not one inside of braces.
_GLOB_COMMA = re.compile(r",(?![^{]*\})")
# The first letters of a section that say what it is about.
_SUBJECT_LETTERS = 300

# Where an order may begin: at the start of a sentence, behind marks of lists, warnings, emphasis.
_START = r"(?:^|[.;:!?—–]\s+|\n|(?:\b(?:and|but|so|then|or)|,)\s+(?=never|do\s+not|don))"
_MARKS = r"[^\w\n$`]{0,12}(?:(?:please|you|we|agents?)\s+)?"
_NOT = (
    r"(?:never|do\s+not|don['’]?t|avoid|stop(?=\s+\w+ing)|no\s+longer)\b"
    r"(?!\s+(?:mind|worry|forget|hesitate)\b)"
)
_BEGINS_BY_FORBIDDING = re.compile(_MARKS + _NOT, re.I)
_FORBIDS = re.compile(
    _START
    + _MARKS
    + _NOT
    + r"|\b(?:must|should|shall|may)\s*(?:not|n['’]t|never)\b(?!\s+be\s+(?:able|surprised))"
    r"|\bcannot\s+be\s+(?:used|changed|edited)\b"
    r"|\b(?:is|are)\s+(?:forbidden|prohibited|not\s+allowed)\b",
    re.I,
)
# "No wildcard imports." forbids, "No export needed" tells: one of its words says what was done.
_FORBIDS_ALL = re.compile(
    r"(?:^|[.;!?]\s+|\n)" + _MARKS + r"no\s+(?!longer\b)(?:[\w'’-]+\s*){1,6}(?=[.!;:,(—–]|\n|$)",
    re.I,
)
_TELLS = re.compile(
    r"\b(?:\w+(?:ed|able|ible)|is|are|was|were|has|have|will|can|necessary)\b", re.I
)
_PREFERS = re.compile(
    r"(?:^|[.;:!?]\s+|\n)" + _MARKS + r"(?:always|prefer|use|favou?r|keep|follow|write|make\s+sure"
    r"|ensure|stick|choose|put|name|add|include|be)\b"
    r"|\b(?:must|should|shall|prefers?|preferred|instead\s+of|rather\s+than|by\s+convention)\b",
    re.I,
)
_STEP = re.compile(r"^\s{0,3}\d+[.)]\s+(.*(?:\n(?!\s{0,3}\d+[.)]\s).*)*)", re.M)
_HOW_TO = re.compile(
    r"\b(?:how\s+to|steps?|set\s?-?up|install\w*|releas\w+|deploy\w*|build\w*|run\w*|test\w*"
    r"|workflow|getting\s+started|quick\s?start|debug\w*|migrat\w+|publish\w*)\b",
    re.I,
)
_SHELL = re.compile(
    r"^[ \t]*```[ \t]*(?:(?:ba|z|fi)?sh|console|shell|powershell)\b[^\n]*\n(.*?)^[ \t]*```",
    re.M | re.S,
)
_PROMPT = re.compile(r"^\s*\$ (\S.*)$", re.M)
# What stands under one heading as prose is a procedure from so many steps on.
_FEWEST_STEPS = 2
_MAX_STEPS = 40

_BOLD_TITLE = re.compile(r"\s*(?:\*\*|__)(.+?)(?:\*\*|__)\s*[:.—–-]*\s*(.*)", re.S)
_CONDITION = re.compile(
    r"\A(?:if|when|once|after|before|for|on|in|from|to|with)\b[^,\n]{2,60},\s*", re.I
)
# Words that no order begins with, and endings of nouns and participles.
_NO_VERB = frozenset(
    "the a an this that these those it its we you they there our your my all some any no not if is "
    "are".split()
)
_NOUN_ENDING = re.compile(r"\w{2,}(?:ing|ed|tion|sion|ness|ity|ance|ence|ism|ics|(?<![su])s)")
# What follows a verb in an order.
_OBJECT = re.compile(
    r"(?:the|an?|your|our|all|each|every|any|this|that|these|those|it|them|sure|new|up|out|if|whether"
    r"|how|what)\b|[`\[*\"'</\d]|\w*[a-z][A-Z]|\w+[._/]\w|[A-Z]{2}"
)

_STARTS_ITEM = re.compile(rf"^{ITEM.pattern}", re.M)
_CODE_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
# Where the part of a sentence ends that says what is forbidden.
_CLAUSE_END = re.compile(
    r"[.;!?](?=\s|$)|\s[—–-]\s|[—(]|\n|\b(?:instead|without|unless|except|until|before|outside)\b"
    r"|,\s*(?:use|prefer|run|but)\b",
    re.I,
)
# A prohibition whose object stands before it: "`x` must not be used".
_IS_SAID_OF = re.compile(r"(?:must|should|shall|may|cannot|is|are)\b", re.I)
_SENTENCE_END = re.compile(r"[.;!?]\s+|\n")
_SHORTEST_TRIGGER = 3
_LONGEST_TRIGGER = 80
# Letters of a prohibition that can stand alone; shorter ones of a section stand together.
_MIN_RULE = 40
# Letters of prose that can be one rule; a longer text says more than that something is forbidden,
# and so does a shorter one that begins by saying something else.
_MAX_RULE = 400
_MAX_MIXED_RULE = 160


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


# Roles whose sections give rules: elsewhere "never" tells more often than it forbids.
_RULES = (Role.AGENT_NOTES, Role.AGENT_MEMORY)


@attrs.frozen
class Relation:
    """Edge between two drafts of one reading, by their positions in it."""

    src: int
    dst: int


@attrs.frozen
class NoteDraft(Draft):
    """Draft of a section, with its `body`: what it says apart from the headings above it."""

    body: str = attrs.field(default="", kw_only=True)


@attrs.frozen
class Reading:
    """What a file says: drafts in order, and how they hang together."""

    drafts: tuple[Draft, ...]
    relations: tuple[Relation, ...] = ()


@attrs.frozen
class Tree:
    """The files that notes can be about, as far as the parser needs to know them.

    Attributes:
        has_file: whether a path names a file. matching: the files that a glob means, or none if
            they are too many to be named.
    """

    has_file: Callable[[str], bool] = lambda path: False
    matching: Callable[[str], Sequence[str]] = lambda glob: ()


@attrs.frozen
class Prohibition:
    """What a section forbids, with the commands, paths and names at which it should come back."""

    text: str
    triggers: tuple[str, ...] = ()


NO_TREE = Tree()


def markup_of(path: str) -> Markup:
    """Return the markup that a file's name stands for; names without a known ending are
    Markdown."""
    return _MARKUPS.get(PurePosixPath(path).suffix.lower(), Markup.MARKDOWN)


def read_notes(
    text: str,
    *,
    path: str,
    role: Role = Role.NOTES,
    markup: Markup | None = None,
    tree: Tree = NO_TREE,
) -> list[NoteDraft]:
    """Return a draft for each section of a document, and one for each prohibition in agent notes
    that can go off by itself.

    The path of headings stands before the text, and before it the folder or files for which alone
    agent notes hold; `source` is `path#heading`, with `~2` for the second part of a long section
    and `/first-words` for a prohibition.
    """
    front = front_matter(text)
    parsed = _titled(sections(text, markup_of(path) if markup is None else markup), front)
    overtaken = _overtaken(parsed, front) if role is Role.ADR else ""
    if role is Role.CHANGELOG:
        parsed = parsed[:CHANGELOG_SECTIONS]
    parsed = join_short_sections(parsed)
    prefix = _prefix(path, role, front)
    if overtaken:
        parsed = [
            attrs.evolve(section, headings=_marked(section.headings, overtaken))
            for section in parsed
        ]
    parsed = [attrs.evolve(section, headings=(*prefix, *section.headings)) for section in parsed]
    base = _base(path, role, front, tree, is_overtaken=bool(overtaken))
    drafts = (draft for section in parsed for draft in _drafts(section, base, path, role, tree))
    return [draft for draft in drafts if not is_blank(draft.text)]


def body_of(draft: Draft) -> str:
    """Return what a draft says apart from the headings that it stands under."""
    return draft.body if isinstance(draft, NoteDraft) else draft.text


def kind_of(text: str, *, heading: str = "", is_rule: bool = False) -> Kind:
    """Return the kind of a statement; only where rules are given (`is_rule`) is it one of them.

    A text of several sentences or items is a prohibition only if each of them is.
    """
    if procedure_of(text, name=heading) is not None:
        return Kind.PROCEDURE
    if not is_rule or not (statements := list(_statements(text))):
        return Kind.FACT
    if len(text) <= _MAX_RULE and all(map(_forbids, statements)):
        return Kind.NEGATIVE
    ordering = sum(
        1 for statement in statements if _forbids(statement) or _PREFERS.search(statement)
    )
    return Kind.PREFERENCE if 2 * ordering >= len(statements) else Kind.FACT


def procedure_of(text: str, *, name: str) -> Procedure | None:
    """Return the steps of a text that says how something is done, or None: numbered items that are
    orders, or commands under a heading that asks for them."""
    items = steps(text)
    if len(items) >= _FEWEST_STEPS and _are_orders(items, name):
        return Procedure(items, name=name)
    commands = _commands(text) if _HOW_TO.search(name) else ()
    return Procedure(commands, name=name) if commands else None


def steps(text: str) -> tuple[str, ...]:
    """Return the items of numbered lists, each on one line."""
    return tuple(" ".join(match[1].split()) for match in _STEP.finditer(text) if match[1].strip())


def prohibitions(text: str) -> list[Prohibition]:
    """Return what a text forbids, each as a statement of its own; those of a few words stand
    together."""
    long: list[Prohibition] = []
    short: list[Prohibition] = []
    for lead, statement in _led_statements(text):
        if not _is_prohibition(statement):
            continue
        led = f"{lead} {statement}" if lead else statement
        rule = Prohibition(led, triggers_of(statement))
        (long if len(led) >= _MIN_RULE else short).append(rule)
    if short:
        triggers = tuple(dict.fromkeys(name for rule in short for name in rule.triggers))
        long.append(Prohibition("; ".join(rule.text.rstrip(".") for rule in short), triggers))
    return long


def triggers_of(text: str) -> tuple[str, ...]:
    """Return the commands, flags, paths and identifiers in backticks that a text forbids."""
    clauses = (clause for statement in _statements(text) for clause in _forbidden(statement))
    names = (_trigger(span) for clause in clauses for span in _CODE_SPAN.findall(clause))
    return tuple(dict.fromkeys(filter(None, names)))


# -- drafts of a section


def _drafts(
    section: Section, base: NoteDraft, path: str, role: Role, tree: Tree
) -> Iterator[NoteDraft]:
    heading = section.headings[-1] if section.headings else ""
    is_rule = role in _RULES
    about = base.about or (_subject(section, tree) if is_rule else ())
    taken: set[str] = set()
    for number, piece in enumerate(pieces(section.blocks), 1):
        body = _without_mark(piece) if len(_STARTS_ITEM.findall(piece)) == 1 else piece
        source = f"{path}#{section.slug}" + (f"~{number}" if number > 1 else "")
        kind = kind_of(body, heading=heading, is_rule=is_rule)
        yield attrs.evolve(
            base,
            text=_under(section.headings, body),
            body=body,
            kind=kind,
            form=Form.WORKFLOW if kind is Kind.PROCEDURE else Form.FACT,
            procedure=procedure_of(body, name=heading),
            trigger_patterns=triggers_of(body) if kind is Kind.NEGATIVE else (),
            source=source,
            about=about,
        )
        if is_rule and kind is not Kind.NEGATIVE:
            for rule in prohibitions(body):
                yield _prohibition(rule, section, base, taken)


def _prohibition(
    rule: Prohibition, section: Section, base: NoteDraft, taken: set[str]
) -> NoteDraft:
    words = " ".join(rule.text.split()[:_NAMING_WORDS])
    return attrs.evolve(
        base,
        text=_under(section.headings, rule.text),
        body=rule.text,
        kind=Kind.NEGATIVE,
        trigger_patterns=rule.triggers,
        source=f"{base.file_paths[0]}#{section.slug}/{unique(slug(words), taken)}",
    )


def _base(
    path: str, role: Role, front: Mapping[str, Sequence[str]], tree: Tree, *, is_overtaken: bool
) -> NoteDraft:
    """Return what all drafts of a file have in common."""
    tags = [role, *([_OVERTAKEN_TAG] if is_overtaken else []), *_tags(front)]
    return NoteDraft(
        provenance=Provenance.EXTRACTED,
        tags=tags,
        confidence=_OVERTAKEN_CONFIDENCE if is_overtaken else 1.0,
        file_paths=(path,),
        about=tuple(name for glob in _globs(front) for name in tree.matching(glob)),
        artifacts=[(ArtifactKind.ADR, path)] if role is Role.ADR else [],
    )


def _under(headings: Sequence[str], body: str) -> str:
    path = " › ".join(headings)
    if not path:
        return body
    return f"{path}: {body}" if "\n" not in body else f"{path}\n\n{body}"


def _titled(parsed: list[Section], front: Mapping[str, Sequence[str]]) -> list[Section]:
    """Return the sections under the title that front matter gives, unless the document has one of
    its own, the first of them with the description."""
    if not parsed:
        return parsed
    title = clean_heading(" ".join(front.get("title", ())))
    tops = {section.headings[:1] for section in parsed}
    if title and (len(tops) > 1 or tops == {()}):
        parsed = [attrs.evolve(section, headings=(title, *section.headings)) for section in parsed]
    description = " ".join(front.get("description", ()))
    if description and description not in "\n".join(parsed[0].blocks):
        parsed[0] = attrs.evolve(parsed[0], blocks=(description, *parsed[0].blocks))
    return parsed


def _prefix(path: str, role: Role, front: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the files or the folder below the root for which alone agent notes hold."""
    if globs := ", ".join(_globs(front)):
        return (globs,) if len(globs) <= _MAX_GLOBS else ()
    place = PurePosixPath(path)
    is_bound = role is Role.AGENT_NOTES and place.name in FOLDER_NOTES and path[0] != "."
    return (place.parent.as_posix(),) if is_bound and len(place.parts) > 1 else ()


def _tags(front: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the tags of front matter: a list, or one text with commas or `#` between them."""
    for text in (text for name in _TAG_FIELDS for text in front.get(name, ())):
        parts = _TAG_SIGNS.split(text) if "#" in text or "," in text else [text]
        yield from (part.strip(" \"'") for part in parts if not is_blank(part.strip(" \"'")))


def _globs(front: Mapping[str, Sequence[str]]) -> list[str]:
    values = (value for name in _GLOB_FIELDS for value in front.get(name, ()))
    globs = [glob.strip() for value in values for glob in _GLOB_COMMA.split(value)]
    return [] if _EVERYTHING.intersection(globs) else list(dict.fromkeys(filter(None, globs)))


def _subject(section: Section, tree: Tree) -> tuple[str, ...]:
    """Return the one file that a rule is about: its heading names it, or its first sentence."""
    first = _FIRST_SENTENCE.match(section.blocks[0][:_SUBJECT_LETTERS])
    for text in (*section.headings[-1:], first[0] if first else ""):
        names = {name.removeprefix("./") for name in _PATH.findall(text)}
        files = [name for name in sorted(names) if "." in name and tree.has_file(name)]
        if files:
            return (files[0],) if len(files) == 1 else ()
    return ()


def _marked(headings: Sequence[str], status: str) -> tuple[str, ...]:
    """Return headings of which the first says what became of the record."""
    first = f"{headings[0]} ({status})" if headings else status
    return (first, *headings[1:])


def _overtaken(parsed: Iterable[Section], front: Mapping[str, Sequence[str]]) -> str:
    """Return how a decision record says of itself that it does not hold any more, or ""."""
    overtaken = _OVERTAKEN.search(_status(parsed, front))
    return overtaken[1].lower() if overtaken else ""


def _status(parsed: Iterable[Section], front: Mapping[str, Sequence[str]]) -> str:
    if status := front.get("status"):
        return " ".join(status)
    for section in parsed:
        body = section.blocks[0]
        if section.headings and section.headings[-1].casefold() == "status":
            return body
        if match := _STATUS.search(body):
            return match[1]
    return ""


# -- wording


def _is_prohibition(statement: str) -> bool:
    """Whether a statement forbids above all: it begins so, or forbids in few words something that
    has a name."""
    if len(statement) > _MAX_RULE or not _forbids(statement):
        return False
    titled = _BOLD_TITLE.match(statement)
    begins = _BEGINS_BY_FORBIDDING.match(titled[2] if titled and titled[2] else statement)
    is_short = len(statement) <= _MAX_MIXED_RULE
    return bool(begins or (is_short and _CODE_SPAN.search(statement)))


def _forbids(statement: str) -> bool:
    if _FORBIDS.search(statement):
        return True
    return any(not _TELLS.search(match[0]) for match in _FORBIDS_ALL.finditer(statement))


def _statements(text: str) -> Iterator[str]:
    return (statement for _, statement in _led_statements(text))


def _led_statements(text: str) -> Iterator[tuple[str, str]]:
    """Yield the items of lists with the line that leads to them, and paragraphs; no code."""
    lead, current = "", list[str]()
    in_fence = False
    for line in [*text.split("\n"), ""]:
        if line.lstrip().startswith(("```", "~~~")):
            in_fence = not in_fence
        begins = ITEM.match(line)
        if current and (begins or not line.strip() or in_fence):
            statement = "\n".join(current).strip()
            current = []
            if led := lead_of(statement):
                lead = led if not ITEM.match(statement) else lead
            else:
                yield lead if ITEM.match(statement) else "", _without_mark(statement)
        if in_fence or line.lstrip().startswith(("```", "~~~")):
            continue
        if begins or line.strip():
            current.append(line)


def _without_mark(statement: str) -> str:
    """Return an item without its mark, its further lines not indented by that any more."""
    mark = ITEM.match(statement)
    if mark is None:
        return statement
    return re.sub(rf"(?m)^ {{1,{mark.end()}}}", "", statement[mark.end() :])


def _are_orders(items: Sequence[str], heading: str) -> bool:
    votes = [_order(item) for item in items]
    pro, contra = votes.count(1), votes.count(-1)
    if pro or contra:
        return pro >= 2 * contra and 2 * pro >= len(items)
    if any(map(_BOLD_TITLE.match, items)):
        return False
    is_plain = all(item[:1].islower() and len(item.split()) <= 3 for item in items)
    return is_plain or bool(_HOW_TO.search(heading))


def _order(item: str) -> int:
    """Return 1 for an item that is an order or a command, -1 for one that is none, else 0."""
    if _SHELL.search(item) or "```" in item:
        return 1
    titled = _BOLD_TITLE.match(item)
    if titled:
        votes = {_order(titled[1]), _order(titled[2]) if titled[2] else 0}
        return 1 if 1 in votes else min(votes)
    bare = _CONDITION.sub("", item.lstrip("*_~[(\"' "), count=1)
    code = _CODE_SPAN.match(bare)
    if code or bare.startswith("$ "):
        is_command = not code or " " in code[1] or (len(code[0]) == len(bare) and "(" not in bare)
        return int(is_command)
    return _vote(bare)


def _vote(bare: str) -> int:
    first, _, rest = bare.partition(" ")
    word = first.rstrip(",:;.")
    if not word.isalpha() or word.casefold() in _NO_VERB:
        return -1 if word.casefold() in _NO_VERB else 0
    if _NOUN_ENDING.fullmatch(word.casefold()) or word != first:
        return -1
    return 1 if _OBJECT.match(rest) else 0


def _commands(text: str) -> tuple[str, ...]:
    """Return the commands in a text's fences of shell, and those behind a prompt."""
    lines = [
        line for body in _SHELL.findall(text) for line in body.replace("\\\n", " ").split("\n")
    ]
    bare = [line.strip().removeprefix("$ ") for line in lines]
    commands = [line for line in bare if line and not line.startswith("#")]
    return tuple(commands or _PROMPT.findall(text))[:_MAX_STEPS]


def _forbidden(statement: str) -> Iterator[str]:
    """Yield the parts of a statement that say what is forbidden."""
    for match in (*_FORBIDS.finditer(statement), *_FORBIDS_ALL.finditer(statement)):
        start = match.start() + len(match[0]) - len(match[0].lstrip(".;:!?—– \n"))
        if statement[start : start + 1].isalpha() and _IS_SAID_OF.match(statement, start):
            before = [end.end() for end in _SENTENCE_END.finditer(statement, 0, start)]
            start = before[-1] if before else 0
        yield _clause(statement[start:])


def _clause(text: str) -> str:
    """Return a text up to where its clause ends; nothing ends inside of backticks."""
    spans = [match.span() for match in _CODE_SPAN.finditer(text)]
    for end in _CLAUSE_END.finditer(text):
        if not any(start <= end.start() < stop for start, stop in spans):
            return text[: end.start()]
    return text


def _trigger(span: str) -> str:
    """Return what of a code span can set off a prohibition: no word of prose, no placeholder."""
    name = re.split(r"\s*(?:<|\.\.\.|…)", span.strip().lstrip("*"))[0].strip()
    is_word = name.isalpha() and (name[1:].islower() or name.isupper() or len(name) < 2)
    letters = sum(map(str.isalnum, name))
    fits = _SHORTEST_TRIGGER <= len(name) <= _LONGEST_TRIGGER and letters >= 2
    return name if fits and not is_word else ""
