"""What a question asks for: telling words, phrases, names, times; never query syntax."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.retrieval.query import (
    MAX_CLAUSES,
    MAX_PHRASES,
    MAX_TERMS,
    ExpectedAnswer,
    any_of,
    is_foreign,
    parse_query,
    quoted,
)
from tests.strategies import texts
from tests.tables import each_row


def words(question: str) -> list[str]:
    """Return the words that are looked up for a question."""
    return [term.word for term in parse_query(question).terms]


@pytest.fixture(scope="module")
def full_text() -> apsw.Connection:
    """A full-text table with the tokenizer of the store."""
    memory = apsw.Connection(":memory:")
    memory.execute(
        "create virtual table f using fts5(body, tokenize='porter unicode61 remove_diacritics 2')"
    )
    return memory


def test_function_words_are_left_out() -> None:
    """A question is looked up by its telling words, each once, in their order."""
    assert words("What did we decide about the retry policy, and the retry budget?") == [
        "decide", "retry", "policy", "budget",
    ]  # fmt: skip


def test_function_words_alone_ask_for_nothing() -> None:
    """Small talk finds nothing; a single word is looked up whatever it is."""
    assert words("it's") == ["it"]
    assert words("who are you") == []


def test_possessives_are_the_word_itself() -> None:
    """An apostrophe and s say whose, not what; either apostrophe will do."""
    assert words("the worker's job") == words("the worker’s job") == ["worker", "job"]


def test_frame_words_weigh_less() -> None:
    """Words of the frame of a question tell less than its subject."""
    weights = {term.word: term.weight for term in parse_query("list the complete schema").terms}
    assert weights["list"] < weights["schema"] == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("迁移", ["迁移"]),
        ("署名検証", ["署名", "名検", "検証"]),
        ("修复gen-report后", ["修复", "gen", "report", "后"]),
        ("署", ["署"]),
    ],
)
def test_unsegmented_scripts_are_looked_up_in_pairs(text: str, expected: list[str]) -> None:
    """Scripts written without spaces are found by neighbouring characters."""
    assert sorted(words(text)) == sorted(expected)


def test_a_single_character_finds_what_begins_with_it() -> None:
    """One Chinese character is a prefix of the pairs that are indexed."""
    (term,) = parse_query("署").terms
    assert term.match == '"署"*'


def test_identifiers_and_paths_are_phrases() -> None:
    """The parts of an identifier, a flag or a path must stand next to each other."""
    phrases = parse_query("why does getUserName in src/app_core.py fail with --no-cache?").phrases
    assert {'"get User Name"', '"src app core py"', '"no cache"'} <= {
        re.sub(r"_", " ", phrase) for phrase in phrases
    }


def test_neighbouring_words_are_phrases() -> None:
    """Two telling words side by side are looked for side by side."""
    assert '"signing certificate"' in parse_query("the signing certificate of March").phrases


def test_names_are_runs_of_words() -> None:
    """Any run of up to four words may be a tag or a key, unless it is function words alone."""
    names = parse_query("what is the Error Handling rule").names
    assert {"error handling", "error", "handling rule"} <= set(names)
    assert "is the" not in names


def test_paths_are_seen() -> None:
    """What looks like a file is taken for one."""
    assert parse_query("open http/retry.py and Makefile.am").paths == (
        "http/retry.py",
        "Makefile.am",
    )


@each_row(
    "text, asked",
    [
        ("When did we ship?", ExpectedAnswer(when=True, factoid=True, own=True, past=True)),
        ("How many workers run?", ExpectedAnswer(number=True, factoid=True)),
        ("Who owns the parser?", ExpectedAnswer(who=True, factoid=True)),
        ("Which book does Ana like?", ExpectedAnswer(factoid=True)),
        ("On which node does it run?", ExpectedAnswer(factoid=True)),
        ("Why does the parser wait?", ExpectedAnswer()),
        ("How is the parser built?", ExpectedAnswer()),
        ("Will the nightly job move?", ExpectedAnswer(future=True)),
        ("Which image is the latest?", ExpectedAnswer(factoid=True)),
        ("Summarise the parser", ExpectedAnswer(summary=True)),
        ("How should I name a branch?", ExpectedAnswer(own=True, request=True)),
        ("Can you recall how I named it?", ExpectedAnswer(own=True)),
        ("retry policy", ExpectedAnswer()),
    ],
)
def test_the_kind_of_answer_is_seen(text: str, asked: ExpectedAnswer) -> None:
    """A question shows whether it asks for a time, a number, a name, one fact, a summary, or help
    now rather than what was said; and of which time it speaks."""
    assert parse_query(text).answer_kind == asked


NOW = datetime(2026, 11, 20, 10, tzinfo=UTC).timestamp()


def test_the_words_of_a_time_are_no_words_of_the_question() -> None:
    """ "Last week" is not looked up; a date, which the memory may spell, weighs little."""
    asked = parse_query("What did the audit find last week?", now=NOW)
    assert [term.word for term in asked.terms] == ["audit", "find"]
    weights = {term.word: term.weight for term in parse_query("audit in June", now=NOW).terms}
    assert weights["june"] < weights["audit"]


@pytest.mark.parametrize(
    "text",
    [
        "who is on call now?",
        "who is on call right now",
        "Who is on call at the moment?",
        "who is currently on call",
        "who is on call these days?",
    ],
)
def test_words_for_the_present_are_no_words_of_the_question(text: str) -> None:
    """What holds now is answered anyhow: "now" is nothing to look for."""
    assert [term.word for term in parse_query(text, now=NOW).terms] == ["call"]


def test_a_name_that_is_a_word_for_the_present_is_looked_for() -> None:
    """now() is a function, and a word by itself is what is asked for."""
    assert "now" in [term.word for term in parse_query("does now() return UTC?", now=NOW).terms]
    assert [term.word for term in parse_query("currently", now=NOW).terms] == ["currently"]


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("what happened last week?", True),
        ("what did we do in May?", True),
        ("which audit was in May?", False),
        ("what happened?", False),
    ],
)
def test_a_question_of_time_alone_is_seen(text: str, only: bool) -> None:
    """Nothing but a time is asked about where all other words are of the frame."""
    assert parse_query(text, now=NOW).names_only_a_time is only


@given(texts)
def test_no_text_is_query_syntax(full_text: apsw.Connection, text: str) -> None:
    """Whatever is asked, each expression is accepted by FTS5 as plain words."""
    found = parse_query(text.encode("utf-8", "ignore").decode())
    matches = [*(term.match for term in found.terms), *found.phrases]
    for match in [*matches, *([any_of(matches)] if matches else [])]:
        assert full_text.execute("select rowid from f where f match ?", (match,)).fetchall() == []


@given(texts)
def test_the_same_question_is_understood_the_same(text: str) -> None:
    """Understanding depends on nothing but the text, and ends."""
    assert parse_query(text) == parse_query(text)


def test_long_questions_are_cut_to_their_telling_words() -> None:
    """A pasted log of 100 kB is looked up by a few dozen words."""
    found = parse_query(" ".join(f"line{n} of the log says use" for n in range(5_000)))
    assert len(found.terms) <= MAX_TERMS
    assert len(found.phrases) <= MAX_PHRASES
    assert "use" not in [term.word for term in found.terms[:8]]


def test_the_end_of_a_long_question_is_read() -> None:
    """What stands after a long paste is asked as well."""
    assert "zebra" in words("zebra " + "and " * 50_000)
    assert "yak" in words("and " * 50_000 + " yak")


@given(st.text(alphabet='"*^:()- abc', max_size=20))
def test_quotes_are_doubled(full_text: apsw.Connection, text: str) -> None:
    """Quoting turns any punctuation into plain text, which an empty table does not hold."""
    assert not list(full_text.execute("select rowid from f where f match ?", (quoted(text),)))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("Straße", '"straße" OR "strasse"'),
        ("Grösse", '"grösse"'),
        ("ＡＢＣ", '"ａｂｃ" OR "abc"'),
        ("ｶﾅ", '"ｶﾅ" OR "カナ"'),
        ("oﬃce", '"oﬃce" OR "office"'),
    ],
)
def test_letter_forms_are_looked_up_as_their_letters(text: str, match: str) -> None:
    """ß, full and half width and ligatures are looked up as the letters that they stand for."""
    assert [term.match for term in parse_query(text).terms] == [match]


def test_name_that_ends_in_signs_is_looked_up_with_them() -> None:
    """A name that ends in signs is looked up with them; one of more letters without them too."""
    assert [term.match for term in parse_query("C++ and C#").terms] == [
        '"cplusplus"', '"csharp"',
    ]  # fmt: skip
    assert words("C++17") == ["c 17", "c++", "17"]
    assert words("notepad++ of page#part") == [
        "page part", "notepad", "notepad++", "page", "part",
    ]  # fmt: skip


def test_a_picture_alone_asked_for_nothing() -> None:
    """An emoji is a word, of little weight beside others."""
    (term,) = parse_query("🚀").terms
    assert term.match == '"u1f680"'
    assert parse_query("deploy 🚀 now").phrases == ()


def test_a_prompt_is_looked_at_by_its_parts() -> None:
    """The whole, then each sentence, line or block that holds words of its own."""
    found = parse_query("Fix the parser. Thanks!\nWhich port has the proxy? And how are you?")
    assert [clause.text for clause in found.clauses][1:] == [
        "Fix the parser.", "Thanks!", "Which port has the proxy?",
    ]  # fmt: skip
    whole, *parts = found.clauses
    assert whole.terms == (1 << len(found.terms)) - 1
    assert all(part.terms & whole.terms == part.terms for part in parts)


def test_one_sentence_is_one_clause() -> None:
    """What has no parts is looked at once."""
    assert len(parse_query("which port has the proxy?").clauses) == 1


def test_a_shortened_word_ends_no_clause() -> None:
    """A full stop after a few letters and before a small one shortens a word; others end a
    clause, also where what follows begins with a small letter."""
    assert len(parse_query("is the max. size of a msg. body stored?").clauses) == 1
    parts = parse_query("the proxy restarts often. which port has it? The socket is on 4471. ok so")
    assert [clause.text for clause in parts.clauses][1:3] == [
        "the proxy restarts often.",
        "which port has it?",
    ]


def test_a_long_prompt_is_looked_at_by_its_fullest_parts() -> None:
    """Of many lines those with the most words."""
    lines = [f"alpha{end} beta{end}" for end in "bcdfghjklmnp"] + ["gamma delta epsilon zeta"]
    found = parse_query("\n".join(lines))
    assert len(found.clauses) == MAX_CLAUSES + 1
    assert found.clauses[-1].text == lines[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wie lange gilt das Token?", True),
        ("¿Cuánto tiempo guardamos los logs?", True),
        ("撤回(yank)一个版本需要什么条件?", True),
        ("how long are the logs of Zürich kept?", False),
        ("slim ci manifest", False),
        ("postgres port", False),
    ],
)
def test_the_language_is_told_by_function_words_or_script(text: str, expected: bool) -> None:
    """One word that another language has too is none of its signs."""
    assert is_foreign(text) is expected


def test_clauses_keep_their_words_when_others_are_left_out() -> None:
    """The bits of a clause stand for the words that are left, and one without any is gone."""
    query = parse_query("Which port has heron? Gulls! Who owns the crane?")
    left = query.without({"port", "gulls"})
    words = [
        [term.word for at, term in enumerate(left.terms) if clause.terms >> at & 1]
        for clause in left.clauses
    ]
    assert words == [["heron", "owns", "crane"], ["heron"], ["owns", "crane"]]
