"""Paths and module names in whatever Unicode form: one file system keeps them so, another so.

Linkers compare texts. They are handed paths and names in one form; what they find is given back as
it is in the tree.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..dialect import UnicodeForm

if TYPE_CHECKING:
    from . import Linker, Listed

# Python looks for modules by their names, which it brings into this form.
_FORMS: Mapping[str, UnicodeForm] = {"python": "NFKC"}


def spelt(text: str, family: str) -> str:
    """Return a path or name in the form in which a family's are compared."""
    return text if text.isascii() else unicodedata.normalize(_FORMS.get(family, "NFC"), text)


class Spelt:
    """A linker that takes paths and names in any form."""

    def __init__(
        self,
        make: type[Linker],
        files: Sequence[Listed],
        texts: Mapping[str, str],
        family: str,
    ) -> None:
        """`make` is the linker of the family, `files` and `texts` are what it takes."""
        self._family = family
        listed = [(spelt(path, family), language, space) for path, language, space in files]
        named = {spelt(path, family): text for path, text in texts.items()}
        self._linker: Linker = make(listed, named)  # type: ignore[call-arg]
        self._odd = {path for path, _, _ in files if not path.isascii()}
        # Of two files of one name the first is meant.
        self._real = {spelt(path, family): path for path in sorted(self._odd, reverse=True)}

    def own(self, path: str) -> str:
        """Return the key of a file's namespace."""
        key = self._linker.own(spelt(path, self._family))
        return path if path in self._odd and key == spelt(path, self._family) else key

    def members(self, key: str) -> tuple[str, ...]:
        """Return the paths of the files of a namespace, in order."""
        if key in self._odd:
            return (key,)
        return self._found(self._linker.members(spelt(key, self._family)))

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the namespaces that a module name means in a file, best first."""
        name = spelt(module, self._family)
        return self._found(self._linker.find(spelt(path, self._family), name, level))

    def inside(self, key: str, name: str) -> tuple[str, ...]:
        """Return the namespaces that a member's name means below a namespace."""
        place = spelt(key, self._family)
        return self._found(self._linker.inside(place, spelt(name, self._family)))

    def asked(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the keys on whose files the answer of `find` depends."""
        name = spelt(module, self._family)
        return self._linker.asked(spelt(path, self._family), name, level)

    def _found(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        if not self._odd:
            return keys
        return tuple([self._real.get(key, key) for key in keys])
