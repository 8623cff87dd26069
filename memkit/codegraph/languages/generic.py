"""Languages known by grammar alone: table of node types, definitions by type and shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ..dialect import Dialect, words
from ..facts import MODULE_SCOPE, Facts
from .walker import SyntaxWalker, comment_text

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- Shapes: definitions written as lists or calls, or as values of names.

# Gives the scope of the body of what a node defines, -1 if it defines nothing.
Shape = Callable[["GenericWalker", "Node"], int]

_CLASSES = ("class", "struct", "record", "type", "protocol", "module", "impl", "interface", "pack")


def _kind(word: str) -> str:
    """Return what a word like `defun` or `defmodule` defines."""
    if any(part in word for part in _CLASSES) or word == "ns":
        return "class"
    return "variable" if word in _VARIABLES else "function"


_VARIABLES = words("def define defvar defparameter defconstant defconst defcustom")
_DEFINING = words("ns fn lambda var macro varfn")


def _open(walker: GenericWalker, node: Node, kind: str, named: Node) -> int:
    name = walker.text(named).strip("\"':`")
    if not name or "\n" in name or named.start_byte in walker.names:
        return -1
    if kind == "function" and walker.scope_kind == "class":
        kind = "method"
    last = name.rpartition(".")[2] if kind != "class" else name
    return walker.open_definition(kind, last, node, named, name)


def _lisp(walker: GenericWalker, node: Node) -> int:
    """`(defn name …)`, `(define (name …) …)`."""
    if node.type not in ("list_lit", "list", "sexp", "par_tup_lit", "defun") or (
        node.named_child_count < 2
    ):
        return -1
    first, second = node.named_children[:2]
    if first.type == "defun_header":
        parts = first.named_children
        return _open(walker, node, "function", parts[1] if len(parts) > 1 else first)
    word = walker.text(first)
    if len(word) > len("defgeneric") + 6 or not (word.startswith("def") or word in _DEFINING):
        return -1
    kind = _kind(word)
    if second.type in ("list", "list_lit") and second.named_child_count:
        kind, second = "function", second.named_children[0]
    is_name = not second.named_child_count or second.type.endswith("lit")
    return _open(walker, node, kind, second) if is_name else -1


def _elixir(walker: GenericWalker, node: Node) -> int:
    """`defmodule A do … end`, `def f(x) when … do … end`."""
    if node.type != "call" or node.named_child_count < 2:
        return -1
    word = walker.text(node.named_children[0])
    if not word.startswith("def") or word in ("defstruct", "defdelegate", "defexception"):
        return -1
    named = node.named_children[1]
    while named.type in ("arguments", "binary_operator", "call") and named.named_child_count:
        named = named.named_children[0]
    return _open(walker, node, "class" if _kind(word) == "class" else "function", named)


def _assigned(walker: GenericWalker, node: Node) -> int:
    """`name <- function(x) …` (R), `name = function() … end` (Lua), `f(x) = …` (Julia)."""
    if node.type not in ("binary_operator", "assignment", "assignment_statement"):
        return -1
    if node.named_child_count < 2:
        return -1
    left, right = node.named_children[0], node.named_children[-1]
    while right.type in ("expression_list",) and right.named_child_count == 1:
        right = right.named_children[0]
    if left.type == "call_expression" and left.named_child_count:
        return _open(walker, node, "function", left.named_children[0])
    if right.type == "function_definition":
        return _open(walker, node, "function", left)
    return -1


def _zig(walker: GenericWalker, node: Node) -> int:
    """`const S = struct { … }`, `fn f() …`: the body stands beside the function's head."""
    if node.type != "Decl" or not node.named_child_count:
        return -1
    head = node.named_children[0]
    named = next((child for child in head.named_children if child.type == "IDENTIFIER"), None)
    if named is None:
        return -1
    if head.type == "FnProto":
        return _open(walker, node, "function", named)
    value, steps = head, 4
    while value.named_child_count and steps:
        value, steps = value.named_children[-1], steps - 1
        if value.type == "ContainerDecl":
            return _open(walker, node, "class", named)
    if walker.scope_kind != "function":
        _open(walker, node, "variable", named)
    return -1


