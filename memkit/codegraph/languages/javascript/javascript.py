"""JavaScript: its dialect and the entry of its extractor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect, LibraryRules, words
from ...facts import Facts
from . import expressions, statements
from .walker import JavaScriptWalker, bare, read_documents

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
    ambient_suffixes=(".d.ts", ".d.mts", ".d.cts"),
    methods_outside_class=True,
    prototype_members=True,
    static_side_apart=True,
    fields_override=True,
    # Types of functions are said by this name.
    builtin_names=frozenset({"Callable"}),
    subscript_is_member=True,
    name_signs="#$",
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
EXPRESSIONS = {
    **expressions.EXPRESSIONS,
    **dict.fromkeys(
        ("assignment_expression", "augmented_assignment_expression"), statements.assign
    ),
}


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a JavaScript file says."""
    walker = JavaScriptWalker(source, path, DIALECT, EXPRESSIONS, statements.STATEMENTS)
    return walk_file(walker, tree.root_node)


def walk_file(walker: JavaScriptWalker, root: Node) -> Facts:
    """Walk a file and return its facts."""
    children = root.named_children
    walker.run_tree(root)
    read_documents(walker, root)
    is_comment = bool(children) and children[0].type == "comment"
    return walker.finish(root, doc=bare(walker.name(children[0])) if is_comment else "")
