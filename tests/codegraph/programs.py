"""Programs of a few files given as texts: their facts, and what their names mean."""

from __future__ import annotations

from textwrap import dedent

from memkit.codegraph.facts import Definition, Facts
from memkit.codegraph.languages import dialect_of, extract, settings_among
from memkit.codegraph.resolve import Edge, Place, Program, ResolvedFile, SourceTree


def facts_of(text: str, path: str) -> Facts:
    """Return what a file says whose name tells its language."""
    data = dedent(text).encode("utf-8")
    dialect = dialect_of(path, data)
    assert dialect is not None
    return extract(data, path, dialect.name)


def symbols(facts: Facts) -> dict[str, Definition]:
    """Return the definitions of a file by dotted name; of several the last one."""
    return {definition.qualname: definition for definition in facts.definitions}


def kinds(facts: Facts) -> dict[str, str]:
    """Return the kinds of the definitions of a file by dotted name."""
    return {definition.qualname: definition.kind for definition in facts.definitions}


class Sources:
    """Files that are resolved together."""

    def __init__(self, files: dict[str, str]) -> None:
        self.facts = {
            path: facts_of(text, path)
            for path, text in sorted(files.items())
            if dialect_of(path, text.encode()) is not None and not path.endswith(".json")
        }
        self._program = Program(SourceTree.of(self.facts, settings_among(files)))

    def resolved(self, path: str) -> ResolvedFile:
        """Return what one file's names mean."""
        return self._program.resolve(path)

    def flowing(self) -> dict[str, tuple[Edge, ...]]:
        """Return the calls of every file, values followed."""
        return self._program.flow()

    def edges(self, kind: str = "calls", *, state: str = "resolved") -> set[tuple[str, str]]:
        """Return the edges of a kind, as `path:name` of both ends."""
        return {
            (self._said((path, edge.source)), self._said((edge.path, edge.target)))
            for path in self.facts
            for edge in self.resolved(path).edges
            if edge.kind == kind and edge.state == state
        }

    def edge(self, path: str, source: str, target: str) -> Edge:
        """Return the one call from a definition of a file to a dotted name."""
        found = [
            edge
            for edge in self.resolved(path).edges
            if edge.kind == "calls"
            and self._said((path, edge.source)) == f"{path}:{source}"
            and self._said((edge.path, edge.target)).rpartition(":")[2] == target
        ]
        assert len(found) == 1
        return found[0]

    def _said(self, place: Place) -> str:
        path, number = place
        return f"{path}:{self.facts[path].definitions[number].qualname if number >= 0 else ''}"


def calls(files: dict[str, str]) -> set[tuple[str, str]]:
    """Return the calls that are resolved in some files, as `path:name` of both ends."""
    return Sources(files).edges()


def flow(text: str) -> set[tuple[str, str]]:
    """Return the calls of one file of Python by dotted names, values followed."""
    program = Sources({"a.py": dedent(text)})
    definitions = program.facts["a.py"].definitions
    names = {-1: "", **{number: one.qualname for number, one in enumerate(definitions)}}
    return {(names[edge.source], names[edge.target]) for edge in program.flowing()["a.py"]}
