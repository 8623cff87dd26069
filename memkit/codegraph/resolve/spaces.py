"""Namespaces: what imports give, what the files of one namespace have under a name."""

from __future__ import annotations

from collections.abc import Iterable

from ..link import Links, family_of
from .includes import Includes
from .memo import Tokens, Variable, joined
from .records import Tree
from .scopes import Binding
from .views import View, Views


class Spaces(Includes):
    """Looks names of namespaces up.

    Attributes:
        tree, links, views: as given; which module names mean which files; files by path.
        languages: of parsed files, by path.
        candidates: methods of a name that files of a family may call.
    """

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree
        self.views = Views(tree.facts_of)
        self.links = Links(tree.files, tree.texts)
        self.languages = {path: language for path, language, _ in tree.files}
        self._found = self.table()
        self.candidates = self.table()
        self._prefixes: dict[str, str] = {}

    def family(self, view: View) -> str:
        """Return the family of languages that a file belongs to."""
        return family_of(view.facts.language)

    def imported(self, view: View, module: str, name: str | None, level: int, fuel: int) -> Tokens:
        """Return what an import gives: a module, or a name of one, or something outside."""
        family = self.family(view)
        found = self.found(view, module, level)
        if name is None:
            modules = tuple(("module", family, key) for key in found)
            default = self._replaced(family, found, fuel)
            return (*default, *modules) or (("outside", module),)
        for key in found:
            if taken := self.below(family, key, name, fuel):
                return taken
        return () if found else (("outside", f"{module}.{name}"),)

    def found(self, view: View, module: str, level: int) -> tuple[str, ...]:
        """Return the namespaces that a module name means in a file, and note that it was asked."""
        place = (view.path, module, level)
        found: tuple[str, ...] = self.keep(self._found, place, self._work_found)
        return found

    def _work_found(self, place: tuple[str, str, int]) -> tuple[str, ...]:
        linker = self.links.of(place[0])
        self.read_all(linker.asked(*place))
        return linker.find(*place)

    def below(self, family: str, key: str, name: str, fuel: int) -> Tokens:
        """Return what a namespace has under a name: one of its names, or a namespace in it."""
        if found := self.member(family, key, name, fuel):
            return found
        linker = self.links.linker(family)
        for asked in linker.asked(key, name, 1) if linker.members(key) or key == "/" else ():
            self.read(asked)
        return tuple(("module", family, inner) for inner in linker.inside(key, name))

    def member(self, family: str, key: str, name: str, fuel: int) -> Tokens:
        """Return what a namespace's own names give."""
        found: Tokens = self.recall(("member", family, key, name), fuel, self._member)
        return found

    def name_key(self, view: View, scope: int, name: str) -> str:
        """Return the key under which the bindings of a name in a scope are read (see `keys`)."""
        if scope == 0:
            prefix = self._prefixes.get(view.path)
            if prefix is None:
                own = self.links.of(view.path).own(view.path)
                prefix = self._prefixes[view.path] = f"n:{own}:"
            return prefix + name
        kind, _, number = view.facts.scopes[scope]
        if kind == "class":
            return f"a:{view.path}:{view.definitions[number].qualname}.{name}"
        return view.unit(scope)

    def _member(self, variable: Variable, fuel: int) -> Tokens:
        _, family, key, name = variable
        self.read(f"n:{key}:{name}")
        found = [self._of_file(view, name, fuel) for view in self._holders(family, key, name)]
        return joined([tokens for tokens in found if tokens])

    def _holders(self, family: str, key: str, name: str) -> Iterable[View]:
        """Return the files of a namespace that may have a name: of many, few are loaded."""
        members = self.links.linker(family).members(key)
        if len(members) > 1:
            inside = frozenset(members)
            members = tuple(
                dict.fromkeys(one.path for one in self.tree.named(name) if one.path in inside)
            )
        return [self.views[path] for path in members if path in self.languages]

    def _of_file(self, view: View, name: str, fuel: int) -> Tokens:
        if view.exports or view.export_stars:
            return self._exported(view, name, fuel)
        if name in view.names[0]:
            return self.bound(view, 0, name, fuel)
        self.read(self.name_key(view, 0, "*"))
        stars = view.stars.get(0, ())
        if name.startswith("_") and view.facts.language == "python":
            stars = [star for star in stars if self._is_listed(view, star, name)]
        # What a C file includes is asked of all files behind it at once.
        if self.family(view) == "c":
            return ()
        return self._starred(view, stars, name, fuel)

    def _is_listed(self, view: View, star: tuple[str, int], name: str) -> bool:
        """Return whether a module says that its private name is for others (Python's `__all__`)."""
        for key in self.found(view, *star):
            for there in self._holders(self.family(view), key, "__all__"):
                self.read(self.name_key(there, 0, "__all__"))
                if any(_lists(one, name) for one in there.names[0].get("__all__", ())):
                    return True
        return False

    def _from_stars(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        if self.family(view) == "c":
            return self.from_includes(view, scope, name, fuel)
        return self._starred(view, view.stars[scope], name, fuel)

    def _starred(
        self, view: View, stars: Iterable[tuple[str, int]], name: str, fuel: int
    ) -> Tokens:
        if view.facts.language == "go" and not name[:1].isupper():
            return ()
        for module, level in stars:
            keys = self.found(view, module, level)
            for key in keys:
                if found := self.member(self.family(view), key, name, fuel):
                    return found
            if not keys and (found := self._of_class(view, module, name, fuel)):
                return found
        return ()

    def _of_class(self, view: View, module: str, name: str, fuel: int) -> Tokens:
        """Return a member of a class whose members are imported whole (Java, C#: static)."""
        outer, _, last = module.rpartition(".")
        if not view.dialect.implicit_members:
            return ()
        for key in self.found(view, outer, 0):
            tokens = self.member(self.family(view), key, last, fuel)
            parts = [self.attribute(one, name, fuel) for one in tokens if one[0] == "class"]
            if any(parts):
                return joined(parts)
        return ()

    def _from_outside(self, view: View, name: str) -> Tokens:
        """Return a name as one of a module outside that a file exports whole, if there is one."""
        outside = [module for module in view.export_stars if not self.found(view, module, 0)]
        return (("outside", f"{outside[0]}.{name}"),) if outside else ()

    def _exported(self, view: View, name: str, fuel: int) -> Tokens:
        self.read(self.name_key(view, 0, "*"))
        parts = []
        for local, module in view.exports.get(name, ()):
            if module is None:
                parts.append(self.name(view, 0, local, fuel))
            else:
                parts.append(self.imported(view, module, None if local == "*" else local, 0, fuel))
        if not parts and name != "default":
            stars = [(module, 0) for module in view.export_stars]
            parts.append(self._starred(view, stars, name, fuel))
        if not any(parts) and name not in ("=", "default") and "=" in view.exports:
            whole = self._exported(view, "=", fuel)
            parts += [self.attribute(token, name, fuel) for token in whole]
        is_passed_on = name not in view.exports and name != "default"
        return joined(parts) or (self._from_outside(view, name) if is_passed_on else ())

    def _replaced(self, family: str, keys: Iterable[str], fuel: int) -> Tokens:
        """Return what stands for a whole module, where a language lets one say so."""
        if family != "javascript":
            return ()
        return joined([self.member(family, key, "=", fuel) for key in keys])


def _lists(binding: Binding, name: str) -> bool:
    """Return whether a binding is to a list that holds a text."""
    term = binding[2] if binding[0] == "value" else None
    if term is None or term[0] not in ("list", "tuple"):
        return False
    return any(one is not None and one[0] == "const" and one[2] == name for one in term[1])
