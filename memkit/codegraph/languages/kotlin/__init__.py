"""Kotlin."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ...dialect import Dialect, ExternalTypes, LibraryRules, OverloadTypes, words
from ...facts import Facts
from ..facts_builder import count_errors
from ..grammars import parse
from ..walker import child_of_type as child
from .declarations import STATEMENTS
from .expressions import EXPRESSIONS
from .type_terms import KotlinWalker

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

_NUMBERS = words("byte short int long float double char boolean uint ulong ushort ubyte")
_OVERLOAD_TYPES = OverloadTypes(
    boxed={},
    primitive=_NUMBERS,
    final=frozenset({"String"}),
    # A number is of one type alone; as it is written, of the one that is asked for.
    nearness={
        **{kind: {kind: 9} for kind in _NUMBERS},
        "literal": {
            "int": 9, "long": 8, "short": 7, "byte": 7, "uint": 6, "ulong": 6, "ushort": 6,
            "ubyte": 6,
        },
        "str": {"String": 9, "CharSequence": 8},
    },
    universal=words("Any Number Comparable Serializable"),
    method_results={
        **dict.fromkeys(words("length size indexOf lastIndexOf hashCode ordinal code"), "int"),
        **dict.fromkeys(words("equals isEmpty contains startsWith endsWith hasNext"), "boolean"),
    },
)  # fmt: skip
_COMMON = LibraryRules()
_LIBRARY = LibraryRules(
    results={},
    mapping_types=_COMMON.mapping_types | words("Map MutableMap HashMap LinkedHashMap TreeMap"),
    callable_types=_COMMON.callable_types | words("Function"),
    element_methods=words(
        "get find next first last firstOrNull lastOrNull single singleOrNull random elementAt "
        "getOrNull removeAt removeFirst removeLast poll peek pop"
    ),
    value_methods=words("get put getValue getOrPut getOrDefault getOrElse"),
    same_methods=words(
        "filter filterNot filterNotNull sorted reversed asReversed distinct take takeLast drop "
        "dropLast toList toMutableList toSet toMutableSet asSequence asIterable iterator plus minus"
    ),
    adding_methods=words("add addLast addFirst push"),
    extending_methods=words("addAll"),
    text_methods=words("""
        toString format substring substringBefore substringAfter substringBeforeLast
        substringAfterLast replace replaceFirst padStart padEnd removePrefix removeSuffix
        removeSurrounding lowercase uppercase trimIndent trimMargin trimStart trimEnd joinToString
        repeat concatToString decodeToString readText
    """),
    arithmetic_methods=words("""
        plus minus times div rem and or xor shl shr ushr inv unaryMinus unaryPlus inc dec coerceIn
        coerceAtLeast coerceAtMost
    """),
    iteration=(("iterator", "next"),),
    memberless_bases=words("Any Enum Serializable"),
)

_EXTERNAL_TYPES = ExternalTypes(
    universal="any",
    final={
        "str": "String", "String": "String", "boolean": "Boolean", "byte": "Byte", "char": "Char",
        "double": "Double", "float": "Float", "int": "Int", "long": "Long", "short": "Short",
        "literal": "Int", "uint": "UInt", "ulong": "ULong",
    },
    above_final=words("Comparable Number CharSequence Serializable"),
    lists=words("List Collection Iterable MutableList Set MutableCollection"),
    number_widths=(
        "literal", "byte", "short", "char", "int", "uint", "long", "ulong", "float", "double",
    ),
    calculating=words("plus minus times div rem"),
    calculated=words("byte int long"),
    counted=words("int long"),
)  # fmt: skip

DIALECT = Dialect(
    name="kotlin",
    extensions=(".kt", ".kts"),
    implicit_members=True,
    shares_namespace=True,
    family="java",
    package_before_wildcard=True,
    capitalised_is_external=True,
    checks_arity=True,
    private_is_file_wide=True,
    overload_types=_OVERLOAD_TYPES,
    library=_LIBRARY,
    extension_functions=_EXTERNAL_TYPES,
    invokers=frozenset({"invoke"}),
    # Methods of kotlin, its collections and its scope functions that any receiver may have.
    builtin_methods=words("""
        equals hashCode toString compareTo let run with apply also takeIf takeUnless use to
        add addAll remove removeAll removeAt get set put putAll getOrPut getOrDefault getOrElse
        getOrNull getValue setValue provideDelegate contains containsKey containsAll size isEmpty
        isNotEmpty isNullOrEmpty isBlank isNotBlank clear iterator hasNext next forEach
        forEachIndexed map mapNotNull mapIndexed filter filterNot filterNotNull filterIsInstance
        flatMap flatten fold reduce any all none count find first firstOrNull last lastOrNull
        single singleOrNull max min sum sumOf sorted sortedBy sortedWith distinct take takeWhile
        drop dropWhile zip partition groupBy associate associateBy associateWith joinToString
        toList toMutableList toSet toMap toTypedArray asSequence asList asReversed reversed indexOf
        lastIndexOf indices withIndex plus minus times div rem rangeTo until downTo step coerceIn
        coerceAtLeast coerceAtMost inc dec not and or xor shl shr ushr inv unaryMinus plusAssign
        minusAssign substring startsWith endsWith trim split replace lowercase uppercase format
        padStart padEnd lines trimIndent trimMargin append toInt toLong toByte toShort toChar
        toDouble toFloat toUInt code copyOf copyOfRange copyInto fill sort copy component1
        component2 component3 invoke name ordinal values valueOf print println close read write
        flush start build builder join cancel await lock unlock
    """),
    transparent=words("""
        filter filterNot filterNotNull sorted sortedBy sortedByDescending sortedWith reversed
        asReversed distinct distinctBy take takeLast takeWhile drop dropLast dropWhile toList
        toMutableList toSet toTypedArray asSequence asIterable asList onEach plus minus orEmpty copy
        requireNotNull checkNotNull
    """),
    elements=words("""
        first last firstOrNull lastOrNull single singleOrNull find findLast elementAt getOrNull
        removeAt removeFirst removeLast random maxByOrNull minByOrNull maxBy minBy
    """),
)
# What the grammar (fwcd's) takes for something else, and what is put in its place, as long: blanks,
# or letters that keep the place of a name. Only in files in which it meets errors.
_DELEGATED = re.compile(rb"\bby\s+[^\n{=]*\{")
_BEFORE_CONSTRUCTOR = (
    rb"(?:/\*(?:[^*]|\*(?!/))*\*/\s*|//[^\n]*\s+"
    rb"|(?:internal|private|protected|public|actual|expect|@[\w.]+(?:\([^()]*\))?)\s+)*"
)
_PARAMETERS = rb"\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*[:{\n]"
_MISREAD = (
    # `constructor` on another line than its class
    (
        re.compile(
            rb"(?<=\w|>)\s+" + _BEFORE_CONSTRUCTOR + rb"constructor(?=" + _PARAMETERS + rb")"
        ),
        " ",
    ),
    (re.compile(rb"\b(?:actual|expect)\s+(?=va[lr]\b)"), " "),
    (re.compile(rb"(?<=[,;(\n])[ \t]*(?:data|inline|final|value)(?=\s*[.=])"), "x"),
    # a delegate in front of the body of an object
    (re.compile(rb"(?<=[\w>])\s+by\s+\w+(?:\(\))?(?=\s*\{\n)"), " "),
    # a branch of `when` behind another, and a comma at the end of its conditions
    (re.compile(rb"(?<=[\w)'\"])\n(?=\s*!?(?:in|is)\s)"), ";"),
    (re.compile(rb",(?=\s*->)"), " "),
)


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Kotlin file says; its namespace is its package."""
    if tree.root_node.has_error or _DELEGATED.search(source):
        tree = _parsed_again(tree, source)
    walker = KotlinWalker(source, path, DIALECT, EXPRESSIONS, STATEMENTS)
    root = tree.root_node
    # Where classes that are named with their package are said to be imported.
    walker.site(root)
    header, doc = walker.package_clause(root, "package_header")
    named = walker.text(header.named_children[0]) if header is not None else ""
    walker.run_tree(root)
    return walker.finish(root, namespace="".join(named.split()).replace("`", ""), doc=doc)


