"""Tasks, errors with their fixes and failed attempts that recall finds beside memories.

`RELATED` and `UNRELATED` are what the weights of memkit/retrieval/episode_retriever.py were set on.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.errors import InvalidInput
from memkit.retrieval.episode_query import parse
from tests.conftest import Clock

Open = Callable[..., memkit.Memkit]

# What was done, and what came of it: None is a task under way.
TASKS = {
    "refactor the login flow into middleware": "sessions live in redis now",
    "add dark mode to the settings page": "toggle is stored per user",
    "upgrade postgres from 14 to 16": "done with pg_upgrade, ten minutes of downtime",
    "speed up the nightly import": "COPY instead of inserts, 40 minutes saved",
    "write a retry policy for the payment webhook": "five tries with backoff, then a dead letter",
    "translate the onboarding mails to Spanish": "reviewed by Ines",
    "remove the unused feature flags": "eleven flags gone",
    "document the release process": "docs/release.md",
    "fix the memory leak in the image resizer": "buffers are returned to the pool",
    "move CI from Jenkins to GitHub Actions": "Jenkins is switched off",
}
FAILED = {
    "migrate the event loop to trio": "anyio plugins break under trio",
    "replace moment.js with date-fns in the calendar": "time zones were wrong in Safari",
    "run the browser tests in parallel": "they share one database and lock each other",
    "cache the product search in memcached": "invalidation was never right",
}
# Questions, and the task or attempt that comes first.
RELATED = {
    "the login refactoring": "refactor the login flow into middleware",
    "what came of the dark mode?": "add dark mode to the settings page",
    "did we already upgrade postgres?": "upgrade postgres from 14 to 16",
    "when did we make the nightly import faster?": "speed up the nightly import",
    "the retry policy of the payment webhook": "write a retry policy for the payment webhook",
    "have we translated the onboarding mails?": "translate the onboarding mails to Spanish",
    "removing unused feature flags": "remove the unused feature flags",
    "status of the release process documentation": "document the release process",
    "how did we fix the leak in the image resizer?": "fix the memory leak in the image resizer",
    "did we move from Jenkins to GitHub Actions?": "move CI from Jenkins to GitHub Actions",
    "did we already try trio?": "migrate the event loop to trio",
    "Let's switch the event loop over to trio.": "migrate the event loop to trio",
    "have we ever tried date-fns?": "replace moment.js with date-fns in the calendar",
    "I will run the browser tests in parallel now": "run the browser tests in parallel",
    "why did we give up memcached for product search?": "cache the product search in memcached",
    "wurde memcached schon mal probiert?": "cache the product search in memcached",
}
UNRELATED = [
    "which port does sshd use?",
    "a recipe for chocolate cake",
    "what is the capital of Norway?",
    "how do I cancel a pending task in celery?",
    "is anything working on staging?",
    "where is the tax computed?",
    "who reviews pull requests?",
    "may I retry an upload?",
    "which tests need a database?",
    "what does the settings page link to?",
    "how are flags passed to the compiler?",
    "import the module before the test",
    "thanks, looks good",
    "run the linter, then commit",
    "what do the mails of a customer cost?",
    "which version of node does CI use?",
    "rename the calendar component",
    "add a log line to the worker",
]


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> memkit.Memkit:
    """A kit with the packaged encoder in which the tasks above were done."""
    kit = memkit.open(tmp_path_factory.mktemp("worked") / ".memkit.db", global_store=False)
    with kit.session("s1") as session:
        for task, outcome in TASKS.items():
            session.task(task).finish(outcome)
        for task, error in FAILED.items():
            session.task(task).fail(error)
    return kit


def first(kit: memkit.Memkit, question: str, **options: object) -> str:
    """The line of the best episode, "" if there is none."""
    episodes = kit.recall(question, **options).episodes  # type: ignore[arg-type]
    return episodes[0].text if episodes else ""


@pytest.mark.parametrize(("question", "task"), RELATED.items())
def test_question_finds_the_task_it_speaks_of(
    worked: memkit.Memkit, question: str, task: str
) -> None:
    """By the task's own words, with what came of it."""
    outcome = {**TASKS, **FAILED}[task]
    assert task in first(worked, question)
    assert outcome in first(worked, question)


