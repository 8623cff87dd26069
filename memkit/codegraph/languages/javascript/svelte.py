"""Svelte components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from ...facts import Facts
from . import typescript
from .components import component

if TYPE_CHECKING:
    from tree_sitter import Tree

DIALECT = attrs.evolve(typescript.DIALECT, name="svelte", extensions=(".svelte",))


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what the scripts of a Svelte file say."""
    return component(tree, source, path, DIALECT)
