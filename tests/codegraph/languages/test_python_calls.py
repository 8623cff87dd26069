"""Calls of Python that were missed, or found where there are none."""

from __future__ import annotations

import pytest

from ..programs import calls

CLASSES = {
    "red.py": "class Token:\n    def matching(self): ...\n    def match(self): ...\n",
    "blue.py": "class Word:\n    def matching(self): ...\nclass Other:\n    def match(self): ...\n",
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import red\ndef use(token): token.match()", {"Token.match"}),
        ("from red import Token\ndef use(word): word.token.match()", {"Token.match"}),
        ("def use(token): token.match()", set()),
        ("def use(token): token.matching()", {"Token.matching"}),
        ("def use(token): token.nothing()", set()),
        ("def use(tokens): tokens.matching()", set()),
        ("def use(a_word): a_word.matching()", set()),
    ],
)
def test_receiver_named_as_a_class_is_an_object_of_it(text: str, found: set[str]) -> None:
    """A variable of which nothing else is known is an object of the only class that it is named
    after; of a method that about everything has, only if that class is in sight."""
    made = calls({**CLASSES, "use.py": text})
    assert {target.partition(":")[2] for source, target in made if ".py:use" in source} == found


def test_receiver_named_as_two_classes_is_unknown() -> None:
    """Where two classes have the name, a variable of that name says nothing."""
    files = {**CLASSES, "green.py": "class Token:\n    def matching(self): ...\n"}
    assert not calls({**files, "use.py": "def use(token): token.matching()"})


@pytest.mark.parametrize(
    "text",
    [
        "kinds: dict = load()\nmade = kinds.get('key', Lamp)()",
        "made = {}.setdefault('key', Lamp)()",
        "made = cast('type[T]', Lamp)()",
    ],
)
def test_mapping_default_and_cast_give_values(text: str) -> None:
    """A mapping gives the default as well, and a class that is cast is that class."""
    lamp = "from typing import cast\nclass Lamp:\n    def __init__(self): ...\n"
    assert ("a.py:", "a.py:Lamp.__init__") in calls({"a.py": f"{lamp}{text}\n"})


def test_calling_an_enumeration_looks_a_member_up() -> None:
    """`Colour(1)` looks a member up; what runs when members are made does not run again."""
    text = """
        from enum import IntEnum
        class Colour(IntEnum):
            RED = 1
            def __new__(cls, value): ...
        class Plain:
            def __new__(cls, value): ...
        Colour(1)
        Plain(1)
        """
    assert {target for _, target in calls({"a.py": text})} == {"a.py:Plain.__new__"}


@pytest.mark.parametrize("listed", ['["_clear", "other"]', '("_clear",)', '["other"]'])
def test_star_import_takes_private_names_listed_in_all(listed: str) -> None:
    """`import *` takes what `__all__` lists, be it private."""
    files = {
        "kit/__init__.py": "from .tools import *\n",
        "kit/tools.py": f"__all__ = {listed}\ndef _clear(): ...\ndef other(): ...\n",
        "use.py": "import kit\nkit._clear()\n",
    }
    assert (("use.py:", "kit/tools.py:_clear") in calls(files)) == ("_clear" in listed)


@pytest.mark.parametrize(
    "text",
    [
        "getattr(self, f'on_{key}')(1)",
        "getattr(self, 'on_' + key)()",
        "getattr(self, 'on_%s' % key, None)()",
        "act = getattr(self, f'on_{key}', None)\n        act()",
        "return getattr(self, f'on_{key}')",
        "name = 'on_{}'.format(key)\n        getattr(self, name.lower(), None)()",
    ],
)
def test_getattr_with_a_prefix_calls_all_methods_with_it(text: str) -> None:
    """What is put together of a beginning and more is any method of the class that begins so."""
    program = f"""
class Shell:
    def use(self, key):
        {text}
    def run(self): self.use(1)()
    def on_quit(self): ...
    def on_help(self): ...
    def off(self): ...
"""
    found = calls({"a.py": program})
    caller = "a.py:Shell.run" if text.startswith("return") else "a.py:Shell.use"
    ran = {target for source, target in found if source == caller}
    assert ran - {"a.py:Shell.use"} == {"a.py:Shell.on_quit", "a.py:Shell.on_help"}


@pytest.mark.parametrize(
    "text",
    [
        "getattr(other, f'on_{key}')()",
        "getattr(self, f'{key}_on')()",
        "key = 'on_' + key; key = 1; getattr(self, key)()",
    ],
)
def test_getattr_without_a_prefix_calls_nothing(text: str) -> None:
    """Of another object, or by a name that may be any, nothing is said."""
    program = f"class Shell:\n    def use(self, key, other): {text}\n    def on_quit(self): ...\n"
    assert not calls({"a.py": program})
