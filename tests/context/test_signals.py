"""Signals: what may be given, and the activity that they and a prompt tell of."""

from __future__ import annotations

import pytest

import memkit
from memkit.context.signals import infer_activity, signals_of

TRACEBACK = """it broke again
Traceback (most recent call last):
  File "shop/cart.py", line 5, in total
KeyError: 'DE'"""


def test_mapping_of_seed_004_is_taken() -> None:
    """The JSON body of the seed, with one error given as a text; what is blank says nothing."""
    body = {"current_file": "src/a.ts", "recent_errors": "TypeError", "activity": "debugging"}
    signals = signals_of({**body, "branch": " "})
    assert signals == memkit.ContextSignals("src/a.ts", ("TypeError",), None, "debugging")
    assert not signals.is_empty
    assert signals_of({"activity": "review"}).is_empty


@pytest.mark.parametrize(
    ("signals", "says"),
    [
        ({"file": "a.py"}, "'file' is no signal; give some of activity, branch"),
        ({"recent_errors": 3}, "signals.recent_errors: found 3"),
        ({"activity": "sleeping"}, "signals.activity: 'sleeping' is unknown; give one of feature"),
        ({"current_file": 7}, "signals.current_file: found 7"),
        (["a.py"], "signals: found"),
    ],
)
def test_signal_that_means_nothing_is_named(
    kit: memkit.Memkit, signals: dict[str, object], says: str
) -> None:
    """The message has the signal, the value and what is expected."""
    with pytest.raises(memkit.InvalidInput, match=says):
        kit.context.assemble("x", signals=signals)


@pytest.mark.parametrize(
    ("prompt", "signals", "activity"),
    [
        (TRACEBACK, {}, "debugging"),
        ("go on", {"recent_errors": ["E"]}, "debugging"),
        ("fix the flaky upload test", {}, "debugging"),
        ("add a flag for dry runs", {}, "feature"),
        ("explain how retries work", {}, "review"),
        ("find where the ports are set", {}, "exploration"),
        ("fix it", {"activity": "review"}, "review"),
        ("thanks", {}, None),
    ],
)
def test_activity_is_told_from_errors_and_words(
    prompt: str, signals: dict[str, object], activity: str | None
) -> None:
    """A pasted or signalled error is being fixed; else the words of the prompt decide."""
    assert infer_activity(prompt, signals_of(signals)) == activity
