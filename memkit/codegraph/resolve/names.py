"""What a name means: scopes from the inside out, then imports, the namespace around, built-ins.

What a name, a member or a call can be is a tuple of *tokens*, each with its tag first:

    ("class", path, n), ("function", path, n)   the thing itself
    ("instance", path, n)                       an object of a class
    ("bound", path, n)                          a method with its object
    ("bases", path, n)                          super(): the class as its bases see it
    ("module", family, key)                     a namespace
    ("outside", name)                           something that lies outside of the tree
    ("thing", name)                             an object of a type outside of the tree
    ("literal", path, scope, id)                a list, tuple, set or dict as it is written
    ("generic", path, scope, id)                something of a type with arguments: List[T]
    ("many", tokens)                            a container of these
    ("row", (tokens, …))                        a tuple of these
    ("generator", path, n)                      what a generator function gives
    ("method", token, name)                     a method of something outside or of a container
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable

from ..extract import dialect
from ..facts import Term
from ..link import Links, family_of
from .bindings import defined, effective
from .includes import Includes
from .keys import unit
from .memo import Tokens, Variable, joined
from .records import Tree
from .views import Binding, View

_BUILTINS = frozenset(dir(builtins))
_CLOSED = frozenset({"javascript", "typescript"})
_CLASSES_FIRST = frozenset({"java", "csharp"})


class Names(Includes):
    """Looks names up.

    Attributes:
        tree, links: as given; which module names mean which files.
        terms: literals and generic types by their identity, for the tokens that stand for them.
    """

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree
        self.links = Links(tree.files, tree.texts)
        self.terms: dict[int, Term] = {}
        self._languages = {path: language for path, language, _ in tree.files}
        self._views: dict[str, View] = {}
        self._found: dict[tuple[str, str, int], tuple[tuple[str, ...], tuple[str, ...]]] = {}
        self._prefixes: dict[str, str] = {}

    def eval(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what a term of a scope can be."""
        raise NotImplementedError

    def typed(self, view: View, scope: int, kind: Term, fuel: int) -> Tokens:
        """Return what a value of a type can be."""
        raise NotImplementedError

    def attribute(self, token: tuple[object, ...], name: str, fuel: int) -> Tokens:
        """Return what a member of something can be."""
        raise NotImplementedError

    def param(self, view: View, number: int, place: int, fuel: int) -> Tokens:
        """Return what a parameter can be."""
        raise NotImplementedError

    def view(self, path: str) -> View:
        """Return the view of a file of the tree. Raises KeyError for a file without facts."""
        view = self._views.get(path)
        if view is None:
            facts = self.tree.facts_of(path)
            if facts is None:
                raise KeyError(path)
            view = self._views[path] = View(facts, dialect(facts.language))
        return view

    def family(self, view: View) -> str:
        """Return the family of languages that a file belongs to."""
        return family_of(view.facts.language)

    def name(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        """Return what a name can be in a scope; nothing known is the empty tuple."""
        inner, names, scopes = scope, view.names, view.facts.scopes
        is_implying = bool(view.stars) or view.dialect.implicit_members
        while inner >= 0:
            if name in names[inner] and view.is_seen(inner, scope):
                return self.bound(view, inner, name, fuel)
            if view.globals and name in view.globals.get(inner, ()):
                inner = 0
                continue
            if is_implying and (found := self._implied(view, inner, name, fuel)) is not None:
                return found
            inner = scopes[inner][1]
        self.read(self._key(view, 0, name))
        self.read(self._key(view, 0, "*"))
        if view.dialect.shares_namespace:
            key = self.links.of(view.path).own(view.path)
            if found := self.member(self.family(view), key, name, fuel):
                return found
        return self._builtin(view, name)

    def bound(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        """Return what the bindings of a name in a scope give."""
        found: Tokens = self.recall(("name", view.path, scope, name), fuel, self._bound)
        return found

    def binding(self, view: View, binding: Binding, fuel: int) -> Tokens:
        """Return what one binding gives."""
        tag = binding[0]
        if tag == "value":
            return self.eval(view, binding[1], binding[2], fuel)
        if tag == "define":
            return defined(view, binding[1])
        if tag == "import":
            return self.imported(view, binding[1], binding[2], binding[3], fuel)
        if tag == "param":
            return self.param(view, binding[1], binding[2], fuel)
        return self.typed(view, binding[1], binding[2], fuel)

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
        if place not in self._found:
            linker = self.links.of(view.path)
            self._found[place] = (linker.asked(*place), linker.find(*place))
        asked, found = self._found[place]
        self.read_all(asked)
        return found

    def below(self, family: str, key: str, name: str, fuel: int) -> Tokens:
        """Return what a namespace has under a name: one of its names, or a namespace in it."""
        if found := self.member(family, key, name, fuel):
            return found
        linker = self.links.linker(family)
        for asked in linker.asked(key, name, 1) if linker.members(key) else ():
            self.read(asked)
        return tuple(("module", family, inner) for inner in linker.inside(key, name))

    def member(self, family: str, key: str, name: str, fuel: int) -> Tokens:
        """Return what a namespace's own names give."""
        found: Tokens = self.recall(("member", family, key, name), fuel, self._member)
        return found

    def _bound(self, variable: Variable, fuel: int) -> Tokens:
        _, path, scope, name = variable
        view = self.view(path)
        self.read(self._key(view, scope, name))
        bindings = effective(view, view.names[scope][name])
        return joined([self.binding(view, one, fuel) for one in bindings])

    def _key(self, view: View, scope: int, name: str) -> str:
        if scope == 0:
            prefix = self._prefixes.get(view.path)
            if prefix is None:
                own = self.links.of(view.path).own(view.path)
                prefix = self._prefixes[view.path] = f"n:{own}:"
            return prefix + name
        kind, _, number = view.facts.scopes[scope]
        if kind == "class":
            return f"a:{view.path}:{view.definition(number).qualname}.{name}"
        return unit(view, scope)

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
            members = tuple(dict.fromkeys(p for p, _ in self.tree.named(name) if p in inside))
        return [self.view(path) for path in members if path in self._languages]

    def _of_file(self, view: View, name: str, fuel: int) -> Tokens:
        if view.exports or view.export_stars:
            return self._exported(view, name, fuel)
        if name in view.names[0]:
            return self.bound(view, 0, name, fuel)
        self.read(self._key(view, 0, "*"))
        if name.startswith("_") and view.facts.language == "python":
            return ()
        # What a C file includes is asked of all files behind it at once.
        if self.family(view) == "c":
            return ()
        return self._starred(view, view.stars.get(0, ()), name, fuel)

    def _from_stars(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        if self.family(view) == "c":
            return self.from_includes(view, scope, name, fuel)
        return self._starred(view, view.stars[scope], name, fuel)

    def _starred(
        self, view: View, stars: Iterable[tuple[str, int]], name: str, fuel: int
    ) -> Tokens:
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

    def _exported(self, view: View, name: str, fuel: int) -> Tokens:
        self.read(self._key(view, 0, "*"))
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
        return joined(parts)

    def _replaced(self, family: str, keys: Iterable[str], fuel: int) -> Tokens:
        """Return what stands for a whole module, where a language lets one say so."""
        if family != "javascript":
            return ()
        return joined([self.member(family, key, "=", fuel) for key in keys])

    def _implied(self, view: View, scope: int, name: str, fuel: int) -> Tokens | None:
        """Return what a scope has without binding it: whole imports, members of the class."""
        if scope in view.stars and (found := self._from_stars(view, scope, name, fuel)):
            return found
        if not view.dialect.implicit_members:
            return None
        kind, _, number = view.facts.scopes[scope]
        if number < 0:
            return None
        if kind == "class":
            return self.attribute(("instance", view.path, number), name, fuel) or None
        within = view.definition(number)
        if "static" in within.flags:
            return None
        holders = self.typed(view, within.scope, within.owner, fuel)
        parts = [self.attribute(one, name, fuel) for one in holders]
        return joined(parts) or None

    def _builtin(self, view: View, name: str) -> Tokens:
        language = view.facts.language
        if language == "python" and name in _BUILTINS:
            return (("outside", name),)
        # A module has no names but its own, what it imports, and those of the language.
        if language in _CLOSED and (view.exports or view.export_stars or view.has_imports):
            return (("outside", name),)
        # What begins like a class, and is none of those in sight, is one of another library.
        if language in _CLASSES_FIRST and name[:1].isupper():
            return (("outside", name),)
        return ()
