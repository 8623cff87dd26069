"""Scopes: what a task noted goes with it, walls stand, and nothing is promoted by itself.

Notes of a task: in the context while it runs, within their share, once, and for nobody else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import pytest

import memkit
from memkit import InvalidInput, ItemKind, NotFound, tokens
from memkit.encoder import HashedEncoder
from tests.conftest import Clock

MakeKit = Callable[..., memkit.Memkit]


def texts(items: object) -> list[str]:
    """Return what items or memories say."""
    return [entry.text for entry in items]  # type: ignore[attr-defined]


# -- the scope of a task


def test_task_keeps_reasoning_by_stage_and_outputs_of_tools(
    kit: memkit.Memkit, clock: Clock
) -> None:
    """Kinds, sources, tags and importances are those of seed 003; the newest comes first."""
    task = kit.context.task("t")
    plan = task.add_reasoning("Move the bucket.", "plan")
    clock.advance(1)
    output = task.add_tool_output("curl", {"status": 503})
    clock.advance(1)
    later = task.add_tool_output("ls", "a\nb", stage="plan")
    assert (plan.kind, plan.source, plan.tags) == ("reasoning", "task/t/plan", ("plan", "task"))
    assert (output.source, output.tags) == ("task/t", ("curl", "task", "tool"))
    assert (plan.importance, output.importance, plan.tokens) == (0.5, 0.7, 4)
    assert (output.text, output.payload) == ('{"status": 503}', {"tool": "curl", "is_json": True})
    assert task.stage_outputs("plan") == [later, plan]
    assert task.items({"kind": "tool_output"}) == [later, output]
    assert kit.context.task("t").items() == [later, output, plan]
    assert kit.context.task("u").items() == []
    task.clear()
    assert task.items() == []


def test_backend_of_ones_own_holds_the_items_of_a_task(kit: memkit.Memkit) -> None:
    """Nothing is written; a package and a promotion take them all the same."""
    backend = memkit.InMemoryBackend()
    task = kit.context.task("t", backend=backend)
    note = task.add_reasoning("The bucket is cold.", "plan")
    assert backend.list_all() == task.stage_outputs("plan") == [note]
    assert not kit._store.all("tables.context_items_rows")
    assert kit.context.package(task=task).items == (note,)
    assert task.promote(note) is not None
    assert backend.count() == 0


def test_long_output_keeps_both_ends_and_no_half_of_a_secret(kit: memkit.Memkit) -> None:
    """What lies between is counted; a secret at the cut is replaced before it is cut."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    head = "a " * 5_990 + secret
    kept = kit.context.task("t").add_tool_output("cat", head + "b " * 30_000 + "the end")
    assert len(kept.text) < 20_100
    assert kept.text.startswith("a a ")
    assert kept.text.endswith("the end")
    assert "ghp_" not in kept.text
    assert f"[… {len(head) + 60_007 - 20_000:,} characters …]" in kept.text


@pytest.mark.parametrize("end", ["completed", "failed", "exception", "killed", "shell", "purged"])
def test_items_go_with_the_end_of_their_task(kit: memkit.Memkit, clock: Clock, end: str) -> None:
    """However it ends, also if another program or a merge says so; others keep theirs."""
    other = kit.context.task("other").add_reasoning("Stays.", "plan")
    session = kit.session("s")
    task = session.task("fix the upload", name="t")
    scope = kit.context.task(task)
    scope.add_reasoning("The bucket is cold.", "plan")
    task.pause()
    assert len(scope.items()) == 1
    task.resume()
    if end == "completed":
        task.finish("done")
    elif end == "failed":
        task.fail("no")
    elif end == "exception":
        with pytest.raises(ZeroDivisionError), task:
            1 / 0  # noqa: B018
    elif end == "killed":
        clock.advance(days=3)
        kit.session("later")
        kit.trim()
    elif end == "shell":
        with closing(sqlite3.connect(kit.path)) as shell, shell:
            shell.execute("update task_history set status = 'completed'")
    else:
        kit.episodes.purge(task="t")
    assert scope.items() == []
    assert kit.context.package(task="t").items == ()
    if end != "purged":
        with pytest.raises(InvalidInput, match="its items are gone"):
            scope.add_reasoning("Too late.", "plan")
    kit.trim()
    rows = kit._store.all("tables.context_items_rows")
    assert [row[2] for row in rows] == [other.id]


