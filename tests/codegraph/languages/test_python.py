"""Python as facts: names, places, scopes, and whatever is odd."""

from __future__ import annotations

import ast

import pytest

from memkit.codegraph.languages import extract
from tests.tables import each_row

from ..programs import facts_of, kinds, symbols

GERMAN = (
    "# café — ☕ 注释\nimport os\n\ndef zahlen(): return os.sep\n\n"
    'class Größe:\n    def maß(self): return "→"\n'
)


@pytest.mark.parametrize(
    "data",
    [
        GERMAN.encode(),
        GERMAN.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + GERMAN.encode(),
        GERMAN.replace("→", "\f\u2028").encode(),
    ],
    ids=["plain", "crlf", "bom", "separators"],
)
def test_places_are_right_behind_characters_of_many_bytes(data: bytes) -> None:
    """Names are whole, bytes give the source, lines are those of Python's own parser."""
    facts = extract(data, "a.py", "python")
    found = symbols(facts)
    assert list(found) == ["zahlen", "Größe", "Größe.maß"]
    assert data[found["Größe.maß"].start :].startswith("def maß(self)".encode())
    tree = ast.parse(GERMAN)
    lines = [
        node.lineno for node in ast.walk(tree) if hasattr(node, "name") and hasattr(node, "body")
    ]
    assert sorted(one.line for one in found.values()) == sorted(lines)
    assert found["Größe.maß"].column == 5


def test_a_digest_is_of_the_text_wherever_it_stands() -> None:
    """Indentation, line ends and trailing spaces do not count; comments and code do."""
    plain = symbols(facts_of("def f():\n    return 1\n", "a.py"))["f"]
    inner = symbols(facts_of("if x:\n    def f():  \n        return 1\r\n", "a.py"))["f"]
    other = symbols(facts_of("def f():\n    return 1  # one\n    pass\n", "a.py"))["f"]
    assert plain.digest == inner.digest != other.digest


def test_definitions_say_what_they_are() -> None:
    """Kind, signature, docstring and flags come from the source."""
    facts = facts_of(
        '''
        """Prices."""
        LIMIT = 3

        class Cart(Base):
            """Holds things.

            More of it.
            """
            tax: float = 0.2

            @property
            def total(self) -> int:
                "Sum of it all."

            @staticmethod
            async def load(
                path: str,
                *parts,
            ) -> "Cart": ...
            def _hidden(self): pass
        ''',
        "a.py",
    )
    found = symbols(facts)
    assert facts.doc == "Prices."
    assert kinds(facts) == {
        "LIMIT": "variable",
        "Cart": "class",
        "Cart.tax": "variable",
        "Cart.total": "method",
        "Cart.load": "method",
        "Cart._hidden": "method",
    }
    assert found["Cart"].doc == "Holds things."
    assert found["Cart"].signature == "class Cart(Base)"
    assert found["Cart.load"].signature == 'async def load( path: str, *parts, ) -> "Cart"'
    assert found["Cart.load"].flags == ("static", "async")
    assert found["Cart.load"].returns == ("name", "Cart")
    assert [param.sort for param in found["Cart.load"].params] == ["", "*"]
    assert found["Cart.total"].flags == ("property",)
    assert found["Cart._hidden"].flags == ("private",)


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 5000 + "1" + ")" * 5000,
        "x = " + "[" * 3000 + "]" * 3000,
        "x = " + " + ".join(["a()"] * 5000),
        "x = a" + ".b()" * 5000,
        "x = " + "f(" * 3000 + "last()" + ")" * 3000,
        "".join(" " * n + f"if a{n}:\n" for n in range(90)) + " " * 90 + "last()",
        "x = " + "lambda: " * 500 + "last()",
    ],
    ids=["parentheses", "lists", "sum", "chain", "calls", "ifs", "lambdas"],
)
def test_what_is_nested_thousands_of_times_is_read(text: str) -> None:
    """No depth is an error, and what stands around it is found."""
    facts = facts_of(f"def before(): pass\n{text}\ndef after(): pass\n", "deep.py")
    assert {"before", "after"} <= set(kinds(facts))
    calls = text.count("()")
    assert (
        str(facts.statements).count("'call'") >= calls
        if calls < 3000
        else len(facts.sites) >= calls
    )


def test_comment_behind_the_colon_is_not_in_the_signature() -> None:
    """What stands between a definition and its body says nothing of how it is called."""
    facts = facts_of(
        """
        class Priority(IntEnum):  # The order matters.
            # It really does.
            HIGH = 1

        def plain(a):  # noqa: D103
            return a
        """,
        "a.py",
    )
    found = symbols(facts)
    assert found["Priority"].signature == "class Priority(IntEnum)"
    assert found["plain"].signature == "def plain(a)"


