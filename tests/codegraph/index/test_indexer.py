"""Indexing a tree: what is stored, what is left out, and what a fault costs."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs
import pytest

import memkit
from memkit.codegraph.analysis import MIN_PARALLEL, Analysis, default_analysis
from memkit.codegraph.codegraph import CodeGraph
from memkit.codegraph.facts import Facts
from memkit.codegraph.facts_codec import pack, unpack
from memkit.codegraph.index import files
from memkit.codegraph.index.indexer import BudgetExceeded, TimeBudget
from memkit.codegraph.index.workspace import Watch, Workspace, known_files, load_state
from memkit.codegraph.resolve.engine import InferenceEngine
from memkit.errors import InvalidInput, NotFound, StoreBusy, StoreDamaged, StoreReadOnly
from memkit.store.store import Store

from .. import toy
from ..trees import Tree, rows

MakeTree = Callable[..., Tree]


@pytest.fixture
def make_tree(tmp_path: Path) -> Iterator[MakeTree]:
    """Make trees: `make_tree(analysis)`; each has its folder."""
    made: list[Tree] = []

    def make(analysis: object = default_analysis) -> Tree:
        folder = tmp_path / f"tree{len(made)}"
        folder.mkdir()
        made.append(Tree(folder, analysis))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for tree in made:
        tree.store.close()


def symbols(tree: Tree) -> set[str]:
    """Return the names of all symbols."""
    return {name for (name,) in rows(tree.store, "select name from code_symbols")}


def status(tree: Tree) -> dict[str, tuple[str, str | None]]:
    """Return what became of each file."""
    return {path: (row.status, row.reason) for path, row in known_files(tree.store).items()}


class TestStored:
    """What stands in the tables."""

    def test_nodes_and_edges(self, make_tree: MakeTree) -> None:
        """Files, symbols with their places, and edges with how they were found."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="import b.toy\ndef f g h\nclass A B\n  def m f", b_toy="def g\nclass B")
        report = tree.index()
        assert (report.files, report.parsed, report.linked, report.symbols) == (2, 2, 2, 5)
        graph = tree.graph()
        assert (("a.toy", 2), ("a.toy", 1), ("method", "", "m", None, 4, 4)) in [
            (place, parent, row[:-1]) for place, parent, row in graph["symbols"]
        ]
        assert graph["edges"] == [
            (("a.toy", -1), ("b.toy", -1), ("imports", "scope", "resolved"), 1),
            (("a.toy", 0), ("b.toy", 0), ("calls", "scope", "resolved"), 2),
            (("a.toy", 1), ("b.toy", 1), ("inherits", "scope", "resolved"), 3),
            (("a.toy", 2), ("a.toy", 0), ("calls", "scope", "resolved"), 4),
        ]

    def test_ids_are_small(self, make_tree: MakeTree) -> None:
        """Ids of files and symbols share one small space, far below those of memories."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f\ndef g", b_toy="class B")
        tree.index()
        ids = [n for (n,) in rows(tree.store, "select id from code_files")]
        ids += [n for (n,) in rows(tree.store, "select id from code_symbols")]
        assert sorted(ids) == [1, 2, 3, 4, 5]

    def test_views_in_the_plain_shell(self, make_tree: MakeTree) -> None:
        """The views symbols, callers and symbol_edges spell out names and places."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="import b.toy\nclass A\n  def m g", b_toy="def g")
        tree.index()
        import sqlite3

        with sqlite3.connect(tree.store.path) as plain:
            named = plain.execute("select path, qualified, kind from symbols order by id")
            called = plain.execute("select callee, callee_path, caller, path, line from callers")
            imported = plain.execute(
                "select source, source_path, line, target_path from symbol_edges "
                "where kind = 'imports'"
            )
            assert named.fetchall() == [
                ("a.toy", "A", "class"),
                ("a.toy", "A.m", "method"),
                ("b.toy", "g", "function"),
            ]
            assert called.fetchall() == [("g", "b.toy", "A.m", "a.toy", 3)]
            assert imported.fetchall() == [("", "a.toy", 1, "b.toy")]
        plain.close()

    def test_only_what_others_read_is_kept(self, make_tree: MakeTree) -> None:
        """Facts are stored for files that others read, and for no other."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="import b.toy\ndef f g", b_toy="def g", c_toy="def lonely")
        tree.index()
        kept = "select distinct f.path from code_facts join code_files f on f.id = file"
        assert rows(tree.store, kept) == [("b.toy",)]

    def test_secret_is_not_stored(self, make_tree: MakeTree) -> None:
        """A constant that looks like a secret stays out of the file."""
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        tree = make_tree()
        tree.write(
            a_py=f'TOKENS = {{"{secret}": 1, "plain-key": 2}}\n', b_py="import a\na.TOKENS\n"
        )
        tree.index()
        stored = [bytes(blob) for (blob,) in rows(tree.store, "select facts from code_facts")]
        assert stored
        facts = unpack(
            b"".join(stored), ["TOKENS"], path="", language="", namespace="", errors=0, lines=0
        )
        assert secret not in str(facts)
        assert "plain-key" in str(facts)
        tree.store.close()
        assert secret.encode() not in tree.store.path.read_bytes()

    def test_secret_among_names_is_not_stored(self, make_tree: MakeTree) -> None:
        """A heading or a name that holds a secret is stored without it, whatever stands around."""
        secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
        harmless = "test_a_column_default_13_is_kept"
        tree = make_tree()
        tree.write(
            a_md=f"# {harmless}\n\n# Token {secret}\n\n# {harmless}_2\n",
            b_py=f"def {harmless}(): pass\ndef {secret}(): pass\ndef {harmless}_2(): pass\n",
        )
        tree.index()
        names = [name for (name,) in rows(tree.store, "select name from code_symbols")]
        assert names.count(harmless) == names.count(f"{harmless}_2") == 2
        assert [name for name in names if "[secret:" in name] != []
        tree.store.close()
        assert secret.encode() not in tree.store.path.read_bytes()

    def test_damaged_facts_are_refused(self) -> None:
        """Facts that memkit did not write are an error that names the file."""
        for blob in (b"", b"0", b"0not deflate", b"1\x03\x00"):
            with pytest.raises(StoreDamaged, match=r"x\.py"):
                unpack(blob, (), path="x.py", language="", namespace="", errors=0, lines=0)

    def test_the_scope_of_a_module_looked_like_a_step(self) -> None:
        """Numbers of facts are packed as steps in every file whose texts do not look like them."""
        facts = toy.extract(b"import b.toy\nclass K\n  def m", "a.toy", "toy")
        assert pack(facts, b"")[:1] == b"1"

    def test_numbers_like_steps_survive(self) -> None:
        """Facts come back as they were, also where a text looks like their packed form."""
        for text in ("x,+1]", "x,12]", "plain"):
            facts = toy.extract(b"import b.toy\nclass K\n  def m", "a.toy", "toy")
            odd = facts._replace(
                statements=(*facts.statements[:-1], (("return", ("const", "str", text)),))
            )
            back = unpack(
                pack(odd, b""),
                ["K", "m"],
                path="a.toy",
                language="toy",
                namespace="",
                errors=0,
                lines=3,
            )
            assert back.statements[-1][0][1][2] == text
            assert [d.qualname for d in back.definitions] == ["K", "K.m"]


class TestLeftOut:
    """Files that are not parsed are counted, and harm no other."""

    def test_reasons_are_counted(self, make_tree: MakeTree) -> None:
        """The report says how many files were left out for which reason."""
        tree = make_tree()
        tree.put("good.py", "def fine(): pass\n")
        tree.put("binary.py", b"x = 1\0")
        tree.put("made.py", "# @generated\n")
        tree.put("node_modules/a.js", "function a() {}\n")
        tree.put(".env.py", "x = 1\n")
        report = tree.index()
        assert symbols(tree) == {"fine"}
        assert {"binary", "generated", "vendored"} <= set(report.left_out)
        assert any(reason.startswith("private") for reason in report.left_out)

    def test_only_some_languages(self, make_tree: MakeTree) -> None:
        """Languages that were not asked for are left out, and come back when they are."""
        tree = make_tree()
        tree.write(a_py="def a(): pass\n", b_js="function b() {}\n")
        report = tree.index(languages=frozenset({"python"}))
        assert symbols(tree) == {"a"}
        assert report.left_out == {"its language was not asked for": 1}
        tree.index()
        assert symbols(tree) == {"a", "b"}

    def test_cg_deep_nesting(self, make_tree: MakeTree) -> None:
        """Case cg-deep-nesting: what lies deep costs nobody what stands beside it."""
        tree = make_tree()
        tree.put("ok.py", "def fine(): pass\n")
        tree.put("deep.py", "x = " + "(\n" * 5000 + "1" + ")\n" * 5000 + "def after(): pass\n")
        tree.put("deep.ts", "type T = " + "Array<" * 600 + "number" + ">" * 600 + "\n")
        tree.put("deep.c", "int f(){" + "\n".join("{" * 100 for _ in range(160)) + "}" * 4000 + "}")
        tree.put(
            "defs.py", "".join(f"{' ' * n}def f{n}():\n" for n in range(300)) + " " * 300 + "pass\n"
        )
        tree.index()
        assert {"fine", "f0", "after"} <= symbols(tree)
        assert {state for state, _ in status(tree).values()} == {"parsed"}

    def test_syntax_errors(self, make_tree: MakeTree) -> None:
        """A file with errors still gives its symbols, and says how many errors it has."""
        tree = make_tree()
        tree.write(a_py="def before(): pass\n\nx = = 1 )\n\ndef after(): pass\n")
        tree.index()
        assert {"before", "after"} <= symbols(tree)
        assert known_files(tree.store)["a.py"].errors > 0

    def test_encodings_and_line_ends(self, make_tree: MakeTree) -> None:
        """Latin-1, UTF-16, marks of byte order and CRLF give their symbols at the right lines."""
        tree = make_tree()
        text = "# größe\r\ndef größe():\r\n    pass\r\n"
        tree.put("a.py", text.encode("latin-1"))
        tree.put("b.py", text.encode("utf-16"))
        tree.put("c.py", b"\xef\xbb\xbf" + text.encode())
        tree.index()
        found = rows(tree.store, "select name, line from code_symbols")
        assert found == [("größe", 2)] * 3

    def test_carriage_return_alone_ends_a_line_in_old_mac_files(self, make_tree: MakeTree) -> None:
        """Files of old Macs have lines; a return inside of a line of another file ends none."""
        tree = make_tree()
        tree.put("old.py", b"# old\rdef first():\r    pass\r\rdef second(): ...\r")
        tree.put("new.py", b"x = 1  # a\rb\ndef third(): ...\n")
        tree.index()
        found = rows(tree.store, "select name, line, end_line from code_symbols order by name")
        assert found == [("first", 2, 3), ("second", 5, 5), ("third", 2, 2), ("x", 1, 1)]
        assert known_files(tree.store)["old.py"].lines == 5

    def test_faults_of_an_extractor_are_the_files_own(self, make_tree: MakeTree) -> None:
        """A file that its extractor cannot take is reported as failed; the others are there."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="crash", b_toy="def g")
        report = tree.index()
        assert report.failed == (("a.toy", "not parsed: ValueError: asked to crash"),)
        assert symbols(tree) == {"g"}

    def test_faults_of_the_resolver_are_the_files_own(self, make_tree: MakeTree) -> None:
        """A file that cannot be linked is reported; the others are linked."""

        class Faulty(toy.Program):
            def resolve(self, path: str) -> toy.ResolvedFile:
                if path == "a.toy":
                    raise KeyError("gone wrong")
                return super().resolve(path)

        tree = make_tree(lambda: attrs.evolve(toy.analysis(), program=Faulty))
        tree.write(a_toy="def f f", b_toy="def g g")
        report = tree.index()
        assert [path for path, _ in report.failed] == ["a.toy"]
        assert report.edges == 1

    def test_faults_of_the_store_are_nobodys_own(self, make_tree: MakeTree) -> None:
        """A store that cannot be read is an error: no file is said to be at fault for it."""

        class Stuck(toy.Program):
            def resolve(self, path: str) -> toy.ResolvedFile:
                raise StoreBusy("somebody else writes")

        tree = make_tree(lambda: attrs.evolve(toy.analysis(), program=Stuck))
        tree.write(a_toy="def f f")
        with pytest.raises(StoreBusy):
            tree.index()

    def test_vanishes_between_the_looks(self, make_tree: MakeTree) -> None:
        """A file that goes while the tree is being read is recorded, and gone the next time."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def a", b_toy="def b")

        def extract(data: bytes, path: str, language: str) -> toy.Facts:
            (tree.folder / "b.toy").unlink(missing_ok=True)
            return toy.extract(data, path, language)

        tree.indexer._analysis = lambda: attrs.evolve(toy.analysis(), extract=extract)
        report = tree.index()
        assert report.failed == (("b.toy", "vanished"),)
        report = tree.index()
        assert (report.failed, report.dropped, symbols(tree)) == ((), 1, {"a"})


class TestRuns:
    """How an update goes: budget, other processes, kills."""

    def test_nothing_changed_writes_nothing(
        self, make_tree: MakeTree, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An index of an unchanged tree leaves the file as it is."""
        monkeypatch.setattr(files, "_TICK", 0)  # a file of this moment is sure at once
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f")
        tree.index()
        tree.index()
        before = tree.store.path.read_bytes()
        report = tree.index()
        assert (report.parsed, report.linked) == (0, 0)
        assert tree.store.path.read_bytes() == before

    def test_progress_ends_at_its_total(self, make_tree: MakeTree) -> None:
        """Progress counts up to its total."""
        tree = make_tree(toy.analysis)
        for number in range(5):
            tree.put(f"f{number}.toy", f"def f{number}")
        steps: list[tuple[int, int]] = []
        tree.indexer.update(Workspace(tree.folder), TimeBudget(lambda *step: steps.append(step)))
        assert steps[-1][0] == steps[-1][1]
        assert [done for done, _ in steps] == sorted(done for done, _ in steps)

    def test_too_late_writes_nothing(self, make_tree: MakeTree) -> None:
        """An update whose time is over, or that has too much to do, leaves the graph alone."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f", b_toy="def g")
        for budget in (TimeBudget(seconds=0.0), TimeBudget(max_files=1)):
            with pytest.raises(BudgetExceeded):
                tree.indexer.update(Workspace(tree.folder), budget)
        assert load_state(tree.store) == {}

    def test_update_starts_anew_when_the_graph_changes_meanwhile(self, make_tree: MakeTree) -> None:
        """If the graph changes meanwhile, an update begins anew; in the end it says so."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f")
        times = [0]

        def interfering(data: bytes, path: str, language: str) -> toy.Facts:
            times[0] += 1
            if times[0] <= most:
                work = lambda: tree.store.run(  # noqa: E731
                    "codegraph.set_state", name="generation", value=str(times[0] + 100)
                )
                tree.store.write(work)
            return toy.extract(data, path, language)

        tree.indexer._analysis = lambda: attrs.evolve(toy.analysis(), extract=interfering)
        most = 1
        assert tree.index().parsed == 1
        assert times[0] == 2
        tree.put("a.toy", "def changed f")
        most = 100
        with pytest.raises(StoreBusy, match="indexing"):
            tree.index()
        assert symbols(tree) == {"f"}

    def test_killed_in_the_middle(self, make_tree: MakeTree) -> None:
        """A process killed while it writes leaves the graph as it was; the next index finishes."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f")
        tree.index()
        tree.store.close()
        tree.put("b.toy", "import a.toy\ndef g f")
        code = f"""
