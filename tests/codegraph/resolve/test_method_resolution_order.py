"""The order in which classes are asked for a member, beside that of Python itself."""

from __future__ import annotations

from hypothesis import given, reject
from hypothesis import strategies as st

from memkit.codegraph.resolve.members import Orders, merged
from memkit.codegraph.resolve.values import Place

# For each class the places of its bases among those before it.
HIERARCHIES = st.lists(st.lists(st.integers(0, 11), max_size=3, unique=True), max_size=12)


@given(shape=HIERARCHIES)
def test_the_order_is_that_of_python(shape: list[list[int]]) -> None:
    """For every hierarchy that Python accepts the linearised order is its own."""
    made: list[type] = []
    below: list[list[int]] = []
    for number, wanted in enumerate(shape):
        below.append([one for one in wanted if one < number])
        try:
            made.append(type(f"C{number}", tuple(made[one] for one in below[-1]), {}))
        except TypeError:
            reject()

    def bases(place: Place) -> list[Place]:
        return [("a.py", one) for one in below[place[1]]]

    for number, one in enumerate(made):
        order = Orders(bases, linearised=True).order(("a.py", number))
        assert [f"C{place[1]}" for place in order] == [c.__name__ for c in one.__mro__[:-1]]


def test_lines_that_contradict_each_other_are_merged_all_the_same() -> None:
    """Where Python refuses an order, what is first stays first and each class comes once."""
    a, b, c = (("a.py", number) for number in range(3))
    assert merged([[a, b], [b, a], [c]]) == [c, a, b]
    assert merged([[a, b, c], [c, b]]) == [a, b, c]
