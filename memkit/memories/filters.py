"""Filter operators $eq … $contains, ordering.

A filter is a mapping of field to value: a plain value must be equal, a list means any of its
members, here as in recall, and `{"$gte": 0.7}` compares; operators are $eq $ne $gt $gte $lt $lte
$in $nin $all $contains. Of a field that holds several (tags, file_paths) one must be equal; with
$all, each that is wanted must be there. `about` is compared with paths, which mean what lies in the
file too, and with path::symbol. Times may be given in any form. An unknown field, operator,
kind or time is an error, never "no filter".
"""

from __future__ import annotations

import heapq
import operator
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from .. import validation
from ..errors import InvalidInput
from ..frozen import frozen
from ..store import timestamps
from ..store.ids import id_second
from ..text.analyzer import nfc, well_formed
from ..text.paths import plain_path
from . import ingest
from .identity import fact_form, in_repository, tag_id, tag_name
from .records import (
    Form,
    InactiveCode,
    Kind,
    Memory,
    Procedure,
    Provenance,
    ReviewState,
    Scope,
    memory_id,
)

if TYPE_CHECKING:
    from ..store.store import Store

_PAGE = 500
_BEYOND = 1 << 62

Predicate = Callable[[Any], bool]
View = Callable[[list[Memory]], list[Memory]]


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def apply(value: Any, operand: Any) -> bool:
        return value is not None and bool(compare(value, operand))

    return apply


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, operand: _is_there(value, operand),
    "$ne": lambda value, operand: not _is_there(value, operand),
    "$gt": _ordered(operator.gt),
    "$gte": _ordered(operator.ge),
    "$lt": _ordered(operator.lt),
    "$lte": _ordered(operator.le),
    "$in": lambda value, operand: any(_is_there(value, item) for item in operand),
    "$nin": lambda value, operand: not any(_is_there(value, item) for item in operand),
    "$all": lambda value, operand: all(_is_there(value, item) for item in operand),
    "$contains": lambda value, operand: value is not None and operand in value,
}
_OF_SEVERAL = ("$in", "$nin", "$all")
_OF_ORDER = ("$gt", "$gte", "$lt", "$lte")
TIMES = frozenset({"created_at", "updated_at", "valid_from", "valid_to", "accessed_at"})
_FACT_NAMES = frozenset({"key", "qualifier"})
_PATHS = frozenset({"about", "file_paths"})
# Fields that the query itself can compare.
_IN_SQL = ("kind", "form", "scope", "project", "session", "task", "key", "source", "active")
_NUMBER = ((int, float), "a number")
# What a field may be compared with, by the type it is declared with: sorts, and their name.
_SORTS: dict[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "a text"),
    "int": _NUMBER,
    "float": _NUMBER,
    "bool": ((bool,), "True or False"),
    "tuple[int, int]": _NUMBER,
    "tuple[str, ...]": ((str,), "a text"),
    "tuple[Anchor, ...]": ((str,), "a path or path::symbol"),
    "Procedure": ((Procedure,), "a procedure"),
}