import os, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from memkit.codegraph.index import indexer, workspace
from memkit.store.store import Store
from tests.codegraph import toy
store = Store(Path({str(tree.store.path)!r}))
write = indexer.write
def dying(*given):
    write(*given)
    os._exit(9)
indexer.write = dying
root = workspace.Workspace(Path({str(tree.folder)!r}))
indexer.Indexer(store, toy.analysis).update(root, indexer.TimeBudget())
"""
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
        again = Tree(tree.folder, toy.analysis)
        assert symbols(again) == {"f"}
        assert again.index().parsed == 1
        assert symbols(again) == {"f", "g"}
        again.store.close()

    @pytest.mark.skipif(sys.platform == "win32", reason="processes are told apart by signal 0")
    def test_a_killed_index_leaves_no_process_behind(self, tmp_path: Path) -> None:
        """Workers end with the process that began them, also when it is killed."""
        script = tmp_path / "parent.py"
        script.write_text(
            """
import multiprocessing, time
from itertools import count
from memkit.codegraph.languages import extract
from memkit.codegraph.analysis import parse_all

if __name__ == "__main__":
    jobs = ((b"x = 1", f"{n}.py", "python") for n in count())
    for _ in parse_all(jobs, extract, processes=2):
        print(*(one.pid for one in multiprocessing.active_children()), flush=True)
        time.sleep(60)
