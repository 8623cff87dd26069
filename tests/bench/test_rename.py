"""Sites of the graph are held against those that a language server renames."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench import rename
from bench.language_server import LanguageServer, Refused
from bench.rename import Engine, Tree, main, sites_of
from tests.bench.language_servers import engine_of

# A server that takes every line with the word, comments too, for a site but those that say `other`;
# what a word means it does not know on lines that say `unknown`.
ANSWERS = r"""
def result_of(method, given):
    if not method.startswith("textDocument"):
        return {}
    at, uri = given["position"], given["textDocument"]["uri"]
    text = texts[uri][at["line"]]
    word = re.match(r"\w+", text[at["character"]:])[0]
    if method == "textDocument/definition":
        places = [(u, n, m) for u, lines in texts.items() for n, line in enumerate(lines)
                  if (m := re.search(rf"def ({word})\b", line))]
        places = [] if "unknown" in text else places
        return [{"uri": u, "range": range_of(n, m)} for u, n, m in places]
    return {"changes": {
        u: [{"range": range_of(n, m), "newText": "x"} for n, line in enumerate(lines)
            if "other" not in line and "unknown" not in line
            for m in re.finditer(rf"\b{word}\b", line)]
        for u, lines in texts.items()}}
"""
CODE = """\
def rate(): return 1
def total(): return rate()
other = rate()
unknown = rate()
text = "rate"  # rate
def late(): import elsewhere; elsewhere.rate()
"""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """The server as an engine for Python."""
    return engine_of(tmp_path, ANSWERS)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree of one file."""
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.py").write_text(CODE, encoding="utf-8")
    return root


def test_figures_beside_what_the_engine_renames(
    tree: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One site of two is right and one of two is found: an unknown one, text and comments are not
    judged; every line with the word is the floor."""
    monkeypatch.setattr(rename, "ENGINES", {"fake": engine})
    assert main(["--tree", str(tree), "--symbols", "1", "--wrong", "9"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "fake: tree: 1 symbols, 2 sites, 1 more not judged"
    assert [line.split(" @ ")[1][:8].strip() for line in lines[1:3]] == ["a.py:3 o", "a.py:6 d"]
    assert [line.split() for line in lines[4:]] == [
        ["rename/tree", "precision", "0.500", "0.400"],
        ["rename/tree", "recall", "0.500", "1.000"],
    ]


def test_engine_that_is_not_there_is_skipped_by_name(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing measured is an error of the command line."""
    monkeypatch.setattr(rename, "ENGINES", {"none": Engine(("no-such-server",), {})})
    with pytest.raises(SystemExit):
        main(["--tree", str(tree)])
    assert "skipped none: no-such-server is not on the path" in capsys.readouterr().out


def test_server_that_ends_refuses(tree: Path) -> None:
    """A process that says nothing is an error at once, not a wait."""
    with pytest.raises(Refused, match=r"ended|gone"):
        LanguageServer((sys.executable, "-c", "pass"), tree).__enter__()


def test_names_in_comments_and_strings_are_no_code(tree: Path) -> None:
    """A name in text is blank; what is computed in it stays."""
    (tree / "b.py").write_text('x = f"rate {rate}"\ny = "rate"  # rate\n', encoding="utf-8")
    code = Tree(tree, ["python"]).code
    assert sites_of("rate", {"b.py": code["b.py"]}) == {("b.py", 1)}
    assert code["b.py"][0].count("rate") == 1


def test_a_copy_of_a_document_counts_as_the_document(tmp_path: Path) -> None:
    """A file elsewhere of the same name and the same bytes; one with other bytes does not."""
    tree, build, other = (tmp_path / name for name in ("tree", "build", "other"))
    for folder, text in ((tree, "x = 1\n"), (build, "x = 1\n"), (other, "x = 2\n")):
        folder.mkdir()
        (folder / "a.py").write_text(text, encoding="utf-8")
    targets = [(folder / "a.py").as_uri() for folder in (tree, build, other)]
    answers = f"""
def result_of(method, given):
    return [{{"target": target}} for target in {targets!r}] if "Link" in method else {{}}
"""
    engine = engine_of(tmp_path, answers)
    with LanguageServer(engine.command, tree) as server:
        server.open(tree / "a.py", "python")
        assert server.links(tree / "a.py") == {tree / "a.py", other / "a.py"}


def test_lines_of_a_directive_of_the_preprocessor(tmp_path: Path) -> None:
    """The first, and all that the one before goes on with."""
    (tmp_path / "a.c").write_text("int a;\n#define F(x) \\\n  g(x); \\\n  h(x)\nint b;\n")
    tree = Tree(tmp_path, {"c"})
    lines = [number for number in range(1, 6) if tree.is_directive(("a.c", number))]
    assert lines == [2, 3, 4]
    assert tree.shown(("a.c", 3)) == "a.c:3 g(x); \\"
