"""What a whole prompt brings: several questions in one text, thanks, a pasted log."""

from __future__ import annotations

import pytest

import memkit

STATEMENTS = (
    "The gateway listens on port 7003 on every node.",
    "Ayesha signs off changes to the payment schema.",
    "Nightly backups go to the bucket in Lund.",
    "Branches are named after the ticket they close.",
    "The canteen closes at two.",
    "Screens in the hall show the queue of trains.",
    "Invoices are numbered without gaps.",
    "The firmware is built with clang 18 on the rack.",
    "Tests of the emulator need the board in slot four.",
    "Each team keeps its own runbook in the wiki.",
    "The parser accepts comments between list items.",
    "We cache thumbnails for nine weeks.",
)


@pytest.fixture
def project(packaged: memkit.Memkit) -> memkit.Memkit:
    """A store with the packaged model and a dozen statements."""
    packaged.memories.remember_many(STATEMENTS)
    return packaged


def texts(recall: memkit.RecallResult) -> list[str]:
    """Return what was recalled."""
    return [hit.memory.text for hit in recall]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (
            "Which port does the gateway listen on? Who signs off changes to the payment schema?",
            STATEMENTS[:2],
        ),
        (
            "I am about to open a pull request.\nHow are branches named here?\n"
            "Where do the nightly backups go?",
            (STATEMENTS[3], STATEMENTS[2]),
        ),
    ],
)
def test_each_question_of_a_prompt_brings_its_memory(
    project: memkit.Memkit, prompt: str, expected: tuple[str, ...]
) -> None:
    """No question takes another's place for standing in the same text."""
    assert set(expected) <= set(texts(project.recall(prompt)))


def test_a_sentence_in_a_long_request_is_answered(project: memkit.Memkit) -> None:
    """What stands around a question does not hide its answer."""
    prompt = (
        "Good morning! I had a look at the draft over the weekend and like where it is heading. "
        "Please split the long function into two and give the second one a clearer name. "
        "Before you commit: which port does the gateway listen on? "
        "Take your time with the rest of it, nobody waits."
    )
    assert texts(project.recall(prompt))[0] == STATEMENTS[0]


@pytest.mark.parametrize(
    "prompt", ["thanks, looks good", "Great, thank you!", "ok, go on", "yes please do that"]
)
def test_thanks_bring_nothing(project: memkit.Memkit, prompt: str) -> None:
    """Who asks for nothing is told nothing."""
    assert texts(project.recall(prompt)) == []


@pytest.mark.parametrize("place", [0, 31, 59])
def test_a_pasted_error_is_found_by_its_telling_line(project: memkit.Memkit, place: int) -> None:
    """One line of sixty tells which error it is, wherever it stands."""
    fix = (
        "QuotaLedgerError: ledger is sealed for the shard comes from a clock that runs ahead; "
        "restart chronyd."
    )
    project.memories.remember(fix)
    noise = [
        f"12:00:{at:02d} INFO step {at} of the pipeline finished in {at * 7} ms" for at in range(59)
    ]
    noise.insert(place, "QuotaLedgerError: ledger is sealed for the shard")
    assert texts(project.recall("\n".join(noise)))[:1] == [fix]