def _blocks(walker: GenericWalker, node: Node) -> int:
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
    texts = [walker.text(label).strip('"') for label in labels]
    return walker.open_definition("class", texts[-1], node, labels[-1], ".".join(texts))


def _rules(walker: GenericWalker, node: Node) -> int:
    """`target: prerequisites` of a makefile."""
    if node.type != "targets" or not node.named_child_count or node.parent is None:
        return -1
    for target in node.named_children:
        if not walker.text(target).startswith("."):
            _open(walker, node.parent, "function", target)
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


# --- Data and markup: sections by their headings, and the keys at the top.
#
# What has a heading is a section and nothing that code could call or assign; a key with a value
# is a variable.

Reader = Callable[["GenericWalker", "Node"], None]

# Keys and headings of one file; a table of data has more, and they name nothing.
_MAX_ENTRIES = 500
_MAX_HEADING = 120
# What has a name and a value; all else has a heading.
_KINDS = dict.fromkeys(("pair", "block_mapping_pair", "flow_pair"), "variable")
# Levels of wrappers (document, block, …) above the keys at the top.
_WRAPPERS = 5


def _note(walker: GenericWalker, kind: str, node: Node, named: Node) -> None:
    name = " ".join(walker.text(named).strip("\"'# ").split())
    if name and len(name) <= _MAX_HEADING:
        walker.define(kind, name, node, named=named, qualname=name)


def _nothing(walker: GenericWalker, root: Node) -> None:
    """Define nothing: no name here is worth a symbol."""


def _headings(walker: GenericWalker, root: Node) -> None:
    """Headings, wherever sections put them."""
    pending, count = [root], 0
    while pending and count < _MAX_ENTRIES:
        node = pending.pop()
        kind = node.type
        if kind in ("atx_heading", "setext_heading", "title"):
            count += 1
            named = next((c for c in node.named_children if "marker" not in c.type), node)
            _note(walker, "section", _under(node), named)
        elif kind in ("document", "section"):
            pending.extend(reversed(node.named_children))


def _under(heading: Node) -> Node:
    """Return a heading with all that stands under it, where the grammar tells what does."""
    section = heading.parent
    if section is None or section.type != "section" or section.start_byte != heading.start_byte:
        return heading
    return section


def _pairs(*types: str) -> Reader:
    """Return a reader of the pairs at the top of a document."""

    def read(walker: GenericWalker, root: Node) -> None:
        level = [root]
        for _ in range(_WRAPPERS):
            pairs = [node for node in level if node.type in types]
            for node in pairs[:_MAX_ENTRIES]:
                if node.named_child_count:
                    named = node.named_children[0]
                    if named.type == "section_name" and named.named_child_count:  # in brackets
                        named = named.named_children[0]
                    _note(walker, _KINDS.get(node.type, "section"), node, named)
            if pairs or len(level) > _MAX_ENTRIES:
                return
            level = [child for node in level for child in node.named_children[:_MAX_ENTRIES]]

    return read


DATA: dict[str, Reader] = {
    "json": _pairs("pair"),
    "yaml": _pairs("block_mapping_pair", "flow_pair"),
    "toml": _pairs("pair", "table", "table_array_element"),
    "ini": _pairs("section"),
    "markdown": _headings,
    "rst": _headings,
    **dict.fromkeys(("html", "xml", "css", "scss", "dockerfile"), _nothing),
}

# Languages in which nothing names what is defined: data, and targets that are given to a program.
UNNAMED = (*DATA, "make")


# --- File endings, and kinds of definitions by node type.

