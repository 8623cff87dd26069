"""PHP: types in documentation comments: `Foo[]`, `array<int, Foo>|null`, `callable(A): B`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import attrs

from ...dialect import words
from ...facts import Term
from ..walker import applied, callable_of, list_of, union

# --- The comment, tag by tag.

_TAG = re.compile(r"^\s*@(?:phpstan-|psalm-)?([\w-]+)[ \t]*", re.MULTILINE)
_VARIABLE = re.compile(r"\s*&?(?:\.\.\.)?(\$\w+)")
_METHOD = re.compile(r"\s*(\w+)\s*\(")
# One name that is the whole type, but for its arguments, templates and null.
_ALONE = re.compile(r"\??(\w+|\$this)(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>)?((?:\|\w+)*)(?:\s|$)")
_TEMPLATE = re.compile(r"(\w+)(\s+(?:of|as)\s+)?")


@attrs.frozen
class Doc:
    """The types that a documentation comment names.

    Attributes:
        params: types of parameters by their names.
        variables: types of variables by their names, "" for the one below.
        properties, methods: types of properties that are only documented, and of what methods give.
        returns: type of what a function gives.
        class_params: parameters that are classes, by the name of the template that they set.
        template: the name of what a function gives, if it is one: of a template, or `static`.
    """

    params: dict[str, Term] = attrs.Factory(dict)
    variables: dict[str, Term] = attrs.Factory(dict)
    properties: dict[str, Term] = attrs.Factory(dict)
    methods: dict[str, Term] = attrs.Factory(dict)
    returns: Term = None
    class_params: dict[str, str] = attrs.Factory(dict)
    template: str = ""


_NOTHING = Doc()


def tags(comment: str) -> Iterator[tuple[str, str]]:
    """Yield the tags of a comment, without the names of tools in front, and their texts."""
    if "@" not in comment:
        return
    marks = list(_TAG.finditer(comment))
    ends = [*(mark.start() for mark in marks[1:]), len(comment)]
    for mark, end in zip(marks, ends, strict=False):
        yield mark[1], comment[mark.end() : end]


def templates(comment: str, class_term: Callable[[str], Term]) -> dict[str, Term]:
    """Return what the templates that a comment names stand for, by their names."""
    bounds: dict[str, Term] = {}
    for tag, text in tags(comment):
        if tag.startswith("template") and (match := _TEMPLATE.match(text)):
            bound = text[match.end() :] if match[2] else ""
            bounds[match[1]] = DocType(bound, class_term, {}).parse()
    return bounds


def read_doc(comment: str, class_term: Callable[[str], Term], bounds: dict[str, Term]) -> Doc:
    """Return the types that a comment names; `class_term` says what the name of a class means."""
    if "@" not in comment:
        return _NOTHING
    doc, returns, template = Doc(), None, ""
    for tag, text in tags(comment):
        if tag in _NAMED:
            _read_named(doc, tag, text, DocType(text, class_term, bounds))
        elif tag == "return":
            reader = DocType(text, class_term, bounds)
            returns = reader.parse() or returns
            match = _ALONE.match(text)
            others = match[2].split("|")[1:] if match else []
            is_alone = all(name == "null" or name in bounds for name in others)
            template = match[1] if match and is_alone else ""
    return attrs.evolve(doc, returns=returns, template=template)


_NAMED = words("param var property property-read property-write method")
_CLASS_STRING = re.compile(r"\s*class-string<(\w+)>\s*(\$\w+)")


def _read_named(doc: Doc, tag: str, text: str, reader: DocType) -> None:
    if tag == "method":
        _read_method(doc, text, reader)
        return
    kind = reader.parse()
    match = _VARIABLE.match(text, reader.position)
    name = match[1] if match else ""
    if tag == "var":
        doc.variables[name] = kind
    elif name and tag == "param":
        doc.params[name] = kind
        if of_class := _CLASS_STRING.match(text):
            doc.class_params[of_class[1]] = of_class[2]
    elif name:
        doc.properties[name] = kind


def _read_method(doc: Doc, text: str, reader: DocType) -> None:
    """`@method static Foo make(int $n)`."""
    reader.skip("static")
    kind = reader.parse()
    if match := _METHOD.match(text, reader.position):
        doc.methods[match[1]] = kind


# --- One type.

_TOKEN = re.compile(
    r"""\s*(\.\.\.|::|\\?[A-Za-z_$][\w$]*(?:[\\-][\w$]+)*|'[^']*'|"[^"]*"|-?\d[\d._]*|[|&?()<>{}\[\],:=*])"""
)
_LISTS = words(
    "array list non-empty-array non-empty-list iterable Traversable Iterator IteratorAggregate "
    "Generator ArrayIterator ArrayObject"
)
_CALLABLES = words("callable Closure pure-callable")
_SCALARS = {
    "string": "str", "int": "int", "integer": "int", "float": "float", "double": "float",
    "bool": "bool", "boolean": "bool", "false": "bool", "true": "bool", "resource": "resource",
    "scalar": "scalar", "array-key": "scalar", "numeric": "scalar",
}  # fmt: skip
_UNKNOWN = words("mixed object void null never array iterable callable no-return key-of value-of")
_MAX_DEPTH = 12


