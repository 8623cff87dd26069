"""Every bench runs on data in the published formats, prints floors and writes JSON."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., tuple[Any, str]]
SETS = {
    "locomo", "locomo_plus", "beam", "devmembench", "devmembench/whole", "devbench",
    "longmemeval_mini", "precisionmembench", "precisionmembench/session",
}  # fmt: skip


def _values(found: Any, name: str) -> dict[str, float]:
    return {row["metric"]: row["value"] for row in found["rows"] if row["set"] == name}


def _holds_only_known_words(found: Any) -> bool:
    from bench.results import METRICS

    keys = {"set", "metric", "value", "floor"}
    return all(row.keys() == keys and row["metric"] in METRICS for row in found["rows"])


def test_recall_measures_every_set_beside_its_floor(bench: Bench) -> None:
    """The recall bench gives rows for every set that is there, each with a floor."""
    found, printed = bench("recall")
    assert found["bench"] == "recall"
    assert {row["set"] for row in found["rows"]} >= SETS
    assert all(row["floor"] is not None for row in found["rows"])
    assert _holds_only_known_words(found)
    assert "floor" in printed.splitlines()[len(SETS)]


def test_recall_names_metrics_as_agreed(bench: Bench) -> None:
    """Conversations have the five ranking metrics and the one for answerable categories."""
    found, _ = bench("recall")
    ranking = {"R@5", "R@10", "R@20", "hit@20", "MRR"}
    assert _values(found, "locomo").keys() == {*ranking, "R@10_cat1-4"}
    assert _values(found, "devmembench").keys() == {*ranking, "abstain"}
    assert {"precision", "recall"} <= _values(found, "precisionmembench").keys()


def test_recall_finds_what_is_plainly_there(bench: Bench) -> None:
    """A question in the words of the only turn that answers it has full recall at five."""
    found, _ = bench("recall")
    assert _values(found, "locomo")["R@5"] == 1
    assert _values(found, "devmembench")["R@5"] == 1
    assert _values(found, "precisionmembench/excluded")["precision"] == 1


def test_ablations_are_rows_of_their_own(bench: Bench) -> None:
    """With --ablations each configuration has rows named set/configuration on the same floor."""
    found, _ = bench("recall", "--ablations")
    for part in ("lexical_only", "vectors_only", "no_cascade", "no_late_interaction"):
        assert _values(found, f"locomo/{part}").keys() == _values(found, "locomo").keys()


def test_a_limit_cuts_the_questions(bench: Bench) -> None:
    """With --limit 1 one question of each set is asked."""
    _, printed = bench("recall", "--limit", "1")
    assert "locomo: 1 questions" in printed


def test_missing_sets_are_skipped_and_said(bench: Bench, tmp_path: Path) -> None:
    """An empty data folder is no error: every set is named as skipped and no row is made up."""
    found, printed = bench("recall", folder=tmp_path)
    assert found == {"bench": "recall", "rows": []}
    for name in ("locomo", "beam", "devmembench", "precisionmembench", "devbench"):
        assert f"skipped {name}" in printed


def test_secrets_has_its_place_among_the_benches(bench: Bench) -> None:
    """The secrets bench reads the same folder and gives precision and recall."""
    found, _ = bench("secrets")
    assert {"precision", "recall"} <= {row["metric"] for row in found["rows"]}


def test_missing_secrets_are_skipped_and_said(bench: Bench, tmp_path: Path) -> None:
    """Without its set the secrets bench gives no rows and says so."""
    found, printed = bench("secrets", folder=tmp_path)
    assert found["rows"] == []
    assert "skipped secrets" in printed


@pytest.mark.no_cover
def test_latency_holds_recall_against_both_floors(bench: Bench) -> None:
    """The latency bench times recall beside FTS5 and numpy, and writes beside bare inserts."""
    found, printed = bench("latency", "--sizes", "60", "--limit", "1", "--profile")
    assert {"p50_ms", "p95_ms", "ratio"} <= _values(found, "60").keys()
    for part in ("numpy", "fresh", "fresh_lexical", "remember", "remember_many", "memory", "file"):
        assert _values(found, f"60/{part}")
    assert all(row["value"] > 0 and row["floor"] > 0 for row in found["rows"])
    assert _holds_only_known_words(found)
    assert "retrieval.lexical" in printed


def test_imports_are_ratios_to_a_bare_start(bench: Bench) -> None:
    """The imports bench gives the ratio of each start to a bare one, and prints the spread."""
    found, printed = bench("imports", "--limit", "1")
    assert _values(found, "import").keys() == {"p50_ms", "p95_ms", "ratio"}
    assert "min" in printed
    assert "median" in printed


def test_the_command_line_ends_with_success(data: Path) -> None:
    """`python -m bench` prints a table and ends with 0."""
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "bench", "recall", "--data", str(data), "--limit", "1"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "R@20" in done.stdout


def test_a_limit_of_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """--limit 0 is a usage error that says what to give."""
    from bench.__main__ import main

    with pytest.raises(SystemExit) as ended:
        main(["recall", "--limit", "0"])
    assert ended.value.code == 2
    assert "give 1 or more" in capsys.readouterr().err


def test_the_folder_may_be_named_by_the_environment(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """MEMKIT_BENCH_DATA names the folder; one that holds the sets in `dev` will do too."""
    from bench.__main__ import data_folder

    (tmp_path / "dev").mkdir()
    monkeypatch.setenv("MEMKIT_BENCH_DATA", str(tmp_path))
    assert data_folder(None) == tmp_path / "dev"
    assert data_folder(data) == data
    monkeypatch.delenv("MEMKIT_BENCH_DATA")
    assert data_folder(None).parts[-3:] == ("shared", "data", "dev")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("recall", "--limit", "x"), "'x' is no whole number"),
        (("recall", "--data", "nowhere"), "'nowhere': there is no such folder"),
        (("recall", "--json", "nowhere/rows.json"), "its folder is missing"),
        (("latency", "--sizes", "7k"), "'7k' is no size; give 1k, 10k, 100k, 1M or a number"),
        (("latency", "--sizes", ""), "'' is no size"),
        (("latency", "--sizes", "60,0"), "'0' is no size"),
        (("index", "--tree", "nowhere"), "'nowhere': there is no such folder"),
    ],
)
def test_meaningless_option_is_refused_before_measuring(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is told before anything is measured, with the exit code of a wrong command line."""
    from bench.__main__ import main

    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["recall", "secrets", "codegraph", "commits", "episodes", "toolcalls"]
)
def test_empty_data_set_is_skipped_and_named(bench: Bench, tmp_path: Path, name: str) -> None:
    """Folders that hold no files are skipped and said, never figures of 0."""
    for folder in ("locomo", "beam", "secrets", "codegraph", "commits", "traces/events"):
        (tmp_path / folder).mkdir(parents=True)
    found, printed = bench(name, folder=tmp_path)
    assert found["rows"] == []
    assert "skipped " in printed


@pytest.mark.parametrize(
    ("module", "told"),
    [
        ("relevance", "skipped: 0 repositories in"),
        ("train", "skipped: no questions in"),
        ("compiled", "skipped: no sources of java.base"),
        ("cold_question", "run that"),
        ("index", "run that"),
    ],
)
def test_missing_input_of_a_bench_is_one_line_and_an_exit_code(
    tmp_path: Path, module: str, told: str
) -> None:
    """One line says what is missing, with the exit code of a wrong command line."""
    options = {"relevance": "--data", "train": "--data", "compiled": "--jdk"}
    data = [options[module], str(tmp_path)] if module in options else []
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{module}", *data],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
