"""When two statements are the same, and how names are compared."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import InvalidInput
from memkit.memories import identity
from tests.strategies import texts
from tests.tables import each_row


def same(one: str, other: str) -> bool:
    """Whether two texts in one place are one statement."""
    return identity.content_hash(text=one, place=("p",)) == identity.content_hash(
        text=other, place=("p",)
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Builds run on the small machine", "builds run on small machine."),
        ("  Builds\trun \n on it", "builds run on it"),
        ('He said "stop" (twice).', "he said stop twice"),
        ("We use the blue queue", "Use blue queue!"),
        ("Größe prüfen", unicodedata.normalize("NFD", "Größe prüfen")),
        ("The", "the"),
    ],
)
def test_wording_that_says_nothing_new_is_the_same(one: str, other: str) -> None:
    """Small words, a first capital, closing marks, quotes and Unicode form do not tell."""
    assert same(one, other)


@each_row(
    "one, other",
    [
        ("The API base path is /v2", "the api base path is /v2."),
        ("The API base path is /v2", "THE API BASE PATH IS /V2"),
        ("We deploy to Staging on Fridays", "we deploy to staging on fridays"),
        ("Our code lies on GitHub", "our code lies on github"),
        ("Do NOT retry", "Do not retry"),
        ("Fix OPS-2291 first", "fix ops-2291 first"),
        ("Straße und Ärger zählen", "STRASSE UND ÄRGER ZÄHLEN"),
        ("Ask the Polish team", "ask the polish team"),
    ],
)
def test_capitals_of_plain_words_are_no_other_statement(one: str, other: str) -> None:
    """A statement is the same in small letters, in capitals and with those of names."""
    assert same(one, other)


@pytest.mark.parametrize(
    "other",
    [
        "\ufeffRotate the key monthly",
        "Rotate the\u200b key monthly",
        "- Rotate the key monthly",
        "* rotate the key monthly.",
        "## Rotate the key monthly",
        "**Rotate the key monthly**",
        "- **Rotate the key monthly**",
    ],
)
def test_markup_around_a_statement_does_not_change_its_identity(other: str) -> None:
    """Letters that show nothing, the mark of a list or heading and emphasis of the whole do not
    tell."""
    assert same("Rotate the key monthly", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("No, retries are safe", "No retries are safe"),
        ("Don't, stop the worker", "Don't stop the worker"),
        ("Retries: not, they say, safe", "Retries: not they say, safe"),
        ("US is the region", "us is the region"),
        ("Run IT checks", "Run it checks"),
        ("Follow plan A", "Follow plan"),
        ("- 5 degrees", "5 degrees"),
    ],
)
def test_negation_is_not_folded_with_its_opposite(one: str, other: str) -> None:
    """A mark behind a negation, and the capitals of what is a small word without them, tell."""
    assert not same(one, other)


@each_row(
    "one, other",
    [
        ("Pin Python 3.11", "Pin Python 3.12"),
        ("Retry the upload", "Do not retry the upload"),
        ("Never retry", "Retry"),
        ("Latency < 5 ms", "Latency > 5 ms"),
        ("Keep functions <40 lines", "Keep functions >40 lines"),
        ("Assert a == b", "Assert a != b"),
        ("Assert a = b", "Assert a != b"),
        ("Start it with -n", "Start it with n"),
        ("Start it with -n", "Start it with -N"),
        ("The default is []", "The default is {}"),
        ("Ignore .env", "Ignore env"),
        ("Check !important", "Check important"),
        ("Call userId", "Call userid"),
        ("Read src/App.py", "Read src/app.py"),
        ("Set MAX_LEN", "Set max_len"),
        ("**Pin** Python 3.11", "Pin** Python 3."),
        ("Copy from A into B", "Copy from B into A"),
        ("Costs 5%", "Costs 5"),
        ("Use C++", "Use C"),
        ("Use C#", "Use C"),
        ("Rename Foo to foo", "Rename foo to Foo"),
        ("Call `Foo` first", "Call `foo` first"),
        ("Run `git commit -A`", "Run `Git commit -A`"),
        ("At most 5 Mb a file", "At most 5 MB a file"),
        ("At most 10m", "At most 10M"),
        ("Export $HOME", "Export $home"),
        ("START IT WITH -N", "Start it with -n"),
    ],
)
def test_wording_that_tells_keeps_statements_apart(one: str, other: str) -> None:
    """Numbers, negations, signs, flags, names and the order of words tell."""
    assert not same(one, other)


def test_the_place_keeps_equal_words_apart() -> None:
    """Another project, scope or kind is another statement; parts do not run into each other."""
    assert identity.content_hash(text="x", place=("a", "b")) != identity.content_hash(
        text="x", place=("ab", "")
    )


@given(texts)
def test_a_text_is_always_the_same_as_itself(text: str) -> None:
    """Hashes exist for any text and do not depend on its Unicode form."""
    assert same(text, text)
    assert same(text, unicodedata.normalize("NFD", identity.nfc(text)))
    assert identity.text_hash(text) == identity.text_hash(f" {text}\n")
    assert len(identity.short_hash(text)) == 16


@pytest.mark.parametrize(
    ("given_name", "stored"),
    [
        ("Build", "build"),
        (" #CI ", "ci"),
        ("release   Train", "release-train"),
        ("##a", "a"),
        (unicodedata.normalize("NFD", "Café"), "café"),
        ("İstanbul", "i\u0307stanbul"),
        ("x" * 200, "x" * 200),
    ],
)
def test_a_tag_has_one_spelling(given_name: str, stored: str) -> None:
    """Case, spaces, a leading # and the Unicode form make no other tag."""
    assert identity.tag_name(given_name) == stored
    assert identity.tag_name(stored) == stored


@given(texts)
def test_any_tag_name_is_stable_or_refused(name: str) -> None:
    """Storing a stored name again changes nothing."""
    try:
        stored = identity.tag_name(name)
    except InvalidInput:
        return
    assert identity.tag_name(stored) == stored
    assert identity.tag_id(stored) < 0


@pytest.mark.parametrize("name", ["", " ", "#", "# #", "x" * 201])
def test_a_tag_without_letters_or_without_end_is_refused(name: str) -> None:
    """A tag has one to two hundred letters."""
    with pytest.raises(InvalidInput, match="letters"):
        identity.tag_name(name)


@pytest.mark.parametrize(
    ("path", "stored"),
    [
        ("src/app.py", "src/app.py"),
        ("./src/app.py", "src/app.py"),
        ("src\\app.py", "src/app.py"),
        (unicodedata.normalize("NFD", "doc/größe.md"), "doc/größe.md"),
        (" a.py ", "a.py"),
        ("a..b/c", "a..b/c"),
    ],
)
def test_a_path_has_one_spelling(path: str, stored: str) -> None:
    """Paths are relative to the root, with forward slashes, in one Unicode form."""
    assert identity.relative_path(path) == stored


@pytest.mark.parametrize(
    "path", ["", "  ", "/etc/passwd", "C:\\x", "c:/x", "../x", "a/../../x", "\\\\host\\x"]
)
def test_a_path_that_leaves_the_repository_is_refused(path: str) -> None:
    """Absolute paths and those that climb out never reach the file."""
    with pytest.raises(InvalidInput, match="path"):
        identity.relative_path(path)


@given(st.text(" \t\n\u200b\u200d\u2060\ufeff\0\x07\u00a0\u2028", max_size=10))
def test_what_shows_nothing_is_blank(text: str) -> None:
    """White space, controls and format characters show nothing; one letter more does."""
    assert identity.is_blank(text)
    assert not identity.is_blank(text + "字")