"""
        )
        command = [sys.executable, str(script)]
        here = {**os.environ, "PYTHONPATH": str(Path(memkit.__file__).parents[1])}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=here) as parent:
            assert parent.stdout is not None
            workers = [int(number) for number in parent.stdout.readline().split()]
            parent.kill()
        assert len(workers) == 2
        for _ in range(200):
            if not any(map(_is_running, workers)):
                return
            time.sleep(0.05)
        pytest.fail(f"still there: {workers}")

    def test_in_processes(self, make_tree: MakeTree) -> None:
        """Parsed side by side the graph is the same."""
        from memkit.codegraph.analysis import parse_all

        jobs = [(f"def f{n} g".encode(), f"f{n}.toy", "toy") for n in range(5)]
        apart = list(parse_all(jobs, toy.extract, processes=2))
        assert apart == list(parse_all(jobs, toy.extract, processes=1))

    def test_many_files(self, make_tree: MakeTree) -> None:
        """A tree large enough for several processes gives the same graph, its pages filled."""
        tree, other = make_tree(toy.analysis), make_tree(toy.analysis)
        for number in range(MIN_PARALLEL + 5):
            for one in (tree, other):
                one.put(f"f{number}.toy", f"import f{number + 1}.toy\ndef f{number} f{number + 1}")
        other.index()
        tree.indexer.update(Workspace(tree.folder), TimeBudget(processes=2))
        assert tree.graph() == other.graph()
        assert len(tree.graph()["edges"]) == 2 * (MIN_PARALLEL + 4)

    def test_another_definition_makes_it_anew(self, make_tree: MakeTree) -> None:
        """When extractors, resolver or grammars are others, every file is parsed again."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f", b_toy="def g")
        tree.index()
        tree.indexer._analysis = lambda: toy.analysis("2")
        assert tree.index().parsed == 2
        assert tree.index().parsed == 0

    def test_flow_finds_more(self, make_tree: MakeTree) -> None:
        """With flow, calls through parameters are found; without it again, they are gone."""
        tree = make_tree()
        tree.write(a_py="def target(): pass\n\ndef apply(f):\n    f[0]()\n\napply([target])\n")
        tree.index()
        plain = [edge for edge in tree.graph()["edges"] if edge[2][0] == "calls"]
        tree.index(flow=True)
        flowing = [edge for edge in tree.graph()["edges"] if edge[2][0] == "calls"]
        assert (("a.py", 1), ("a.py", 0), ("calls", "flow", "resolved"), 4) in flowing
        tree.put("b.py", "import a\na.apply(print)\n")
        tree.index(flow=True)
        assert [e for e in tree.graph()["edges"] if e[2][1] == "flow"]
        (tree.folder / "b.py").unlink()
        tree.index()
        assert [edge for edge in tree.graph()["edges"] if edge[2][0] == "calls"] == plain

    def test_settings_relink_everything(self, make_tree: MakeTree) -> None:
        """A file that decides what imports mean has every file linked anew."""
        tree = make_tree(toy.analysis)
        tree.put("toy.json", "{}")
        tree.write(a_toy="def f", b_toy="def g")
        tree.index()
        assert tree.index().linked == 0
        tree.put("toy.json", '{"a": 1}')
        assert (tree.index().linked, tree.index().linked) == (2, 0)

    def test_settings_that_others_name_relink_everything(self, make_tree: MakeTree) -> None:
        """A file of any name that settings build on decides as well, when it changes and goes."""
        tree = make_tree()
        tree.put("tsconfig.json", '{"extends": "./strict.json"}')
        tree.put("strict.json", '{"compilerOptions": {"baseUrl": "code"}}')
        tree.put("code/a.ts", "export function f() {}")
        tree.put("use.ts", 'import { f } from "a"\nf()')
        tree.index()
        call = (("use.ts", -1), ("code/a.ts", 0), ("calls", "scope", "resolved"), 2)
        assert call in tree.graph()["edges"]
        tree.put("strict.json", '{"compilerOptions": {"baseUrl": "gone"}}')
        tree.index()
        assert call not in tree.graph()["edges"]
        tree.put("strict.json", '{"compilerOptions": {"baseUrl": "code"}}')
        tree.index()
        assert call in tree.graph()["edges"]
        tree.put("strict.json", None)
        tree.index()
        assert call not in tree.graph()["edges"]


