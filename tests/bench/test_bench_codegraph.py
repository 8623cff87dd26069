"""How calls that are found are compared with suites that list what runs."""

from __future__ import annotations

from bench.callnames import cats
from bench.codegraph import Code

HOME = """
package home;
class Lamp {
  static void run(Runnable r) { r.run(); }
  static void light() { run(() -> dim()); }
  static void guess() { run(() -> Elsewhere.it().glow()); }
  static void dim() {}
}
class Candle { void glow() {} }
class Torch { void glow() {} }
"""


def _calls(*, is_dispatched: bool) -> set[tuple[str, str]]:
    """Return the calls of HOME, values followed, without the classes of the methods."""
    code = Code({"home/Lamp.java": HOME})
    code.is_dispatched = is_dispatched
    return {(source.split(":")[1], target.split(":")[1]) for source, target in code.flow(cats)}


def test_what_a_lambda_calls_runs_for_its_caller() -> None:
    """Where a suite lists what runs, a call of a lambda stands for what it calls as well."""
    run, dim = ("run(Runnable)", "dim()")
    assert (run, dim) in _calls(is_dispatched=True)
    assert (run, dim) not in _calls(is_dispatched=False)


def test_lambda_call_that_may_be_several_methods_is_not_counted() -> None:
    """What a lambda only may call is no call of whoever runs it."""
    assert "glow()" not in {target for _, target in _calls(is_dispatched=True)}
