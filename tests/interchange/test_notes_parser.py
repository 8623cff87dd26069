"""Texts into drafts: headings, rules, names that stay the same, and other tools' memory files."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import InvalidInput
from memkit.interchange import note_sections
from memkit.interchange.note_sections import (
    Markup,
    clean_heading,
    front_matter,
    pieces,
    sections,
    slug,
    unique,
)
from memkit.interchange.notes_parser import (
    Role,
    Tree,
    body_of,
    kind_of,
    procedure_of,
    prohibitions,
    read_notes,
    triggers_of,
)
from memkit.interchange.other_tools import is_graph, read_graph
from memkit.memories.code_anchors import anchor
from memkit.memories.ingest import prepare
from memkit.memories.records import Kind
from memkit.text.analyzer import decode
from tests.strategies import texts
from tests.tables import each_row


def _bodies(text: str, path: str = "docs/a.md", role: Role = Role.DOCS) -> list[str]:
    return [body_of(draft) for draft in read_notes(text, path=path, role=role)]


def _found(text: str, markup: Markup = Markup.MARKDOWN) -> list[tuple[str, str, str]]:
    return [(" › ".join(s.headings), s.slug, "\n\n".join(s.blocks)) for s in sections(text, markup)]


class TestMarkdown:
    """Sections of Markdown."""

    def test_sections_carry_the_path_of_headings(self) -> None:
        """Each section knows the headings above it; one without text of its own is left out."""
        text = "# A\n\n## B\none\n\n### C\ntwo\n\n## D ##\nthree"
        assert _found(text) == [
            ("A › B", "b", "one"),
            ("A › B › C", "c", "two"),
            ("A › D", "d", "three"),
        ]

    def test_a_hash_in_a_fence_is_no_heading(self) -> None:
        """Fences of both kinds, in lists and unclosed, keep what looks like a heading."""
        assert _found("# A\n```sh\n# no\n```\n~~~~\n## no\n~~~\n~~~~\nend") == [
            ("A", "a", "```sh\n# no\n```\n~~~~\n## no\n~~~\n~~~~\nend")
        ]
        assert len(_found("- item\n    ```\n    # no\n    ```\n")) == 1
        assert len(_found("```\n# no\n## no")) == 1

    def test_a_blank_line_in_a_fence_does_not_part_it(self) -> None:
        """A fence is one block with its blank lines."""
        (section,) = sections("x\n\n```\na\n\n\nb\n```\n\ny", Markup.MARKDOWN)
        assert section.blocks == ("x", "```\na\n\n\nb\n```", "y")

    def test_inline_code_with_backticks_opens_no_fence(self) -> None:
        """Three backticks with backticks behind them are inline code."""
        assert len(_found("``` a ``` b\n# A\nx")) == 2

    def test_underlined_headings(self) -> None:
        """A line of = or - under a paragraph makes it a heading; under a list item it does not."""
        assert _found("Title\n=====\nx\n\nSub\n---\ny") == [
            ("Title", "title", "x"),
            ("Title › Sub", "sub", "y"),
        ]
        assert len(_found("- item\n  more\n---\nx")) == 1
        assert len(_found("# A\na | b\n--- | ---\nc | d")) == 1

    def test_front_matter_is_left_out(self) -> None:
        """YAML between --- lines and TOML between +++ lines is no text."""
        assert _found("---\ntitle: x\n# no\n---\n# A\nx") == [("A", "a", "x")]
        assert _found("+++\nx = 1\n+++\ntext") == [("", "top", "text")]
        assert _found("---\nnever closed") == [("", "top", "never closed")]

    def test_comments_hide_headings(self) -> None:
        """An HTML comment is not read, except inside a fence."""
        assert _found("# A\n<!--\n# B\n-->\nx <!-- y --> z") == [("A", "a", "x  z")]
        assert "<!-- kept -->" in _found("# A\n```\n<!-- kept -->\n```")[0][2]
        assert _found("<!-- never closed\n# A\nx")[-1][0] == "A"

    def test_line_ends_of_every_system(self) -> None:
        """CR LF, CR and a byte order mark make no difference."""
        assert _found("\ufeff# A\r\nx\r\r\ny") == _found("# A\nx\n\ny")

    def test_indented_code_is_no_heading(self) -> None:
        """Four spaces or a tab before # make code."""
        assert len(_found("# A\n\n    # no\n\t# no\n#no")) == 1