@frozen
class FilterFields:
    """Fields of a record that filters may name, and what each may be compared with.

    Attributes:
        types: how each field is declared. enums: fields whose values are members of one.
        ids: fields that hold ids of memories.
    """

    types: Mapping[str, str]
    enums: Mapping[str, type[StrEnum]]
    ids: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        record: type[attrs.AttrsInstance],
        *,
        enums: Mapping[str, type[StrEnum]],
        without: Collection[str] = (),
        ids: Collection[str] = (),
    ) -> FilterFields:
        """Return the fields of a record, save those `without` an order or a sense."""
        types = {f.name: str(f.type) for f in attrs.fields(record) if f.name not in without}
        return cls(types, enums, frozenset(ids))

    def predicate(self, name: str, operand: Any) -> Predicate:
        """Return what says whether a value of a field agrees with a filter, whose collections are
        lists; raises InvalidInput for one that means nothing."""
        self.check(name, "filter")
        if isinstance(operand, Mapping):
            return self._compared(name, operand)
        if isinstance(operand, list):
            members = [self._member(name, item) for item in operand]
            return lambda value: any(_is_there(value, item) for item in members)
        member = self._member(name, operand)
        return lambda value: _is_there(value, member)

    def check(self, name: str, what: str) -> str:
        """Return the name of a field; raises InvalidInput for one that is none."""
        if name in self.types:
            return name
        raise InvalidInput(
            f"{what}: {validation.shown(name)} is no field; give one of "
            f"{', '.join(sorted(self.types))}"
        )

    def _compared(self, name: str, operands: Mapping[str, Any]) -> Predicate:
        if not operands or (unknown := operands.keys() - _OPERATORS.keys()):
            odd = ", ".join(sorted(map(str, unknown))) if operands else "nothing"
            raise InvalidInput(f"filter {name}: found {odd}; give one of {', '.join(_OPERATORS)}")
        pairs = [
            (_OPERATORS[sign], self._operand(name, sign, operand))
            for sign, operand in operands.items()
        ]
        return lambda value: all(apply(value, operand) for apply, operand in pairs)

    def _member(self, name: str, value: Any) -> Any:
        declared = self.types[name]
        if (enum := self.enums.get(name)) is not None:
            if value is None and declared.endswith(" | None"):
                return None
            return validation.member(enum, value, name=name)
        if name in self.ids and isinstance(value, str):
            return memory_id(value)
        sorts, words = _SORTS[declared.removesuffix(" | None")]
        is_flag = isinstance(value, bool) and bool not in sorts
        if value is None or (isinstance(value, sorts) and not is_flag):
            return value
        raise InvalidInput(f"{name}: found {validation.shown(value)}, expected {words}")

    def _operand(self, name: str, sign: str, value: Any) -> Any:
        """Return what an operator compares a field with; raises InvalidInput where the two do not
        meet, whatever records there are."""
        declared = self.types[name].removesuffix(" | None")
        has_no_order = declared.startswith("tuple") or declared == "Procedure"
        if sign in _OF_ORDER and (has_no_order or value is None):
            what = "nothing" if value is None else f"{name}, which has no order"
            raise InvalidInput(f"filter {name} {sign}: compares with {what}; see $eq, $in or $all")
        if sign == "$contains" and declared in ("int", "float", "bool", "Procedure"):
            raise InvalidInput(
                f"filter {name} $contains: is of texts and lists; see $eq, $gte or $in"
            )
        if isinstance(value, list) is not (sign in _OF_SEVERAL):
            several = "a list" if sign in _OF_SEVERAL else "one value"
            raise InvalidInput(
                f"filter {name} {sign}: found {validation.shown(value)}, expected {several}"
            )
        if sign in _OF_SEVERAL:
            return [self._member(name, item) for item in value]
        return self._member(name, value)


_FIELDS = FilterFields.of(
    Memory,
    enums={
        "kind": Kind,
        "form": Form,
        "scope": Scope,
        "provenance": Provenance,
        "inactive_code": InactiveCode,
        "review": ReviewState,
    },
    ids=("id", "superseded_by"),
)


def as_filters(filters: object) -> dict[str, Any]:
    """Return the filters as a dictionary of their own; raises InvalidInput for no mapping."""
    if isinstance(filters, Mapping) and all(isinstance(name, str) for name in filters):
        return dict(filters)
    if filters is None:
        return {}
    raise InvalidInput(
        f"filters: found {validation.shown(filters)}, expected a mapping of field to value"
    )


def refuse_empty(filters: Mapping[str, Any]) -> None:
    """Raise InvalidInput for filters that leave nothing out, as those of a variable that was not
    set: none at all, or one of an empty text or list. Only a project may be called ""."""
    if not filters:
        raise InvalidInput(
            "filters: none is given, which never means everything; give at least one, e.g. "
            "kind='fact'"
        )
    for name, operand in filters.items():
        operands = operand.values() if isinstance(operand, Mapping) else (operand,)
        if name != "project" and any(_is_empty(value) for value in operands):
            raise InvalidInput(f"{name}: the filter is empty; give a value, or leave it out")


def converted(operand: Any, convert: Callable[[Any], Any]) -> Any:
    """Return the operand of a filter with every value that it compares with converted, collections
    as lists."""
    if isinstance(operand, Mapping):
        return {sign: converted(value, convert) for sign, value in operand.items()}
    if isinstance(operand, list | tuple | set | frozenset):
        return [converted(value, convert) for value in operand]
    return convert(well_formed(operand) if isinstance(operand, str) else operand)


def find(
    stores: Sequence[Store],
    filters: Mapping[str, Any],
    *,
    project: str,
    limit: int,
    order_by: str,
    as_of: str | None = None,
    view: View = list,
) -> list[Memory]:
    """Return up to `limit` memories of some stores that agree with every filter, newest or greatest
    first.

    Without a filter on `project` they are those of the caller's project and global ones.

    `order_by` names a field, "-field" turns the order round (seed 003); "id" is the order of
    writing. With `as_of` (UTC, as stored) they are those that were known and held true then. `view`
    gives the memories of other stores than the first as they are seen from there.
    """
    field = _FIELDS.check(validation.text(order_by, name="order_by").removeprefix("-"), "order_by")
    matching = _matching(stores, filters, project, as_of, view=view)
    if order_by == "id":
        return list(islice(matching, limit))
    best = heapq.nlargest if order_by == field else heapq.nsmallest
    return best(limit, matching, key=_sort_key(field))


