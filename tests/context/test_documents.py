"""Documents of frameworks: by name, with the memory that says them."""

from __future__ import annotations

import io
import json
import random
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memkit
from memkit.errors import InvalidInput
from tests.conftest import Clock
from tests.tables import each_row

MakeKit = Callable[..., memkit.Memkit]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # Letters of which no secret is made, and what SQLite and JSON find hard.
    | st.text(alphabet='ab \n\0\ud800é\N{SNOWMAN}"\\', max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab -", max_size=4), inner),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(JSON, min_size=1, max_size=2))
def test_values_come_back_as_they_were_put(kit: memkit.Memkit, values: list[Any]) -> None:
    """Any JSON, in documents and in transcripts, with the order of its keys."""
    documents, transcripts = kit.context.documents, kit.context.transcripts
    for value in values:
        stored = documents.put(("n",), "k", value)
        again = documents.get(("n",), "k")
        assert again == stored
        assert json.dumps(stored.value) == json.dumps(value)
    transcripts.delete("c", "s")
    transcripts.append("c", "s", values)
    assert json.dumps(transcripts.read("c", "s")) == json.dumps(values)


def test_each_name_is_a_document_of_its_own(kit: memkit.Memkit) -> None:
    """Also where two names are one in another normal form, or one looks like another quoted."""
    names = ["é", "e\u0301", "%C3%A9", "document%3An/%C3%A9", " é", "É", "a\nb", "-"]
    for name in names:
        kit.context.documents.put(("n",), name, name, text="the same")
    assert {d.key: d.value for d in kit.context.documents.list()} == {n: n for n in names}
    assert len({d.memory for d in kit.context.documents.list()}) == len(names)


def test_documents_that_say_nearly_the_same_stay_apart(kit: memkit.Memkit) -> None:
    """Statements that are told so are folded into one; of documents each keeps its own memory,
    whatever is told besides."""
    wordings = ("sshd was moved to port 49222 there.", "sshd was moved to the port 49222 there")
    told = kit.memories.remember(wordings[0])
    for name, text in zip("abc", (*wordings, wordings[0]), strict=True):
        kit.context.documents.put(("n",), name, text, text=text)
    kit.memories.remember(wordings[1])
    memories = {document.memory for document in kit.context.documents.list()}
    assert len(memories) == 3
    assert told.id not in memories
    assert [d.value for d in kit.context.documents.list()] == [*wordings, wordings[0]]


@each_row(
    "namespace, key, value, said",
    [
        ((), "k", 1, "namespace: has no label"),
        (("a.b",), "k", 1, "label 'a.b'"),
        (("a", ""), "k", 1, "label ''"),
        (("a", 1), "k", 1, "namespace"),
        (("a",), "", 1, "key"),
        (("a",), "k", {"x": {1, 2}}, "value: .* what JSON can hold"),
        (("a",), "k", float("nan"), "value: .* what JSON can hold"),
    ],
)
def test_what_cannot_be_stored_is_refused(
    kit: memkit.Memkit, namespace: Any, key: Any, value: Any, said: str
) -> None:
    """With the reason; nothing is stored."""
    with pytest.raises(InvalidInput, match=said):
        kit.context.documents.put(namespace, key, value)
    assert not kit.context.documents.list()


def test_what_frameworks_encode_is_no_secret(kit: memkit.Memkit) -> None:
    """Signatures, encrypted reasoning, images, ids and hashes go back to a provider as they came,
    or it refuses them; a token in a text is replaced."""
    chance = random.Random(7)
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    for number in range(25):
        data = b64encode(chance.randbytes(40 + 20 * number)).decode()
        thinking = {"type": "thinking", "thinking": "So.", "signature": f"EqQB{data}"}
        content = [
            thinking,
            {"type": "redacted_thinking", "data": data},
            {"type": "reasoning", "id": f"rs_{chance.randbytes(24).hex()}"},
            {"type": "reasoning", "encrypted_content": f"gAAAA{data}"},
            {"type": "image", "source": {"type": "base64", "data": data}},
            {
                "type": "tool_use",
                "id": f"toolu_01{data[:22]}",
                "input": {"sha": data.encode().hex()},
            },
        ]
        assert kit.context.documents.put(("n",), "k", content).value == content
    kit.context.transcripts.append("c", "s", [{"text": f"use {token}", "keep": 1}])
    (entry,) = kit.context.transcripts.read("c", "s")
    assert "use [secret:" in str(entry)
    assert token not in str(entry)


def test_a_document_goes_with_its_memory(kit: memkit.Memkit) -> None:
    """Purging the memory removes it; forgetting hides it from recall alone."""
    documents = kit.context.documents
    first = documents.put(("n",), "a", 1, text="Herons nest on the roof.")
    second = documents.put(("n",), "b", 2, text="Walruses sleep in the yard.")
    kit.memories.forget(second.memory)
    kit.memories.purge(first.memory)
    assert documents.get(("n",), "a") is None
    assert documents.get(("n",), "b") == second
    assert not kit.recall("where do walruses sleep?", min_score=0)
    assert documents.delete(("n",), ["a", "b"]) == 1
    assert not documents.list()


def test_two_stores_are_joined_by_name(make_kit: MakeKit, clock: Clock) -> None:
    """The later of two documents of a name stands, whoever imports whom, and what was deleted
    stays so; transcripts stay on their machine."""
    here, there = make_kit("here.db"), make_kit("there.db")
    here.context.documents.put(("n",), "both", "early", text="early")
    here.context.documents.put(("n",), "gone", "x", text="soon gone")
    there.context.documents.put(("n",), "apart", "there", text="made there")
    clock.advance(60)
    here.context.documents.put(("n",), "apart", "here", text="made here")
    here.context.transcripts.append("c", "s", [1])
    _import(there, here)
    clock.advance(60)
    there.context.documents.put(("n",), "both", "late", text="late")
    there.context.documents.put(("n",), "new", [2], text="another")
    there.context.documents.delete(("n",), "gone")
    _import(here, there)
    _import(there, here)
    for kit in (here, there):
        assert {d.key: d.value for d in kit.context.documents.list()} == {
            "apart": "here",
            "both": "late",
            "new": [2],
        }
    assert there.context.transcripts.read("c", "s") == []
    third = make_kit("third.db")
    archive = io.StringIO()
    here.export(archive, local=True)
    third.import_(io.StringIO(archive.getvalue()))
    assert third.context.transcripts.read("c", "s") == [1]


def test_moved_documents_keep_their_memories(kit: memkit.Memkit) -> None:
    """What stood under the new name is replaced; texts may be made anew; a name that is not there
    is passed over."""
    documents = kit.context.documents
    put = documents.put(("n",), "a", 1, text="in a")
    documents.put(("n",), "b", 2, text="in b")
    moves = {"a": "b", "nothing": "c"}
    assert documents.move(("n",), moves, text=lambda name, value: f"in {name}: {value}") == 1
    (moved,) = documents.list(("n",))
    assert (moved.key, moved.value, moved.memory) == ("b", 1, put.memory)
    assert kit.memories.get(put.memory).text == "in b: 1"
    documents.move(("n",), {"b": "c"})
    assert kit.memories.get(put.memory).source == "document:n/c"


def test_trim_takes_whole_transcripts(kit: memkit.Memkit, clock: Clock) -> None:
    """The oldest first, by when they were added to last; never half of one."""
    transcripts = kit.context.transcripts
    for session in ("old", "middle", "new"):
        transcripts.append("c", session, list(range(4)))
        transcripts.append("c", session, [0], part="agent")
        clock.advance(days=20)
    transcripts.append("c", "old", [4])

    def left() -> dict[str, int]:
        return {each.session: each.entries for each in transcripts.sessions("c")}

    kit.trim(max_rows={"transcript_entries": 8})
    assert left() == {"old": 5, "new": 4}
    kit.trim(days=10)
    assert left() == {"old": 5}
    assert transcripts.parts("c", "old") == ("agent",)
    kit.trim(max_rows={"transcript_entries": 0})
    assert left() == {}


def _import(target: memkit.Memkit, source: memkit.Memkit) -> None:
    archive = io.StringIO()
    source.export(archive)
    target.import_(io.StringIO(archive.getvalue()))
