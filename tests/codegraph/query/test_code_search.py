"""Where in the code something is dealt with: words, spelt names, meaning, neighbours, reasons."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.codegraph.query import code_search, term_index
from memkit.codegraph.query.code_search import WEIGHTS, CodeSearch

FILES = {
    "src/net/retry.py": '''
        """Backoff between attempts."""
        from net.clock import now

        def wait_before_retry(attempt):
            """Seconds to wait, doubled after each attempt."""
            return 2 ** attempt
        ''',
    "src/net/clock.py": """
        def now():
            return 0
        """,
    "src/net/upload.py": """
        from net.retry import wait_before_retry

        class Uploader:
            def sendChunk(self, chunk):
                wait_before_retry(1)
        """,
    "src/billing/invoice.py": """
        TAX = 0.2

        def total_amount(lines):
            return sum(lines)
        """,
    "src/billing/jwt/index.py": "def sign(payload):\n    return payload\n",
    "README.md": "retry retry retry\n",
}


@pytest.fixture
def code(kit: memkit.Memkit, tmp_path: Path) -> Path:
    """The tree of FILES, indexed."""
    for path, text in FILES.items():
        place = tmp_path / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_dedented(text), encoding="utf-8")
    kit.codegraph.index()
    return tmp_path


def _dedented(text: str) -> str:
    return "\n".join(line.removeprefix(" " * 8) for line in text.lstrip("\n").split("\n"))


def _paths(kit: memkit.Memkit, question: str, **options: int) -> list[str]:
    return [found.path for found in kit.codegraph.find_relevant_to_query(question, **options)]


class TestFind:
    """`kit.codegraph.find_relevant_to_query`."""

    @pytest.mark.parametrize(
        "question",
        [
            "Wie funktioniert die Fehlerbehandlung?",
            "Où est la gestion des erreurs ?",
            "¿Dónde está el manejo de los errores?",
            "Waar is de afhandeling van fouten?",
            "как обрабатываются ошибки",
            "the best recipe for a chocolate cake",
            "which restaurant serves the best sushi downtown",
        ],
    )
    def test_question_without_words_of_the_tree_gives_no_file(
        self, kit: memkit.Memkit, tmp_path: Path, question: str
    ) -> None:
        """An article of another language, or one word of many, meets a file by accident."""
        (tmp_path / "utils.sh").write_text("die() {\n  echo des la el de est best 1\n}\n")
        (tmp_path / "parser.py").write_text("def parse_config(path):\n    return path\n")
        kit.codegraph.index()
        assert _paths(kit, question) == []

    def test_question_in_another_language_that_names_the_code(
        self, kit: memkit.Memkit, tmp_path: Path
    ) -> None:
        """What it has of the code is found; a function called as an article is, too."""
        (tmp_path / "utils.sh").write_text("die() {\n  echo 1\n}\n")
        (tmp_path / "parser.py").write_text("def parse_config(path):\n    return path\n")
        kit.codegraph.index()
        assert _paths(kit, "Wo ist der Parser und was macht die Config?")[0] == "parser.py"
        assert _paths(kit, "wo wird `parse_config` aufgerufen?")[0] == "parser.py"
        assert _paths(kit, "where does die() exit?")[0] == "utils.sh"

    @pytest.mark.parametrize(
        ("question", "path"),
        [
            ("how long do we wait before retrying?", "src/net/retry.py"),
            ("the invoice's total amounts are wrong", "src/billing/invoice.py"),
            ("fix(upload): chunks are sent twice", "src/net/upload.py"),
            ("sendChunk raises", "src/net/upload.py"),
            ("send_chunk raises", "src/net/upload.py"),
            ("jwt", "src/billing/jwt/index.py"),
            ("TypeError in Uploader.sendChunk", "src/net/upload.py"),
        ],
    )
    def test_the_file_that_deals_with_it_is_first(
        self, kit: memkit.Memkit, code: Path, question: str, path: str
    ) -> None:
        """Words in any inflection, subjects of commits and spelt names lead to their file."""
        assert _paths(kit, question)[0] == path

    def test_symbols_and_reasons_come_with_a_file(self, kit: memkit.Memkit, code: Path) -> None:
        """A file says which of its symbols are meant, where, and why it came."""
        found = kit.codegraph.find_relevant_to_query("why does sendChunk wait")[0]
        symbol = found.symbols[0]
        assert (symbol.qualname, symbol.kind, symbol.line) == ("Uploader.sendChunk", "method", 4)
        assert symbol.named
        assert "defines sendChunk" in found.reasons
        assert any(reason.startswith("words: ") and "wait" in reason for reason in found.reasons)

    def test_a_shortened_word_named_no_file(self, kit: memkit.Memkit, tmp_path: Path) -> None:
        """A question for the configuration finds config.py, and says by which word."""
        tree = tmp_path / "short"
        tree.mkdir()
        (tree / "config.py").write_text("LIMIT = 3\n")
        (tree / "orders.py").write_text("def place():\n    return 1\n")
        kit.codegraph.index(tree)
        (first, *_) = kit.codegraph.find_relevant_to_query("where is the configuration read")
        assert first.path.endswith("config.py")
        assert any("config" in reason for reason in first.reasons)

    def test_scores_are_chances_that_fall(self, kit: memkit.Memkit, code: Path) -> None:
        """Scores lie between 0 and 1, the first is the greatest, and a limit cuts."""
        found = kit.codegraph.find_relevant_to_query("retry the upload of invoices")
        scores = [one.score for one in found]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score < 1 for score in scores)
        assert _paths(kit, "retry the upload of invoices", limit=1) == [found[0].path]

    def test_a_neighbour_gains(self, kit: memkit.Memkit, code: Path) -> None:
        """A file without the words, used by one that matches, stands before one that is not."""
        evidence = CodeSearch(kit._store).evaluate("wait before the retry")
        assert evidence is not None
        place = evidence.corpus.paths.index
        used = evidence.columns["used"]
        assert used[place("src/net/clock.py")] > 0
        assert used[place("src/billing/invoice.py")] == 0

    def test_what_is_known_nowhere_finds_nothing(self, kit: memkit.Memkit, code: Path) -> None:
        """Words of no file, and no words at all, find nothing; a limit of 0 is an error."""
        assert _paths(kit, "xylophone quux") == []
        assert _paths(kit, "?!") == []
        assert _paths(kit, "") == []
        with pytest.raises(memkit.InvalidInput, match="limit: found 0"):
            kit.codegraph.find_relevant_to_query("retry", limit=0)

    def test_without_a_graph_it_says_so(self, kit: memkit.Memkit) -> None:
        """Without a code graph the error names the command that makes one."""
        with pytest.raises(memkit.NotFound, match="memkit index"):
            kit.codegraph.find_relevant_to_query("retry")

    def test_it_follows_edits(self, kit: memkit.Memkit, code: Path) -> None:
        """A new word is found after an edit, a former one not any more, and a removed file goes."""
        (code / "src/billing/invoice.py").write_text("def refund(lines):\n    return 0\n")
        (code / "src/net/upload.py").unlink()
        assert _paths(kit, "refund")[0] == "src/billing/invoice.py"
        assert "src/net/upload.py" not in _paths(kit, "upload chunk", limit=100)
        with memkit.open(code / "fresh.memkit.db", global_store=False) as fresh:
            fresh.codegraph.index(code)
            for question in ("refund lines", "wait before retry", "total amount"):
                assert _paths(fresh, question) == _paths(kit, question)

    def test_words_are_read_once(
        self, kit: memkit.Memkit, code: Path, make_kit: type[memkit.Memkit]
    ) -> None:
        """Only files that have changed are read again, and a read-only store answers the same."""
        expected = _paths(kit, "wait before retry")
        assert kit._store.all("codegraph_search.files_without_terms") == []
        (code / "src/net/clock.py").write_text("def later():\n    return 1\n")
        kit.codegraph.callers("later")
        assert [row[1] for row in kit._store.all("codegraph_search.files_without_terms")] == [
            "src/net/clock.py"
        ]
        with memkit.open(kit.path, readonly=True, global_store=False) as reader:
            assert _paths(reader, "wait before retry") == expected
            assert _paths(reader, "later")[0] == "src/net/clock.py"

    def test_words_of_a_file_are_small(self, kit: memkit.Memkit, code: Path) -> None:
        """A word takes three bytes, a file's directions sixty-four."""
        _paths(kit, "anything")
        rows = kit._store.all("codegraph_search.terms")
        assert rows
        for _, _, _, words, bits in rows:
            assert len(words) % term_index.BYTES == 0
            assert len(bits) == 64


