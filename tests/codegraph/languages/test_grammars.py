"""Syntax trees by one adapter, and which language a file is in."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress

import pytest

from memkit.codegraph.languages import ENDINGS, LANGUAGES, dialect, dialect_of, family_of
from memkit.codegraph.languages.grammars import ParseTimeout, parse
from memkit.errors import NotFound
from tests.tables import each_row


def test_the_grammar_gives_the_trees_that_the_extractor_was_written_for() -> None:
    """Statements stand in a block without a node around each expression."""
    root = parse(b"f(1)\nx = 2\n", "python").root_node
    assert [child.type for child in root.children] == ["call", "assignment"]


def test_a_grammar_that_is_not_there_is_named() -> None:
    """An unknown grammar is an error that says what is needed, not an empty tree."""
    with pytest.raises(NotFound, match=r"no-such-language.*0\.13"):
        parse(b"", "no-such-language")


def test_a_parse_that_was_given_up_does_not_go_on_in_the_next() -> None:
    """After a file that took too long the next one is parsed from its own start."""
    large = b"value = call(first, second)[0]\n" * 20_000
    with pytest.raises(ParseTimeout, match="not parsed within"):
        parse(large, "python", seconds=0.0)
    assert parse(b"x", "python").root_node.named_child_count == 1


def test_a_large_file_is_parsed_whole() -> None:
    """Text that is read in pieces gives the same tree."""
    large = "größe = 1  # ä\n".encode() * 20_000
    root = parse(large, "python").root_node
    assert sum(child.type == "assignment" for child in root.children) == 20_000
    assert not root.has_error


def test_parser_releases_the_text_of_large_files() -> None:
    """When a large file is parsed nothing of its text is held any longer, nor if it takes too
    long."""
    large = b"value = call(first, second)[0]\n" * 20_000
    parse(large, "python")
    tracemalloc.start()
    for seconds in (60.0, 0.0, 60.0):
        with suppress(ParseTimeout):
            parse(large, "python", seconds=seconds)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < len(large) / 10


@each_row("language", LANGUAGES)
def test_the_table_of_endings_is_that_of_the_dialects(language: str) -> None:
    """What the table says of a language is what its module says."""
    known = dialect(language)
    listed = {ending for ending, name in ENDINGS.items() if name == language}
    assert listed == {*known.extensions, *known.files} | (listed & {".h"})
    assert known.family == family_of(language)


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a/b.py", b"", "python"),
        ("A.PY", b"", "python"),
        ("tool", b"#!/usr/bin/env python3\n", "python"),
        ("tool", b"#!/usr/bin/node\n", "javascript"),
        ("tool", b"#!/usr/bin/env php\n", "php"),
        ("a.h", b"int f(void);\n", "c"),
        ("a.h", b"namespace a {\n", "cpp"),
        ("picture.zzz", b"\x89", None),
    ],
)
def test_a_files_language(path: str, head: bytes, language: str | None) -> None:
    """Name first, then what the file begins with."""
    found = dialect_of(path, head)
    assert (found.name if found else None) == language