@pytest.mark.parametrize("question", UNRELATED)
def test_unrelated_question_finds_no_episode(worked: memkit.Memkit, question: str) -> None:
    """A word in common is no answer."""
    assert worked.recall(question).episodes == ()


@pytest.mark.parametrize(
    "question",
    [
        "what am I working on?",
        "What were we working on?",
        "open tasks",
        "which tasks are still open?",
        "is there any unfinished work?",
        "what is left to do?",
        "Good morning. Where did we stop?",
        "pick up where we left off",
        "Where were we?",
        "woran arbeite ich gerade?",
        "¿en qué estamos trabajando?",
        "dónde lo dejamos",
    ],
)
def test_unfinished_tasks_come_newest_first(
    kit: memkit.Memkit, clock: Clock, question: str
) -> None:
    """Those under way and those that rest, before what is done; no memory that holds the word
    "working"."""
    kit.memories.remember("Working copies are made with git worktree.")
    session = kit.session("s1")
    session.task("write the billing export", name="a").pause()
    clock.advance(hours=1)
    session.task("rename the cart service", name="b")
    session.task("drop the old API").finish("gone")
    found = kit.recall(question)
    assert [hit.task.name for hit in found.episodes[:2]] == ["b", "a"]
    assert {hit.source for hit in found.results} == {"tasks"}
    assert len(found.results) == (3 if parse(question).clauses[-1].is_last else 2)
    assert found.episodes[1].text == "paused: write the billing export"


@pytest.mark.parametrize(
    "question",
    [
        "What did I do yesterday?",
        "what have we done yesterday",
        "What did we get done yesterday?",
        "what was done yesterday?",
        "What happened yesterday?",
        "was habe ich gestern gemacht?",
        "qué hicimos ayer",
    ],
)
def test_work_of_a_time_is_its_tasks(kit: memkit.Memkit, clock: Clock, question: str) -> None:
    """Tasks that were begun or ended in it, the newest first, whatever came of them, and no
    others: those of today are none of yesterday's."""
    session = kit.session("s1")
    session.task("drop the old API").finish("gone")
    clock.advance(days=1)
    session.task("hi").finish()
    session.task("write the billing export", name="a").finish("as CSV")
    clock.advance(hours=0.1)
    session.task("rename the cart service", name="b")
    clock.advance(days=1)
    session.task("measure the start of the shell", name="today")
    found = kit.recall(question)
    assert [hit.task.name for hit in found.episodes] == ["b", "a"]
    assert kit.recall(question.replace("yesterday", "today").replace("gestern", "heute")).episodes


def test_time_in_which_nothing_was_done_has_no_tasks(kit: memkit.Memkit) -> None:
    kit.session("s1").task("write the billing export")
    assert kit.recall("what did I do two weeks ago?").episodes == ()
    (hit,) = kit.recall("What did I do today?").episodes
    assert hit.reasons == ("done in that time",)


def test_topic_beside_a_time_is_looked_for_by_its_words(kit: memkit.Memkit) -> None:
    """What was done about something is no list of all that was done."""
    session = kit.session("s1")
    session.task("write the billing export").finish("as CSV")
    session.task("rename the cart service").finish("it is called basket")
    (hit,) = kit.recall("what did we do about the billing export today?").episodes
    assert "billing" in hit.text


def test_nothing_is_unfinished_where_every_task_ended(kit: memkit.Memkit) -> None:
    """Asked what is open there is no answer; asked where work stopped there is the last task."""
    assert kit.recall("what am I working on?").results == ()
    kit.session("s1").task("drop the old API").finish("gone")
    assert kit.recall("what am I working on?").episodes == ()
    assert first(kit, "where did we stop?") == "completed: drop the old API – gone"


def test_where_work_stopped_few_tasks_come(kit: memkit.Memkit, clock: Clock) -> None:
    """The last that are unfinished, and what was done last; all that are open, if that is asked."""
    session = kit.session("s1")
    session.task("drop the old API").finish("gone")
    for number in range(7):
        clock.advance(hours=1)
        session.task(f"paint crane {number}")
    names = [hit.task.description for hit in kit.recall("where did we stop?").episodes]
    assert names == [*(f"paint crane {n}" for n in (6, 5, 4, 3)), "drop the old API"]
    assert len(kit.recall("what am I working on?").episodes) == 7