def test_a_broken_file_still_says_what_can_be_read() -> None:
    """Definitions around an error are there, and the error is counted."""
    facts = facts_of(
        "def f(:\n    pass\n\nclass A:\n    def m(self): g()\n\ndef h(): pass\n", "a.py"
    )
    assert facts.errors > 0
    assert {"A", "A.m", "h"} <= set(kinds(facts))


def test_a_value_that_nothing_saw_is_not_bound() -> None:
    """Two assignments in a row bind the second value; with a branch in between, both."""
    straight = facts_of("a = one\na = two\n", "a.py").statements[0]
    branch = facts_of("a = one\nif x:\n    a = two\n", "a.py").statements[0]
    binds = [[one[2] for one in found if one[0] == "bind"] for found in (straight, branch)]
    assert binds == [[("name", "two")], [("name", "one"), ("name", "two")]]


def test_a_comprehension_has_a_scope_and_a_walrus_leaves_it() -> None:
    """The variable of a comprehension is its own; a walrus binds in the function around."""
    facts = facts_of("def f():\n    return [y := g(x) for x in x]\n", "a.py")
    inner = facts.statements[2]
    assert inner[0] == ("bind", ("name", "x"), ("iter", ("in", 1, ("name", "x")), inner[0][2][2]))
    assert [one[1] for one in facts.statements[1] if one[0] == "bind"] == [("name", "y")]


@each_row(
    "expression, term",
    [
        ("a", ("name", "a")),
        ("größe.b", ("attr", ("name", "größe"), "b")),
        ("a.b.c", ("attr", ("attr", ("name", "a"), "b"), "c")),
        ("a . b", ("attr", ("name", "a"), "b")),
        ("(a.  # why\n b)", ("attr", ("name", "a"), "b")),
        ("True.b", ("attr", ("const", "bool", True), "b")),
        ("None.b", ("attr", ("const", "none", None), "b")),
        ("'x'.b", ("attr", ("const", "str", "x"), "b")),
        ("[1].b", ("attr", ("list", (("const", "int", 1),)), "b")),
        ("'x'", ("const", "str", "x")),
        ('"""x"""', ("const", "str", "x")),
        ("''", ("const", "str", "")),
        ("r'x'", ("const", "str", "x")),
        ("b'x'", ("const", "bytes", None)),
        ("f'{a}'", ("const", "str", None)),
        ("'x' 'y'", ("const", "str", None)),
        ("'" + "x" * 80 + "'", ("const", "str", None)),
        ("007", ("const", "int", 7)),
        ("0x10", ("const", "int", None)),
        ("9" * 20, ("const", "int", None)),
        ("1.5", ("const", "float", None)),
    ],
)
def test_the_same_text_is_the_same_term_however_it_was_read(
    expression: str, term: tuple[object, ...]
) -> None:
    """Names and constants read from their text alone are what a walk over their parts gives."""
    facts = facts_of(f"v = {expression}\nw = {expression}\n", "a.py")
    values = [one[2] for one in facts.statements[0] if one[0] == "bind"]
    assert values == [term, term]


@pytest.mark.parametrize(
    "statement",
    [
        "from \\\n a import \\\n b \\\n as \\\n c, d",
        "import a. \\\n b \\\n as c, \\\n d",
        "x \\\n = y \\\n if z() \\\n else w",
        "with a() \\\n as \\\n b, \\\n c() as d: \\\n f()",
        "for x \\\n in \\\n y(): \\\n f(x)",
        "x: \\\n T \\\n = y()",
        "x = not \\\n a \\\n and b[ \\\n 1]. \\\n c",
        "@f \\\n.g\nclass A \\\n (B, \\\n metaclass=C): \\\n pass",
        "def f \\\n (a, \\\n b=1) \\\n -> \\\n T: \\\n return a",
        "assert isinstance \\\n (x, \\\n T)",
        "a \\\n = b \\\n = c()",
    ],
)
def test_continued_lines_change_nothing_but_line_numbers(statement: str) -> None:
    """Backslashes at the ends of lines change nothing but the lines; nor does one in a comment or
    a text join what it should not."""
    before = "# a comment \\\nx = 'a \\\n b'\n"
    after = "\n\ndef last(): pass\n"
    broken = extract((before + statement + after).encode(), "a.py", "python")
    whole = extract((before + statement.replace("\\\n", "") + after).encode(), "a.py", "python")
    assert broken.errors == whole.errors == 0
    assert broken.statements == whole.statements
    heads = [
        [(one.kind, one.qualname, one.params, one.returns, one.bases, one.decorators) for one in f]
        for f in (broken.definitions, whole.definitions)
    ]
    assert heads[0] == heads[1]
    assert broken.definitions[-1].line == broken.lines