class TestRst:
    """Sections of reStructuredText."""

    def test_levels_follow_the_order_of_styles(self) -> None:
        """The first style met is the outermost, over- and underlined differs from underlined."""
        text = "=====\nTitle\n=====\n\nIntro\n\nPart\n====\n\nx\n\nSub\n---\n\ny\n\nNext\n====\n\nz"
        assert [path for path, _, _ in _found(text, Markup.RST)] == [
            "Title",
            "Title › Part",
            "Title › Part › Sub",
            "Title › Next",
        ]

    def test_literal_blocks_and_short_lines_are_no_headings(self) -> None:
        """Indented titles, rules that are too short and tables are text."""
        assert len(_found("A::\n\n  Not\n  ---\n\nLong title\n---\n", Markup.RST)) == 1
        assert len(_found("===  ===\na    b\n===  ===", Markup.RST)) == 1


class TestNames:
    """Slugs, and how a long section is parted."""

    def test_slugs_are_links(self) -> None:
        """Lower case, dashes, letters of any script; links give their text."""
        assert slug("How to *Install* [it](x.md)!") == "how-to-install-it"
        assert slug("Don't panic") == "dont-panic"
        assert slug("部署 指南") == "部署-指南"
        assert slug("🚀") == "section"

    def test_the_same_heading_twice_gets_a_number(self) -> None:
        """The second is -2, and an explicit -2 does not collide."""
        text = "# A\nx\n# A\ny\n# A-2\nz"
        assert [name for _, name, _ in _found(text)] == ["a", "a-2", "a-2-2"]
        taken: set[str] = set()
        assert [unique("x", taken) for _ in range(3)] == ["x", "x-2", "x-3"]

    def test_a_long_section_is_parted_at_paragraph_ends(self) -> None:
        """No part is cut inside a paragraph or a fence; each has its own source."""
        fence = "```\n" + "x\n\n" * 900 + "```"
        text = "# A\n" + "\n\n".join(["word " * 150] * 6 + [fence])
        found = read_notes(text, path="docs/a.md", role=Role.DOCS)
        assert [d.source for d in found] == [
            "docs/a.md#a",
            *(f"docs/a.md#a~{n}" for n in range(2, len(found) + 1)),
        ]
        assert found[-1].text.endswith(fence)
        assert all(len(d.text) < note_sections.MAX_SECTION + 20 for d in found[:-1])

    def test_a_boundless_paragraph_is_cut_after_all(self) -> None:
        """Nothing larger than a memory may be ever comes out."""
        found = read_notes("x" * 1_500_000, path="a.txt")
        assert sum(len(d.text) for d in found) == 1_500_000
        assert max(len(d.text) for d in found) <= note_sections.MAX_BLOCK