@pytest.mark.parametrize(
    "question",
    [
        "Where did we stop?",
        "continue where we stopped yesterday",
        "let's pick up where we left off",
        "where did we leave off?",
        "what did we do in the last session?",
        "Where did we stop? What is open?",
        "mach weiter wo wir gestern aufgehört haben",
        "was haben wir in der letzten Sitzung gemacht?",
        "what did I do today?",
    ],
)
def test_question_of_work_alone_is_answered_by_tasks_alone(
    kit: memkit.Memkit, question: str
) -> None:
    """Not by memories of the same words or day, nor by the like question asked before."""
    kit.memories.remember("We stopped the last session of the open house at yesterday's dinner.")
    session = kit.session("s1")
    session.task("drop the old API").finish("gone")
    session.task("move the uploads")
    kit.session("s2").task("where did we stop?").finish("told")
    results = kit.recall(question).results
    texts = {"active: move the uploads", "completed: drop the old API – gone"}
    assert {hit.text for hit in results} == texts
    context = kit.context.assemble(question).text
    assert "move the uploads" in context
    assert "dinner" not in context


def test_unfinished_task_that_is_named_comes_alone(kit: memkit.Memkit) -> None:
    """Words beside the phrase narrow it down."""
    session = kit.session("s1")
    session.task("billing: write the export")
    session.task("cart: rename the service")
    (hit,) = kit.recall("what is left to do in billing?").episodes
    assert "billing" in hit.text


def test_tasks_with_the_same_words_come_once(kit: memkit.Memkit, clock: Clock) -> None:
    """A prompt that was sent in one session after another is one answer: the newest, or the one
    that came to something."""
    for day in range(3):
        kit.session(f"s{day}").task("Move the uploads to the new bucket", name=f"t{day}")
        clock.advance(days=1)
    again = kit.session("s").task("move the uploads  to the new bucket", name="done")
    again.finish("uploads moved")
    assert [hit.task.name for hit in kit.recall("uploads to the bucket").episodes] == ["done"]
    unfinished = kit.recall("what am I working on?").episodes
    assert [hit.task.name for hit in unfinished] == ["t2"]
    assert kit.context.assemble().text.count("Move the uploads to the new bucket") == 1


