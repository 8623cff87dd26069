"""Made-up evaluation data in the formats of the real sets, and the benches on the import path."""

from __future__ import annotations

import base64
import gzip
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

TOPICS = {
    "kiln": "The kiln in the yard is fired with birch wood at nine hundred degrees.",
    "ledger": "The ledger closes on the last Friday, and Ines signs it.",
    "ferry": "The ferry to the island leaves from pier four in the morning.",
    "beehive": "The beehive behind the barn swarmed twice and needs a new queen.",
    "telescope": "The telescope was lent to the school for the eclipse week.",
}


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny set of each kind."""
    folder = tmp_path_factory.mktemp("data")
    _write(folder / "locomo" / "locomo.jsonl", [_conversation()])
    _write(folder / "locomo_plus" / "cues.jsonl", _cues())
    _write(folder / "beam" / "beam.jsonl.gz", [_chat()])
    _write(folder / "devmembench" / "sessions.jsonl", _coding_sessions())
    _write(folder / "devmembench" / "questions.jsonl", _coding_questions())
    _write(folder / "devbench" / "memories.jsonl", _project_memories())
    _write(folder / "devbench" / "questions.jsonl", _project_questions())
    _write(folder / "longmemeval_mini" / "questions.jsonl", [_long_question()])
    for name, rows in _precision().items():
        _write(folder / "precisionmembench" / f"{name}.jsonl", rows)
    _write(folder / "secrets" / "secrets.jsonl", _secrets())
    return folder


@pytest.fixture
def bench(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run a bench by its command line: returns its JSON and what it printed."""
    from bench.__main__ import main

    def run(name: str, *arguments: str, folder: Path = data) -> tuple[Any, str]:
        written = tmp_path / f"{name}.json"
        assert main([name, "--data", str(folder), "--json", str(written), *arguments]) == 0
        return json.loads(written.read_text("utf-8")), capsys.readouterr().out

    return run


