"""Frozen records: attrs classes without the code that most of them never run.

attrs writes and compiles `__repr__`, `__eq__` and `__hash__` anew for each class: more than half of
what a class costs, and a hook of an agent makes a hundred of them each time. Here every class
shares three functions over its fields, with the same results.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from operator import attrgetter, eq
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar, overload

import attrs

T = TypeVar("T", covariant=True)

if TYPE_CHECKING:
    from collections.abc import Callable

    from attrs import frozen as frozen
else:

    def frozen(cls: type | None = None, *, eq: bool = True) -> Any:
        """Return a class as `attrs.frozen` makes it; what it defines itself stays."""
        if cls is None:
            return lambda later: frozen(later, eq=eq)
        own = vars(cls).keys()
        made = attrs.frozen(cls, repr=False, eq=False)
        if "__repr__" not in own:
            made.__repr__ = _repr
        if eq and "__eq__" not in own:
            made.__eq__, made.__hash__ = _compared(made)
        return made


class RecordSequence(Sequence[T]):
    """Sequence of the items of a record, whose other fields say what there is to know of them."""

    __slots__ = ()

    @property
    @abstractmethod
    def _items(self) -> tuple[T, ...]: ...

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)


@recursive_repr("...")
def _repr(record: Any) -> str:
    fields = (field.name for field in attrs.fields(type(record)) if field.repr)
    shown = ", ".join(f"{name}={getattr(record, name)!r}" for name in fields)
    return f"{type(record).__qualname__.rsplit('>.', 1)[-1]}({shown})"


def _compared(cls: type) -> tuple[Callable[[Any, object], Any], Callable[[Any], int]]:
    """Return what compares two records of a class by their fields, and what hashes one."""
    fields = attrs.fields(cls)
    values = _values([field.name for field in fields if field.eq])
    hashed = _values(
        [field.name for field in fields if (field.eq if field.hash is None else field.hash)]
    )

    def equals(record: Any, other: object) -> Any:
        if type(other) is not type(record):
            return NotImplemented
        return all(map(eq, values(record), values(other)))

    return equals, lambda record: hash(hashed(record))


def _values(names: list[str]) -> Callable[[Any], Any]:
    """Return what gives the values of these fields, to be compared and hashed."""
    # Of one name it would be the value itself, and no tuple; of none there is no getter.
    return attrgetter(*names, *names[: len(names) == 1]) if names else lambda _: ()