def count(
    stores: Sequence[Store], filters: Mapping[str, Any], *, project: str, view: View = list
) -> int:
    """Return how many memories of some stores agree with every filter; `view` as in `find`."""
    return sum(1 for _ in _matching(stores, filters, project, view=view))


def _matching(
    stores: Sequence[Store],
    filters: Mapping[str, Any],
    project: str,
    as_of: str | None = None,
    *,
    view: View = list,
) -> Iterator[Memory]:
    """Yield the memories of some stores that agree with every filter, newest first."""
    root = str(stores[0].path.parent)
    now = stores[0].clock()
    filters = {
        name: converted(operand, partial(_normal, name, now, root))
        for name, operand in filters.items()
    }
    tests = [_test(name, operand) for name, operand in filters.items()]
    views = [list, *(view for _ in stores[1:])]
    candidates = (
        _candidates(store, filters, project, seen)
        if as_of is None
        else _candidates_as_of(store, as_of, filters.get("project", project), seen)
        for store, seen in zip(stores, views, strict=True)
    )
    newest_first = heapq.merge(*candidates, key=_written, reverse=True)
    return (memory for memory in newest_first if all(test(memory) for test in tests))


def _written(memory: Memory) -> tuple[float, str, int]:
    """Return what sorts memories of several files by when they were written: the numbers of one
    second have no order between files."""
    return id_second(memory.id), memory.created_at, memory.id


def _candidates(
    store: Store, filters: Mapping[str, Any], project: str, view: View
) -> Iterator[Memory]:
    params = {name: None for name in _IN_SQL} | {
        name: filters[name] for name in _IN_SQL if isinstance(filters.get(name), str | bool)
    }
    if "project" not in filters:
        params["project"] = project
    tag = filters.get("tags")
    if isinstance(params["active"], bool):
        params["active"] = int(params["active"])
    before = _BEYOND
    while True:
        ids = [
            number
            for (number,) in store.all(
                "memories.matching",
                **params,
                tag=tag_id(tag_name(tag)) if isinstance(tag, str) else None,
                before=before,
                limit=_PAGE,
            )
        ]
        yield from view(ingest.load(store, ids))
        if len(ids) < _PAGE:
            return
        before = ids[-1]


def _candidates_as_of(store: Store, moment: str, project: Any, view: View) -> Iterator[Memory]:
    """Yield what was known and held true at a moment, newest first; `project` may be a filter."""
    one_project = project if isinstance(project, str) else None
    rows = store.all("memories.as_of", moment=moment, project=one_project, limit=_BEYOND)
    ids = sorted((number for (number,) in rows), reverse=True)
    for start in range(0, len(ids), _PAGE):
        yield from view(ingest.load(store, ids[start : start + _PAGE]))


def _normal(name: str, now: float, root: str, operand: Any) -> Any:
    """Return a value of a filter with its names in normal form C, its times in the stored form, and
    its paths relative to the root."""
    if name in TIMES and operand is not None:
        return timestamps.parse_when(operand, now=now, name=name)
    if name in _PATHS and isinstance(operand, str):
        path, mark, symbol = in_repository(operand, root).partition("::")
        return f"{plain_path(path)}{mark}{nfc(symbol)}"
    if name == "tags" and isinstance(operand, str):
        return tag_name(operand)
    if name in _FACT_NAMES and isinstance(operand, str):
        return fact_form(operand)
    return nfc(operand) if isinstance(operand, str) and name != "text" else operand


def _test(name: str, operand: Any) -> Callable[[Memory], bool]:
    predicate = _FIELDS.predicate(name, operand)
    return lambda memory: predicate(_value(memory, name))


def _value(memory: Memory, name: str) -> Any:
    """Return what a filter compares: of places in the code the files, and the symbols in them; of
    keys and qualifiers what they are compared by."""
    if name == "about":
        # A place that is in the code graph is spelt as on this disk, with accents apart on some.
        spelt = ((anchor.path, f"{anchor.path}::{anchor.symbol}") for anchor in memory.about)
        return tuple(nfc(place) for pair in spelt for place in pair)
    value = getattr(memory, name)
    return fact_form(value) if name in _FACT_NAMES and value is not None else value


def _is_empty(operand: object) -> bool:
    is_several = isinstance(operand, str | list | tuple | set | frozenset)
    return is_several and not operand


def _is_there(value: Any, operand: Any) -> bool:
    """Whether a field has a value, or one that holds several has it among them."""
    return operand in value if isinstance(value, tuple) else bool(value == operand)


def _sort_key(field: str) -> Callable[[Memory], tuple[bool, Any, int]]:
    def key(memory: Memory) -> tuple[bool, Any, int]:
        value = getattr(memory, field)
        comparable = str(value) if isinstance(value, tuple) or not _is_plain(value) else value
        return (value is not None, "" if value is None else comparable, memory.id)

    return key


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)