# Grammar by ending or whole file name; languages with an extractor of their own are left out.
GRAMMARS = {
    name: language
    for language, names in {
        "actionscript": ".as",
        "ada": ".adb .ads",
        "bash": ".sh .bash .zsh .ksh",
        "clojure": ".clj .cljs .cljc .edn",
        "cmake": ".cmake CMakeLists.txt",
        "commonlisp": ".lisp .lsp .cl",
        "css": ".css",
        "cuda": ".cu .cuh",
        "d": ".d",
        "dart": ".dart",
        "dockerfile": ".dockerfile Dockerfile Containerfile",
        "elisp": ".el",
        "elixir": ".ex .exs",
        "elm": ".elm",
        "erlang": ".erl .hrl",
        "fennel": ".fnl",
        "fish": ".fish",
        "fortran": ".f90 .f95 .f03 .f08 .f",
        "fsharp": ".fs .fsx",
        "gdscript": ".gd",
        "gleam": ".gleam",
        "glsl": ".glsl .vert .frag",
        "graphql": ".graphql .gql",
        "groovy": ".groovy .gradle",
        "hack": ".hack",
        "haskell": ".hs",
        "haxe": ".hx",
        "hcl": ".hcl",
        "hlsl": ".hlsl",
        "html": ".html .htm",
        "ini": ".ini .cfg",
        "janet": ".janet",
        "json": ".json",
        "julia": ".jl",
        "lua": ".lua",
        "luau": ".luau",
        "make": ".mk .mak Makefile makefile GNUmakefile",
        "markdown": ".md .markdown",
        "matlab": ".matlab",
        "meson": "meson.build",
        "nim": ".nim",
        "nix": ".nix",
        "objc": ".m .mm",
        "ocaml": ".ml",
        "ocaml_interface": ".mli",
        "odin": ".odin",
        "pascal": ".pas",
        "perl": ".pl .pm",
        "pony": ".pony",
        "powershell": ".ps1 .psm1",
        "prisma": ".prisma",
        "proto": ".proto",
        "puppet": ".pp",
        "purescript": ".purs",
        "r": ".r .R",
        "racket": ".rkt",
        "rst": ".rst",
        "scala": ".scala .sc",
        "scheme": ".scm .ss",
        "scss": ".scss",
        "smithy": ".smithy",
        "solidity": ".sol",
        "sql": ".sql",
        "starlark": ".bzl .star BUILD BUILD.bazel WORKSPACE",
        "swift": ".swift",
        "tcl": ".tcl",
        "terraform": ".tf .tfvars",
        "thrift": ".thrift",
        "toml": ".toml",
        "verilog": ".v .sv .svh",
        "vhdl": ".vhd .vhdl",
        "vim": ".vim",
        "wgsl": ".wgsl",
        "xml": ".xml .xsd .svg",
        "yaml": ".yml .yaml",
        "zig": ".zig",
    }.items()
    for name in names.split()
}

# Node types that say by themselves what they define; "" for those that only look like definitions.
_KIND_BY_TYPE = {
    name: kind
    for kind, names in (
        (
            "function",
            "constructor_signature FnProto function function_clause function_declaration_left "
            "function_signature getter_signature method method_or_prop_defn rpc setter_signature "
            "subroutine_declaration_statement",
        ),
        (
            "class",
            "anon_type_defn class class_binding data_type enum message mixin_declaration "
            "module_binding newtype package_statement record_type_defn service type_binding "
            "type_synomym union_type_defn",
        ),
        (
            "variable",
            "bind field_definition let_binding pp_define value_declaration_left "
            "variable_assignment",
        ),
        (
            "",
            "call_expression declaration enum_item enum_value_definition input_value_definition "
            "instance module module_attribute package signature",
        ),
    )
    for name in names.split()
}
_SHAPE = re.compile(
    r"(?:^create_|(?:_definition|_declaration|_item|_alias|_decl|_defn|_def|_interface|_implementation"
    r"|_binding|_statement|_section)$)"
)
_NAME_KINDS = (
    (
        "function",
        "function func fun procedure proc sub subroutine subprogram method macro constructor init "
        "deinit modifier rpc converter iterator task template trigger",
    ),
    (
        "class",
        "class struct enum interface trait protocol object union record module namespace contract "
        "library mixin extension actor entity architecture table view type typedef typealias "
        "schema error event exception service input scalar primitive companion",
    ),
    ("variable", "variable var val const constant property global static index"),
)
_WORDS = {word: kind for kind, listed in _NAME_KINDS for word in listed.split()}
_OUTSIDE = words("""
    parameter import use using export include require local call expression package annotation
    assignment case if for while return field forward block attribute with let
""")
_FLAGS = {
    "struct": "struct", "enum": "enum", "interface": "interface", "protocol": "interface",
    "trait": "trait", "macro": "macro", "constructor": "constructor", "constant": "constant",
    "const": "constant", "namespace": "namespace", "typealias": "alias", "typedef": "alias",
}  # fmt: skip


