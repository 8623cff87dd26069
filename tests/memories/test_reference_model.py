"""Any sequence of verbs leaves the store as the obvious model in `tests/reference.py` says."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

import memkit
from memkit.encoder import HashedEncoder
from memkit.errors import InvalidInput
from memkit.memories.identity import tag_name
from tests.reference import Model
from tests.strategies import statements, tag_names


class StoreMachine(RuleBasedStateMachine):
    """Verbs on a real file and on the model, side by side."""

    memories = Bundle("memories")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="memkit-model-"))
        self.model = Model()
        self.now = 1_772_359_200.0
        self.kit: memkit.Memkit = self._open()

    def _open(self) -> memkit.Memkit:
        return memkit.open(
            self.folder / "m.db",
            clock=lambda: self.now,
            encoder=HashedEncoder(16),
            global_store=False,
        )

    @initialize(target=memories, text=statements)
    def begin(self, text: str) -> object:
        """There is always something to work on."""
        return self.remember_it(text)

    @rule(target=memories, text=statements)
    def remember(self, text: str) -> object:
        """The same statement strengthens, another one is stored."""
        return self.remember_it(text)

    def remember_it(self, text: str) -> object:
        expected = self.model.same(text)
        found = self.kit.memories.remember(text)
        if expected is None:
            assert found.outcome == "stored"
            assert found.id not in self.model.rows
            assert found.id not in self.model.purged
        else:
            assert (found.id, found.outcome) == (expected, "strengthened")
        self.model.remember(found.id, text)
        return found.id if expected is None else multiple()

    @rule(number=memories, text=statements)
    def update(self, number: int, text: str) -> None:
        """A change keeps the id, and everything that is not named."""
        self.kit.memories.update(number, text)
        self.model.rows[number].text = text

    @rule(number=memories, name=tag_names)
    def tag(self, number: int, name: str) -> None:
        """A tag is carried from then on."""
        self.kit.memories.tag(number, name)
        self.model.rows[number].tags |= {tag_name(name)}

    @rule(number=memories, name=tag_names)
    def untag(self, number: int, name: str) -> None:
        """A tag that is not there can be taken all the same."""
        self.kit.memories.untag(number, name)
        self.model.rows[number].tags -= {tag_name(name)}

    @rule(number=memories, pinned=st.booleans())
    def pin(self, number: int, pinned: bool) -> None:
        """Pinning changes nothing else."""
        (self.kit.memories.pin if pinned else self.kit.memories.unpin)(number)
        self.model.rows[number].pinned = pinned

    @rule(numbers=st.lists(memories, min_size=1, max_size=3))
    def forget(self, numbers: list[int]) -> None:
        """Only the active ones are forgotten, each once."""
        expected = {n for n in numbers if self.model.rows[n].active}
        assert {memory.id for memory in self.kit.memories.forget(numbers)} == expected
        for number in expected:
            self.model.rows[number].active = False

    @rule(number=memories)
    def restore(self, number: int) -> None:
        """What is restored is current again."""
        self.kit.memories.restore(number)
        self.model.restore(number)

    @rule(old=memories, new=memories)
    def supersede(self, old: int, new: int) -> None:
        """A memory cannot take the place of itself or of one that took its own."""
        if old == new or old in self.model.successors(new):
            with pytest.raises(InvalidInput):
                self.kit.memories.supersede(old, new)
        else:
            self.kit.memories.supersede(old, new)
            self.model.supersede(old, new)

    @precondition(lambda self: len(self.model.rows) > 2)
    @rule(number=consumes(memories))
    def purge(self, number: int) -> None:
        """What is purged is gone, and its id stays used."""
        assert self.kit.memories.purge(number) == [number]
        self.model.purge(number)

    @rule(seconds=st.sampled_from([0.5, 90, 86400]))
    def wait(self, seconds: float) -> None:
        """Time goes by."""
        self.now += seconds

    @rule()
    def close_and_open(self) -> None:
        """Nothing lives outside the file."""
        self.kit.close()
        self.kit = self._open()

    @invariant()
    def the_file_is_as_the_model_says(self) -> None:
        """Rows, tags and tag counts agree, and check() finds nothing."""
        rows = self.model.rows
        found = {m.id: m for m in self.kit.memories.find(history=True, limit=1000)}
        assert found.keys() == rows.keys()
        for number, row in rows.items():
            memory = found[number]
            assert (memory.text, memory.active, memory.strength) == (
                row.text, row.active, row.strength,
            )  # fmt: skip
            assert (memory.pinned, memory.superseded_by) == (row.pinned, row.superseded_by)
            assert set(memory.tags) == row.tags
        assert {m.id for m in self.kit.memories.find(limit=1000)} == {
            number for number, row in rows.items() if row.active
        }
        carried = {name for row in rows.values() for name in row.tags}
        assert self.kit.memories.tags() == {
            name: sum(row.active and name in row.tags for row in rows.values()) for name in carried
        }
        assert self.kit.check().problems == ()

    def teardown(self) -> None:
        """The file goes with the machine."""
        self.kit.close()
        shutil.rmtree(self.folder)


StoreMachine.TestCase.settings = settings(max_examples=15, stateful_step_count=25)
TestStore = StoreMachine.TestCase