def test_question_itself_is_no_task(kit: memkit.Memkit) -> None:
    """A hook records each prompt as a task before it is answered."""
    kit.episodes.record(
        {
            "hook_event_name": "UserPromptSubmit",
            "session_id": "s",
            "prompt": "what am I working on?",
        }
    )
    assert kit.recall("what am I working on?").episodes == ()
    pasted = "retry the \x1b[31mcart\x1b[0m\x00 upload of the heron"
    kit.episodes.record(
        {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": pasted}
    )
    assert kit.recall(pasted).episodes == ()
    kit.session("t").task("which port does sshd use?").finish()
    assert kit.recall("which port does sshd use?").episodes == ()


def failed_upload(kit: memkit.Memkit) -> None:
    """An upload test that fails, a change that does not help, one that does."""
    with kit.session("s1") as session, session.task("fix the flaky upload test") as task:
        call = {"command": "pytest -k upload"}
        task.tool("Bash", call, success=False, error="TimeoutError: 30 s")
        task.file("http/retry.py", "edit", changes="retry every method with backoff")
        task.tool("Bash", call, success=False, error="TimeoutError: 31 s")
        task.file("http/retry.py", "edit", changes="retry only GET")
        task.tool("Bash", call, success=True)
        task.finish("POST is no longer retried")


TRACEBACK = """what is this?

Traceback (most recent call last):
  File "/srv/app/http/retry.py", line 7, in send
    raise TimeoutError("45 s")
TimeoutError: 45 s
"""


@pytest.mark.parametrize(
    ("question", "count", "error"),
    [
        ("TimeoutError: 30 s", 1, "TimeoutError: 30 s"),
        (TRACEBACK, 2, "TimeoutError: 31 s (another number)"),
    ],
)
def test_pasted_error_finds_its_fix(
    kit: memkit.Memkit, question: str, count: int, error: str
) -> None:
    """The same fault, as a message or in a traceback; with other numbers that is said."""
    failed_upload(kit)
    hit = kit.recall(question).episodes[0]
    assert isinstance(hit, memkit.ErrorHit)
    assert hit.count == count
    assert hit.fix is not None
    assert hit.fix.files == ("http/retry.py",)
    assert hit.text == f"{error} – fixed: changed http/retry.py; then pytest -k upload passed"


def test_exact_number_goes_before_another_one(kit: memkit.Memkit) -> None:
    """Each message with its own fix; the fix of another number is no fix of this one."""
    curl = "curl: (22) The requested URL returned error: "
    with kit.session("s1") as session:
        for code, path in (("500", "server.py"), ("404", "routes.py")):
            call = {"command": f"curl localhost/{path}"}
            session.tool("Bash", call, success=False, output=f"{curl}{code}")
            session.file(path, "edit")
            session.tool("Bash", call, success=True)
    (seen,) = kit.episodes.find_errors()
    assert seen.message == f"{curl}404"
    for code, path in (("500", "server.py"), ("404", "routes.py")):
        (hit,) = kit.recall(f"{curl}{code}", sources="errors").episodes
        assert hit.text.startswith(f"{curl}{code} – fixed: changed {path}")
    (other,) = kit.recall(f"{curl}403", sources="errors").episodes
    assert other.text.startswith(f"{curl}404 (another number) – fixed")
    assert other.score < hit.score
    with kit.session("s2") as session:
        session.tool("Bash", {"command": "curl x"}, success=False, output=f"{curl}403")
    exact, other = kit.recall(f"{curl}403", sources="errors").episodes
    assert exact.text == f"{curl}403 – unsolved"
    assert "(another number) – fixed" in other.text


def test_error_among_others_in_a_log_is_found(kit: memkit.Memkit) -> None:
    """Each line that is an error by its form is looked up."""
    failed_upload(kit)
    log = "starting\nTimeoutError: 12 s\nretrying\nRuntimeError: gave up\n"
    assert first(kit, log).startswith("TimeoutError: 31 s")


def test_error_of_another_fault_finds_nothing(kit: memkit.Memkit) -> None:
    """Equal words of the kind of error are not the same error."""
    failed_upload(kit)
    with kit.session("s2") as session:
        session.tool("Bash", {"command": "make"}, success=False, error="KeyError: 'user'")
    for other in ("KeyError: 'price'", "ValueError: 30 s", "ConnectionError: refused"):
        assert kit.recall(other, sources="errors").episodes == ()


def test_error_that_nothing_fixed_is_unsolved(kit: memkit.Memkit) -> None:
    """That it is known, and that nothing helped, is an answer."""
    kit.session("s1").tool("Bash", {"command": "make"}, success=False, error="error: no rule")
    assert first(kit, "error: no rule") == "error: no rule – unsolved"


def test_error_is_found_by_what_it_is_called(tmp_path: Path) -> None:
    """A question that names the error in a sentence."""
    with memkit.open(tmp_path / ".memkit.db", global_store=False) as kit:
        failed_upload(kit)
        assert "fixed" in first(kit, "why do uploads end in a TimeoutError?", sources="errors")


def test_command_in_another_version_is_a_fix(kit: memkit.Memkit) -> None:
    """What could not be installed in one version was installed in another."""
    fault = "ERROR: No matching distribution found for foo==2.0"
    with kit.session("s1") as session:
        for _ in range(3):
            call = {"command": "pip install foo==2.0"}
            session.tool("Bash", call, success=False, error=fault)
        session.tool("Bash", {"command": "pip install bar==1.9"}, success=True)
        assert first(kit, fault).endswith("unsolved")
        session.tool("Bash", {"command": "pip install foo==1.9"}, success=True)
    assert first(kit, fault) == f"{fault} – fixed: pip install foo==1.9 passed instead"
    assert kit.recall(fault).episodes[0].at == kit.episodes.find_errors(fault)[0].last_at


def test_failed_change_is_found_by_what_was_changed(kit: memkit.Memkit) -> None:
    """With the error that came of it."""
    failed_upload(kit)
    for question in ("did we try retrying every method?", "what did not work?"):
        (hit,) = kit.recall(question, sources="attempts").episodes
        assert isinstance(hit, memkit.AttemptHit)
        assert hit.files == ("http/retry.py",)
        assert hit.text == (
            "http/retry.py: retry every method with backoff – failed: TimeoutError: 31 s"
        )


def test_filters_of_memories_leave_no_episodes(worked: memkit.Memkit) -> None:
    """Kind, tags and scope are of memories; sources say where to look."""
    question = "did we already try trio?"
    assert first(worked, question)
    for filters in ({"kind": "fact"}, {"tags": "http"}, {"scope": "project"}):
        assert first(worked, question, **filters) == ""
        with pytest.raises(InvalidInput, match="only memories have it"):
            worked.recall(question, sources="tasks", **filters)  # type: ignore[arg-type]
    assert first(worked, question, sources=["memories", "errors"]) == ""
    assert first(worked, question, project="another") == ""
    assert "failed" in first(worked, question, sources="tasks")
    with pytest.raises(InvalidInput, match="sources: 'dreams' is unknown"):
        worked.recall(question, sources="dreams")
    with pytest.raises(InvalidInput, match="sources: the list is empty"):
        worked.recall(question, sources=[])


def test_times_narrow_episodes(kit: memkit.Memkit, clock: Clock) -> None:
    """What was done before or after does not come."""
    failed_upload(kit)
    clock.advance(days=3)
    for question in ("TimeoutError: 30 s", "the flaky upload test", "what did not work?"):
        assert first(kit, question, since="4 days ago")
        assert first(kit, question, since="yesterday") == ""
        assert first(kit, question, until="4 days ago") == ""
        assert first(kit, question, as_of="4 days ago") == ""


def test_limit_and_floor_hold_for_episodes(worked: memkit.Memkit) -> None:
    """At most so many, and nothing below what is asked for."""
    everything = worked.recall("the login refactoring", min_score=0).episodes
    assert len(everything) > 1
    assert [hit.score for hit in everything] == sorted(
        (hit.score for hit in everything), reverse=True
    )
    assert len(worked.recall("the login refactoring", min_score=0, limit=1).episodes) == 1
    assert worked.recall("the login refactoring", min_score=1).episodes == ()


def test_question_that_episodes_answer_is_no_gap(kit: memkit.Memkit) -> None:
    """Only what was asked in vain is worth remembering."""
    failed_upload(kit)
    kit.recall("TimeoutError: 30 s", session="s2")
    assert kit.gaps() == []


def test_secrets_do_not_come_back(kit: memkit.Memkit) -> None:
    """They are not stored, and a question that holds one finds the same fault."""
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    with kit.session("s1") as session:
        call = {"command": f"curl -H 'Authorization: Bearer {token}' x.io"}
        session.tool("Bash", call, success=False, error=f"fatal: rejected token {token} for push")
        session.tool("Bash", call, success=True)
    hit = kit.recall(f"fatal: rejected token {token} for push").episodes[0]
    assert token not in repr(hit)
    assert token not in hit.text
    assert "fixed" in hit.text


@given(st.text(max_size=200))
def test_any_text_is_a_question(worked: memkit.Memkit, text: str) -> None:
    """Nothing raises, and scores are probabilities in order."""
    scores = [hit.score for hit in worked.recall(text, min_score=0).episodes]
    assert all(0 <= score <= 1 for score in scores)
    assert scores == sorted(scores, reverse=True)
    assert len(parse(text).clauses) <= 12


def test_long_text_is_read_at_its_ends(kit: memkit.Memkit) -> None:
    """A log of a megabyte takes no longer than its last lines."""
    failed_upload(kit)
    log = "ok  test passed in 3 ms\n" * 40_000 + "TimeoutError: 9 s\n"
    assert first(kit, log).startswith("TimeoutError")


def test_store_without_episodes_is_asked_once(kit: memkit.Memkit) -> None:
    """As long as the file stays as it is, nothing more is read."""
    kit.memories.remember("Uploads go through the queue.")
    kit.recall("uploads")
    asked: list[str] = []
    first = kit._store.first
    kit._store.first = lambda name, **params: (asked.append(name), first(name, **params))[1]  # type: ignore[method-assign]
    kit.recall("uploads", sources="tasks")
    kit.recall("uploads", sources="errors")
    assert asked.count("retrieval_episodes.has_episodes") <= 1
