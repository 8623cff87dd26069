"""PHP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect, LibraryRule, LibraryRules, by_word, words
from ...facts import Facts
from ..walker import comment_text
from .expressions import EXPRESSIONS
from .names import PhpWalker, dotted
from .statements import STATEMENTS

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_LIBRARY = LibraryRules(
    results=by_word(
        {
            LibraryRule.CONTAINER: "array_values array_filter array_reverse array_slice "
            "array_unique array_merge iterator_to_array",
            LibraryRule.ELEMENT: "current end reset array_pop array_shift",
            LibraryRule.MAPPED: "array_map",
            LibraryRule.PLAIN: "count strlen implode sprintf trim substr str_replace strtolower "
            "strtoupper json_encode array_keys explode",
        }
    ),
    element_methods=frozenset(),
    value_methods=frozenset(),
    same_methods=frozenset(),
    mutating_methods=frozenset(),
    adding_methods=frozenset(),
    extending_methods=frozenset(),
    iteration=(("getIterator", "current"),),
    memberless_bases=words(
        "Traversable Iterator IteratorAggregate ArrayAccess Countable JsonSerializable Stringable "
        "Serializable UnitEnum BackedEnum"
    ),
)

DIALECT = Dialect(
    name="php",
    extensions=(".php",),
    family="php",
    constructors=frozenset({"__construct"}),
    shares_namespace=True,
    global_namespace="php:",
    capitalised_is_external=True,
    builtin_names=frozenset(_LIBRARY.results),
    private_is_file_wide=True,
    dict_keys_are_members=False,
    abstract_gives_way=True,
    library=_LIBRARY,
    # Methods of the language's own classes, and of interfaces that about every library has.
    builtin_methods=frozenset(
        """
        getMessage getCode getPrevious getFile getLine getTrace getTraceAsString current key next
        rewind valid getIterator offsetGet offsetSet offsetExists offsetUnset count jsonSerialize
        format modify diff setTimezone getTimestamp add sub bindTo call fromCallable send throw
        getReturn attach detach contains push pop shift unshift top isEmpty insert extract toArray
        getArrayCopy append exec query prepare execute fetch fetchAll fetchColumn bindValue
        bindParam beginTransaction commit rollBack lastInsertId quote getName getShortName
        getMethods getMethod getProperties getProperty getParameters getAttributes newInstance
        newInstanceArgs invoke invokeArgs getValue setValue setAccessible hasMethod
        implementsInterface isInstance getParentClass getDocComment getType allowsNull isBuiltin
        createElement appendChild getAttribute setAttribute getElementsByTagName loadXML saveXML
        loadHTML saveHTML xpath children attributes asXML get set has delete clear close open read
        write eof seek tell getContents isFile isDir getPathname getRealPath getExtension getSize
        """.split()
    ),
)


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a PHP file says; its namespace is the first that it declares."""
    walker = PhpWalker(source, path, DIALECT, EXPRESSIONS, STATEMENTS)
    root = tree.root_node
    # Where classes that are named with their namespace are said to be imported.
    walker.site(root)
    namespace = _first_namespace(walker, root)
    walker.run_tree(root)
    first = next((child for child in root.named_children if child.type != "php_tag"), root)
    doc = comment_text(walker.text(first)) if first.type == "comment" else ""
    return walker.finish(root, namespace=namespace, doc=doc)


def _first_namespace(walker: PhpWalker, root: Node) -> str:
    for child in root.named_children:
        if child.type == "namespace_definition":
            named = child.child_by_field_name("name")
            return "" if named is None else dotted(walker, named)
    return ""
