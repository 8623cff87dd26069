"""Single-file components: the scripts of Vue and Svelte files.

All but the scripts is blanked out, so that bytes and lines of the scripts are those of the file;
several scripts of one file share one module. What a template calls is not followed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from ...dialect import Dialect
from ...facts import Facts
from ..grammars import parse
from . import typescript

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Tree

_NOT_LINES = re.compile(rb"[^\n]")
_LANGUAGE = re.compile(rb"\blang\s*=\s*[\"']?([\w-]+)")
# Grammars by what a script says to be written in; JSX stands in no other.
_GRAMMARS = {
    b"": "typescript",
    b"js": "typescript",
    b"ts": "typescript",
    b"jsx": "tsx",
    b"tsx": "tsx",
}


# Their scripts are TypeScript, or what TypeScript reads too.
_DIALECTS = {
    name: attrs.evolve(typescript.DIALECT, name=name, extensions=(f".{name}",))
    for name in ("svelte", "vue")
}


def dialect(language: str) -> Dialect:
    """Return the dialect of a sort of components."""
    return _DIALECTS[language]


def extract(tree: Tree, source: bytes, path: str, language: str) -> Facts:
    """Return what the scripts of a file say; `tree` is that of its markup."""
    text, grammar = bytearray(_NOT_LINES.sub(b" ", source)), "typescript"
    for tag, script in _scripts(tree.root_node):
        attribute = _LANGUAGE.search(source, tag.start_byte, tag.end_byte)
        written = _GRAMMARS.get(attribute[1].lower() if attribute else b"")
        if written is not None:
            text[script.start_byte : script.end_byte] = source[script.start_byte : script.end_byte]
            grammar = "tsx" if written == "tsx" else grammar
    blank = bytes(text)
    return typescript.read(parse(blank, grammar), blank, path, dialect(language), grammar)


def _scripts(root: Node) -> Iterator[tuple[Node, Node]]:
    """Yield opening tag and text of each script at the top, also beside what has errors."""
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == "script_element":
            parts = {child.type: child for child in node.named_children}
            if "start_tag" in parts and "raw_text" in parts:
                yield parts["start_tag"], parts["raw_text"]
        elif node.type in ("document", "ERROR"):
            pending.extend(reversed(node.named_children))