def _is_running(process: int) -> bool:
    """Whether a process is there and more than a body that nobody has taken away yet."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def _set_root(store: Store, root: str) -> None:
    store.run("codegraph.set_state", name="root", value=root)


class TestFacade:
    """kit.codegraph: where the tree is, and following it."""

    def test_root_and_part(self, make_kit: Callable[..., memkit.Memkit], tmp_path: Path) -> None:
        """Below the store's folder paths count from it; elsewhere from the root given."""
        kit = make_kit()
        (tmp_path / "src" / "in").mkdir(parents=True)
        (tmp_path / "src" / "in" / "a.py").write_text("def a(): pass\n")
        (tmp_path / "b.py").write_text("def b(): pass\n")
        kit.codegraph.index(tmp_path / "src")
        assert kit.codegraph.find_symbol("a")[0].path == "src/in/a.py"
        assert kit.codegraph.status().root == "src"
        kit.codegraph.index(tmp_path)
        assert kit.codegraph.find_symbol("b")[0].path == "b.py"
        kit.codegraph.index()
        assert kit.codegraph.status().is_current
        with pytest.raises(InvalidInput, match="no folder"):
            kit.codegraph.index(tmp_path / "nowhere")

    def test_a_stranger_s_file_reads_no_folder_outside_of_its_own(
        self, make_tree: MakeTree, tmp_path: Path
    ) -> None:
        """A root outside that the file itself names is neither followed nor looked into; only who
        names it on this machine has it read."""
        (tmp_path / "secret").mkdir()
        (tmp_path / "secret" / "keys.py").write_text("def hidden(): ...\n")
        tree = make_tree()
        tree.write(a_py="def f(): ...\n")
        tree.index()
        for root in ('"../secret"', json.dumps(str(tmp_path / "secret"))):
            tree.store.write(lambda root=root: _set_root(tree.store, root), derived=True)
            graph = CodeGraph(tree.store)
            assert "lies outside" in graph.find_symbol("f").notes[0]
            for ask in (graph.index, graph.status):
                with pytest.raises(InvalidInput, match="lies outside"):
                    ask()
            watch = Watch(tree.store, lambda: pytest.fail("followed"))
            assert watch.up_to_date(["keys.py"])
            assert (watch.content("keys.py"), watch.read("keys.py")) == (None, None)
        assert graph.index(tmp_path / "secret").files == 1
        assert [node.name for node in graph.find_symbol("hidden")] == ["hidden"]

    def test_named_root_is_kept_by_its_own_kit_only(self, tmp_path: Path) -> None:
        """Who opens the file beside it, or again, has named nothing."""
        (tmp_path / "beside").mkdir()
        (tmp_path / "beside" / "b.py").write_text("def beside(): ...\n")
        outside, inner = tmp_path / "beside", tmp_path / "inner"
        inner.mkdir()
        with memkit.open(inner / ".memkit.db", global_store=False) as named:
            named.codegraph.index(outside)
            assert not named.codegraph.find_symbol("beside").notes
            with memkit.open(inner / ".memkit.db", global_store=False) as other:
                assert "lies outside" in other.codegraph.find_symbol("beside").notes[0]
            assert named.codegraph.index().files == 1

    def test_languages_and_flow_stay_until_they_are_changed(self, make_tree: MakeTree) -> None:
        """What was asked of the last index holds for the next; () and False end it; an unknown
        language is refused before anything is dropped."""
        tree = make_tree()
        tree.write(a_py="def f(): ...\n", b_js="function g() {}\n")
        graph = CodeGraph(tree.store)
        assert graph.index(languages=["python"], flow=True).left_out
        for _ in range(2):
            graph.index()
            state = load_state(tree.store)
            assert (state["languages"], state["flow"]) == (["python"], True)
        with pytest.raises(InvalidInput, match="'Pyton' is not known; near: python"):
            graph.index(languages=["Pyton"])
        assert [node.name for node in graph.find_symbol("f")] == ["f"]
        graph.index(languages=(), flow=False)
        state = load_state(tree.store)
        assert (state["languages"], state["flow"]) == (None, False)
        assert [node.name for node in graph.find_symbol("g")] == ["g"]

    def test_no_graph_yet(self, kit: memkit.Memkit) -> None:
        """Without a graph the error says how to make one."""
        with pytest.raises(NotFound, match="memkit index"):
            kit.codegraph.callers("f")

    def test_follows_the_tree(self, make_tree: MakeTree) -> None:
        """A question indexes what has changed; inside `still` the tree is taken as it was."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f", b_toy="def g f")
        graph = CodeGraph(tree.store, analysis=toy.analysis, patience=60)
        graph.index()
        assert [node.name for node in graph.callers("f")] == ["g"]
        tree.put("b.toy", "def g f\ndef h f")
        assert [node.name for node in graph.callers("f")] == ["g", "h"]
        with graph.snapshot():
            tree.put("b.toy", "")
            assert len(graph.callers("f")) == 2
        assert len(graph.callers("f")) == 0

    def test_too_much_to_follow_is_a_note(self, make_tree: MakeTree) -> None:
        """What cannot be indexed in time is a note on the answer."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f", b_toy="def g f")
        graph = CodeGraph(tree.store, analysis=toy.analysis, patience=1e-9)
        graph.index()
        tree.write(a_toy="def f\ndef new", b_toy="")
        found = graph.callers("f")
        assert [node.name for node in found] == ["g"]
        assert "changed since the index" in found.notes[0]
        with pytest.raises(NotFound, match="changed since the index"):
            graph.callers("new")

    def test_aborted_update_is_not_tried_at_every_question(self, make_tree: MakeTree) -> None:
        """Work that came to nothing is left for a while; the note stays, and `index` ends it."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f", b_toy="def g f")
        read: list[str] = []

        def analysis() -> Analysis:
            found = toy.analysis()

            def extract(data: bytes, path: str, language: str) -> Facts:
                read.append(path)
                return found.extract(data, path, language)

            return attrs.evolve(found, extract=extract)

        graph = CodeGraph(tree.store, analysis=analysis, patience=1e-9)
        graph.index()
        tree.write(a_toy="def f\ndef new", b_toy="def g f\ndef h")
        read.clear()
        notes = [graph.callers("f").notes for _ in range(3)]
        assert len(read) <= 2
        assert notes[0] == notes[1] == notes[2] != ()
        graph.index()
        tree.write(a_toy="def f\ndef new\ndef newer")
        read.clear()
        graph.callers("f")
        assert read == ["a.toy"]

    def test_a_fresh_clone_is_no_change(self, make_tree: MakeTree) -> None:
        """Any number of files with other times and inodes and the same bytes are followed."""
        tree = make_tree(toy.analysis)
        texts = {f"f{n}.toy": f"def f{n} f0" for n in range(130)}
        for path, text in texts.items():
            tree.put(path, text)
        graph = CodeGraph(tree.store, analysis=toy.analysis, patience=60)
        graph.index()
        for path, text in texts.items():
            tree.put(path, None)
            tree.put(path, text)
        tree.put("f1.toy", "def other f0")
        found = graph.callers("f0")
        assert (len(found), found.notes) == (130, ())
        assert "other" in [node.name for node in found]

    def test_questions_write_nothing_after_an_index(
        self, kit: memkit.Memkit, tmp_path: Path, make_kit: Callable[..., memkit.Memkit]
    ) -> None:
        """After an index no question writes, whatever times the files have."""
        path = kit.path
        code = tmp_path / "a.py"
        code.write_text("def f():\n    return g()\n\ndef g(): pass\n")
        kit.memories.remember("g is pure, since f keeps what it gives", about="a.py::g")
        kit.codegraph.index(tmp_path)
        kit.close()
        before = path.read_bytes()
        for moment in (1_700_000_000, 1_800_000_000):
            os.utime(code, (moment, moment))
            for _ in range(2):
                with make_kit() as other:
                    assert other.recall("is g pure?")
                    assert len(other.codegraph.callers("g")) == 1
                    assert other.codegraph.map("g").text
                    assert other.codegraph.find_relevant_to_query("g")
                    assert other.codegraph.status().is_current
        assert path.read_bytes() == before

    def test_read_only_answers_with_a_note(self, make_tree: MakeTree) -> None:
        """A store opened read-only answers, says what differs, and is not written."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f", b_toy="def g f")
        tree.index()
        tree.store.close()
        before = tree.store.path.read_bytes()
        from memkit.store.store import Store

        store = Store(tree.store.path, readonly=True)
        graph = CodeGraph(store, analysis=toy.analysis)
        assert graph.callers("f").notes == ()
        tree.put("b.toy", "def other")
        assert "1 files differ" in graph.callers("f").notes[0]
        with pytest.raises(StoreReadOnly):
            graph.index()
        store.close()
        assert tree.store.path.read_bytes() == before

    def test_status_counts(self, make_tree: MakeTree) -> None:
        """The status says what is there and what differs, without indexing."""
        tree = make_tree(toy.analysis)
        tree.write(a_toy="def f\nclass C\n  def m zzz", b_toy="def g")
        graph = CodeGraph(tree.store, analysis=toy.analysis)
        graph.index()
        found = graph.status()
        assert found.is_current
        assert found.by_kind == {"function": 2, "method": 1, "class": 1}
        assert found.by_language == {"toy": 2}
        assert (found.coverage.unresolved, found.coverage.share) == (1, 0.0)
        tree.put("b.toy", "changed")
        (tree.folder / "a.toy").unlink()
        found = graph.status()
        assert (found.changed, found.gone) == (("b.toy",), ("a.toy",))


