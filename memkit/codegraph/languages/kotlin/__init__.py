"""Kotlin."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from ...dialect import Dialect
from ...facts import Facts
from ..facts_builder import count_errors
from ..grammars import parse
from .declarations import STATEMENTS, namespace_of
from .expressions import TERMS
from .type_terms import KotlinWalker, child

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

DIALECT = Dialect(
    name="kotlin",
    extensions=(".kt", ".kts"),
    implicit_members=True,
    shares_namespace=True,
    counts_arguments=True,
    hides_private=True,
    typed_overloads=True,
    package_first=True,
    extension_functions=True,
    widening=False,
    invokers=frozenset({"invoke"}),
    # Methods of kotlin, its collections and its scope functions that any receiver may have.
    builtin_methods=frozenset(
        """
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
        flush start join cancel await lock unlock
        """.split()
    ),
    texts=frozenset(
        """
        toString format substring substringBefore substringAfter substringBeforeLast
        substringAfterLast replace replaceFirst padStart padEnd removePrefix removeSuffix
        removeSurrounding lowercase uppercase trimIndent trimMargin trimStart trimEnd joinToString
        repeat concatToString decodeToString readText
        """.split()
    ),
    arithmetic=frozenset(
        """
        plus minus times div rem and or xor shl shr ushr inv unaryMinus unaryPlus inc dec coerceIn
        coerceAtLeast coerceAtMost
        """.split()
    ),
    transparent=frozenset(
        """
        filter filterNot filterNotNull sorted sortedBy sortedByDescending sortedWith reversed
        asReversed distinct distinctBy take takeLast takeWhile drop dropLast dropWhile toList
        toMutableList toSet toTypedArray asSequence asIterable asList onEach plus minus orEmpty copy
        requireNotNull checkNotNull
        """.split()
    ),
    elements=frozenset(
        """
        first last firstOrNull lastOrNull single singleOrNull find findLast elementAt getOrNull
        removeAt removeFirst removeLast random maxByOrNull minByOrNull maxBy minBy
        """.split()
    ),
)
# What the grammar (fwcd's) takes for something else, and what is put in its place, as long: blanks,
# or letters that keep the place of a name. Only in files in which it meets errors.
_DELEGATED = re.compile(rb"\bby\s+[^\n{=]*\{")
_MODIFIER = rb"(?:internal|private|protected|public|actual|expect|@\w+(?:\([^()]*\))?)\s+"
_COMMENT = rb"(?:/\*(?:[^*]|\*(?!/))*\*/\s*|//[^\n]*\s+)*"
_MISREAD = (
    # `constructor` on another line than its class
    (
        re.compile(
            rb"(?<=\w|>)\s+"
            + _COMMENT
            + rb"(?:"
            + _MODIFIER
            + rb")*constructor(?=\s*\([^()]*(?:\([^()]*\)[^()]*)*\)\s*[:{\n])"
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
    walker = KotlinWalker(source, path, DIALECT, TERMS, STATEMENTS)
    root = tree.root_node
    # Where classes that are named with their package are said to be imported.
    walker.site(root)
    namespace, doc = namespace_of(walker, root)
    walker.walk_all(root)
    return walker.finish(errors=count_errors(root), namespace=namespace, doc=doc)


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