def _parsed_again(tree: Tree, source: bytes) -> Tree:
    """Return the tree of a text without what the grammar misreads, if that has fewer errors."""
    text = source
    for start, end in _delegates(tree.root_node):
        text = text[:start] + b" " * (end - start) + text[end:]
    for pattern, filler in _MISREAD if tree.root_node.has_error else ():
        text = pattern.sub(partial(_masked, filler=filler), text)
    if text == source:
        return tree
    again = parse(text, "kotlin")
    return again if count_errors(again.root_node) <= count_errors(tree.root_node) else tree


def _delegates(root: Node) -> list[tuple[int, int]]:
    """Return where `by x` stands in front of a class's body, which is then taken for a lambda."""
    places: list[tuple[int, int]] = []
    left = [root]
    while left:
        node = left.pop()
        left += node.named_children
        if node.type != "explicit_delegation":
            continue
        suffix = node.named_children[-1].children[-1] if node.named_children[-1].children else node
        around = node.parent.parent if node.parent is not None else None
        body = child(suffix, "annotated_lambda") if suffix.type == "call_suffix" else None
        if body is None or around is None or child(around, "class_body") is not None:
            continue
        word = next(part for part in node.children if part.type == "by")
        places.append((word.start_byte, body.start_byte))
    return places


def _masked(match: re.Match[bytes], filler: str) -> bytes:
    """Return as many blanks as a text has letters, or its words made of another letter."""
    text = match[0]
    if filler == "x":
        return re.sub(rb"\w", b"x", text)
    return filler.encode() * len(text)
