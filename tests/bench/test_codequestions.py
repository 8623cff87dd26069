"""Answers of the graph are held against those of a language server's index."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import codequestions
from bench.codequestions import f1, main
from tests.bench.language_servers import engine_of

# A server for which `def` defines a function, each line with its word refers to it, and the def
# before a line with `word()` calls it; `unknown()` refers to nothing, and so does what is in it.
ANSWERS = r"""
def places(pattern):
    return [{"uri": u, "range": range_of(n, m, 1)} for u, lines in texts.items()
            for n, line in enumerate(lines) if "unknown()" not in line and '"' not in line
            and (m := re.search(pattern, line))]
def defined(uri):
    found = [(n, m) for n, line in enumerate(texts[uri]) if (m := re.match(r"def (\w+)", line))]
    ends = [n for n, _ in found[1:]] + [len(texts[uri])]
    return [{"name": m[1], "kind": 12, "selectionRange": range_of(n, m, 1), "uri": uri,
             "range": {"start": {"line": n, "character": 0},
                       "end": {"line": end - 1, "character": 0}}}
            for (n, m), end in zip(found, ends)]
def around(uri, line):
    return [s for s in defined(uri) if s["range"]["start"]["line"] < line
            <= s["range"]["end"]["line"]]
def result_of(method, given):
    kind = method.rpartition("/")[2]
    if kind == "initialize":
        return {"capabilities": {"callHierarchyProvider": True}}
    if kind == "documentSymbol":
        return defined(given["textDocument"]["uri"])
    if kind in ("definition", "references", "prepareCallHierarchy"):
        uri, at = given["textDocument"]["uri"], given["position"]
        word = re.match(r"\w+", texts[uri][at["line"]][at["character"]:])[0]
        if kind == "references":
            return places(rf"(?<!def )\b({word})\(")
        if kind == "definition":
            return places(rf"def ({word})\b")
        return [s for u in texts for s in defined(u) if s["name"] == word]
    if kind in ("incomingCalls", "outgoingCalls"):
        name = given["item"]["name"]
        calls = [(s, t, p["range"]) for u in texts for t in defined(u)
                 for p in places(rf"(?<!def )\b({t['name']})\(")
                 for s in around(p["uri"], p["range"]["start"]["line"])]
        is_into = kind == "incomingCalls"
        return [{"from" if is_into else "to": s if is_into else t, "fromRanges": [place]}
                for s, t, place in calls if (t if is_into else s)["name"] == name]
"""
CODE = """\
def weigh():
    return 1


def total():
    return weigh() + weigh()


def label():
    return "weigh()"


def mix(scale):
    return scale.weigh() or unknown()
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of one file, and a server that knows it."""
    monkeypatch.setattr(codequestions, "ENGINES", {"fake": engine_of(tmp_path, ANSWERS)})
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.py").write_text(CODE, encoding="utf-8")
    return root


def test_figures_of_each_kind_beside_grep(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the engine cannot answer is skipped by name; a word in a string or of something unknown
    is no caller, though grep takes it for one."""
    assert main(["--tree", str(tree), "--wrong", "9"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert " ".join(lines[0]).endswith("skipped: subtypes, supertypes, dependencies, dependents")
    figures = {line[0].removeprefix("codequestions/tree"): line[2:] for line in lines[2:]}
    assert figures["/definition"] == ["1.000", "0.875"]
    assert figures["/callers"] == ["1.000", "0.667"]
    assert figures["/callees"] == ["1.000", "1.000"]


def test_missed_answers_are_listed(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A question that the graph answers wrongly costs its kind, and says where."""
    monkeypatch.setattr(codequestions.Questions, "_answer", lambda *arguments, **options: ())
    assert main(["--tree", str(tree), "--wrong", "99"]) == 0
    output = capsys.readouterr().out
    assert "missed callers a.py::weigh @ a.py:5 def total():" in output
    assert [line.split()[2] for line in output.splitlines() if line.startswith("codeq")][-1] == (
        "0.000"
    )


def test_language_that_no_engine_knows_measures_nothing(tree: Path) -> None:
    """An error of the command line."""
    with pytest.raises(SystemExit):
        main(["--tree", str(tree), "--language", "cobol"])


def test_an_answer_is_as_good_as_both_of_its_halves() -> None:
    """Precision and recall weigh alike; an empty answer to a question that has one is worth 0."""
    assert f1(frozenset("abcd"), frozenset("ab")) == pytest.approx(2 / 3)
    assert f1(frozenset(), frozenset("a")) == 0
