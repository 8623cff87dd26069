"""The extractive summarizer: whole statements in order, within the bound, in any script."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.extractive import (
    CUT_MARK,
    LONGEST,
    choose,
    cut,
    exact_tokens,
    split_statements,
    summarize,
)
from memkit.tokens import estimate

FILLER = "We looked at it for a while and then went on to the next part of the work. "
REPORT = (
    "The import of orders fails. "
    + FILLER * 4
    + "The cause is parse_date in src/orders/dates.py:88, which drops the zone. "
    + FILLER * 4
    + "ValueError: month must be in 1..12. Should we keep the old format? "
    + FILLER * 4
    + "Done: orders are read as UTC."
)


def test_statements_are_sentences_and_lines() -> None:
    """Prose by its sentences, wrapped or not, lists and logs by lines, CJK without spaces."""
    text = (
        "We met (e.g. twice). J. Smith said: ship v1.2.3 now!\n"
        "A line of prose that is long enough to have been wrapped by an editor and\n"
        "goes on here.\n- first item\n2. second item\n"
        "这是第一句。这是第二句！还有 foo.py 吗？\n---\n"
    )
    assert split_statements(text) == [
        "We met (e.g. twice).",
        "J. Smith said: ship v1.2.3 now!",
        "A line of prose that is long enough to have been wrapped by an editor and goes on here.",
        "- first item",
        "2. second item",
        "这是第一句。",
        "这是第二句！",
        "还有 foo.py 吗？",
    ]


def test_exact_tokens_are_what_a_paraphrase_would_lose() -> None:
    """Paths, identifiers, versions, numbers and URLs; not words of prose, joined or not."""
    text = (
        "see src/a.py:88, foo_bar() and HTTPServer: v1.2.3, 1,500 tokens at https://x.io/z. A "
        "well-known 数据库v15 thing, it’s so"
    )
    assert exact_tokens(text) == [
        "src/a.py:88", "foo_bar", "HTTPServer", "v1.2.3", "1,500", "https://x.io/z", "v15",
    ]  # fmt: skip


def test_a_summary_keeps_what_must_not_be_lost() -> None:
    """Names, the error, the question, the beginning and the end; filler goes, and comes once."""
    summary = summarize(REPORT, max_tokens=90, count=estimate)
    for telling in ("The import of orders fails.", "src/orders/dates.py:88", "ValueError", "UTC"):
        assert telling in summary
    assert summary.count("We looked") <= 1
    assert summarize("short", max_tokens=90, count=estimate) == "short"


def test_a_focus_comes_first() -> None:
    """What is asked for is kept where the budget does not hold all of the rest."""
    text = "\n".join(f"The module_{n} reads table_{n} and writes queue_{n}." for n in range(40))
    text = text.replace("module_17", "lexer")
    assert "lexer" not in summarize(text, max_tokens=60, count=estimate)
    assert "lexer" in summarize(text, max_tokens=60, count=estimate, focus=["the lexer"])


def test_scripts_without_spaces_are_summarised() -> None:
    """Chinese text by its statements; the one that names something stays."""
    text = "今天天气很好。" * 3 + "我们决定把 retry_count 改名为 attempts。" + "他们去吃饭了。" * 3
    summary = summarize(text, max_tokens=40, count=estimate)
    assert "retry_count 改名为 attempts。" in summary
    assert estimate(summary) <= 40


def test_what_is_too_long_is_cut_between_words_and_marked() -> None:
    """One giant line leaves a beginning; characters that are seen as one stay whole."""
    words = "alpha beta " * 500
    assert cut(words, 50).removesuffix(CUT_MARK).split()[-1] in ("alpha", "beta")
    assert cut("🇩🇪" * 400, 101).removesuffix(CUT_MARK) == "🇩🇪" * 50
    summary = summarize(f"{words}\n{words}x", max_tokens=200, count=estimate)
    assert summary.endswith(CUT_MARK)
    assert len(summary) <= LONGEST + 2
    assert summarize(words, max_tokens=12, count=estimate).startswith("alpha")


def test_weights_and_floor_decide() -> None:
    """A weight lifts a statement; what adds next to nothing is left out though it would fit."""
    statements = ["Use make ship.", "Use make test.", "Use make lint."]
    best = [choose(statements, max_tokens=500, count=estimate, weights=w)[0]
            for w in ([1, 9, 1], [1, 1, 9])]  # fmt: skip
    assert best == [1, 2]
    repeated = ["The port of db_main is 5432.", "The port is the port of it."]
    assert choose(repeated, max_tokens=500, count=estimate, floor=0.3) == [0]


@given(
    st.lists(st.sampled_from([*REPORT.split(), "\n", "。", "数据", "a" * 700, "🇩🇪"]), max_size=80),
    st.integers(0, 60),
)
def test_a_summary_is_within_its_bound_and_of_the_text(words: list[str], bound: int) -> None:
    """At most the bound, the same each time, and no word that the text does not have."""
    text = " ".join(words)
    summary = summarize(text, max_tokens=bound, count=estimate)
    assert estimate(summary) <= bound
    assert summary == summarize(text, max_tokens=bound, count=estimate)
    flat = " ".join(text.split())
    for line in summary.replace(CUT_MARK, "\n").splitlines():
        assert " ".join(line.split()) in flat


def test_time_grows_with_the_length() -> None:
    """A megabyte without spaces, of one letter, of ends of sentences or of log lines is no trap."""
    texts = ["a" * 400_000, ". " * 100_000, "." + ")" * 400_000, "数" * 100_000, "a/" * 200_000]
    texts.append("\n".join(f"12:{n % 60:02} worker{n} did {n * 7}" for n in range(8_000)))
    for text in texts:
        start = time.process_time()
        assert estimate(summarize(text, max_tokens=300, count=estimate)) <= 300
        assert time.process_time() - start < 4


def test_section_keeps_its_title_and_its_blocks_whole() -> None:
    """Of a document's section the title stays, and a fenced block comes whole or not at all."""
    block = "```sh\npip install tool\ntool init --fast\n```"
    prose = " ".join(f"Filler sentence number {n} says little of use." for n in range(30))
    text = f"Guide › Install\n{prose}\nRun this on a new machine:\n{block}\n{prose}"
    summary = summarize(text, max_tokens=90, count=estimate, focus=["install tool init"])
    assert summary.startswith("Guide › Install\n")
    assert block in summary
    assert "tool init" not in summary.replace(block, "")