def test_task_that_ends_elsewhere_hides_its_items_after_a_merge(make_kit: MakeKit) -> None:
    """The other clone finished it; here its items are gone, and nothing of them was exported."""
    here, there = make_kit("here.db"), make_kit("there.db")
    for kit in (here, there):
        kit.session("s").task("fix the upload", name="t")
    here.context.task("t").add_reasoning("The bucket is cold.", "plan")
    there.context.task("t").add_reasoning("Theirs alone.", "plan")
    done = there.session("s").task("fix the upload", name="t")
    there._store.clock.advance(5)  # type: ignore[attr-defined]
    done.finish("done")
    here.import_(there.path)
    assert here.context.task("t").items() == []


# -- the scope of a project


def test_project_items_are_memories_with_the_tags_of_the_seed(kit: memkit.Memkit) -> None:
    """A decision is a fact, a convention a preference, a failure a correction or negative."""
    project = kit.context.project()
    decision = project.add_decision("Uploads go through the queue.", tags=["Uploads"])
    convention = project.add_convention("Names are short.", "naming")
    failure = project.add_failure("uploads were doubled", "Never retry a POST.", code="dup")
    guard = project.add_failure(
        "the disk was full", "Ask before rm -rf.", trigger_patterns=["rm -rf"]
    )
    kinds = [kit.memories.get(entry.id).kind for entry in (decision, convention, failure, guard)]
    assert kinds == ["fact", "preference", "correction", "negative"]
    assert decision.tags == ("decision", "project", "uploads")
    assert convention.tags == ("convention", "naming", "project")
    assert failure.tags == ("dup", "failure", "project")
    importances = [entry.importance for entry in (decision, convention, failure)]
    assert importances == [0.9, 0.8, 0.85]
    assert failure.payload == {"failure": "uploads were doubled", "lesson": "Never retry a POST."}
    assert guard.payload["trigger_patterns"] == ["rm -rf"]
    assert project.decisions(tags=["uploads", "none"]) == [decision]
    assert project.decisions(tags="none") == []
    assert project.conventions("naming") == [convention]
    assert project.failures() == [guard, failure]
    assert kit.recall("how do uploads reach the bucket?", min_score=0)[0].memory.id == int(
        decision.id
    )


def test_lowest_tenth_is_evicted_by_importance_then_age(kit: memkit.Memkit, clock: Clock) -> None:
    """Not what is pinned, not what warns of a failure; it is forgotten and can be restored."""
    project = kit.context.project(max_items=20)
    backend = project.backend
    failure = project.add_failure("it broke", "Ask first.")
    kit.memories.update(failure.id, importance=0.0)
    numbers = []
    for number in range(19):
        clock.advance(1)
        importance = 0.1 if number in (3, 7, 11) else 0.9
        entry = memkit.ContextItem(
            "", "decision", "", kit._store.now(), (), importance, 0, f"Choice {number} was made."
        )
        numbers.append(backend.add(entry).id)
    kit.memories.pin(numbers[3])
    assert backend.count() == 20
    assert not kit.memories.find(active=False)
    clock.advance(1)
    project.add_decision("One more was made.")
    gone = kit.memories.find(active=False, history=True)
    assert {str(memory.id) for memory in gone} == {numbers[7], numbers[11]}
    assert all("more than 20 items" in str(memory.inactive_reason) for memory in gone)
    kit.memories.restore([numbers[7]])
    assert backend.get(numbers[7]) is not None


@hypothesis.given(
    names=st.lists(
        st.sampled_from(["", "a", "a/b", "e\u0301", "A "]), min_size=2, max_size=3, unique=True
    ),
    words=st.lists(st.sampled_from(["kiln", "glaze", "clay", "oven"]), min_size=1, max_size=4),
)
@hypothesis.settings(max_examples=6)
def test_no_project_reads_another(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], words: list[str]
) -> None:
    """Not in lists, not by id, not by promotion, and not the tasks of another either."""
    path = tmp_path_factory.mktemp("walls") / ".memkit.db"
    items: dict[str, list[memkit.ContextItem]] = {}
    notes: dict[str, memkit.ContextItem] = {}
    for name in names:
        with _open(path, name) as kit:
            project = kit.context.project()
            items[name] = [project.add_decision(f"The {word} belongs to {name}.") for word in words]
            notes[name] = kit.context.task("t").add_reasoning(f"Thought in {name}.", "plan")
    for name in names:
        others = [entry for other in names if other != name for entry in items[other]]
        with _open(path, name) as kit:
            project = kit.context.project()
            assert {entry.id for entry in project.items()} == {entry.id for entry in items[name]}
            assert kit.context.task("t").items() == [notes[name]]
            assert set(kit.context.package(task="t").items) == {*items[name], notes[name]}
            for entry in others:
                assert project.backend.get(entry.id) is None
                assert project.backend.delete(entry.id) is False
                with pytest.raises(NotFound):
                    project.promote(entry)
                with pytest.raises(NotFound):
                    kit.context.promote(entry.id, "global")
            assert kit.context.global_scope().backend.count() == 0


