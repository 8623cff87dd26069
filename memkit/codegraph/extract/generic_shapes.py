"""Definitions of languages that are written as lists or calls, or whose functions are values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .builder import FactsBuilder

if TYPE_CHECKING:
    from tree_sitter import Node

# Gives the scope of the body of what a node defines, -1 if it defines nothing.
Shape = Callable[[FactsBuilder, "Node", int, set[int]], int]

_CLASSES = ("class", "struct", "record", "type", "protocol", "module", "impl", "interface", "pack")


def _kind(word: str) -> str:
    """Return what a word like `defun` or `defmodule` defines."""
    if any(part in word for part in _CLASSES) or word == "ns":
        return "class"
    return "variable" if word in _VARIABLES else "function"


_VARIABLES = frozenset("def define defvar defparameter defconstant defconst defcustom".split())
_DEFINING = frozenset({"ns", "fn", "lambda", "var", "macro", "varfn"})


def _open(b: FactsBuilder, node: Node, scope: int, kind: str, named: Node, names: set[int]) -> int:
    name = b.text(named).strip("\"':`")
    if not name or "\n" in name or named.start_byte in names:
        return -1
    names.add(named.start_byte)
    if kind == "function" and b.scope(scope).kind == "class":
        kind = "method"
    opens = {"class": "class", "variable": ""}.get(kind, "function")
    number = b.define(
        kind, name.rpartition(".")[2] if kind != "class" else name, node, scope=scope, body=opens,
        named=named, qualname=b.qualified(scope, name),
    )  # fmt: skip
    b.add(scope, ("define", number) if opens else ("bind", ("name", name), None))
    return b.body(number) if opens else -1


def _lisp(b: FactsBuilder, node: Node, scope: int, names: set[int]) -> int:
    """`(defn name …)`, `(define (name …) …)`."""
    if node.type not in ("list_lit", "list", "sexp", "par_tup_lit", "defun") or (
        node.named_child_count < 2
    ):
        return -1
    first, second = node.named_children[:2]
    if first.type == "defun_header":
        parts = first.named_children
        return _open(b, node, scope, "function", parts[1] if len(parts) > 1 else first, names)
    word = b.text(first)
    if len(word) > len("defgeneric") + 6 or not (word.startswith("def") or word in _DEFINING):
        return -1
    kind = _kind(word)
    if second.type in ("list", "list_lit") and second.named_child_count:
        kind, second = "function", second.named_children[0]
    return (
        _open(b, node, scope, kind, second, names)
        if not second.named_child_count or (second.type.endswith("lit"))
        else -1
    )


def _elixir(b: FactsBuilder, node: Node, scope: int, names: set[int]) -> int:
    """`defmodule A do … end`, `def f(x) when … do … end`."""
    if node.type != "call" or node.named_child_count < 2:
        return -1
    word = b.text(node.named_children[0])
    if not word.startswith("def") or word in ("defstruct", "defdelegate", "defexception"):
        return -1
    named = node.named_children[1]
    while named.type in ("arguments", "binary_operator", "call") and named.named_child_count:
        named = named.named_children[0]
    return _open(b, node, scope, "class" if _kind(word) == "class" else "function", named, names)


def _assigned(b: FactsBuilder, node: Node, scope: int, names: set[int]) -> int:
    """`name <- function(x) …` (R), `name = function() … end` (Lua), `f(x) = …` (Julia)."""
    if node.type not in ("binary_operator", "assignment", "assignment_statement"):
        return -1
    if node.named_child_count < 2:
        return -1
    left, right = node.named_children[0], node.named_children[-1]
    while right.type in ("expression_list",) and right.named_child_count == 1:
        right = right.named_children[0]
    if left.type == "call_expression" and left.named_child_count:
        return _open(b, node, scope, "function", left.named_children[0], names)
    if right.type == "function_definition":
        return _open(b, node, scope, "function", left, names)
    return -1


def _zig(b: FactsBuilder, node: Node, scope: int, names: set[int]) -> int:
    """`const S = struct { … }`, `fn f() …`: the body stands beside the function's head."""
    if node.type != "Decl" or not node.named_child_count:
        return -1
    head = node.named_children[0]
    named = next((one for one in head.named_children if one.type == "IDENTIFIER"), None)
    if named is None:
        return -1
    if head.type == "FnProto":
        return _open(b, node, scope, "function", named, names)
    value, steps = head, 4
    while value.named_child_count and steps:
        value, steps = value.named_children[-1], steps - 1
        if value.type == "ContainerDecl":
            return _open(b, node, scope, "class", named, names)
    if b.scope(scope).kind != "function":
        _open(b, node, scope, "variable", named, names)
    return -1


def _blocks(b: FactsBuilder, node: Node, scope: int, names: set[int]) -> int:
    """`resource "kind" "name" { … }`."""
    if node.type != "block" or not node.named_child_count:
        return -1
    labels = []
    for child in node.named_children:
        if child.type not in ("identifier", "string_lit"):
            break
        labels.append(child)
    if len(labels) < 2:
        return -1
    words = [b.text(one).strip('"') for one in labels]
    number = b.define(
        "class", words[-1], node, scope=scope, body="class", named=labels[-1],
        qualname=b.qualified(scope, ".".join(words)),
    )  # fmt: skip
    b.add(scope, ("define", number))
    return b.body(number)


def _rules(b: FactsBuilder, node: Node, scope: int, names: set[int]) -> int:
    """`target: prerequisites` of a makefile."""
    if node.type != "targets" or not node.named_child_count or node.parent is None:
        return -1
    for target in node.named_children:
        if not b.text(target).startswith("."):
            _open(b, node.parent, scope, "function", target, names)
    return -1


SHAPES: dict[str, Shape] = {
    **dict.fromkeys(("clojure", "scheme", "racket", "elisp", "janet", "fennel"), _lisp),
    "commonlisp": _lisp,
    "elixir": _elixir,
    **dict.fromkeys(("r", "lua", "luau", "julia"), _assigned),
    "zig": _zig,
    **dict.fromkeys(("terraform", "hcl"), _blocks),
    "make": _rules,
}
