"""The realnotes bench takes in packed notes; a section counts by how its source begins."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.realnotes import Query, Statement, first, precision, read_queries, silent, top5

Bench = Callable[..., tuple[Any, str]]
NOTES = {
    "AGENTS.md": "# Yard\n\n## Kiln\nThe kiln in the yard is fired with birch wood at nine hundred "
    "degrees.\n\n## Ferry\nThe ferry to the island leaves from pier four in the morning.\n",
}
QUESTIONS = [
    {"id": "q1", "text": "Which wood is the kiln fired with?", "wanted": ["AGENTS.md#kil"],
     "answer_matches": "birch|oak"},
    {"id": "n1", "text": "Zymurgy quotas?", "wanted": [], "answer_matches": ""},
]  # fmt: skip
PROMPTS = [
    {"id": "p1", "text": "The ferry leaves from another pier", "wanted": ["AGENTS.md#ferry"],
     "acceptable": []},
    {"id": "p2", "text": "Zymurgy quotas", "wanted": [], "acceptable": []},
]  # fmt: skip


def _packed(folder: Path) -> Path:
    place = folder / "realnotes" / "yard"
    place.mkdir(parents=True)
    for name, rows in (("questions", QUESTIONS), ("prompts", PROMPTS)):
        (place / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with tarfile.open(place / "notes.tar.gz", "w:gz") as archive:
        for path, text in NOTES.items():
            member = tarfile.TarInfo(f"notes/{path}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return folder


def test_rows_of_every_set(bench: Bench, tmp_path: Path) -> None:
    """Questions, questions without a floor of the score, and prompts, each beside full text."""
    found, printed = bench("realnotes", folder=_packed(tmp_path))
    rows = {(row["set"], row["metric"]): row for row in found["rows"]}
    assert [set_metric[0] for set_metric in rows] == [
        *["realnotes/questions"] * 3, *["realnotes/questions/open"] * 2, *["realnotes/prompts"] * 3,
    ]  # fmt: skip
    assert rows["realnotes/questions", "first"]["value"] == 1
    assert rows["realnotes/questions", "first"]["floor"] == 1
    assert rows["realnotes/questions", "silent"]["value"] == 1
    assert rows["realnotes/questions/open", "top5"]["value"] == 1
    assert rows["realnotes/prompts", "silent"]["value"] == 1
    assert "yard: 2 statements of 1 files" in printed


def test_missing_set_is_named(bench: Bench, tmp_path: Path) -> None:
    """Without the data the bench says what it skipped."""
    (tmp_path / "none").mkdir()
    found, printed = bench("realnotes", folder=tmp_path / "none")
    assert found["rows"] == []
    assert "skipped realnotes" in printed


KILN = Query("?", ("a.md#kiln", "b.md"), acceptable=("a.md#wood",), pattern="birch")
NOTHING = Query("?", ())
RIGHT, PART = Statement("a.md#kiln", "birch"), Statement("a.md#kiln~2", "of birch")
OTHER_TEXT, HARMLESS = Statement("a.md#kiln", "oak"), Statement("a.md#wood", "oak")
WRONG = Statement("c.md#kiln", "birch")


@pytest.mark.parametrize(
    ("statement", "is_answer", "is_harmless"),
    [
        (RIGHT, True, True),
        (PART, True, True),
        (Statement("b.md#any", "birch"), True, True),
        (OTHER_TEXT, False, False),
        (HARMLESS, False, True),
        (WRONG, False, False),
    ],
)
def test_section_counts_by_its_beginning_and_text(
    statement: Statement, is_answer: bool, is_harmless: bool
) -> None:
    """Parts of a section count for it; the text must hold what is asked for."""
    assert KILN.is_answered_by(statement) is is_answer
    assert KILN.is_harmless(statement) is is_harmless


def test_measures_count_what_they_say() -> None:
    """Answerable queries for first, top5 and precision; the others for silence."""
    answers = [(KILN, [RIGHT, WRONG]), (KILN, [HARMLESS, PART]), (KILN, []), (NOTHING, [WRONG])]
    assert first(answers) == pytest.approx(1 / 3)
    assert top5(answers) == pytest.approx(2 / 3)
    assert precision(answers) == pytest.approx(3 / 4)
    assert silent(answers) == 0
    assert silent([(NOTHING, []), (NOTHING, [WRONG])]) == pytest.approx(1 / 2)
    assert silent([]) == 0


def test_queries_are_read_with_what_is_right_for_them(tmp_path: Path) -> None:
    """Questions have a pattern, prompts have what is acceptable."""
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, [*QUESTIONS, *PROMPTS])) + "\n")
    queries = read_queries(path)
    assert (queries[0].wanted, queries[0].pattern) == (("AGENTS.md#kil",), "birch|oak")
    assert queries[3] == Query("Zymurgy quotas", ())
