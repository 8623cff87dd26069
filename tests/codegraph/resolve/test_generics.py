"""What own generic classes give, by the arguments that their types have where they are used."""

from __future__ import annotations

from pathlib import Path

from memkit.codegraph.analysis import default_analysis
from tests.tables import each_row

from ..programs import calls
from ..trees import Tree

PYTHON = """\
from typing import Generic, TypeVar
K = TypeVar("K")
T = TypeVar("T")
class User:
    def save(self): ...
class Other:
    def save(self): ...
class Box(Generic[K, T]):
    def get(self) -> T: ...
    def key(self) -> K: ...
    def same(self) -> "Box[K, T]": ...
class UserBox(Box[Other, User]): ...
def made() -> Box[Other, User]: ...
class Holder:
    def __init__(self, box: Box[Other, User]):
        self.box = box
    def run(self): self.box.get().save()
"""
TYPESCRIPT = """\
class User { save() {} }
class Other { save() {} }
interface Gives<T> { give(): T }
class Box<K, T> {
  get(): T { return this.item }
  key(): K { return null }
  own<T>(): T { return null }
}
function made(): Box<Other, User> { return null }
class Holder {
  constructor(private box: Box<Other, User>) {}
  run() { this.box.get().save() }
}
"""
JAVA = """\
class User { void save() {} }
class Other { void save() {} }
class Box<K, T> {
  T get() { return null; }
  K key() { return null; }
  <T> T own() { return null; }
}
class UserBox extends Box<Other, User> {}
class Holder {
  Box<Other, User> box;
  Box<Other, User> made() { return null; }
  void run() { box.get().save(); }
"""
USED = {
    "a.py": (
        PYTHON,
        "def used(box: Box[Other, User], own: UserBox, bare: Box): {}\n",
        {
            "box.get().save()": "User",
            "box.key().save()": "Other",
            "own.get().save()": "User",
            "made().get().save()": "User",
            "Box[Other, User]().get().save()": "User",
            "bare.get().save()": "",
        },
    ),
    "a.ts": (
        TYPESCRIPT,
        "function used(box: Box<Other, User>, one: Gives<User>, bare: Box) {{ {} }}\n",
        {
            "box.get().save()": "User",
            "box.key().save()": "Other",
            "one.give().save()": "User",
            "made().get().save()": "User",
            "new Box<Other, User>().get().save()": "User",
            "box.own().save()": "",
            "bare.get().save()": "",
        },
    ),
    "A.java": (
        JAVA,
        "void used(Box<Other, User> box, UserBox mine, Box bare) {{ {}; }} }}\n",
        {
            "box.get().save()": "User",
            "box.key().save()": "Other",
            "mine.get().save()": "User",
            "made().get().save()": "User",
            "new Box<Other, User>().get().save()": "User",
            "box.own().save()": "",
            "bare.get().save()": "",
        },
    ),
}


@each_row("path, used", [(path, used) for path, (_, _, asked) in USED.items() for used in asked])
def test_method_of_a_generic_class_returns_the_type_argument(path: str, used: str) -> None:
    """A method said to give a parameter of its class gives the argument that the type has."""
    text, frame, asked = USED[path]
    made = calls({path: text + frame.format(used)})
    saved = {target for source, target in made if source.endswith("used") and "save" in target}
    assert saved == ({f"{path}:{asked[used]}.save"} if asked[used] else set())
    runs = {target for source, target in made if source.endswith("Holder.run")}
    assert f"{path}:User.save" in runs


def test_parameters_behind_the_name_of_a_python_class() -> None:
    """`class Box[K, T: object]` has them as well."""
    text = PYTHON.replace("class Box(Generic[K, T]):", "class Box[K, T: object]:")
    used = "def used(box: Box[Other, User]):\n    box.get().save()\n    box.key().save()\n"
    made = calls({"a.py": text + used})
    saved = {target for source, target in made if source == "a.py:used" and "save" in target}
    assert saved == {"a.py:User.save", "a.py:Other.save"}


SELF_GIVING = """\
class User { save() {} }
class Other { save() {} get() {} back() {} }
class Core<T> { core(): T { return null } }
class Base<T> extends Core<Base<T>> { get(): T { return null } }
class Leaf extends Base<User> {}
interface Forth<T> extends Back<Forth<T>> { forth(): T }
interface Back<T> extends Forth<Back<T>> { back(): T }
interface Circle extends Forth<User> {}
"""


@each_row(
    "used, targets",
    [
        ("leaf.get().save()", {"Base.get", "User.save"}),
        ("leaf.core().get().save()", {"Core.core", "Base.get"}),
        ("circle.forth().save()", {"Forth.forth", "User.save"}),
        ("circle.back().forth().save()", {"Back.back", "Forth.forth"}),
    ],
)
def test_types_that_give_themselves_as_argument(used: str, targets: set[str]) -> None:
    """`class Base<T> extends Core<Base<T>>`, in a circle of bases too: the search has an end."""
    function = f"function used(leaf: Leaf, circle: Circle) {{ {used} }}\n"
    made = calls({"a.ts": SELF_GIVING + function})
    assert {("a.ts:used", f"a.ts:{target}") for target in targets} <= set(made)


def test_other_arguments_are_followed(tmp_path: Path) -> None:
    """A call is linked anew when the type of what it is called on has another argument."""
    box = PYTHON.replace("box: Box[Other, User]", "box: Box[User, Other]")
    graphs = []
    for name, steps in (("edited", [PYTHON, box]), ("whole", [box])):
        (tmp_path / name).mkdir()
        tree = Tree(tmp_path / name, default_analysis)
        tree.put("b.py", "from a import Holder\ndef used(one: Holder): one.box.get().save()\n")
        for text in steps:
            tree.put("a.py", text)
            tree.index()
        graphs.append(tree.graph()["edges"])
    assert graphs[0] == graphs[1]
    assert any("b.py" in str(edge) and "a.py" in str(edge) for edge in graphs[1])