class DocType:
    """Reader of one type at the beginning of a text.

    Attributes:
        position: where in the text what has been read ends.
    """

    def __init__(
        self, text: str, class_term: Callable[[str], Term], bounds: dict[str, Term]
    ) -> None:
        self.position = 0
        self._text = text
        self._class_term = class_term
        self._bounds = bounds
        self._depth = 0

    def parse(self) -> Term:
        """Return the type, None for one that says nothing."""
        if self._depth > _MAX_DEPTH:
            return None
        self._depth += 1
        parts = [self._suffixed()]
        while self._adjacent() in ("|", "&"):
            self._take()
            parts.append(self._suffixed())
        self._depth -= 1
        return union(parts)

    def skip(self, word: str) -> None:
        """Go past a word, if the text goes on with it and another one."""
        if match := re.match(rf"\s*{word}\s+(?=[\w\\?]+[\w\\|<>\[\]]*\s+\w+\s*\()", self._text):
            self.position = match.end()

    def _peek(self) -> str:
        match = _TOKEN.match(self._text, self.position)
        return match[1] if match else ""

    def _adjacent(self) -> str:
        """Return the sign that goes on with the type: behind a space it may be the description."""
        token = self._peek()
        is_by_reference = _VARIABLE.match(self._text, self.position) is not None
        return token if token in ("|", "&") and not is_by_reference else ""

    def _take(self) -> str:
        match = _TOKEN.match(self._text, self.position)
        if match is None:
            return ""
        self.position = match.end()
        return match[1]

    def _accept(self, token: str) -> bool:
        if self._peek() != token:
            return False
        self._take()
        return True

    def _suffixed(self) -> Term:
        kind = self._atomic()
        while self._text.startswith("[]", self.position):
            self.position += 2
            kind = list_of(kind) if kind is not None else None
        return kind

    def _atomic(self) -> Term:
        while (token := self._peek()) == "?":
            self._take()
        if token == "(":
            self._take()
            kind = self.parse()
            self._accept(")")
            return kind
        if not token or token[0] in "|&)<>{}[],:=*.":
            return None
        self._take()
        if token[0] in "'\"":
            return ("const", "str", None)
        if token[0] in "-0123456789":
            return ("const", "int", None)
        return self._named(token)

    def _named(self, name: str) -> Term:
        following = self._text[self.position : self.position + 1]
        last = name.rpartition("\\")[2]
        if following == "<":
            arguments = [self.parse() for _ in self._listed("<", ">")]
            return self._generic(name, last, arguments)
        if following == "{":
            return self._shape()
        if last in _CALLABLES and following == "(":
            return self._callable()
        if self._text.startswith("::", self.position):  # a constant of a class
            self._take()
            self._take()
            self._accept("*")
            return None
        return self._plain(name)

    def _plain(self, name: str) -> Term:
        if name in self._bounds:
            return self._bounds[name]
        if name == "$this":
            return self._class_term("static")
        word = name.lower()
        if word in _SCALARS:
            return ("const", _SCALARS[word], None)
        if "-" in name:
            kind = word.rpartition("-")[2]
            return ("const", _SCALARS[kind], None) if kind in _SCALARS else None
        if word in _UNKNOWN or name[0] == "$":
            return None
        return self._class_term(name)

    def _listed(self, start: str, end: str) -> Iterator[None]:
        """Go through a list in brackets: what is read in each step is one of its parts."""
        self._accept(start)
        while self._peek() not in (end, ""):
            before = self.position
            yield
            if self.position == before:
                self._take()
            self._accept(",")
        self._accept(end)

    def _generic(self, name: str, last: str, arguments: list[Term]) -> Term:
        if not arguments:
            return None
        if last == "class-string":
            return ("item", ("name", "type"), arguments[0]) if arguments[0] else None
        if last in _LISTS:
            element = arguments[1 if len(arguments) > 1 else 0]
            return list_of(element) if element is not None else None
        kind = self._plain(name)
        if kind is None or kind[0] == "const" or not any(arguments):
            return kind
        return applied(kind, arguments)

    def _shape(self) -> Term:
        """`array{name: A, other?: B}`: a mapping; without keys, a row."""
        entries: list[tuple[Term, Term]] = []
        for _ in self._listed("{", "}"):
            key: Term = ("const", "int", len(entries))
            if match := _SHAPE_KEY.match(self._text, self.position):
                self.position = match.end()
                is_number = match[1].isdecimal()
                key = ("const", "int", int(match[1])) if is_number else ("const", "str", match[1])
            kind = self.parse()
            entries.append((key, ("typed", kind) if kind is not None else None))
        return ("dict", tuple(entries)) if entries else None

    def _callable(self) -> Term:
        """`callable(A $a, B): C`."""
        params: list[Term] = []
        for _ in self._listed("(", ")"):
            params.append(self.parse())
            if match := _PARAMETER_NAME.match(self._text, self.position):
                self.position = match.end()
        return callable_of(self.parse() if self._accept(":") else None, params)


_SHAPE_KEY = re.compile(r"\s*['\"]?([\w-]+)['\"]?\??\s*:(?!:)")
_PARAMETER_NAME = re.compile(r"\s*&?(?:\.\.\.)?(?:\$\w+)?\s*=?")
