"""Tests that are functions without a name: they are called by their titles."""

from __future__ import annotations

from ..programs import facts_of, symbols


def test_titles_in_javascript() -> None:
    """What `describe` and `it` are given is called by the text before it, in every spelling."""
    facts = facts_of(
        """
        describe("Box", () => {
          it('opens', async () => {})
          it.only(`shuts ${twice}`, function () {})
          test.each([1, 2])("holds %d", (n) => {})
          beforeEach(() => {})
          it("is named", function own() {})
          suite(title, () => {})
          app.get("/it", () => {})
        })
        """,
        "box.test.ts",
    )
    assert [d.qualname for d in facts.definitions] == [
        "Box", "Box.opens", "Box.shuts ${twice}", "Box.holds %d", "Box.<anonymous>", "Box.own",
        "Box.<anonymous>", "Box.<anonymous>",
    ]  # fmt: skip
    assert symbols(facts)["Box.opens"].flags == ("test", "async")


def test_titles_in_ruby() -> None:
    """Blocks of RSpec and minitest are called by their texts, or by the class they are about."""
    facts = facts_of(
        """
        describe Kit::Box do
          context "when empty" do
            it('opens') { }
            before { }
          end
          box.it("shuts") { }
        end
        """,
        "box_spec.rb",
    )
    assert [d.qualname for d in facts.definitions] == [
        "Kit::Box", "Kit::Box.when empty", "Kit::Box.when empty.opens",
        "Kit::Box.when empty.<lambda>", "Kit::Box.<lambda>",
    ]  # fmt: skip
