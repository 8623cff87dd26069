"""Calls found by following values through the whole program."""

from __future__ import annotations

import pytest

from ..programs import Sources, flow


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def run(jobs): jobs[0]()\ndef work(): ...\nrun([work])\n", ("run", "work")),
        ("def run(*, job=None): job()\ndef work(): ...\nrun(job=work)\n", ("run", "work")),
        ("def run(*jobs):\n  for j in jobs: j()\ndef work(): ...\nrun(1, work)\n", ("run", "work")),
        ("def run(job): job()\ndef work(): ...\nrun(**{'job': work})\n", ("run", "work")),
        ("def run(**o): o['job']()\ndef work(): ...\nrun(job=work)\n", ("run", "work")),
        ("todo = []\ndef work(): ...\ntodo.append(work)\ntodo[0]()\n", ("", "work")),
        ("todo = {}\ndef work(): ...\ntodo['a'] = work\ntodo['a']()\n", ("", "work")),
        ("def work(x): ...\nlist(map(work, [1]))\n", ("", "work")),
        ("class A:\n  def go(self): ...\ndef run(a): a.go()\nrun(A())\n", ("run", "A.go")),
        ("class A:\n  def f(self): self.g()\nclass B(A):\n  def g(self): ...\nB().f()\n",
         ("A.f", "B.g")),
        ("class A:\n  pass\ndef work(): ...\na = A()\na.job = work\nA().job()\n", ("", "work")),
    ],
    ids=["argument", "named", "rest", "splat", "fields", "append", "key", "map", "object", "child",
         "member"],
)  # fmt: skip
def test_values_are_followed(text: str, expected: tuple[str, str]) -> None:
    """What is handed over, stored or inherited is called where it arrives."""
    assert expected in flow(text)


def test_a_decorated_function_is_what_the_decorator_makes_of_it() -> None:
    """The caller calls the wrapper, and the wrapper the function."""
    found = flow("""
        def loud(f):
            def wrapper():
                f()
            return wrapper
        @loud
        def work(): ...
        work()
    """)
    assert found == {("", "loud"), ("", "loud.wrapper"), ("loud.wrapper", "work")}


def test_what_flow_adds_says_so() -> None:
    """An edge that looking names up finds keeps its how."""
    program = Sources({"a.py": "def run(jobs): jobs[0]()\ndef work(): ...\nrun([work])\n"})
    tiers = {edge.tier for edge in program.flowing()["a.py"]}
    assert tiers == {"scope", "flow"}


def test_values_that_hold_themselves_end() -> None:
    """Containers of containers and functions that are given themselves do not go on for ever."""
    assert ("f", "f") in flow("def f(g, x):\n  x = [x]\n  g(g, list(x))\nf(f, [])\n")
