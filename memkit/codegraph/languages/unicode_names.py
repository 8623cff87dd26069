"""Unicode normalisation of identifiers, paths and module names."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..dialect import UnicodeForm
from ..facts import Definition, Facts

if TYPE_CHECKING:
    from .modules import ListedFile, ModuleResolver


# --- Unicode form of names: Python takes `ﬁle` and `file` for one (PEP 3131).
#
# Done once, on all that a file says: no extractor needs to think of it, and only a file that
# holds a letter in another form than its language's is gone through. What a text says stays as
# written.


def with_normalized_names(facts: Facts, source: bytes, form: UnicodeForm) -> Facts:
    """Return facts whose names are in a form; `source` is the file's text."""
    if source.isascii() or not _may_differ(source.decode("utf-8", "replace"), form):
        return facts
    return facts._replace(
        namespace=unicodedata.normalize(form, facts.namespace),
        definitions=tuple(_definition(definition, form) for definition in facts.definitions),
        statements=_normalized_names(facts.statements, form),
    )


def _may_differ(text: str, form: UnicodeForm) -> bool:
    """Whether a text may hold names in another form; most that hold other signs hold none."""
    if unicodedata.is_normalized(form, text):
        return False
    letters = (sign for sign in set(text) if not sign.isascii() and f"_{sign}".isidentifier())
    return any(
        unicodedata.combining(sign) or _joins(sign) or not unicodedata.is_normalized(form, sign)
        for sign in letters
    )


def _joins(sign: str) -> bool:
    """Whether a letter becomes one with that before it: the second and third of a Hangul
    syllable."""
    return "\u1160" <= sign <= "\u11ff"


def _definition(definition: Definition, form: UnicodeForm) -> Definition:
    return definition._replace(
        name=unicodedata.normalize(form, definition.name),
        qualname=unicodedata.normalize(form, definition.qualname),
        params=_normalized_names(definition.params, form),
        returns=_normalized_names(definition.returns, form),
        bases=_normalized_names(definition.bases, form),
        decorators=_normalized_names(definition.decorators, form),
        owner=_normalized_names(definition.owner, form),
    )


def _normalized_names(value: Any, form: UnicodeForm) -> Any:
    """Return terms or statements with their names in a form; what needs no change is the same
    object, since equal terms are one."""
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize(form, value)
    if not isinstance(value, tuple) or value[:1] == ("const",):
        return value
    parts = [_normalized_names(part, form) for part in value]
    if all(new is old for new, old in zip(parts, value, strict=True)):
        return value
    return tuple.__new__(type(value), parts)


# --- Unicode form of paths and module names, which differs between file systems.
#
# Module resolvers compare texts. They are handed paths and names in one form; what they find is
# given back as it is in the tree.

# Python looks for modules by their names, which it brings into this form.
_FAMILY_FORMS: Mapping[str, UnicodeForm] = {"python": "NFKC"}


def normalized(text: str, family: str) -> str:
    """Return a path or name in the form in which a family's are compared."""
    return text if text.isascii() else unicodedata.normalize(_FAMILY_FORMS.get(family, "NFC"), text)


class NormalizingResolver:
    """A module resolver that takes paths and names in any Unicode form."""

    def __init__(
        self,
        make: type[ModuleResolver],
        files: Sequence[ListedFile],
        texts: Mapping[str, str],
        family: str,
    ) -> None:
        """`make` is the module resolver of the family, `files` and `texts` are what it takes."""
        self._family = family
        listed = [(normalized(path, family), language, space) for path, language, space in files]
        named = {normalized(path, family): text for path, text in texts.items()}
        self._resolver: ModuleResolver = make(listed, named)
        self._non_ascii = {path for path, _, _ in files if not path.isascii()}
        # Of two files of one name the first is meant.
        self._tree_paths = {
            normalized(path, family): path for path in sorted(self._non_ascii, reverse=True)
        }

    def namespace(self, path: str) -> str:
        """Return the key of a file's namespace."""
        key = self._resolver.namespace(normalized(path, self._family))
        return path if path in self._non_ascii and key == normalized(path, self._family) else key

    def members(self, key: str) -> tuple[str, ...]:
        """Return the paths of the files of a namespace, in order."""
        if key in self._non_ascii:
            return (key,)
        return self._as_in_tree(self._resolver.members(normalized(key, self._family)))

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the namespaces that a module name means in a file, best first."""
        name = normalized(module, self._family)
        return self._as_in_tree(self._resolver.find(normalized(path, self._family), name, level))

    def is_inside(self, path: str, module: str, level: int) -> bool:
        """Whether a module name for which `find` has nothing can only mean code of this tree."""
        name = normalized(module, self._family)
        return self._resolver.is_inside(normalized(path, self._family), name, level)

    def nested(self, key: str, name: str) -> tuple[str, ...]:
        """Return the namespaces that a member's name means below a namespace."""
        outer = normalized(key, self._family)
        return self._as_in_tree(self._resolver.nested(outer, normalized(name, self._family)))

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the keys on whose files the answer of `find` depends."""
        name = normalized(module, self._family)
        return self._resolver.dependency_keys(normalized(path, self._family), name, level)

    def _as_in_tree(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        if not self._non_ascii:
            return keys
        return tuple([self._tree_paths.get(key, key) for key in keys])