class TestRoles:
    """What becomes of documents by what they are for."""

    def test_section_of_rules_is_one_memory_and_its_prohibition_another(self) -> None:
        """Rules stay with their lead line and neighbours; what is forbidden can go off alone."""
        text = (
            "# Style\nWe agreed:\n- Never retry a `POST /upload`: they were\n  doubled in March.\n"
            "- Prefer `pathlib` over os.path\n\n## Commits\nAlways write the subject of a commit "
            "in the imperative, as git does by itself.\n"
        )
        drafts = read_notes(text, path="AGENTS.md", role=Role.AGENT_NOTES)
        assert [(draft.kind, draft.source) for draft in drafts] == [
            (Kind.PREFERENCE, "AGENTS.md#style"),
            (Kind.NEGATIVE, "AGENTS.md#style/we-agreed-never-retry"),
            (Kind.PREFERENCE, "AGENTS.md#commits"),
        ]
        assert drafts[0].text.startswith("Style\n\nWe agreed:\n- Never retry")
        assert drafts[1].trigger_patterns == ("POST /upload",)
        assert drafts[1].text.startswith("Style\n\nWe agreed: Never retry a `POST /upload`")
        assert all(d.tags == ("notes:agent",) and d.file_paths == ("AGENTS.md",) for d in drafts)

    def test_steps_become_a_procedure(self) -> None:
        """A numbered list is a procedure with its steps."""
        (found,) = read_notes("# Release\n1. tag\n2. push\n   it", path="CONTRIBUTING.md")
        assert found.kind == Kind.PROCEDURE
        assert found.procedure is not None
        assert found.procedure.steps == ("tag", "push it")

    def test_an_overtaken_decision_says_so(self) -> None:
        """A decision record with the status superseded is tagged and believed less."""
        text = "# Use X\n## Status\nSuperseded by 0002\n## Decision\nX."
        for draft in read_notes(text, path="docs/adr/1.md", role=Role.ADR):
            assert "notes:superseded" in draft.tags
            assert draft.confidence < 0.5
            assert draft.artifacts == (("adr", "docs/adr/1.md"),)
            assert draft.text.startswith("Use X (superseded) › ")
        (kept,) = read_notes("# Use X\nStatus: accepted\n\nX.", path="adr/2.md", role=Role.ADR)
        assert kept.tags == ("notes:adr",)

    def test_an_overtaken_decision_that_says_so_in_its_front_matter_held_for_ever(self) -> None:
        """MADR writes the status above the text; a status there that holds still is believed."""
        text = "---\nstatus: {}\ndate: 2024-01-02\n---\n# Use X\n\nX, for 0002 was rejected."
        for status in ("superseded by [ADR-0002](0002.md)", '"deprecated"'):
            (draft,) = read_notes(text.format(status), path="adr/1.md", role=Role.ADR)
            assert "notes:superseded" in draft.tags
        (kept,) = read_notes(text.format("accepted"), path="adr/1.md", role=Role.ADR)
        assert kept.tags == ("notes:adr",)

    def test_rules_of_a_folder_name_it(self) -> None:
        """Notes for agents in a folder name it before their headings; those of a tool do not."""
        text = "# Style\n- Use tabs."
        (found,) = read_notes(text, path="pkg/a/AGENTS.md", role=Role.AGENT_NOTES)
        assert found.text == "pkg/a › Style: Use tabs."
        assert found.source == "pkg/a/AGENTS.md#style"
        for path in ("AGENTS.md", ".claude/CLAUDE.md", ".cursor/rules/a.mdc"):
            (found,) = read_notes(text, path=path, role=Role.AGENT_NOTES)
            assert found.text == "Style: Use tabs."