class TestCheck:
    """A graph that is not whole is noticed, and dropped by a repair."""

    @pytest.mark.parametrize(
        "damage",
        [
            "delete from code_files where path = 'a.toy'",
            "delete from code_symbols where name = 'f'",
            "insert into code_edges (source, target, relation, lines) values (1, 999, 0, 1)",
            "update code_edges set relation = 99",
            "update code_symbols set parent = 999",
            "update code_symbols set position = 1 where name = 'f'",
            "update code_facts set facts = x'30'",
        ],
    )
    def test_damage_is_found_and_mended(self, kit: memkit.Memkit, damage: str) -> None:
        """Whatever was broken from outside is a problem; a repair forgets the graph."""
        tree = kit.path.parent
        (tree / "a.toy").write_text("def f f")
        (tree / "b.toy").write_text("import a.toy\ndef g f")
        graph = CodeGraph(kit._store, analysis=toy.analysis)
        graph.index()
        assert kit.check().is_sound
        rows(kit._store, damage)
        assert not kit.check().is_sound
        assert kit.check(repair=True).is_sound
        assert kit.check().problems == ()
        graph.index(tree)
        assert [node.name for node in graph.callers("f")] == ["f", "g"]


def test_paths_are_relative(make_tree: MakeTree) -> None:
    """No path in the tables is absolute."""
    tree = make_tree(toy.analysis)
    tree.write(a__b_toy="def f")
    tree.index()
    text = str(rows(tree.store, "select * from code_files, code_state"))
    assert os.fspath(tree.folder) not in text


