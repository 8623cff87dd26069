"""Parser and loader of sql/queries.

A query file holds queries, each under a header that declares its parameters:

    -- name: neighbours(node, floor)
    -- Nodes one step from :node with at least weight :floor, strongest first.
    select …

A file is parsed when a query of it is first used: the declared parameters are those used, or it
does not load.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from .. import validation
from ..errors import InvalidInput, NotFound, StoreError

# What SQLite stores.
_STORABLE = (str, bytes, int, float, type(None))
_HEADER = re.compile(r"^-- name: (\w+)\(([\w, ]*)\)\s*$")
# Strings, quoted identifiers and comments come first, so that ":x" inside them is no parameter.
_PARAMETER = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|:(\w+)", re.S)


class Query(NamedTuple):
    """One named query: `name` is file.query, `params` in the order declared, `doc` its comment."""

    name: str
    params: tuple[str, ...]
    doc: str
    sql: str
    origin: str

    @property
    def is_read_only(self) -> bool:
        """Whether the statement only reads, judged by its first word."""
        return self.sql.lstrip().split(None, 1)[0].lower() in ("select", "with", "values")

    @property
    def optional(self) -> frozenset[str]:
        """The parameters that may be null, which then means any."""
        return frozenset(name for name in self.params if f":{name} is null" in self.sql)


def sql_root() -> Path:
    """Return the folder of SQL files: beside the package in a wheel, beside its parent in a
    checkout.

    Raises StoreError if neither is there (only `memkit/` was copied).
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "sql", package.parent / "sql"):
        if (folder / "schema").is_dir():
            return folder
    raise StoreError(
        f"no sql/ beside {package.name}: found neither sql/ in the package nor next to it; "
        "install the wheel or copy the sql/ folder too"
    )


class QueryFiles(Mapping[str, Query]):
    """Queries of a folder by their dotted names; a file is parsed when a query of it is used."""

    def __init__(self, folder: Path) -> None:
        self._paths = {path.stem: path for path in sorted(folder.glob("*.sql"))}
        self._parsed: dict[str, Mapping[str, Query]] = {}

    def __getitem__(self, name: str) -> Query:
        return self._file(name.partition(".")[0])[name]

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(map(self._file, self._paths))

    def __len__(self) -> int:
        return sum(len(self._file(stem)) for stem in self._paths)

    def _file(self, stem: str) -> Mapping[str, Query]:
        if stem not in self._parsed:
            self._parsed[stem] = read_queries(self._paths[stem])
        return self._parsed[stem]


@lru_cache(maxsize=1)
def load_queries() -> Mapping[str, Query]:
    """Return every query under sql/queries by its dotted name (read once per process)."""
    return QueryFiles(sql_root() / "queries")


def read_queries(path: Path) -> Mapping[str, Query]:
    """Return every query of a file by its dotted name."""
    queries: dict[str, Query] = {}
    for query in parse_queries(path.read_text(encoding="utf-8"), path.name):
        if query.name in queries:
            raise StoreError(f"{query.origin}: query {query.name} stands twice; rename one")
        queries[query.name] = query
    return queries


def find_query(queries: Mapping[str, Query], name: str) -> Query:
    """Return the query called `name`; raises NotFound with the near names."""
    try:
        return queries[validation.text(name, name="query")]
    except KeyError:
        stem = name.partition(".")[0]
        near = [known for known in queries if known.startswith(stem + ".")] or sorted(
            {known.partition(".")[0] + ".…" for known in queries}
        )
        raise NotFound(
            f"no query named {validation.shown(name)}; there are {', '.join(sorted(near))}"
        ) from None


def checked_query(queries: Mapping[str, Query], name: str, params: Mapping[str, object]) -> Query:
    """Return the query called `name`; optional parameters may be missing.

    Raises InvalidInput if its parameters are not those given.
    """
    query = find_query(queries, name)
    if odd := sorted((set(query.params) ^ set(params)) - query.optional):
        usage = " ".join(
            f"[{param}=…]" if param in query.optional else f"{param}=…" for param in query.params
        )
        faults = (f"{n} is {'missing' if n in query.params else 'unknown'}" for n in odd)
        raise InvalidInput(f"query {name}: takes {usage or 'no parameters'}; {', '.join(faults)}")
    for param, value in params.items():
        if not isinstance(value, _STORABLE) or (isinstance(value, int) and abs(value) >= 1 << 63):
            raise InvalidInput(
                f"query {name}: {param}: found {validation.shown(value)}, expected a text, "
                "a number or None; several as a JSON list"
            )
        is_list = value is None or validation.is_json(str(value))
        if f"json_each(:{param})" in query.sql and not is_list:
            raise InvalidInput(
                f"query {name}: {param}: found {validation.shown(value)}, expected a JSON list, "
                "such as [1, 2]"
            )
    return query


def parse_queries(text: str, filename: str) -> Iterator[Query]:
    """Yield the queries of one file, each checked; raises StoreError with file and line."""
    stem = filename.removesuffix(".sql")
    header: tuple[int, str, tuple[str, ...]] | None = None
    body: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("-- name:"):
            if header:
                yield _query(stem, filename, header, body)
            header, body = (number, *_parse_header(line, f"{filename}:{number}")), []
        elif header:
            body.append(line)
        elif line.strip() and not line.startswith("--"):
            raise StoreError(f"{filename}:{number}: SQL before the first '-- name:' header")
    if header:
        yield _query(stem, filename, header, body)


def _parse_header(line: str, origin: str) -> tuple[str, tuple[str, ...]]:
    match = _HEADER.match(line)
    if not match:
        raise StoreError(f"{origin}: header {line!r}; expected '-- name: query(param, param)'")
    params = tuple(p.strip() for p in match[2].split(",") if p.strip())
    return match[1], params


def _query(
    stem: str, filename: str, header: tuple[int, str, tuple[str, ...]], body: list[str]
) -> Query:
    number, name, params = header
    origin = f"{filename}:{number}"
    doc = " ".join(line[2:].strip() for line in body if line.startswith("--"))
    sql = "\n".join(line for line in body if not line.startswith("--")).strip().rstrip(";")
    if not sql:
        raise StoreError(f"{origin}: query {name} has no SQL")
    used = {match[1] for match in _PARAMETER.finditer(sql) if match[1]}
    if used != set(params):
        odd = ", ".join(sorted(used ^ set(params)))
        raise StoreError(f"{origin}: query {name} declares ({', '.join(params)}), differs in {odd}")
    return Query(f"{stem}.{name}", params, doc, sql, origin)