class TestSense:
    """Statements that make sense alone."""

    LONG = "".join(
        f"- The {n}th crate holds {n} oranges from a distant shore.\n" for n in range(80)
    )

    def test_rest_of_cut_list_is_led_by_its_lead_line(self) -> None:
        """A list that is too long is cut between items, and each part says what the items are."""
        bodies = _bodies(f"# Hold\n**Must never reach the deck:**\n\n{self.LONG}")
        assert len(bodies) > 1
        assert all(body.startswith("**Must never reach the deck:**\n") for body in bodies)
        assert all(len(body) <= note_sections.MAX_SECTION + 100 for body in bodies)
        lines = [line for body in bodies for line in body.split("\n") if line.startswith("-")]
        assert "\n".join(lines) + "\n" == self.LONG

    def test_lead_line_goes_with_its_list(self) -> None:
        """The line that leads to a list does not end the part before it."""
        text = "word " * 380 + "\n\nThese come ashore:\n\n" + "- a box of salted herring\n" * 9
        first, second = pieces(text.split("\n\n"))
        assert first.endswith("word ")
        assert second.startswith("These come ashore:\n\n- a box")

    def test_loose_list_and_nested_items_stay_together(self) -> None:
        """Blank lines between items and text below an item part nothing from its lead line."""
        items = "".join(f"- Item {n}\n\n  It weighs {n} {'pounds ' * 12}\n\n" for n in range(40))
        bodies = _bodies(f"# Cargo\nLeave behind:\n\n{items}")
        assert len(bodies) > 1
        assert all(body.startswith("Leave behind:") for body in bodies)
        assert all("It weighs" in body for body in bodies)

    def test_rows_of_cut_table_keep_its_head(self) -> None:
        """Each part of a long table begins with the names of its columns."""
        rows = "\n".join(f"| berth {n} | {'ship ' * 8} |" for n in range(120))
        bodies = _bodies(f"# Berths\n| where | who |\n|---|---|\n{rows}")
        assert len(bodies) > 1
        assert all(body.startswith("| where | who |\n|---|---|\n| berth") for body in bodies)

    def test_short_section_joins_its_neighbour(self) -> None:
        """Half a line under a heading stands with the section before it, or else the one after."""
        long = "The crane on the north quay lifts forty tons and is greased on every Friday."
        (draft,) = read_notes(f"# Quay\n## Status\nAccepted\n## Crane\n{long}", path="a.md")
        assert (draft.source, draft.text) == (
            "a.md#crane",
            f"Quay › Crane\n\nStatus: Accepted\n\n{long}",
        )
        (draft,) = read_notes(f"# Quay\n## Crane\n{long}\n## Colour\nGrey", path="a.md")
        assert draft.text == f"Quay › Crane\n\n{long}\n\nColour: Grey"

    @pytest.mark.parametrize(
        ("heading", "clean"),
        [
            ("**Berths** and *ropes*", "Berths and ropes"),
            (":anchor: Mooring", "Mooring"),
            ("⚓ Mooring 🚢", "Mooring"),
            ("[Mooring](moor.md) at night", "Mooring at night"),
            ("![build](b.svg) Mooring [![x](y)](z)", "Mooring"),
            ('<img src="a.png"/> <b>Mooring</b>', "Mooring"),
            ("Mooring {#moor}", "Mooring"),
            ("`**kwargs` and `<name>`", "`**kwargs` and `<name>`"),
            ("Times 8:30:00 to 9", "Times 8:30:00 to 9"),
        ],
    )
    def test_heading_is_said_without_its_markup(self, heading: str, clean: str) -> None:
        """Stars, HTML, pictures, emoji and links are for the eye; what stands in code is not."""
        assert clean_heading(heading) == clean

    def test_headings_in_html_part_sections(self) -> None:
        """A heading may be a tag, on one line or several."""
        long = "It is greased with tallow on every Friday before the tide comes in. " * 2
        text = f'<h1 align="center">\n  <img src="x.png"> Crane\n</h1>\n\n<h3>Grease</h3>\n{long}'
        assert _found(text) == [("Crane › Grease", "grease", long.strip())]

    def test_badges_and_tables_of_contents_say_nothing(self) -> None:
        """What is there for the eye is left out; placeholders in angle brackets are not."""
        text = (
            '[![ci](a.svg)](b)\n[![docs](c.svg)][d]\n\n<p align="center">\n<img src="x">\n</p>\n\n'
            "- [Use](#use)\n  - [More](#more)\n\n[d]: https://example.org\n\n"
            "Moor with `moor <berth>` when the wind comes from the north, and only then.\n"
        )
        assert _bodies(text) == [
            "Moor with `moor <berth>` when the wind comes from the north, and only then."
        ]

    def test_labels_and_toctrees_of_rst_say_nothing(self) -> None:
        """Labels, contents and automatic directives go, with their options; a warning stays."""
        text = (
            ":orphan:\n\n.. _quay:\n\nQuay\n====\n\n.. contents::\n   :local:\n\n.. toctree::\n\n"
            "   a\n   b\n\n.. automodule:: quay\n   :members:\n\n.. a comment\n\n.. warning::\n"
            "   The third bollard is loose, and nobody has mended it since the storm.\n"
        )
        (section,) = sections(text, Markup.RST)
        assert section.headings == ("Quay",)
        assert "\n".join(section.blocks).startswith(".. warning::\n   The third bollard")