def _open(path: Path, project: str) -> memkit.Memkit:
    return memkit.open(
        path, clock=Clock(), encoder=HashedEncoder(64), global_store=False, project=project
    )


# -- the global scope, and what is risky about it


def test_preferences_and_patterns_hold_in_every_project(make_kit: MakeKit, tmp_path: Path) -> None:
    """They lie in the second file; another project's kit lists them, and recall finds them."""
    one = make_kit("one.db", global_store=tmp_path / "g.db")
    other = make_kit("other.db", global_store=tmp_path / "g.db")
    everywhere = one.context.global_scope()
    assert everywhere.preferences() == []
    preference = everywhere.add_preference("Answer in one paragraph.", "verbosity")
    pattern = everywhere.add_pattern("Bisect before you debug.", "debugging")
    assert preference is not None
    assert (preference.source, preference.tags) == ("global", ("global", "preference", "verbosity"))
    assert (preference.importance, pattern.importance) == (0.9, 0.7)
    assert one.memories.get(pattern.id).kind == "procedure"
    assert not one._store.all("tables.memory_items_rows")
    seen = other.context.global_scope()
    assert seen.preferences("verbosity") == [preference]
    assert seen.preferences("style") == []
    assert seen.patterns("debugging") == [pattern]
    assert texts(other.context.package().items) == [preference.text, pattern.text]
    mine = other.memories.remember("Answer at length here.", supersedes=[int(preference.id)])
    assert mine.replaced
    assert other.context.global_scope().preferences() == []
    assert one.context.global_scope().preferences() == [preference]


def test_declined_confirmation_writes_nothing(kit: memkit.Memkit) -> None:
    """A preference, its change and a clearing are asked for; patterns and questions are not."""
    asked: list[str] = []

    def decline(question: str) -> bool:
        asked.append(question)
        return False

    free, wary = kit.context.global_scope(), kit.context.global_scope(confirm=decline)
    preference = free.add_preference("Answer briefly.", "verbosity")
    assert preference is not None
    assert wary.add_preference("Answer at length.", "verbosity") is None
    assert wary.change_preference(preference, "Answer never.") is None
    assert wary.clear_all() is False
    assert wary.preferences() == [preference]
    assert wary.add_pattern("Bisect first.", "debugging").kind == "pattern"
    assert len(asked) == 3
    assert "'Answer at length.' (category: verbosity)" in asked[0]
    assert "1 statements" in asked[2]


def test_agreed_confirmation_writes(kit: memkit.Memkit) -> None:
    """What was agreed to is done; all global memories go at once and can be restored."""
    everywhere = kit.context.global_scope(confirm=lambda question: True)
    item = everywhere.add_preference("Answer briefly.", "verbosity", require_confirmation=True)
    assert item is not None
    changed = everywhere.change_preference(item, "Answer in a paragraph.")
    assert changed is not None
    assert (changed.id, changed.text) == (item.id, "Answer in a paragraph.")
    plain = kit.memories.remember("The user is called Ann.", scope="global")
    own = kit.context.project().add_decision("Stays.")
    assert everywhere.clear_all() is True
    assert texts(kit.memories.find()) == [own.text]
    kit.memories.restore([plain.id, int(item.id)])
    assert everywhere.preferences() == [changed]


def test_required_confirmation_without_anybody_to_ask_is_refused(kit: memkit.Memkit) -> None:
    """Nothing is written unasked where asking was required."""
    everywhere = kit.context.global_scope()
    with pytest.raises(InvalidInput, match="nobody can be asked"):
        everywhere.add_preference("Answer briefly.", "style", require_confirmation=True)
    assert everywhere.preferences() == []