class TestWording:
    """Identifiers in parts, and stems."""

    @pytest.mark.parametrize(
        ("identifier", "parts"),
        [
            ("getUserName", ["get", "user", "name"]),
            ("HTTPServer2", ["http", "server", "2"]),
            ("read_to_string", ["read", "to", "string"]),
            ("src/app-main.py", ["src", "app", "main", "py"]),
            ("__init__", ["init"]),
            ("", []),
        ],
    )
    def test_parts(self, identifier: str, parts: list[str]) -> None:
        """Humps, underscores, digits and punctuation part an identifier."""
        assert term_index.parts(identifier) == parts

    @pytest.mark.parametrize(
        "words",
        ["validate validation validates validating validator", "parse parses parser parsing parsed",
         "file files", "entry entries", "setting settings", "stop stopped stopping"],
    )  # fmt: skip
    def test_inflections_have_one_stem(self, words: str) -> None:
        """Forms of one word are one."""
        assert len({term_index.stem(word) for word in words.split()}) == 1

    def test_short_words_and_numbers_stay(self) -> None:
        """What is short or a number has no ending."""
        assert [term_index.stem(word) for word in ("is", "bus", "404", "class")] == [
            "is", "bus", "404", "class",
        ]  # fmt: skip

    @given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=5))
    def test_any_text_is_packed(self, text: str, names: list[str]) -> None:
        """Any text and any names become sorted numbers of three bytes, a word once."""
        packed = term_index.pack(text, names)
        assert len(packed) % term_index.BYTES == 0
        numbers = [
            int.from_bytes(packed[at : at + term_index.BYTES], "little") >> 2
            for at in range(0, len(packed), term_index.BYTES)
        ]
        assert numbers == sorted(set(numbers))
        known = {term_index.number(stem) for name in names for stem in term_index.stems(name)}
        assert known <= set(numbers)


