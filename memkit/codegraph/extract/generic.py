"""Every language of which only the grammar is known: definitions by their node types, plain calls.

Types of nodes that end like a definition (`…_definition`, `…_declaration`, …) and have a name are
definitions; languages that are written as lists or calls, and data, are read by their shape.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from ..dialect import Dialect, UnicodeForm
from ..facts import MODULE_SCOPE, Facts
from .builder import FactsBuilder, count_errors
from .generic_data import DATA
from .generic_names import GRAMMARS, meaning
from .generic_shapes import SHAPES
from .walking import comment_text

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_NAMES = re.compile(
    r"(?:^|_)(?:identifier|name|word|constant|symbol|atom|constructor|IDENTIFIER|bareword|package"
    r"|variable|object_reference)$"
)
# Nodes in which the name of a definition is looked for.
_AROUND = re.compile(
    r"(?:declarator|signature|declaration|head|binding|reference|list|pattern|element|lhs|clause"
    r"|call_expression|binary_expression|struct_declaration|clause|left|ident)$"
)
_CALLS = frozenset(
    """
    call call_expression command function_call function_call_expression function_call_statement
    invocation_expression member_call_expression method_call_expression method_invocation
    scoped_call_expression application_expression apply
    """.split()
)
_CALLEE = re.compile(r"(?:^|.*(\.|->|::|:|\?\.))([A-Za-z_]\w*[!?]?)$", re.DOTALL)
# Node types that mean something else where they have no name.
_FIELD_ONLY = frozenset({"bind", "class", "function", "method"})
_LONGEST_NAME = 120
# Languages whose names are the same in either Unicode form.
_COMPOSED = frozenset({"julia", "swift"})
# Levels in which a name is looked for below a definition.
_NAME_DEPTH = 3


def language_of(path: str) -> str | None:
    """Return the grammar for a file, None if none is known."""
    name = path.rpartition("/")[2]
    stem, dot, ending = name.rpartition(".")
    if name in GRAMMARS:
        return GRAMMARS[name]
    if not dot or not stem:
        return None
    return GRAMMARS.get(f".{ending}") or GRAMMARS.get(f".{ending.lower()}")


def languages() -> frozenset[str]:
    """Return the names of the grammars."""
    return frozenset(GRAMMARS.values())


@cache
def dialect(language: str) -> Dialect:
    """Return a dialect of which nothing is known but the name."""
    endings = tuple(name for name, one in GRAMMARS.items() if one == language and name[0] == ".")
    names = tuple(name for name, one in GRAMMARS.items() if one == language and name[0] != ".")
    spelling: UnicodeForm | None = "NFC" if language in _COMPOSED else None
    return Dialect(name=language, extensions=endings, files=names, spelling=spelling)


def extract(tree: Tree, source: bytes, path: str, language: str) -> Facts:
    """Return the definitions of a file and the calls in it, or its headings and keys."""
    builder = FactsBuilder(source, path, dialect(language))
    root = tree.root_node
    read = DATA.get(language)
    if read is not None:
        read(builder, root)
    else:
        _walk(builder, root, language)
    return builder.finish(errors=count_errors(root))


def _walk(b: FactsBuilder, root: Node, language: str) -> None:
    """Walk the tree without calling itself: each node with the scope around it."""
    shape = SHAPES.get(language)
    named: set[int] = set()
    left: list[tuple[Node, int]] = [(root, MODULE_SCOPE)]
    while left:
        node, scope = left.pop()
        kind = node.type
        inner = shape(b, node, scope, named) if shape is not None else -1
        if inner < 0:
            inner = _defined(b, node, scope, named)
        if inner < 0:
            inner = scope
            if kind in _CALLS:
                _call(b, node, scope, named)
        left.extend((child, inner) for child in reversed(node.named_children))


def _defined(b: FactsBuilder, node: Node, scope: int, names: set[int]) -> int:
    """Define what a node defines, and return the scope of its body; -1 if it defines nothing.

    `names`: where the names stand that are defined already, by nodes around this one.
    """
    kind, flags = meaning(node.type)
    if not kind:
        return -1
    around = b.scope(scope).kind
    if kind == "variable" and around == "function":
        return -1
    named = _name(node, 0 if node.type in _FIELD_ONLY else _NAME_DEPTH)
    if named is None or named.start_byte in names:
        return -1
    text = b.text(named) if named is not None else ""
    if len(text) > _LONGEST_NAME or "\n" in text:
        return -1
    dotted = re.sub(r"\s*(?:::|:|\\)\s*", ".", text.strip("\"'`$@: ")).rpartition(" ")[2]
    name = dotted.rpartition(".")[2]
    if not name:
        return -1
    names.add(named.start_byte)
    if kind == "variable" and any(child.type == "parameter" for child in node.named_children):
        kind = "function"
    if kind == "function" and (around == "class" or dotted != name):
        kind = "method"
    body = node.child_by_field_name("body")
    opens = {"class": "class", "variable": ""}.get(kind, "function")
    number = b.define(
        kind, name, node, scope=scope, body=opens, named=named, flags=flags,
        header=body.start_byte if body is not None else None,
        qualname=b.qualified(scope, dotted), doc=_above(b, node),
    )  # fmt: skip
    b.add(scope, ("define", number) if opens else ("bind", ("name", name), None))
    return b.body(number) if opens else -1


def _name(node: Node, depth: int) -> Node | None:
    """Return the name of a definition: its field, else the first node that looks like one."""
    found = node.child_by_field_name("name")
    if found is not None and found.is_named:
        return found
    if not depth:
        return None
    for child in node.named_children:
        if _NAMES.search(child.type):
            return child
        if _AROUND.search(child.type) and (inner := _name(child, depth - 1)) is not None:
            return inner
    return None


def _above(b: FactsBuilder, node: Node) -> str:
    before = node.prev_named_sibling
    if before is None or "comment" not in before.type:
        return ""
    gap = b.source[before.end_byte : node.start_byte]
    return comment_text(b.text(before)) if gap.count(b"\n") <= 1 and not gap.strip() else ""


def _call(b: FactsBuilder, node: Node, scope: int, names: set[int]) -> None:
    """Say that something is called; its receiver is not known."""
    callee = node.child_by_field_name("function") or node.child_by_field_name("name")
    receiver = node.child_by_field_name("object") or node.child_by_field_name("scope")
    if callee is None:
        callee = node.named_children[0] if node.named_child_count else None
    if callee is None or callee.start_byte in names:
        return
    if callee.end_byte - callee.start_byte > _LONGEST_NAME:
        return
    found = _CALLEE.match(b.text(callee))
    if found is not None:
        is_member = receiver is not None or found[1]
        term = ("attr", None, found[2]) if is_member else ("name", found[2])
        b.add(scope, ("do", ("call", term, (), (), b.site(callee))))
