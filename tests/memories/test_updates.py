"""Changing what is known: in place, undoable, and never more than was asked for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memkit
from memkit import Draft
from memkit.errors import InvalidInput, NotFound
from tests.asking import by_words
from tests.tables import each_row


@pytest.fixture
def three(kit: memkit.Memkit) -> list[memkit.Memory]:
    """Three memories with a tag in common."""
    words = ("maple syrup", "birch bark", "cedar oil")
    return [kit.memories.remember(word, tags=["wood"]).memory for word in words]


# -- update


def test_update_keeps_what_is_not_named(kit: memkit.Memkit, clock: Callable[..., float]) -> None:
    """Id, birth, strength and every other field stay; the index follows."""
    made = kit.memories.remember(
        "the vault opens at nine", tags=["bank"], importance=0.9, source="s#1", pinned=True,
        messages=(1, 2), about=["a.py"], valid_to="2027-01-01", trigger_patterns=["vault"],
    ).memory  # fmt: skip
    kit.memories.remember("bank", tags=["bank"])
    clock.advance(days=1)
    changed = kit.memories.update(made, "the vault opens at ten")
    assert changed.text == "the vault opens at ten"
    assert changed.updated_at > made.updated_at
    for name in ("id", "created_at", "tags", "importance", "source", "pinned", "messages",
                 "valid_to", "trigger_patterns", "strength"):  # fmt: skip
        assert getattr(changed, name) == getattr(made, name)
    assert [(a.path, a.symbol, a.hash) for a in changed.about] == [("a.py", "", None)]
    assert by_words(kit, "ten")
    assert not by_words(kit, "nine")


def test_update_replaces_tags_and_anchors_that_are_named(kit: memkit.Memkit) -> None:
    """Tags given are the tags from then on; a tag nobody carries is gone."""
    made = kit.memories.remember("salt the road", tags=["ice", "road"], about=["a.py", "b.py::c"])
    changed = kit.memories.update(made, tags=["road", "winter"], about=["c.py"])
    assert changed.tags == ("road", "winter")
    assert set(kit.memories.tags()) == {"road", "winter"}
    assert [anchor.path for anchor in changed.about] == ["c.py"]
    assert kit.memories.update(made, tags=[]).tags == ()


def test_update_of_a_value_changes_the_text_made_of_it(kit: memkit.Memkit) -> None:
    """A text that only repeated the fields follows them; one of its own stays."""
    made = kit.memories.remember(key="port", value="80")
    assert kit.memories.update(made, value="81").text == "port: 81"
    own = kit.memories.remember("we listen there", key="host", value="a")
    assert kit.memories.update(own, value="b").text == "we listen there"


def test_update_refuses_what_is_given_once(kit: memkit.Memkit) -> None:
    """A field that cannot change is named, not passed over."""
    made = kit.memories.remember("bricks are red")
    for name, value in {"at": "2026-01-01", "supersedes": made, "snippet": "x"}.items():
        with pytest.raises(InvalidInput, match=name):
            kit.memories.update(made, **{name: value})
    with pytest.raises(InvalidInput, match="colour"):
        kit.memories.update(made, colour="x")
    with pytest.raises(InvalidInput, match="blank"):
        kit.memories.update(made, " ")
    assert kit.memories.get(made.id).text == "bricks are red"


def test_update_cannot_take_the_source_of_another(kit: memkit.Memkit) -> None:
    """Two memories never claim one place; the other one is named."""
    one = kit.memories.remember("one", source="doc#a")
    two = kit.memories.remember("two", source="doc#b")
    with pytest.raises(InvalidInput, match=str(one.id)):
        kit.memories.update(two, source="doc#a")
    assert kit.memories.update(two, source="doc#b").source == "doc#b"


# -- forget, restore, purge


@each_row(
    "nothing", [[], (), None, {}, {"scope": "a"}, "%", "all", ["%"], [None], True, 1.5, b"1", [""]]
)
@each_row("verb", ["forget", "restore", "purge"])
def test_naming_nothing_never_means_everything(
    kit: memkit.Memkit, three: list[memkit.Memory], verb: str, nothing: object
) -> None:
    """An empty or meaningless list deletes nothing and raises."""
    for dry in ({}, {"dry_run": True}) if verb != "restore" else ({},):
        with pytest.raises(InvalidInput):
            getattr(kit.memories, verb)(nothing, **dry)
    assert len(kit.memories.find()) == 3


def test_one_unknown_id_of_many_forgets_none(
    kit: memkit.Memkit, three: list[memkit.Memory]
) -> None:
    """A list with an id that is not there changes nothing."""
    for verb in (kit.memories.forget, kit.memories.purge, kit.memories.restore):
        with pytest.raises(NotFound, match="77"):
            verb([three[0].id, 77])
    assert len(kit.memories.find()) == 3


def test_a_dry_run_says_what_would_go(kit: memkit.Memkit) -> None:
    """Exactly those of one project are named, and nothing has happened until it is meant."""
    for project in ("a", "b", "c"):
        kit.memories.remember_many(Draft(f"{project}{n}", project=project) for n in range(5))
    wanted = kit.memories.find(project="a")
    assert kit.memories.forget(wanted, dry_run=True) == list(wanted)
    assert kit.memories.purge(wanted, dry_run=True) == [memory.id for memory in wanted]
    everywhere = {"project": {"$ne": None}}
    assert len(kit.memories.find(everywhere)) == 15
    assert len(kit.memories.forget(wanted, reason="moved out")) == 5
    assert {m.project for m in kit.memories.find(everywhere)} == {"b", "c"}
    assert {m.inactive_reason for m in kit.memories.find(project="a", history=True)} == {
        "moved out"
    }
    assert kit.memories.forget(wanted) == []
    assert len(kit.memories.restore(wanted)) == 5
    assert len(kit.memories.find(everywhere)) == 15


def test_restore_undoes_superseding(kit: memkit.Memkit, three: list[memkit.Memory]) -> None:
    """The old one is current again, without the edge that said otherwise."""
    old, new, _ = three
    kit.memories.supersede(old, new)
    assert [e.kind for e in kit.memories.edges(new) if e.dst == old.id] == ["supersedes"]
    (back,) = kit.memories.restore(old)
    assert back.is_current
    assert back.valid_to is None
    assert [e for e in kit.memories.edges(new) if e.dst == old.id] == []


def test_purge_leaves_no_byte_of_the_text(kit: memkit.Memkit) -> None:
    """Text, wordings, former texts and tags are gone from pages, index and audit."""
    made = kit.memories.remember("xyzzyplugh opens the cave", tags=["grottotag"])
    kit.memories.remember("Xyzzyplugh opens cave!", reason="frotzreason")
    kit.memories.update(made, "plughxyzzy opens the cave")
    kept = kit.memories.remember("lamps stay")
    kit.memories.supersede(kept, made)
    assert kit.memories.purge(made) == [made.id]
    assert kit.memories.get(kept.id).superseded_by is None
    for call in (kit.memories.get, kit.memories.edges, kit.memories.details):
        with pytest.raises(NotFound):
            call(made)
    assert kit._store.all("store.tombstones")[0][0] == made.id
    path = kit.path
    kit.close()
    content = path.read_bytes().lower()
    for word in (b"xyzzyplugh", b"plughxyzzy", b"grottotag", b"frotzreason"):
        assert word not in content


# -- tags, pins, links


def test_tags_come_and_go(kit: memkit.Memkit, three: list[memkit.Memory]) -> None:
    """Tags are counted over active memories, in one spelling, and go with their last memory."""
    maple, birch, _ = three
    assert kit.memories.tag(maple, "Sweet", "#sweet", "tree").tags == ("sweet", "tree", "wood")
    kit.memories.forget(birch)
    assert kit.memories.tags() == {"wood": 2, "sweet": 1, "tree": 1}
    assert kit.memories.untag(maple, "SWEET", "never there").tags == ("tree", "wood")
    assert "sweet" not in kit.memories.tags()
    assert by_words(kit, "tree")
    assert not by_words(kit, "sweet")
    with pytest.raises(InvalidInput):
        kit.memories.tag(maple, " ")


def test_links_keep_the_greater_weight(kit: memkit.Memkit, three: list[memkit.Memory]) -> None:
    """An edge is made once for each kind; weaker again changes nothing; it can be taken away."""
    one, other, _ = three
    kit.memories.link(one, other)
    kit.memories.link(one, other, weight=0.9)
    kit.memories.link(one, other, weight=0.1)
    kit.memories.link(one, other, "next")
    edges = [(e.kind, e.weight) for e in kit.memories.edges(one) if e.dst == other.id]
    assert edges == [("relates_to", 0.9), ("next", 0.5)]
    assert kit.memories.unlink(one, other, "next")
    assert not kit.memories.unlink(one, other, "next")


@pytest.mark.parametrize(
    ("kind", "weight"),
    [("has_tag", None), ("in_cluster", None), ("about", None), ("loves", None),
     ("next", 1.1), ("next", -0.1), ("next", float("nan"))],
)  # fmt: skip
def test_a_link_that_means_nothing_is_refused(
    kit: memkit.Memkit, three: list[memkit.Memory], kind: str, weight: float | None
) -> None:
    """Kinds of other ends and weights beyond 0 to 1 make no edge."""
    with pytest.raises(InvalidInput):
        kit.memories.link(three[0], three[1], kind, weight=weight)
    with pytest.raises(InvalidInput, match="both ends"):
        kit.memories.link(three[0], three[0])
    with pytest.raises(NotFound):
        kit.memories.link(three[0], 5)


# -- superseding and contradicting


def test_superseding_never_goes_in_circles(kit: memkit.Memkit, three: list[memkit.Memory]) -> None:
    """However it is asked for, no memory ends up superseded by what it superseded."""
    a, b, c = three
    kit.memories.supersede(a, b)
    kit.memories.supersede(b, c)
    for old, new in ((c, a), (b, a), (a, a)):
        with pytest.raises(InvalidInput):
            kit.memories.supersede(old, new)
    kit.memories.contradict(a, c)
    with pytest.raises(InvalidInput):
        kit.memories.resolve(a, c, "a_wins")
    assert kit.memories.contradictions(history=True)[0].resolved_at is None
    assert [m.id for m in kit.memories.find()] == [c.id]


@pytest.mark.parametrize("how", ["a_wins", "b_wins", "both_valid", "merged"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_contradiction_is_settled_for_the_one_named(
    kit: memkit.Memkit, three: list[memkit.Memory], how: str, turned: bool
) -> None:
    """`a` is whom the caller names first, whatever the order of ids."""
    one, other = (three[1], three[0]) if turned else (three[0], three[1])
    kit.memories.contradict(one, other, note="they differ")
    (open_one,) = kit.memories.contradictions()
    assert (open_one.note, open_one.resolution) == ("they differ", None)
    kit.memories.resolve(one, other, how)
    assert kit.memories.contradictions() == []
    assert kit.memories.contradictions(history=True)[0].resolution is not None
    assert kit.memories.get(one.id).is_current == (how != "b_wins")
    assert kit.memories.get(other.id).is_current == (how != "a_wins")


def test_settling_what_was_never_recorded_is_refused(
    kit: memkit.Memkit, three: list[memkit.Memory]
) -> None:
    """There must be a contradiction, between two, and a way that is known."""
    with pytest.raises(NotFound):
        kit.memories.resolve(three[0], three[1], "a_wins")
    with pytest.raises(InvalidInput):
        kit.memories.contradict(three[0], three[0])
    kit.memories.contradict(three[0], three[1])
    with pytest.raises(InvalidInput, match="resolution"):
        kit.memories.resolve(three[0], three[1], "whatever")
    assert all(memory.is_current for memory in kit.memories.find())


def test_as_of_shows_what_was_known_and_held_then(
    kit: memkit.Memkit, clock: Callable[..., float]
) -> None:
    """Later statements, ended ones and those not yet true are left out; forgotten ones were
    known."""
    old = kit.memories.remember("rent is 500", valid_from="2026-01-01", at="2026-01-01")
    gone = kit.memories.remember("gate code 11", at="2026-01-05")
    kit.memories.remember("summer hours", valid_from="2026-06-01")
    clock.advance(days=10)
    kit.memories.remember("rent is 600", supersedes=old)
    kit.memories.forget(gone)
    clock.advance(days=10)

    def then(moment: str) -> set[str]:
        return {memory.text for memory in kit.memories.find(as_of=moment)}

    assert then("2025-12-31") == set()
    assert then("2026-01-02") == {"rent is 500"}
    assert then("2026-03-05") == {"rent is 500", "gate code 11"}
    assert then("now") == {"rent is 600"}
    assert then("2026-07-01") == {"rent is 600", "summer hours"}
    assert len(kit.memories.find(as_of="2026-03-05", limit=1)) == 1


def test_restoring_keeps_the_end_that_was_given(kit: memkit.Memkit, clock: Callable) -> None:
    """Superseding and restoring leave a memory's own valid_to as it was."""
    old = kit.memories.remember("the lease runs out", valid_to="2027-01-01")
    open_end = kit.memories.remember("the lamp is lit")
    clock.advance(days=1)
    new = kit.memories.remember("all is settled anew", supersedes=[old, open_end])
    clock.advance(days=1)
    kit.memories.restore([old, open_end])
    assert kit.memories.get(old).valid_to == "2027-01-01T00:00:00.000Z"
    assert kit.memories.get(open_end).valid_to is None
    assert kit.memories.get(new).is_current