# -- promotion


def test_promoted_task_item_moves_to_the_project(kit: memkit.Memkit) -> None:
    """It is a memory there, of the kind that is named, or else believed as what was seen."""
    task = kit.context.task("t")
    note = task.add_reasoning("The queue loses its order.", "diagnose")
    output = task.add_tool_output("curl", "HTTP/2 503")
    lesson = task.promote(note, kind="decision")
    seen = task.promote(output.id)
    assert lesson is not None
    assert seen is not None
    assert (lesson.kind, lesson.tags) == ("decision", ("decision", "diagnose", "project"))
    assert (seen.kind, seen.tags) == ("tool_output", ("curl", "project", "tool-output"))
    provenances = [kit.memories.get(entry.id).provenance for entry in (lesson, seen)]
    assert provenances == ["stated", "observed"]
    assert kit.context.project().items() == [seen, lesson]
    assert task.items() == []
    with pytest.raises(NotFound, match="no item"):
        task.promote(note)
    with pytest.raises(InvalidInput, match="no wider scope"):
        task.promote(task.add_reasoning("x", "y"), "session")


def test_promotion_to_global_keeps_the_project_its_own(make_kit: MakeKit, tmp_path: Path) -> None:
    """A convention becomes a preference; what it replaces here of the global ones, it replaces."""
    kit = make_kit(global_store=tmp_path / "g.db")
    former = kit.context.global_scope().add_preference("Indent by tabs.", "style")
    doubted = kit.context.global_scope().add_pattern("Trust the compiler.", "c")
    project = kit.context.project()
    rule = project.add_convention("Indent by two spaces.", "style")
    assert former is not None
    kit.memories.supersede(former.id, rule.id)
    kit.memories.contradict(rule.id, doubted.id)
    assert project.promote(rule, confirm=lambda question: False) is None
    assert kit.context.global_scope().preferences() == []
    wide = project.promote(rule)
    assert wide is not None
    assert (wide.kind, wide.payload) == ("preference", {"scope": "style"})
    assert wide.tags == ("global", "preference", "style")
    assert project.conventions() == [rule]
    other = make_kit("other.db", global_store=tmp_path / "g.db")
    assert other.context.global_scope().preferences() == [wide]
    pairs = [(pair.memory_a, pair.memory_b) for pair in other.memories.contradictions()]
    assert pairs == [tuple(sorted((int(wide.id), int(doubted.id))))]
    assert project.promote(rule) == wide
    hits = kit.recall("how far is code indented?", min_score=0)
    assert [hit.memory.text for hit in hits].count(rule.text) == 1


def test_memory_of_a_session_is_promoted_step_by_step(make_kit: MakeKit, tmp_path: Path) -> None:
    """First to the project, keeping its id, then to every project, without its places in this."""
    kit = make_kit(global_store=tmp_path / "g.db")
    memory = kit.memories.remember(
        "Kilns cool by night.", scope="session", session="s", source="notes.md", about="kiln.py"
    )
    nearer = kit.context.promote(memory.id)
    assert nearer is not None
    assert (nearer.id, nearer.scope, nearer.session) == (memory.id, "project", None)
    wide = kit.context.promote(memory.id)
    assert wide is not None
    assert (wide.scope, wide.source, wide.about, wide.text) == ("global", None, (), nearer.text)
    edges = [(edge.src, edge.dst, edge.kind) for edge in kit.memories.edges(memory.id)]
    assert (wide.id, memory.id, "derived_from") in edges
    with pytest.raises(InvalidInput, match="already"):
        kit.context.promote(wide.id, "project")
    with pytest.raises(NotFound, match="item-5"):
        kit.context.promote("item-5")


# -- a package of all three


