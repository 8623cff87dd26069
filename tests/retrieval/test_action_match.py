"""What an agent is about to do brings the memories that speak of it, and no others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memkit
from memkit.retrieval.actions import action_of

Make = Callable[..., memkit.Memkit]
OTHERS = [f"harbour crane {n} lifts {n * 3} tons of steel at quay {n % 7}" for n in range(30)]


@pytest.mark.parametrize(
    "text",
    [
        "git push --force origin main",
        "npm publish",
        "STAGE=prod deployctl release api",
        "nohup ./run.sh > out.log 2>&1 &",
        "cd app && make fmt",
        "src/cart/tax.py\nrate = 0.19",
    ],
)
def test_commands_and_edits_are_actions(text: str) -> None:
    """Programs with options, operators or settings; a path with the text that goes there."""
    assert action_of(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "how do we deploy?",
        "stg | loader.parse_day manual",
        'level=info msg="applied -x"',
        "git is broken again, what now",
        "why does make fail?",
        "src/cart/tax.py",
        "who owns the billing service",
    ],
)
def test_questions_are_no_actions(text: str) -> None:
    """What is asked in words, or by a path alone."""
    assert action_of(text) is None


def test_what_only_looks_reads() -> None:
    """Inspection, also of several commands, changes nothing."""
    for text in ("git status -sb && git diff --stat", "rg -n 'k_free' src/ | head -3"):
        assert (action := action_of(text)) is not None
        assert action.reads
    assert (action := action_of("git log --oneline && git push -f")) is not None
    assert not action.reads


def warned(kit: memkit.Memkit, action: str) -> list[str]:
    """Return the texts that an action brings."""
    return [hit.memory.text for hit in kit.recall(action, limit=5)]


def filled(kit: memkit.Memkit, text: str, **more: object) -> memkit.Memkit:
    """Return the kit with one prohibition among statements of another field."""
    for other in OTHERS:
        kit.memories.remember(other)
    kit.memories.remember(text, kind="negative", **more)
    return kit


def test_a_prohibition_without_trigger_comes_by_what_the_command_does(kit: memkit.Memkit) -> None:
    """The subcommand and its target bring it; the program alone, and another target, do not."""
    text = "Never push to main directly"
    filled(kit, text)
    (hit,) = kit.recall("git push --force origin main")
    assert hit.memory.text == text
    assert "action" in hit.parts
    for harmless in ("git status", "git push -u origin feature/quay", "git fetch --prune origin"):
        assert warned(kit, harmless) == []


def test_a_prohibition_about_a_file_comes_by_its_edit(kit: memkit.Memkit) -> None:
    """The path of an edit brings what names it, whatever is written there."""
    text = "Hands off src/wire/frames_gen.c, it is generated"
    filled(kit, text)
    assert warned(kit, "src/wire/frames_gen.c\n\tframe->len = 6;") == [text]
    assert warned(kit, "src/wire/frames.c\n\tframe->len = 6;") == []


def test_a_pattern_holds_for_the_option_and_target_it_means(kit: memkit.Memkit) -> None:
    """No warning by the beginning of a longer option, nor where another target is named."""
    force = "Nobody runs git push --force on shared branches"
    full = "No --rebuild-all on quay_events, it takes nine hours"
    filled(kit, force, trigger_patterns=["git push --force"])
    kit.memories.remember(full, kind="negative", trigger_patterns=["--rebuild-all"])
    assert warned(kit, "git push --force origin release/2") == [force]
    assert warned(kit, "git push --force-with-lease origin ada/quay-menu") == []
    assert warned(kit, "loader run --rebuild-all --select quay_events") == [full]
    assert warned(kit, "loader run --rebuild-all --select dim_berth") == []


def test_an_exception_that_a_memory_names_holds(kit: memkit.Memkit) -> None:
    """Where the memory itself allows the name that is in the action, its pattern does not warn."""
    text = "No scrape_step under 30s. Only the burst-probe job may have 5s."
    filled(kit, text, trigger_patterns=["scrape_step"])
    assert warned(kit, "conf/metrics.yaml\n- job: kubelet\n  scrape_step: 5s") == [text]
    assert warned(kit, "conf/metrics.yaml\n- job: burst-probe\n  scrape_step: 5s") == []


def test_a_search_for_a_forbidden_name_does_not_warn(kit: memkit.Memkit) -> None:
    """Looking for what must not be written is no writing of it."""
    filled(kit, "No arena_alloc after init", trigger_patterns=["arena_alloc"])
    assert warned(kit, "grep -rn arena_alloc src/ | head") == []
    assert warned(kit, "src/io.c\nbuf = arena_alloc(len);") == ["No arena_alloc after init"]


@pytest.mark.parametrize("text", ["docker ports", "bundle budget", "pnpm version"])
def test_a_few_words_after_a_program_may_be_a_question(kit: memkit.Memkit, text: str) -> None:
    """Such a query keeps its answers: nothing is lowered because it could be a command."""
    kit.memories.remember(f"{text}: see the table in the handbook")
    assert len(kit.recall(text)) == 1


@pytest.mark.parametrize(
    ("command", "goes_off"),
    [
        ("rm -r -f build", True),
        ("rm -fr build", True),
        ("rm -rfv build", True),
        ("rm -v -f -r build", True),
        ("rm -r build", False),
        ("rm -v build", False),
    ],
)
def test_short_options_are_the_same_together_and_apart(
    kit: memkit.Memkit, command: str, goes_off: bool
) -> None:
    """A pattern with -rf goes off at -r -f and at -fr, and not where one of them is missing."""
    text = "Never do that by hand, ask first."
    filled(kit, text, trigger_patterns=["rm -rf"])
    assert (text in warned(kit, command)) is goes_off