def test_calls_of_unnamed_functions_are_of_what_is_around(make_tree: MakeTree) -> None:
    """What a closure calls, the function around it calls; at the top it is the file."""
    tree = make_tree()
    tree.put("a.rs", "fn aim() {}\nfn run() { each(|x| x.map(|y| aim())); }\n")
    tree.put("b.ts", "function aim() {}\n[1].map(() => aim())\nit('aims', () => on(() => aim()))\n")
    tree.index()
    names = {(path, number): name for path, number, name in _names(tree)}
    calls = {
        (names.get(source, source[0]), names[target])
        for source, target, relation, _ in tree.graph()["edges"]
        if relation[0] == "calls" and target in names
    }
    assert {("run", "aim"), ("b.ts", "aim"), ("aims", "aim")} <= calls
    assert not any(source.startswith("<") for source, _ in calls)


def _names(tree: Tree) -> list[tuple[str, int, str]]:
    return [(place[0], place[1], row[2]) for place, _, row in tree.graph()["symbols"]]


def test_an_index_leaves_no_engine_behind(make_tree: MakeTree) -> None:
    """What an engine works out refers to it in circles; it goes before the collector is on again,
    or a large tree would be held whole until then."""
    tree = make_tree()
    tree.write(a_py="def f(): ...\n", b_py="from a import f\nf()\n")
    gc.collect()
    gc.disable()
    try:
        tree.index()
        left = [x for x in gc.get_objects() if isinstance(x, InferenceEngine) and vars(x)]
    finally:
        gc.enable()
    assert left == []