class TestWanted:
    """What a question asks for."""

    def test_telling_words_weigh_more(self) -> None:
        """Words of change count less than words of place; small words not at all."""
        words = code_search.analyze_query("fix the router when it is added").words
        assert words["rout"] == 1.0
        assert words["fix"] == code_search.SOFT_WEIGHT
        assert "the" not in words

    @pytest.mark.parametrize(
        ("question", "place"),
        [
            ("fix(router): wrong", {"rout"}),
            ("net/http: do not close", {"net", "http"}),
            ("feat(secure-headers)!: more", {"secur", "head"}),
            ("just a sentence", set()),
        ],
    )
    def test_the_place_before_the_colon(self, question: str, place: set[str]) -> None:
        """What stands in brackets or before a colon names a place."""
        assert code_search.analyze_query(question).place == place

    def test_names_are_looked_for_in_every_spelling(self) -> None:
        """A spelt name and neighbouring words have the forms that code may give them."""
        asked = code_search.analyze_query("`retry` fails in getUserName, see read to string")
        assert {"retry", "getUserName"} <= asked.spelt.keys()
        assert {"get_user_name", "GetUserName", "getUserName"} <= set(asked.spelt["getUserName"])
        assert {"read_to_string", "readToString"} <= set(asked.grams["readtostring"])

    @given(st.text(max_size=2000))
    def test_any_question_is_understood(self, question: str) -> None:
        """Nothing a person types breaks it, and weights stay between 0 and 1."""
        asked = code_search.analyze_query(question)
        assert all(0 < weight <= 1 for weight in asked.words.values())
        assert asked.words.keys() <= asked.written.keys()


def test_the_table_has_a_weight_for_each_column(kit: memkit.Memkit, code: Path) -> None:
    """Every column of evidence is weighed, and none counts against a file."""
    evidence = CodeSearch(kit._store).evaluate("retry")
    assert evidence is not None
    assert evidence.columns.keys() == WEIGHTS.keys()
    assert min(WEIGHTS.values()) >= 0
