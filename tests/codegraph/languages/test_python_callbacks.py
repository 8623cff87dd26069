"""What a Python file hands to its own functions, and what is called that may be two things."""

from __future__ import annotations

from textwrap import dedent

import pytest

from ..programs import calls

# Each hands `ring` to something that calls its parameter; who calls it.
HANDED = {
    "by place": ("def start(n, act): act()\nstart(1, ring)", "start"),
    "by name": ("def start(n, *, act=None): act()\nstart(1, act=ring)", "start"),
    "in a closure": (
        "def start(act):\n    def inner(): act()\n    return inner\nstart(ring)()",
        "start.inner",
    ),
    "other name": ("def start(act): act()\nalias = ring\nstart(alias)", "start"),
    "static": (
        "class Bell:\n    @staticmethod\n    def start(act): act()\n"
        "    def use(self): self.start(ring)",
        "Bell.start",
    ),
    "method": (
        "class Bell:\n    def start(self, act): act()\n    def use(self): self.start(ring)",
        "Bell.start",
    ),
    "decorator": ("def start(act):\n    act()\n    return act\n@start\ndef ring(): ...", "start"),
    "decorator with arguments": (
        "def start(n):\n    def inner(act): act()\n    return inner\n@start(1)\ndef ring(): ...",
        "start.inner",
    ),
}


@pytest.mark.parametrize("way", HANDED)
def test_function_passed_within_a_file_is_called_by_its_receiver(way: str) -> None:
    """What a file hands to a function of its own is what the parameter is there."""
    text, caller = HANDED[way]
    found = calls({"a.py": f"def ring(): ...\n{text}\n"})
    assert (f"a.py:{caller}", "a.py:ring") in found


def test_method_or_lambda_passed_within_a_file_is_called() -> None:
    """A method of the own object and a function in place are functions as well."""
    text = """
        class Reader:
            def nested(self, read): return read()
            def both(self):
                self.nested(self.row)
                self.nested(lambda: self.column())
            def row(self): ...
            def column(self): ...
        """
    found = {target for source, target in calls({"a.py": text}) if source.endswith(".nested")}
    assert found == {"a.py:Reader.row", "a.py:Reader.both.<lambda>"}


@pytest.mark.parametrize(
    "text",
    [
        "def start(n, *rest): n()\nstart(1, ring)",
        "def start(act): act()\ndef use(ring): start(ring)",
        "def start(act): act()\ndef use():\n    ring = 1\n    start(ring)",
        "def start(act): act()\nother.start(ring)",
        "def outer(act): act()\ndef inner(act): return None\n@outer\n@inner\ndef ring2(): ...",
        "class Bell:\n    def __init__(self, act): self.act = act\n"
        "bell = Bell(ring)\nbell.act = None\nbell.act()",
    ],
)
def test_function_that_is_not_passed_is_not_called(text: str) -> None:
    """Another thing of the name, the rest of the arguments, what an object keeps: none of them."""
    found = calls({"a.py": f"def ring(): ...\n{text}\n"})
    assert not {target for _, target in found} & {"a.py:ring", "a.py:ring2"}


def test_value_typed_as_callable_or_object_is_called_as_a_function() -> None:
    """A value that is a function or an object by its type is called as a function."""
    text = """
        from collections.abc import Callable
        class Task:
            def __call__(self): ...
        def make() -> Task | Callable[[], Task]: ...
        def either(): make()()
        def task(one: Task): one()
        class Router:
            def __init__(self): self.life: Callable[[int], int] = Task()
            def run(self): self.life(1)
        """
    found = calls({"a.py": dedent(text)})
    assert ("a.py:either", "a.py:Task.__call__") not in found
    assert {("a.py:task", "a.py:Task.__call__"), ("a.py:Router.run", "a.py:Task.__call__")} <= found


def test_lambda_parameters_have_the_types_of_the_call() -> None:
    """A lambda's parameters are what the function that takes it says, a quoted name as well."""
    text = """
        from typing import Callable
        Hook = Callable[["State", int], None]
        class State:
            def add(self): ...
        class Plan:
            def __init__(self): self.hooks = []
            def record(self, hook: Hook): self.hooks.append(hook)
            def use(self): self.record(lambda state, n: state.add())
        """
    assert ("a.py:Plan.use.<lambda>", "a.py:State.add") in calls({"a.py": dedent(text)})