@cache
def meaning(node_type: str) -> tuple[str, tuple[str, ...]]:
    """Return what a node of a type defines (function, class, variable or ""), and flags."""
    parts = node_type.split("_")
    flags = tuple(dict.fromkeys(_FLAGS[word] for word in parts if word in _FLAGS))
    if node_type in _KIND_BY_TYPE:
        return _KIND_BY_TYPE[node_type], flags
    if not _SHAPE.search(node_type) or _OUTSIDE.intersection(parts):
        return "", ()
    kind = next((_WORDS[word] for word in reversed(parts) if word in _WORDS), "")
    return kind, flags if kind else ()


# --- Walker: definitions by node type and shape, plain calls.
#
# Types of nodes that end like a definition (`…_definition`, `…_declaration`, …) and have a name
# are definitions; languages that are written as lists or calls, and data, are read by their
# shape.

_NAMES = re.compile(
    r"(?:^|_)(?:identifier|name|word|constant|symbol|atom|constructor|IDENTIFIER|bareword|package"
    r"|variable|object_reference)$"
)
# Nodes in which the name of a definition is looked for.
_AROUND = re.compile(
    r"(?:declarator|signature|declaration|head|binding|reference|list|pattern|element|lhs|clause"
    r"|call_expression|binary_expression|struct_declaration|clause|left|ident)$"
)
_CALLS = words("""
    call call_expression command function_call function_call_expression function_call_statement
    invocation_expression member_call_expression method_call_expression method_invocation
    scoped_call_expression application_expression apply
""")
_CALLEE = re.compile(r"(?:^|.*(\.|->|::|:|\?\.))([A-Za-z_]\w*[!?]?)$", re.DOTALL)
# Node types that mean something else where they have no name.
_FIELD_ONLY = words("bind class function method")
_LONGEST_NAME = 120
# Languages whose names are the same in either Unicode form.
_COMPOSED = words("julia swift")
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
    names = [name for name, grammar in GRAMMARS.items() if grammar == language]
    return Dialect(
        name=language,
        extensions=tuple(name for name in names if name[0] == "."),
        files=tuple(name for name in names if name[0] != "."),
        spelling="NFC" if language in _COMPOSED else None,
    )


def extract(tree: Tree, source: bytes, path: str, language: str) -> Facts:
    """Return the definitions of a file and the calls in it, or its headings and keys."""
    walker = GenericWalker(source, path, dialect(language), {}, {})
    read = DATA.get(language, GenericWalker.run_tree)
    read(walker, tree.root_node)
    return walker.finish(tree.root_node)