def test_restoring_a_value_retires_the_one_that_had_replaced_it(kit: memkit.Memkit) -> None:
    """A keyed fact never has two current values."""
    first = kit.memories.remember(key="port", value="22")
    second = kit.memories.remember(key="port", value="49222")
    kit.memories.restore(first)
    assert [m.id for m in kit.memories.find(key="port")] == [first.id]
    assert kit.memories.get(second).superseded_by == first.id


def test_history_taken_in_late_does_not_overrule_what_came_after(kit: memkit.Memkit) -> None:
    """An older value that is remembered later is history from the start."""
    now = kit.memories.remember(key="port", value="49222")
    past = kit.memories.remember(key="port", value="22", at="2020-01-01")
    assert past.replaced == ()
    assert [m.id for m in kit.memories.find(key="port")] == [now.id]
    assert kit.memories.get(past).superseded_by == now.id


def test_a_new_text_drops_what_was_shortened_from_the_old_one(kit: memkit.Memkit) -> None:
    """No summary says what the text no longer says, unless a new one is given with it."""
    kept = kit.memories.remember("tea at four", summary="tea 4pm", index_entry="tea")
    assert kit.memories.update(kept, importance=0.9).summary == "tea 4pm"
    changed = kit.memories.update(kept, "coffee at five", summary="coffee 5pm")
    assert (changed.summary, changed.index_entry) == ("coffee 5pm", None)


