"""JavaScript: its dialect, and what its nodes are walked with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect, LibraryRules, words
from ...facts import Facts, Term
from ..facts_builder import FactsBuilder, count_errors
from ..walker import bare
from .definitions import define_class, define_in_place, object_term
from .expressions import TERMS, call, element, inner, new
from .statements import STATEMENTS, assign, destructure
from .walker import JavaScriptWalker, Parts, read_documents

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

# Methods of the language's own objects, which say nothing of whose method a call means.
BUILTIN_METHODS = frozenset(
    """
    at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat
    flatMap forEach includes indexOf join keys lastIndexOf map pop push reduce reduceRight reverse
    shift slice some sort splice unshift values charAt charCodeAt codePointAt endsWith localeCompare
    match matchAll normalize padEnd padStart repeat replace replaceAll search split startsWith
    substr substring toLowerCase toUpperCase trim trimEnd trimStart toString toLocaleString valueOf
    hasOwnProperty isPrototypeOf propertyIsEnumerable apply bind call get set has add delete clear
    size next return throw then catch finally resolve reject all race any allSettled exec test
    toFixed toPrecision getTime toISOString toJSON parse stringify log warn error info debug
    assign create freeze fromEntries defineProperty write end close on once emit off
    addEventListener removeEventListener dispatchEvent querySelector appendChild remove append
    json text blob arrayBuffer clone abort read open send post cancel enqueue tee end pipe pipeTo
    pipeThrough getReader getWriter releaseLock is not format replaceState pushState
    """.split()
)
DIALECT = Dialect(
    name="javascript",
    extensions=(".js", ".jsx", ".mjs", ".cjs"),
    family="javascript",
    module_replaceable=True,
    module_globals_only=True,
    methods_outside_class=True,
    prototype_members=True,
    static_side_apart=True,
    subscript_is_member=True,
    library=LibraryRules(
        mapping_types=words("dict Map Record WeakMap ReadonlyMap"),
        callable_types=words("Callable Function"),
        adding_methods=words("append add push insert unshift"),
        iteration=(("[Symbol.iterator]", "next"), ("[Symbol.asyncIterator]", "next")),
        memberless_bases=frozenset({"Object"}),
    ),
    dynamically_typed=True,
    constructors=frozenset({"constructor"}),
    builtin_methods=BUILTIN_METHODS,
    invokers=frozenset({"call", "apply"}),
    bare_in_class=False,
)
ALL_TERMS = {
    **TERMS,
    "call_expression": call,
    "new_expression": new,
    "object": object_term,
    "jsx_element": element,
    "jsx_self_closing_element": element,
    "jsx_fragment": element,
    "jsx_expression": inner,
}


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a JavaScript file says."""
    return walk_file(tree, source, path, DIALECT, PARTS)


def walk_file(tree: Tree, source: bytes, path: str, dialect: Dialect, parts: Parts) -> Facts:
    """Return the facts of a file whose nodes are read by the parts given."""
    builder = FactsBuilder(source, path, dialect)
    walker = JavaScriptWalker(builder, parts)
    root = tree.root_node
    children = root.named_children
    walker.is_documented = dialect.name == "javascript"
    walker.block(children, 0)
    read_documents(walker, root)
    walker.finish()
    doc = walker.text(children[0]) if children and children[0].type == "comment" else ""
    return builder.finish(errors=count_errors(root), doc=bare(doc))


def _untyped(walker: JavaScriptWalker, node: Node) -> Term:
    return None


def _plain(
    walker: JavaScriptWalker, node: Node, pattern: Node, declared: Term, inside: int
) -> None:
    """Parameters of JavaScript say nothing more."""


def _shapeless(walker: JavaScriptWalker, node: Node | None) -> tuple[Term, ...]:
    return ()


def _declare(walker: JavaScriptWalker, pattern: Node, value: Term, scope: int) -> None:
    destructure(walker, pattern, value, scope, declares=True)


PARTS = Parts(
    terms=ALL_TERMS,
    statements=STATEMENTS,
    type=_untyped,
    assign=assign,
    destructure=_declare,
    define_class=define_class,
    define_in_place=define_in_place,
    parameter=_plain,
    shape=_shapeless,
)