def test_package_splits_the_budget_and_lets_the_rest_flow_on(kit: memkit.Memkit) -> None:
    """Each scope has its share first; what one leaves unused is the others'."""
    task, project = kit.context.task("t"), kit.context.project()
    words = "the kiln is warm and the glaze is cold by now"
    for number in range(10):
        task.add_reasoning(f"Step {number}: {words}.", "plan")
        project.add_decision(f"Choice {number}: {words}.")
    one = kit.context.package(task="t", budget=40).tokens
    whole = kit.context.package(task="t", budget=one * 10)
    assert (len(whole.items), whole.tokens) == (10, one * 10)
    assert [entry.kind for entry in whole.items].count(ItemKind.REASONING) == 4
    assert len(whole.left_out) == 10
    assert whole.compression_ratio == 0.5
    assert whole.summary.startswith(f"task: 4 of 10 items, {one * 4} tokens; project: 6 of 10")
    wide = kit.context.package(task="t", budget=one * 10, split={"task": 1})
    assert {entry.kind for entry in wide.items} == {ItemKind.REASONING}
    assert kit.context.package(task="t", budget=one * 100).left_out == ()
    with pytest.raises(InvalidInput, match=r"add up to 1\.2"):
        kit.context.package(split={"task": 0.6, "global": 0.6})
    with pytest.raises(InvalidInput, match="session"):
        kit.context.package(split={"session": 0.6})


def test_head_and_tail_are_preserved_before_the_middle(kit: memkit.Memkit, clock: Clock) -> None:
    """The first and last in time come in, though what lies between matters more."""
    task = kit.context.task("t")
    for number in range(6):
        clock.advance(1)
        if number in (0, 5):
            task.add_reasoning(f"Step {number} warm kiln.", "plan")
        else:
            task.add_tool_output("kiln", f"Step {number} warm kiln.")
    one = kit.context.package(task="t", budget=14).tokens
    chosen = kit.context.package(task="t", budget=one * 3, head_tail=1)
    assert [entry.text[5] for entry in chosen.items] == ["1", "0", "5"]
    plain = kit.context.package(task="t", budget=one * 3)
    assert [entry.text[5] for entry in plain.items] == ["1", "2", "3"]


@hypothesis.given(
    sizes=st.lists(st.tuples(st.integers(1, 40), st.floats(0, 1)), max_size=12),
    budget=st.integers(1, 300),
    split=st.dictionaries(st.sampled_from(["task", "project", "global"]), st.floats(0, 0.33)),
    head_tail=st.integers(0, 3),
)
def test_package_is_never_over_budget_and_loses_nothing(
    sizes: list[tuple[int, float]], budget: int, split: dict[str, float], head_tail: int
) -> None:
    """Every item is inside or left out, none that is left out would still fit, and the same comes
    out whatever the order of what went in."""
    from memkit.context.scopes import Share, package

    items = [
        memkit.ContextItem(
            str(n), "decision", "", f"2026-01-01T00:00:{n:02}Z", (), weight, size, "kiln " * size
        )
        for n, (size, weight) in enumerate(sizes)
    ]
    groups = {scope: items[n::3] for n, scope in enumerate(Share)}
    result = package(groups, budget=budget, split=split, head_tail=head_tail)
    assert result.tokens <= budget
    assert sorted(e.id for e in (*result.items, *result.left_out)) == sorted(e.id for e in items)
    alone = [package({Share.TASK: [entry]}, budget=10_000).tokens for entry in result.left_out]
    assert all(result.tokens + cost > budget for cost in alone)
    turned = {scope: group[::-1] for scope, group in groups.items()}
    assert package(turned, budget=budget, split=split, head_tail=head_tail) == result


# -- with the file: export, import, merge, purge


def test_payload_follows_its_memory_through_export_merge_and_purge(
    make_kit: MakeKit, tmp_path: Path
) -> None:
    """A row goes where its memory goes, under the number that this has there."""
    here, there = make_kit("here.db"), make_kit("there.db")
    own = here.context.project().add_convention("Names are short.", "naming")
    there._store.clock.advance(5)  # type: ignore[attr-defined]
    theirs = there.context.project().add_convention("Names are short.", "style")
    extra = there.context.project().add_failure("it broke", "Ask first.")
    assert own.id != theirs.id
    here.import_(there.path)
    there.import_(here.path)
    rows = [sorted(kit._store.all("tables.memory_items_rows")) for kit in (here, there)]
    assert rows[0] == rows[1]
    (joined,) = here.context.project().conventions()
    assert (joined.id, joined.payload) == (own.id, {"scope": "style"})  # said later
    here.export(tmp_path / "all.jsonl")
    copy = make_kit("copy.db")
    copy.import_(tmp_path / "all.jsonl")
    assert copy.context.project().items() == here.context.project().items()
    here.memories.purge(int(extra.id))
    assert [row[0] for row in here._store.all("tables.memory_items_rows")] == [int(own.id)]