def test_a_contradiction_that_comes_up_again_is_open_again(kit: memkit.Memkit) -> None:
    """What was settled once does not hide that it is doubted now."""
    a, b = (kit.memories.remember(text) for text in ("the gate is shut", "the gate stands open"))
    kit.memories.contradict(a, b)
    kit.memories.resolve(a, b, "both_valid")
    assert kit.memories.contradictions() == []
    kit.memories.contradict(a, b)
    assert len(kit.memories.contradictions()) == 1


def test_unknown_field_of_update_names_its_own_fields(kit: memkit.Memkit) -> None:
    """An update says so itself, and names what it takes, not what is given once."""
    memory = kit.memories.remember("the port is 22")
    with pytest.raises(
        InvalidInput, match=r"^update: no field 'foo'; there are text, kind"
    ) as told:
        kit.memories.update(memory, foo=1)
    assert "supersedes" not in str(told.value)
    with pytest.raises(InvalidInput, match=r"^remember: no field 'verb'; .*supersedes"):
        kit.memories.remember("the port is 23", verb="update")


def test_purge_of_many_gives_their_space_back(kit: memkit.Memkit) -> None:
    """A file from which most was purged is smaller at once; one that lost a little stays."""
    many = [
        f"Note {n}: the {n * 7919} crates of barn {n % 17} are {'dry ' * 40}" for n in range(400)
    ]
    memories = kit.memories.remember_many(many)
    before = kit.path.stat().st_size
    kit.memories.purge(memories[:1])
    kit.memories.purge(memories[1:350])
    assert kit.path.stat().st_size < before * 0.7
    assert len(kit.memories.find(limit=100)) == 50
    assert not kit._store.edited_outside()