WRAPPED = """\
Harbours › Pilots

Ships are led in by a pilot, who comes aboard near the lighthouse of Norderney (see the
[notes on pilots](https://example.org/pilots/of/the/harbour)) and stays until
`moored --at quay` is reported. Together with the first mate of all of the ships, the
Pilot signs `log-0.5.txt`, which is
`kept --for 7y --at the/chamber/of/the/harbour/master`.

!!! note

    Without a pilot no ship may pass the bridge. The bridge is opened by

    ```console
    $ bridge open
    ```
"""


def test_wrapped_prose_is_whole_whatever_a_line_begins_with() -> None:
    """A line goes on in one that begins with code, a link or a capital, where the next word had no
    room; a mark of a box is no statement, and a block is of the sentence that leads to it."""
    assert split_statements(WRAPPED) == [
        "Harbours › Pilots",
        "Ships are led in by a pilot, who comes aboard near the lighthouse of Norderney (see the "
        "[notes on pilots](https://example.org/pilots/of/the/harbour)) and stays until "
        "`moored --at quay` is reported.",
        "Together with the first mate of all of the ships, the Pilot signs `log-0.5.txt`, which is "
        "`kept --for 7y --at the/chamber/of/the/harbour/master`.",
        "Without a pilot no ship may pass the bridge.",
        "The bridge is opened by\n```console\n$ bridge open\n```",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Fetching the index of packages from the mirror in the north\n"
        "Fetching the index of packages from the mirror in the south",
        "2031-03-04 11:20:01 INFO server started on port 8080 with 4\n"
        "2031-03-04 11:20:02 WARN worker 17 answers no more, id=8812",
        "- a list item that is long enough to be wrapped by an editor\n- Another item",
        "| a row of a table that is long enough to be wrapped | 17 |\n| b | `x` |",
        "total = compute(first_argument, second_argument, third_one)\nPrinter(total).run(twice)",
    ],
)
def test_lines_that_are_no_prose_stay_apart(text: str) -> None:
    assert split_statements(text) == text.splitlines()


def test_a_line_that_leads_to_what_is_left_out_goes_too() -> None:
    """It would promise what does not come."""
    rows = "\n".join(f"- crane {n} lifts {n * 7} tons of steel at quay {n}" for n in range(40))
    text = f"Cranes are painted blue before winter.\nThese are the cranes of the harbour:\n{rows}"
    summary = summarize(text, max_tokens=20, count=estimate, focus=["cranes of the harbour"])
    assert summary
    assert not summary.endswith(":")


def test_a_long_path_of_headings_stays_before_a_part() -> None:
    path = " › ".join(f"Chapter {n} about the harbours" for n in range(5))
    body = "Pilots come aboard at the lighthouse, whatever the weather is. " * 3
    ships = " ".join(f"Ship {n} waits for the flood." for n in range(80))
    text = f"{path}\n\n{body}\n\n{ships}"
    assert summarize(text, max_tokens=90, count=estimate).startswith(f"{path}\n")
