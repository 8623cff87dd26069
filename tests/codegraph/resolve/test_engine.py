"""What an inference engine keeps, and what is left of it when it is closed."""

from __future__ import annotations

import gc
import weakref

import pytest

from memkit.codegraph import resolve
from memkit.codegraph.resolve import Program, SourceTree
from memkit.codegraph.resolve.edge_collector import EdgeCollector
from memkit.codegraph.resolve.engine import InferenceEngine

from ..programs import facts_of

FILES = {
    "a.py": "class A:\n    def run(self):\n        return [self]\n",
    "b.py": "from a import A\nfor one in A().run():\n    one.run()\n",
    "c.py": "from b import one\none.run()\n",
}
TREE = SourceTree.of({path: facts_of(text, path) for path, text in FILES.items()}, {})


def test_closed_engine_is_freed_without_the_garbage_collector() -> None:
    """Indexing pauses the collector, and an engine and its values refer to each other."""
    gc.disable()
    try:
        engine = InferenceEngine(TREE)
        for path in FILES:
            engine.begin_file(path)
            EdgeCollector(engine, path).collect()
        parts = [weakref.ref(engine), weakref.ref(engine.evaluator), weakref.ref(engine.files)]
        engine.close()
        del engine
        assert [part() for part in parts] == [None] * len(parts)
    finally:
        gc.enable()


def test_begun_anew_an_engine_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a file means does not depend on what is kept of the files before it."""
    program = Program(TREE)
    kept = [program.resolve(path) for path in FILES]
    monkeypatch.setattr(resolve, "_MAX_KEPT", 0)
    program = Program(TREE)
    assert [program.resolve(path) for path in FILES] == kept