def test_task_items_stay_on_this_machine_and_private_ones_out_of_exports(
    kit: memkit.Memkit, tmp_path: Path
) -> None:
    """Neither what a task noted nor the payload of a private memory is exported."""
    kit.context.task("t").add_reasoning("Thinking aloud.", "plan")
    item = kit.context.project().add_convention("Hidden rule.", "quiet")
    kit.memories.update(item.id, private=True)
    kit.export(tmp_path / "all.jsonl")
    exported = (tmp_path / "all.jsonl").read_text(encoding="utf-8")
    assert "Thinking aloud" not in exported
    assert "quiet" not in exported


def test_scrub_removes_a_secret_from_a_payload(make_kit: MakeKit) -> None:
    """One that another program wrote there goes, from items of tasks and of memories."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    kit = make_kit()
    kit.context.task("t").add_reasoning("x", "plan")
    kit.context.project().add_convention("Names are short.", "naming")
    kit.close()
    with closing(sqlite3.connect(kit.path)) as shell, shell:
        for table in ("context_items", "memory_items"):
            shell.execute(f"update {table} set payload = ?", (f'{{"a": ["{secret}"]}}',))
    kit = make_kit(kit.path.name)
    assert any("secret" in problem.detail for problem in kit.check().problems)
    assert kit.scrub().rows == 2
    assert secret.encode() not in kit.path.read_bytes()
    assert kit.check().is_sound


PROMPT = "why is the upload sent twice?"


@pytest.fixture
def kit_with_task(kit: memkit.Memkit) -> memkit.Memkit:
    """A store in which two sessions have a task each, with a note."""
    for session, task in (("monday", "fix-upload"), ("tuesday", "draw-logo")):
        with kit.session(session) as open_session:
            open_session.task("see its name", name=task)
            kit.context.task(task).add_reasoning(f"{task}: the client is to blame", stage="plan")
    return kit


def notes(context: memkit.AssembledContext) -> list[str]:
    return [item.text for item in context.items if item.source == "task notes"]


def test_named_task_brings_what_it_noted(kit_with_task: memkit.Memkit) -> None:
    context = kit_with_task.context.assemble(PROMPT, signals={"task": "fix-upload"})
    assert [note.split(": ", 1)[1] for note in notes(context)] == [
        "fix-upload: the client is to blame\n"
    ]


def test_session_brings_the_notes_of_its_running_task_once(kit_with_task: memkit.Memkit) -> None:
    """Another session's are not its own, and what was served is not served again."""
    assemble = kit_with_task.context.assemble
    assert "fix-upload" in "".join(notes(assemble(PROMPT, session="monday")))
    assert "draw-logo" in "".join(notes(assemble(session="tuesday")))
    assert notes(assemble(PROMPT, session="monday")) == []


def test_without_task_or_session_no_note_comes(kit_with_task: memkit.Memkit) -> None:
    assert notes(kit_with_task.context.assemble(PROMPT)) == []


def test_task_that_is_over_has_no_notes(kit: memkit.Memkit) -> None:
    with kit.session("monday") as session, session.task("fix it", name="fix-upload") as task:
        kit.context.task(task).add_reasoning("the client is to blame", stage="plan")
    assert notes(kit.context.assemble(PROMPT, signals={"task": "fix-upload"})) == []


@pytest.mark.parametrize("budget", [300, 1_000, 4_000])
def test_notes_take_two_fifths_at_most(kit: memkit.Memkit, budget: int) -> None:
    """Short ones come whole; of a long one a part comes where there is room for one."""
    task = kit.context.task("fix-upload")
    task.add_reasoning("The queue delivers at least once.", stage="plan")
    lines = (
        f"request {number} of upload {number * 7} took {number % 9} ms" for number in range(900)
    )
    task.add_tool_output("curl", "\n".join(lines))
    context = kit.context.assemble(PROMPT, budget=budget, signals={"task": "fix-upload"})
    text = "".join(notes(context))
    assert "The queue delivers at least once." in text
    assert ("output of curl" in text) == (budget > 300)
    assert tokens.count(text) <= 0.4 * budget
    assert [out.reason for out in context.left_out if out.what.startswith("item-")] == (
        [] if budget > 300 else ["no room in the share of the task's notes"]
    )
