"""Makes the fixture of the schema as it is now: python -m tests.make_fixture

One file per released schema lies in tests/fixtures for ever. Until a schema is released, `--renew`
makes its file again.
"""

from __future__ import annotations

import argparse
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import memkit
from memkit.encoder import HashedEncoder
from memkit.memories.writer import infer_tag
from memkit.store import schema

FIXTURES = Path(__file__).parent / "fixtures"
# Every fixture holds this statement, whatever else its memkit could write.
STATEMENT = "Never retry a POST: uploads were doubled."
QUESTION = "may I retry a POST?"


class Minutes:
    """A clock that moves on by a minute whenever it is read, from 2026-03-01T10:00:00Z."""

    def __init__(self, *, after: float = 1772359200.0) -> None:
        self.now = after

    def __call__(self) -> float:
        self.now += 60
        return self.now


def fill(kit: memkit.Memkit) -> None:
    """Write something of everything that this memkit can write."""
    put = kit.memories.remember
    retry = put(
        STATEMENT,
        kind="negative",
        tags=["http", "uploads"],
        about=["http/retry.py::Retry.post"],
        trigger_patterns=["requests.post"],
        artifacts=[("commit", "4f2a9c1"), ("adr", "0007")],
        session="s-1",
        snippet="the upload test",
        reason="seen twice",
    )
    put("Never retry POST; the uploads were doubled!", kind="negative")
    put(key="indent", value="two spaces", qualifier="typescript", kind="preference")
    put(key="indent", value="four spaces", qualifier="typescript", kind="preference")
    put("How to cut a release", kind="procedure", procedure=_release(), pinned=True)
    put("docs live in docs/", source="README.md#docs", messages=(3, 9), season="release-week")
    put("docs live in handbook/", source="README.md#docs", file_paths=["handbook/index.md"])
    put(
        "東京のサーバーは夜に止まる · Сервер в Москве · naïve café 🦀", author="añejo", private=True
    )
    cause = put("The staging database runs out of connections at noon.", tags=["db", "http"])
    rule = put("Use a pool of at most 20 connections.", derived_from=[cause], task="t-1")
    kit.memories.remember_many([f"Step {n} of the migration is done" for n in range(4)], chain=True)
    other = put("Retrying a POST is safe with an idempotency key.", provenance="inferred")
    kit.memories.contradict(retry, other, note="depends on the server")
    kit.memories.link(rule, retry, "relates_to", weight=0.7)
    kit.memories.forget(put("The build machine is called heron."), reason="renamed")
    kit.memories.purge(put("A line that must vanish."))
    kit.recall(QUESTION, session="s-1")
    kit.recall("quokka zither palimpsest", session="s-1")
    kit.context.documents.put(("users", "ann"), "tea", {"sure": True}, text="Ann drinks tea.")
    kit.context.transcripts.append("agents", "s-1", [{"role": "user"}, {"n": 1}], keys=["a", None])
    _work(kit)
    _candidates(kit)
    _inferred_tags(kit)


def _inferred_tags(kit: memkit.Memkit) -> None:
    """Infer two tags, of which one is taken away again."""
    memory = kit.memories.remember("The cart is emptied at midnight.")
    for name in ("cart", "night"):
        kit._store.write(partial(infer_tag, kit._store, memory.id, name))
    kit.memories.untag(memory, "night")


def fill_joined(kit: memkit.Memkit, folder: Path) -> None:
    """Write what comes of reading notes again and of joining another store, made in `folder`."""
    notes, moved = folder / "AGENTS.md", folder / "CONTRIBUTING.md"
    notes.write_text("# Deploy\n\n- Ship on Tuesdays.\n- Never ship without a tag.\n")
    moved.write_text("# Style\n\n- Use four spaces for indentation.\n")
    kit.import_notes(folder)
    notes.write_text("# Deploy\n\n- Ship on Wednesdays.\n")
    moved.unlink()
    kit.import_notes(folder)
    build = kit.memories.remember("The build runs on Jenkins.", reason="seen in the pipeline")
    kit.memories.remember("The cache is enabled.")
    kit.memories.remember("The cache is disabled.")
    clock = Minutes(after=kit._store.clock())
    path = folder / "other.memkit.db"
    how: dict[str, Any] = {"clock": clock, "encoder": HashedEncoder(64), "global_store": False}
    with memkit.open(path, **how) as other:
        other.import_(kit.path)
        other.memories.update(build, "The build runs on GitLab.", kind="correction")
        other.memories.remember("Tests never touch the network.")
        kit.memories.update(build, "The build runs on GitHub.")
        kit.memories.remember("Tests never touch the network!", snippet="a broken pipeline")
        kit.import_(path)
        other.memories.update(build, "The build runs at home.")
        kit.import_(path)
    kit.memories.update(build, "The build runs on a Mac.", provenance="corrected")
    with memkit.open(kit.path, **how | {"global_store": folder / "global.db"}) as wide:
        wide.memories.remember("Sign every commit of the build.", scope="global")
        wide.recall("where does the build run?", session="s-2", min_score=0)


def _candidates(kit: memkit.Memkit) -> None:
    """What was extracted from a prompt: a memory that waits, one accepted and one rejected."""
    for prompt in ("From now on ship from main.", "No, we use uv, not pip.", "Never tag by hand."):
        kit.extract(prompt, session="s-1", remember=True)
    first, second, _ = kit.review.pending()
    kit.review.accept(first)
    kit.review.reject(second, reason="only that week")


def _work(kit: memkit.Memkit) -> None:
    """A session with a fixed error, a part of a task, and a task that is left."""
    with kit.session("s-1", agent="fixture", branch="main", commit="4f2a9c1") as session:
        with session.task("Fix the doubled uploads", name="t-1") as task:
            command = {"command": "pytest -q tests/test_retry.py"}
            task.tool("Bash", command, output="AssertionError: 2 != 1", duration_ms=900)
            edit = {"path": "http/retry.py", "operation": "edit", "changes": "no retry of POST"}
            with task.task("Look for other retries", name="t-2") as part:
                part.file("http/client.py", "search", reason="who retries?")
            task.tool("Edit", {"file_path": "http/retry.py"}, files=[edit], call_id="c-1")
            task.tool("Bash", command, output="1 passed", duration_ms=800)
            task.snapshot([{"id": "m1", "type": "tool_result", "tokens": 40, "relevance": 0.4}])
            task.finish("uploads are sent once")
        session.task("Write the changelog", name="t-3").pause("headings are there")


def _release() -> memkit.Procedure:
    return memkit.Procedure(
        steps=("change the version", "run the tests", "tag"),
        name="release",
        trigger="a release is due",
        prerequisites=("a clean checkout",),
        warnings=("never on a Friday",),
    )


def main() -> None:
    """Write tests/fixtures/v<schema>.memkit.db, unless it is there already."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--renew", action="store_true", help="the schema is not released yet")
    path = FIXTURES / f"v{schema.reference().version}.memkit.db"
    if parser.parse_args().renew:
        path.unlink(missing_ok=True)
    if path.exists():
        parser.error(f"{path.name} is there; released files never change (--renew before that)")
    path.parent.mkdir(exist_ok=True)
    how: dict[str, Any] = {"clock": Minutes(), "encoder": HashedEncoder(64), "global_store": False}
    with tempfile.TemporaryDirectory() as folder, memkit.open(path, **how) as kit:
        fill(kit)
        fill_joined(kit, Path(folder))
        kit._store.maintenance("vacuum")


if __name__ == "__main__":
    main()
