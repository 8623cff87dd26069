"""A language of three words with a resolver of forty lines, to try the index without any grammar.

    def NAME NAME…      a function and the names that it calls
    class NAME NAME…    a class and its bases; functions indented under it are its methods
    import PATH         names of that file are seen here

Names are looked up in the file, then in imported files, then as the only one of that name in the
tree; up to five of a name are candidates. What is asked elsewhere is logged as keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from memkit.codegraph.analysis import Analysis, Listed
from memkit.codegraph.dialect import Dialect
from memkit.codegraph.facts import Definition, Facts, Named, Scope
from memkit.codegraph.resolve import Edge, Place, ResolvedFile

TOY = Dialect("toy", (".toy",))


def dialect_of(path: str, head: bytes) -> Dialect | None:
    return TOY if path.endswith(".toy") else None


def extract(data: bytes, path: str, language: str) -> Facts:
    """Raises ValueError for a line that says 'crash'."""
    definitions: list[Definition] = []
    scopes, sites, statements = [Scope("module", -1, -1)], [], [[]]  # type: ignore[var-annotated]
    top = -1
    place = 0
    for number, line in enumerate(data.decode().split("\n"), 1):
        word, *names = line.split() or [""]
        sites.append(number)
        if word == "crash":
            raise ValueError("asked to crash")
        if word == "import":
            statements[0].append(("import", "", names[0], "*", 0, number - 1))
        elif word in ("def", "class"):
            inner = line.startswith(" ") and top >= 0
            scope = definitions[top].body if inner else 0
            qualname = f"{definitions[top].name}.{names[0]}" if inner else names[0]
            kind = "class" if word == "class" else "method" if inner else "function"
            scopes.append(
                Scope("class" if word == "class" else "function", scope, len(definitions))
            )
            statements.append([])
            uses = tuple(("name", name) for name in names[1:])
            top = len(definitions) if word == "class" else top if inner else -1
            definitions.append(
                Definition(
                    kind, names[0], qualname, scope, len(scopes) - 1, (), None,
                    uses if word == "class" else (), (), None, (), place, place + len(line),
                    number, 1, number, line.strip(), "",
                    sha256(line.strip().encode()).hexdigest()[:16],
                )
            )  # fmt: skip
            if word == "def":
                statements[-1] += [("do", ("call", use, (), (), number - 1)) for use in uses]
        place += len(line) + 1
    return Facts(
        path, language, "", tuple(definitions), tuple(scopes), tuple(sites),
        tuple(map(tuple, statements)), 0, "", len(sites),
    )  # fmt: skip


def keys_of(facts: Facts, own: str) -> Mapping[str, str]:
    """A file is there; each of its names is of a kind; each name has one more definition."""
    found = {f"m:{own}": "1"}
    for number, definition in enumerate(facts.definitions):
        at = f"{number} {definition.kind} {definition.scope}"
        for key in (f"n:{facts.path}:{definition.name}", f"u:{definition.name}"):
            found[key] = f"{found.get(key, '')} {at}"
    return found


class Program:
    """Looks names up; pure in the facts."""

    def __init__(
        self,
        files: Sequence[Listed],
        facts_of: Callable[[str], Facts | None],
        named: Callable[[str], Sequence[Named]],
        texts: Mapping[str, str],
    ) -> None:
        self.facts_of, self.named = facts_of, named

    def close(self) -> None:
        """There is nothing to let go of."""

    def flow(self) -> Mapping[str, Sequence[Edge]]:
        return {}

    def resolve(self, path: str) -> ResolvedFile:
        facts = self.facts_of(path)
        assert facts is not None
        reads: set[str] = set()
        counts: Counter[tuple[str, str, str]] = Counter()
        edges: dict[tuple[Any, ...], Edge] = {}
        for source, kind, name, line in _uses(facts):
            if kind == "imports":
                reads.add(f"m:{name}")
                places = [(name, -1)] if self.facts_of(name) else []
                how = "scope"
            else:
                how, places = self._look_up(facts, name, reads)
            if not 1 <= len(places) <= 5:
                counts[(kind, "unresolved", "unknown")] += 1
                continue
            state = "resolved" if len(places) == 1 else "ambiguous"
            counts[(kind, state, how)] += 1
            for at, target in places:
                edge = Edge(source, kind, at, target, how, state, line)
                edges.setdefault(edge[:-1], edge)
        return ResolvedFile(tuple(edges.values()), frozenset(reads), counts)

    def _look_up(self, facts: Facts, name: str, reads: set[str]) -> tuple[str, list[Place]]:
        if own := _tops(facts, name):
            return "scope", [(facts.path, own[-1])]
        for statement in facts.statements[0]:
            if statement[0] == "import":
                reads.add(f"n:{statement[2]}:{name}")
                reads.add(f"m:{statement[2]}")
                other = self.facts_of(statement[2])
                if other is not None and (found := _tops(other, name)):
                    return "scope", [(statement[2], found[-1])]
        reads.add(f"u:{name}")
        places = [(one.path, one.number) for one in self.named(name)]
        return ("only" if len(places) == 1 else "candidate"), places


def _tops(facts: Facts, name: str) -> list[int]:
    return [n for n, d in enumerate(facts.definitions) if d.name == name and d.scope == 0]


def _uses(facts: Facts) -> list[tuple[int, str, str, int]]:
    found = [
        (-1, "imports", statement[2], facts.sites[statement[5]])
        for statement in facts.statements[0]
        if statement[0] == "import"
    ]
    for number, definition in enumerate(facts.definitions):
        bases = [base for base in definition.bases if base is not None]
        found += [(number, "inherits", base[1], definition.line) for base in bases]
        for _, call in facts.statements[definition.body]:
            found.append((number, "calls", call[1][1], facts.sites[call[4]]))
    return found


def analysis(definition: str = "1") -> Analysis:
    """Return the toy language as the index wants it."""
    return Analysis(
        dialect_of=dialect_of,
        extract=extract,
        keys_of=keys_of,
        namespaces=lambda files, texts: lambda path: path,
        program=Program,
        is_setting=lambda path: path == "toy.json",
        definition=definition,
    )
