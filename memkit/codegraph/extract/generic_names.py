"""Languages of which only the grammar is known: their file endings, and what node types mean."""

from __future__ import annotations

import re
from functools import cache

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
        "kotlin": ".kt .kts",
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
        "php": ".php",
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
_MEANT = {
    "bind": "variable",
    "call_expression": "",
    "class": "class",
    "class_binding": "class",
    "constructor_signature": "function",
    "data_type": "class",
    "declaration": "",
    "enum": "class",
    "enum_item": "",
    "field_definition": "variable",
    "FnProto": "function",
    "function": "function",
    "function_clause": "function",
    "function_declaration_left": "function",
    "function_signature": "function",
    "getter_signature": "function",
    "input_value_definition": "",
    "enum_value_definition": "",
    "instance": "",
    "let_binding": "variable",
    "message": "class",
    "method": "function",
    "method_or_prop_defn": "function",
    "mixin_declaration": "class",
    "module": "",
    "module_attribute": "",
    "module_binding": "class",
    "newtype": "class",
    "package": "",
    "package_statement": "class",
    "pp_define": "variable",
    "record_type_defn": "class",
    "anon_type_defn": "class",
    "union_type_defn": "class",
    "rpc": "function",
    "service": "class",
    "setter_signature": "function",
    "signature": "",
    "subroutine_declaration_statement": "function",
    "type_binding": "class",
    "type_synomym": "class",
    "value_declaration_left": "variable",
    "variable_assignment": "variable",
}
_SHAPE = re.compile(
    r"(?:^create_|(?:_definition|_declaration|_item|_alias|_decl|_defn|_def|_interface|_implementation"
    r"|_binding|_statement|_section)$)"
)
_KINDS = (
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
_WORDS = {word: kind for kind, words in _KINDS for word in words.split()}
_OUTSIDE = frozenset(
    """
    parameter import use using export include require local call expression package annotation
    assignment case if for while return field forward block attribute with let
    """.split()
)
_FLAGS = {
    "struct": "struct", "enum": "enum", "interface": "interface", "protocol": "interface",
    "trait": "trait", "macro": "macro", "constructor": "constructor", "constant": "constant",
    "const": "constant", "namespace": "namespace", "typealias": "alias", "typedef": "alias",
}  # fmt: skip


@cache
def meaning(node_type: str) -> tuple[str, tuple[str, ...]]:
    """Return what a node of a type defines (function, class, variable or ""), and flags."""
    words = node_type.split("_")
    flags = tuple(dict.fromkeys(_FLAGS[word] for word in words if word in _FLAGS))
    if node_type in _MEANT:
        return _MEANT[node_type], flags
    if not _SHAPE.search(node_type) or _OUTSIDE.intersection(words):
        return "", ()
    kind = next((_WORDS[word] for word in reversed(words) if word in _WORDS), "")
    return kind, flags if kind else ()