class TestFrontMatter:
    """What stands above a document."""

    BODY = "Ropes are coiled clockwise, since the winch turns that way round and no other.\n"

    def test_fields_are_read_by_name(self) -> None:
        """Texts, lists in brackets and by dashes, and a text on several lines."""
        text = (
            "---\nTitle: 'A: b'\ntags: [x, \"y z\"]\n"
            "globs:\n  - a/*.ts\nnote: >\n  one\n  two\n---\n"
        )
        assert front_matter(text) == {
            "title": ["A: b"], "tags": ["x", "y z"], "globs": ["a/*.ts"], "note": ["one two"],
        }  # fmt: skip
        assert front_matter('+++\ntitle = "T"\n+++\nx') == {"title": ["T"]}

    def test_title_of_decision_record_leads_its_sections(self) -> None:
        """A title is told where the document has no heading over all of it."""
        text = f"---\ntitle: Coil clockwise\n---\n## Context\n{self.BODY}\n## Decision\n{self.BODY}"
        for draft in read_notes(text, path="adr/1.md", role=Role.ADR):
            assert draft.text.startswith("Coil clockwise › ")
        text = f"---\ntitle: Ropes\n---\n# Coil clockwise\n{self.BODY}"
        (draft,) = read_notes(text, path="adr/1.md", role=Role.ADR)
        assert draft.text.startswith("Coil clockwise: ")

    def test_description_and_tags_are_told(self) -> None:
        """A description comes first, tags are those of every statement."""
        text = f"---\ndescription: How we coil\ntags: [ropes]\n---\n# Coils\n{self.BODY}"
        (draft,) = read_notes(text, path="a.md")
        assert draft.text.startswith("Coils\n\nHow we coil\n\nRopes are")
        assert draft.tags == ("notes:other", "ropes")

    def test_rule_for_globs_is_about_those_files(self) -> None:
        """The files that a rule is for stand before it, and it is anchored to them."""
        tree = Tree(matching={"src/api/**": ("src/api/a.ts",)}.__getitem__)
        for field in ("globs: src/api/**", 'applyTo: "src/api/**"', "paths:\n  - src/api/**"):
            text = f"---\n{field}\nalwaysApply: false\n---\n# Coils\n{self.BODY}"
            (draft,) = read_notes(
                text, path=".cursor/rules/a.mdc", role=Role.AGENT_NOTES, tree=tree
            )
            assert draft.text.startswith("src/api/** › Coils: Ropes")
            assert draft.about == ("src/api/a.ts",)
        everywhere = f"---\nglobs: '**/*'\n---\n# Coils\n{self.BODY}"
        assert read_notes(everywhere, path="a.mdc")[0].text.startswith("Coils: ")


class TestSubject:
    """Which file a rule is about."""

    TREE = Tree(has_file={"dock/rope.py", "dock/knot.py"}.__contains__)

    def _about(self, text: str, role: Role = Role.AGENT_NOTES) -> tuple[str, ...]:
        return read_notes(text, path="AGENTS.md", role=role, tree=self.TREE)[0].about

    def test_rule_names_its_file_in_heading_or_first_sentence(self) -> None:
        """One file that is there is the subject; other mentions, or several, are none."""
        assert self._about("# Work on `dock/rope.py`\nIt coils.") == ("dock/rope.py",)
        assert self._about("# Ropes\nCoils are made in `dock/rope.py`. See it.") == (
            "dock/rope.py",
        )
        assert self._about("# Ropes\nCoil well. As in dock/rope.py they are.") == ()
        assert self._about("# Ropes\n`dock/rope.py` and `dock/knot.py` agree.") == ()
        assert self._about("# Ropes\nCoils are made in `dock/gone.py`.") == ()
        assert self._about("# `dock/rope.py`\nIt coils.", Role.DOCS) == ()


