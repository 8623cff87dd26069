"""What the compiler of TypeScript tells is compared with what the code graph finds."""

from __future__ import annotations

from typing import Any

from bench.typescript import Package

LAMP = """\
interface Light { glow(n: number): void }
class Lamp implements Light {
  glow(n: number): void { this.dim(n); other(); }
  dim(n: number): void;
  dim(n: string): void;
  dim(n: any) {}
}
const other = () => {}, more = () => other();
export function use(light: Light) { light.glow(1); new Lamp().glow(2); any.other(); outside(more); }
"""


def spot(text: str) -> list[Any]:
    """Return the place of a text of the file."""
    first = LAMP.index(text)
    return ["lamp.ts", first, first + len(text)]


def call(text: str, *targets: list[list[Any]], known: bool = True) -> list[Any]:
    """Return a call as the compiler tells it, by its text."""
    first = LAMP.index(text)
    line = LAMP.count("\n", 0, first) + 1
    return ["lamp.ts", first + len(text) - 1, line, known, list(targets), []]


GLOW, DIM = "glow(n: number): void { this.dim(n); other(); }", "dim(n: any) {}"
DIMS = [spot("dim(n: number): void"), spot("dim(n: string): void"), spot(DIM)]


def compared(*calls: list[Any], above: tuple[Any, ...] = ()) -> list[str]:
    """Return the lines of a comparison with some calls."""
    found = Package({"lamp.ts": LAMP}).compared({"calls": list(calls), "above": list(above)})
    return list(found.lines(listed=9))


def test_overloads_are_one_function_and_what_overrides_is_right() -> None:
    """A call is found by any overload of what is called; a method stands for those it overrides."""
    declared = [spot("glow(n: number): void")]
    told = [
        call("this.dim(n)", DIMS),
        call("other()", [spot("() => {}")]),
        call("=> other()", [spot("() => {}")]),
        call("light.glow(1)", declared),
        call("new Lamp().glow(2)", declared),
    ]
    assert compared(*told, above=([spot(GLOW), spot("glow(n: number): void")],)) == [
        "files 1, calls found 5, compiled 4",
        "precision 1.000  recall 1.000  (bare names 0.875  1.000)",
    ]


def test_calls_of_which_the_compiler_knows_nothing_are_not_judged() -> None:
    """What is found in a line with such a call is neither right nor wrong."""
    told = [
        call("this.dim(n)", DIMS),
        call("other()", known=False),
        call("=> other()", known=False),
    ]
    assert compared(*told)[:1] == ["files 1, calls found 3, compiled 1"]


def test_calls_are_told_by_both_of_their_functions() -> None:
    """A call that is missed or wrong is told by the function it stands in and the one called."""
    told = [call("this.dim(n)", DIMS), call("light.glow(1)", [spot(DIM)])]
    lines = compared(*told)
    assert "missed lamp.ts use → lamp.ts:6 Lamp.dim" in lines
    assert "wrong lamp.ts more → lamp.ts:8 other" in lines
