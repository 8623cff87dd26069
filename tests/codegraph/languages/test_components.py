"""Scripts in components of pages (Vue, Svelte): what they define and call, at the lines of the
file."""

from __future__ import annotations

import pytest

from ..programs import Sources, calls, facts_of, kinds, symbols

CART = """\
<template>
  <p @click="add">größer {{ total }}</p>
</template>

<script lang="ts">
export const LIMIT = 3
</script>

<script setup lang="ts" generics="T extends Record<string, string>">
import { rate } from './tax'
import Row from './Row.vue'

class Cart { sum(): number { return rate(1) } }
const cart = new Cart()
function add(this: void) { return cart.sum() }
</script>

<style>p { color: red }</style>
"""
OPTIONS = """\
<script>
import { rate } from './tax'
export default {
  name: 'Old',
  methods: { add() { return rate(1) } },
}
</script>
<template><p/></template>
"""
SVELTE = """\
<script context="module">
  export function open() { return rate() }
  import { rate } from './tax'
</script>

<script>
  export let net = 1
  function add() { return open() }
</script>

{#if net}<p on:click={add}>x</p>{/if}
"""
TAX = "export function rate(n: number) { return n }\n"


def test_scripts_of_components_are_extracted_at_their_lines() -> None:
    """What scripts define stands at its line and column in the file, and calls what it imports."""
    program = Sources({"Cart.vue": CART, "Row.vue": OPTIONS, "tax.ts": TAX})
    found = symbols(program.facts["Cart.vue"])
    places = {name: (one.line, one.column) for name, one in found.items()}
    assert places == {
        "LIMIT": (6, 14), "Cart": (13, 7), "Cart.sum": (13, 14), "cart": (14, 7), "add": (15, 10),
    }  # fmt: skip
    assert found["add"].signature == "add(this: void)"
    assert program.facts["Cart.vue"].lines == CART.count("\n")
    assert program.facts["Cart.vue"].errors == 0
    assert program.edges() == {
        ("Cart.vue:Cart.sum", "tax.ts:rate"),
        ("Cart.vue:add", "Cart.vue:Cart.sum"),
        ("Row.vue:add", "tax.ts:rate"),
    }
    assert ("Cart.vue:", "Row.vue:") in program.edges("imports")


def test_scripts_of_svelte() -> None:
    """Several scripts of one file are one module."""
    assert calls({"Cart.svelte": SVELTE, "tax.ts": TAX}) == {
        ("Cart.svelte:open", "tax.ts:rate"),
        ("Cart.svelte:add", "Cart.svelte:open"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "<template><p/></template>\n",
        "<script src='./a.js'></script>\n",
        "<script lang='coffee'>\nf = -> g()\n</script>\n",
        "<!-- <script>function f() {}</script> -->\n",
        "",
    ],
)
def test_components_without_a_script_define_nothing(text: str) -> None:
    """Nothing is read that no script says, or in a language that is not known."""
    assert kinds(facts_of(text, "a.vue")) == {}


def test_a_component_in_jsx() -> None:
    """A script that holds elements is read as such."""
    text = "const view = () => <p>{sum<number>(1)}</p>\nfunction sum<T>(n: T) {}\n"
    facts = facts_of(f"<script lang='tsx'>\n{text}</script>\n", "a.vue")
    assert (set(kinds(facts)), facts.errors) == ({"view", "sum"}, 0)


def test_a_component_is_imported_without_its_ending() -> None:
    """Bundlers look for .vue as well."""
    program = Sources({"a.js": "import Row from './Row'\nRow()\n", "Row.vue": OPTIONS})
    assert ("a.js:", "Row.vue:") in program.edges("imports")