@each_row(
    "text, kind",
    [
        ("Never retry a POST", Kind.NEGATIVE),
        ("**Don't** commit secrets", Kind.NEGATIVE),
        ("Do not edit generated files", Kind.NEGATIVE),
        ("Tests must not use the network", Kind.NEGATIVE),
        ("Use poetry; never pip", Kind.NEGATIVE),
        ("Avoid global state", Kind.NEGATIVE),
        ("No wildcard imports", Kind.NEGATIVE),
        ("Direct pushes are forbidden", Kind.NEGATIVE),
        ("Prefer composition", Kind.PREFERENCE),
        ("Always run the linter", Kind.PREFERENCE),
        ("Functions should be short", Kind.PREFERENCE),
        ("Use tabs", Kind.PREFERENCE),
        ("The build has never finished in an hour", Kind.FACT),
        ("The server listens on 8080", Kind.FACT),
        ("1. build\n2. push", Kind.PROCEDURE),
        ("- ❌ Do NOT commit the database", Kind.NEGATIVE),
        ("🚫 Never call the harbour master at night", Kind.NEGATIVE),
        ("**NEVER use `any`**", Kind.NEGATIVE),
        ("`moor()` must not be called twice", Kind.NEGATIVE),
        ("No manual export needed", Kind.FACT),
        ("No charts are required for this", Kind.FACT),
        ("mature, but always room for polish", Kind.FACT),
        ("Don't forget to coil the ropes", Kind.FACT),
        ("1. Open the lock\n2. Wait for the `bell`\n3. Pull the lever", Kind.PROCEDURE),
        ("1. `make coil`\n2. `make stow`", Kind.PROCEDURE),
        ("1. The rope may break\n2. Loss of cargo\n3. Delays are likely", Kind.FACT),
        ("1. **Quay**: where ships lie\n2. **Crane**: what lifts them", Kind.FACT),
    ],
)
def test_wording_says_the_kind_of_a_rule(text: str, kind: Kind) -> None:
    """Orders are preferences, prohibitions are negative, statements are facts."""
    assert kind_of(text, is_rule=True) == kind


def test_documents_give_no_rules() -> None:
    """Outside of agent notes the same wording is a fact."""
    assert kind_of("You should never see this error") == Kind.FACT
    assert kind_of("Run:\n```sh\npytest\n```", heading="Running the tests") == Kind.PROCEDURE
    assert procedure_of("1. only one", name="x") is None


@pytest.mark.parametrize(
    ("text", "triggers"),
    [
        ("Never run `git push --force` on main.", ("git push --force",)),
        ("Do not use `print()`; use `logger.info` instead.", ("print()",)),
        ("Never deploy without `--dry-run`", ()),
        ("`rm -rf hold/` must not be called", ("rm -rf hold/",)),
        ("**NEVER use `any`**", ()),
        ("Avoid `moor --at <berth>` and `*.lock` files", ("moor --at", ".lock")),
        ("Run `make coil`, never `make knot` (it jams `winch.py`)", ("make knot",)),
        ("Use `make coil` always", ()),
    ],
)
def test_forbidden_code_sets_a_prohibition_off(text: str, triggers: tuple[str, ...]) -> None:
    """Commands, flags, paths and names of what is forbidden, no word of prose, nothing allowed."""
    assert triggers_of(text) == triggers


def test_short_prohibitions_stand_together() -> None:
    """Those of a few words are one statement; one that begins by telling is none."""
    rules = prohibitions("- Never use `os.system`\n- Don't use `eval()`\n- It works; do not ask.\n")
    assert [(rule.text, rule.triggers) for rule in rules] == [
        ("Never use `os.system`; Don't use `eval()`", ("os.system", "eval()"))
    ]


def test_wrapped_item_keeps_no_indent_of_its_mark() -> None:
    """What is deeper than the mark stays so."""
    text = "- Never moor a ship with `knot.sh`, whatever\n  the wind.\n    * not even small ones\n"
    (rule,) = prohibitions(text)
    assert rule.text == "Never moor a ship with `knot.sh`, whatever\nthe wind."


def test_commands_are_the_steps_of_a_how_to() -> None:
    """Under a heading that asks how, the commands of a fence are the steps."""
    procedure = procedure_of(
        "First:\n```sh\n# comment\n$ coil \\\n  --left\nstow\n```", name="Setup"
    )
    assert procedure is not None
    assert procedure.steps == ("coil    --left", "stow")