def _write(path: Path, rows: Iterable[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in rows)
    packed = gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode()
    path.write_bytes(packed)


def _conversation() -> dict[str, Any]:
    turns = [
        {
            "id": f"D{session}:{place}",
            "session": session,
            "when": f"4:04 pm on {session + 1} March, 2031",
            "speaker": "Ada" if place % 2 else "Bo",
            "text": text if place == 1 else f"Nice, {topic}!",
            **({"image_caption": f"a photo of the {topic}"} if place == 2 else {}),
        }
        for session, (topic, text) in enumerate(TOPICS.items(), 1)
        for place in (1, 2)
    ]
    kinds = {1: "D1:1", 2: "D2:1", 5: "D3:1"}
    questions = [
        {
            "id": f"q{category}",
            "question": f"What did Ada say about the {list(TOPICS)[place]}?",
            "category": category,
            "category_name": "made up",
            "answer": "",
            "evidence": [turn],
        }
        for place, (category, turn) in enumerate(kinds.items())
    ]
    silent = {**questions[0], "id": "q0", "evidence": []}
    return {"conversation": "c", "speakers": [], "turns": turns, "questions": [*questions, silent]}


def _cues() -> list[dict[str, Any]]:
    return [
        {"id": topic, "relation": "causal", "cue": text, "trigger": f"Again that {topic}!"}
        for topic, text in TOPICS.items()
    ]


def _chat() -> dict[str, Any]:
    messages = [
        {
            "id": number,
            "batch": 1 + number // 4,
            "turn": number // 2,
            "role": role,
            "text": text if role == "user" else f"Understood, I noted the {topic}.",
            **({"time_anchor": "March-05-2031"} if number == 0 else {}),
        }
        for number, (role, (topic, text)) in enumerate(
            (role, item) for item in TOPICS.items() for role in ("user", "assistant")
        )
    ]
    questions = [
        {"question": "When does the ferry leave?", "ability": "extraction", "evidence": [4]},
        {"question": "Which opera was sung?", "ability": "abstention", "evidence": []},
        {"question": "Summarise it all.", "ability": "summarization", "evidence": []},
    ]
    return {"chat": "c", "size": "100K", "messages": messages, "questions": questions}


def _coding_sessions() -> list[dict[str, Any]]:
    return [
        {
            "id": f"S{number}",
            "date": f"2031-03-0{number}",
            "project": "yard",
            "messages": [
                {"role": "user", "text": text},
                {"role": "assistant", "text": f"Done with the {topic}."},
            ],
        }
        for number, (topic, text) in enumerate(TOPICS.items(), 1)
    ]


def _coding_questions() -> list[dict[str, Any]]:
    return [
        {
            "id": "Q1",
            "type": "fact",
            "question": "Who signs the ledger?",
            "evidence_sessions": ["S2"],
        },
        {"id": "Q2", "type": "abstention", "question": "Zymurgy quotas?", "evidence_sessions": []},
    ]


def _project_memories() -> list[dict[str, Any]]:
    return [
        {
            "id": f"bench:{topic}",
            "text": text,
            "tags": ["devbench", f"bench:{topic}", topic],
            "type": "decision",
            "created": "2031-03-01T10:00:00Z",
        }
        for topic, text in TOPICS.items()
    ]


def _project_questions() -> list[dict[str, Any]]:
    asked = {"Who has the telescope?": ["bench:telescope"], "Anything on opera?": []}
    return [{"id": q, "question": q, "expected_ids": ids} for q, ids in asked.items()]


def _long_question() -> dict[str, Any]:
    sessions = [
        {"id": topic, "when": "2031/03/05 (Wed) 10:44", "text": text}
        for topic, text in TOPICS.items()
    ]
    return {
        "question": "How hot is the kiln?",
        "evidence_sessions": ["kiln"],
        "sessions": [*sessions, {"id": "blank", "when": "2031/03/05 (Wed) 10:44", "text": ""}],
    }


def _belief(name: str, content: str, **changes: Any) -> dict[str, Any]:
    return {
        "_id": f"b-{name}",
        "user_id": "test-user",
        "type": "preference",
        "canonical_name": f"{name}_rule",
        "aliases": [name],
        "content": content,
        "scope": ["domain:yard"],
        "epistemic_status": "active",
        "confidence": 0.9,
        "pinned": False,
        "created_at": "2031-03-01T10:00:00Z",
        **changes,
    }


def _precision() -> dict[str, list[dict[str, Any]]]:
    beliefs = [_belief(topic, text) for topic, text in TOPICS.items()]
    beliefs += [
        _belief("old", "The kiln was fired with coal.", epistemic_status="superseded"),
        _belief("loom", "The loom is not ours.", user_id="other-user"),
        _belief("bond", "The ferry carries the honey.", type="relation", participants=["b-ferry"]),
    ]
    cases = [
        _case(
            "How is the kiln fired?", {"shouldOnlyInclude": ["b-kiln"], "mustExclude": ["b-old"]}
        ),
        _case("Zymurgy quotas?", {"shouldOnlyInclude": []}),
        _case("Who owns the loom?", {"mustExclude": ["b-loom"]}),
    ]
    made = _belief("opera", "The opera opens in May.")
    turns = [
        _turn("Tell me of the kiln.", ["b-kiln"], createBeliefAtTurn=made),
        _turn("When does the opera open?", ["b-opera"]),
        _turn(
            "And the swarm?",
            ["b-beehive"],
            updateBeliefAtTurn={"beliefId": "b-beehive", "addAliases": ["swarm"]},
        ),
    ]
    return {"beliefs": beliefs, "cases": cases, "sessions": [{"caseId": "s", "turns": turns}]}


def _case(question: str, relevant: dict[str, Any]) -> dict[str, Any]:
    expected = {"relevantBeliefs": relevant}
    return {"caseId": question, "scope": ["domain:yard"], "query": question, "expect": expected}


def _turn(question: str, wanted: list[str], **changes: Any) -> dict[str, Any]:
    case = _case(question, {"shouldOnlyInclude": wanted})
    return {"userMessage": question, "scope": case["scope"], "expect": case["expect"], **changes}


def _secrets() -> list[dict[str, Any]]:
    texts = {"password = 'xK9#mQ2$vL7pR4nW'": True, "the ferry leaves at nine": False}
    return [
        {
            "id": str(number),
            "text_b64": base64.b64encode(text.encode()).decode(),
            "is_secret": secret,
            "kind": "generic",
            "source": "made up",
            "made": True,
        }
        for number, (text, secret) in enumerate(texts.items())
    ]