class GenericWalker(SyntaxWalker):
    """Walker of languages of which only the grammar is known: it calls itself for no node.

    Attributes:
        names: where the names stand that are defined already, by enclosing nodes.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.names: set[int] = set()

    def run_tree(self, root: Node) -> None:
        """Walk the tree, each node in its scope."""
        shape = SHAPES.get(self.dialect.name, _no_shape)
        pending = [(root, MODULE_SCOPE)]
        while pending:
            node, self.scope = pending.pop()
            body = shape(self, node)
            if body < 0:
                body = _defined(self, node)
            if body < 0:
                body = self.scope
                if node.type in _CALLS:
                    _call(self, node)
            pending.extend([(child, body) for child in reversed(node.named_children)])

    def open_definition(
        self,
        kind: str,
        name: str,
        node: Node,
        at: Node,
        dotted: str,
        *,
        flags: Sequence[str] = (),
        header: int | None = None,
        doc: str = "",
    ) -> int:
        """Add a definition whose name stands at a node, and bind it; return the scope of its body,
        -1 if it has none."""
        self.names.add(at.start_byte)
        body = {"class": "class", "variable": ""}.get(kind, "function")
        index = self.define(
            kind, name, node, body=body, named=at, qualname=self.qualified(dotted), flags=flags,
            header=header, doc=doc,
        )  # fmt: skip
        if body:
            self.emit("define", index)
        else:
            self.emit("bind", ("name", name), None)
        return self.body(index)


def _no_shape(walker: GenericWalker, node: Node) -> int:
    return -1


def _defined(walker: GenericWalker, node: Node) -> int:
    """Define what a node defines, and return the scope of its body; -1 if it defines nothing."""
    kind, flags = meaning(node.type)
    outer = walker.scope_kind
    if not kind or (kind == "variable" and outer == "function"):
        return -1
    named = _name(node, 0 if node.type in _FIELD_ONLY else _NAME_DEPTH)
    if named is None or named.start_byte in walker.names:
        return -1
    text = walker.text(named)
    if len(text) > _LONGEST_NAME or "\n" in text:
        return -1
    dotted = re.sub(r"\s*(?:::|:|\\)\s*", ".", text.strip("\"'`$@: ")).rpartition(" ")[2]
    name = dotted.rpartition(".")[2]
    if not name:
        return -1
    if kind == "variable" and any(child.type == "parameter" for child in node.named_children):
        kind = "function"
    if kind == "function" and (outer == "class" or dotted != name):
        kind = "method"
    body = node.child_by_field_name("body")
    return walker.open_definition(
        kind, name, node, named, dotted, flags=flags, doc=_comment_above(walker, node),
        header=body.start_byte if body is not None else None,
    )  # fmt: skip


def _name(node: Node, depth: int) -> Node | None:
    """Return the name of a definition: its field, else the first node that looks like one."""
    named = node.child_by_field_name("name")
    if named is not None and named.is_named:
        return named
    if not depth:
        return None
    for child in node.named_children:
        if _NAMES.search(child.type):
            return child
        if _AROUND.search(child.type) and (inner := _name(child, depth - 1)) is not None:
            return inner
    return None


def _comment_above(walker: GenericWalker, node: Node) -> str:
    before = node.prev_named_sibling
    if before is None or "comment" not in before.type:
        return ""
    gap = walker.source[before.end_byte : node.start_byte]
    is_adjacent = gap.count(b"\n") <= 1 and not gap.strip()
    return comment_text(walker.text(before)) if is_adjacent else ""


def _call(walker: GenericWalker, node: Node) -> None:
    """Emit that something is called; its receiver is not known."""
    callee = node.child_by_field_name("function") or node.child_by_field_name("name")
    receiver = node.child_by_field_name("object") or node.child_by_field_name("scope")
    if callee is None:
        callee = node.named_children[0] if node.named_child_count else None
    if callee is None or callee.start_byte in walker.names:
        return
    if callee.end_byte - callee.start_byte > _LONGEST_NAME:
        return
    match = _CALLEE.match(walker.text(callee))
    if match is not None:
        is_member = receiver is not None or match[1]
        term = ("attr", None, match[2]) if is_member else ("name", match[2])
        walker.emit("do", ("call", term, (), (), walker.site(callee)))