class TestGraph:
    """Files of the MCP memory server."""

    LINES = (
        '{"type":"entity","name":"Ann","entityType":"person",'
        '"observations":["likes tea","is old"]}\n'
        '{"type":"entity","name":"ACME","entityType":"company","observations":[]}\n\n'
        '{"type":"relation","from":"Ann","to":"ACME","relationType":"works at"}\n'
    )

    def test_observations_and_relations_become_memories(self) -> None:
        """Each observation is tagged with the type; a relation relates to the first of each end."""
        found = read_graph(self.LINES, name="memory.jsonl")
        assert [(d.text, d.tags) for d in found.drafts] == [
            ("Ann: likes tea", ("person",)),
            ("Ann: is old", ("person",)),
            ("ACME (company)", ("company",)),
            ("Ann works at ACME", ()),
        ]
        assert [(r.src, r.dst) for r in found.relations] == [(3, 0), (3, 2)]
        assert len({d.source for d in found.drafts}) == 4

    def test_one_document_reads_the_same(self) -> None:
        """The answer of read_graph, one JSON document, gives the same drafts."""
        lines = [json.loads(line) for line in self.LINES.split("\n") if line]
        whole = json.dumps({"entities": lines[:2], "relations": lines[2:]}, indent=1)
        assert is_graph(whole)
        assert is_graph(self.LINES)
        assert read_graph(whole, name="x") == read_graph(self.LINES, name="x")

    @pytest.mark.parametrize(
        "bad", ["{", '{"type":"entity"}', "[1]", '{"type":"relation","from":"a","to":1}', "nul"]
    )
    def test_a_bad_line_is_named(self, bad: str) -> None:
        """What is no entity or relation is refused with its line number."""
        with pytest.raises(InvalidInput, match=r"m\.jsonl line 5"):
            read_graph(f"{self.LINES}{bad}\n", name="m.jsonl")


@given(texts, st.sampled_from(list(Markup)), st.sampled_from(list(Role)))
def test_any_text_can_be_read(text: str, markup: Markup, role: Role) -> None:
    """Any text gives drafts with different sources that the store accepts, and always the same."""
    found = read_notes(text, path="docs/x.md", role=role, markup=markup)
    assert found == read_notes(text, path="docs/x.md", role=role, markup=markup)
    assert len({draft.source for draft in found}) == len(found)
    for draft in found:
        prepare(draft, project="", now=0, locate=lambda about, _: tuple(map(anchor, about)))


@given(st.binary(max_size=60))
def test_any_bytes_can_be_decoded(data: bytes) -> None:
    """Bytes of no encoding give a text all the same; a byte order mark is no part of it."""
    assert isinstance(decode(data), str)
    assert decode(b"\xef\xbb\xbfx") == "x"
    assert decode("ü".encode("utf-16")) == "ü"


def test_latin1_notes_are_decoded() -> None:
    """A note in latin-1 is read as such; by one wrong byte a text in UTF-8 is not of another."""
    assert decode("café au lait".encode("latin-1")) == "café au lait"
    assert decode("größe → ".encode() + b"\xe9") == "größe → \ufffd"


def test_lists_of_references_and_anonymous_targets_say_nothing() -> None:
    """A list of references alone is a table of contents; one with words beside them is text."""
    text = (
        ".. _dock:\n\nDock\n====\n\n* :ref:`quay`\n* :doc:`crane`\n\nTie up first.\n\n"
        "__ https://example.com/x\n\n* :ref:`quay` tells how the crane is greased\n"
    )
    (section,) = sections(text, Markup.RST)
    assert section.blocks == ("Tie up first.", "* :ref:`quay` tells how the crane is greased")


def test_a_heading_in_html_parts_what_stands_behind_it() -> None:
    """Each is a section of its own name, though text follows in the same line."""
    text = "<h3>Grease</h3> Once a month.\n\n<h3 id='x'>Paint</h3>\nOnce a year.\n"
    found = sections(text, Markup.MARKDOWN)
    assert [(part.headings, part.blocks) for part in found] == [
        (("Grease",), ("Once a month.",)), (("Paint",), ("Once a year.",))
    ]  # fmt: skip


@pytest.mark.parametrize(
    "front",
    ["tags: [quay, crane work]", "tags:\n  - quay\n  - crane work", "keywords: quay, crane work",
     "tags: '#quay #crane work'", "categories: [quay]\nlabels: crane work"],
)  # fmt: skip
def test_tags_of_front_matter_are_taken_however_they_are_listed(front: str) -> None:
    """A list in brackets or of lines, one text with commas or '#'; other names of the field."""
    text = f"---\ntitle: Crane\n{front}\n---\nGrease the crane once a month, before it rains.\n"
    (draft,) = read_notes(text, path="docs/crane.md")
    assert list(draft.tags)[1:] == ["quay", "crane work"]
    assert draft.text.startswith("Crane: Grease the crane")
