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
    ("generic", path, scope, id)                something of a type with arguments: List[T]; of a
                                                function's, where it may be an object: one more
    ("many", tokens)                            a container of these
    ("row", (tokens, …))                        a tuple of these
    ("generator", path, n)                      what a generator function gives
    ("method", token, name)                     a method of something outside or of a container
    ("argument", place)                         an object of the class given there, before it is
    ("reflected", token), ("proxy", token)      what is asked by name (see `reflection`)
"""

from __future__ import annotations

import builtins

from ..facts import MODULE_SCOPE, Term
from ..link import SCRIPTS
from .memo import FUEL, Entry, Tokens, Variable, joined
from .records import Tree
from .scopes import Binding, Seen
from .spaces import Spaces
from .views import View

_BUILTINS = frozenset(dir(builtins))
_INNER = frozenset({"function", "block"})
# Namespace of what says none, which every file sees.
_UNNAMED = {"csharp": ("csharp:",)}
_CLASSES_FIRST = frozenset({"java", "csharp"})


class Names(Spaces):
    """Looks names up.

    Attributes:
        terms: literals and generic types by their identity, for the tokens that stand for them.
        home: the file whose edges are looked for; None if terms may mean more when asked again.
        is_flowing: whether values are followed into variables.
    """

    is_flowing = False
    # Whether scopes, imports and classes alone are asked, not what runs.
    is_static = False
    # Terms within terms that are being worked out; what breaks off must not leave it high.
    depth = 0

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self.home: View | None = None
        self._is_alone = False
        self.terms: dict[int, Term] = {}

    def begin(self, path: str | None = None) -> Entry:
        """Start to collect what a file reads, and return the root of it.

        With its path, terms of it mean the same whenever they are asked.
        """
        if self.home:
            self.let_go(self._is_passing)
            if self._is_alone:
                del self.views[self.home.path]
            else:
                self.home.forget()
        self._is_alone = path is not None and path not in self.views
        self.home = self.views[path] if path else None
        self.depth = 0
        return super().begin()

    def is_direct(self, view: View, fuel: int) -> bool:
        """Return whether the file at hand asks for itself, and what it reads of itself is moot."""
        return fuel == FUEL and view is self.home and not self.is_static

    def _is_passing(self, variable: Variable) -> bool:
        """Return whether only the file at hand asks for a variable: locals, what methods hide; all
        of a file that no other asked for before: most are tests, and nobody will."""
        assert self.home is not None
        path = self.home.path
        if self._is_alone:
            return path in variable or (isinstance(variable[1], tuple) and path in variable[1])
        if variable[0] == "name":
            scopes = self.home.facts.scopes
            return variable[1] == path and scopes[variable[2]][0] in _INNER
        return variable[:3] == ("attr", "bases", path)

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

    def name(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        """Return what a name can be in a scope; nothing known is the empty tuple."""
        if not view.is_implying:
            seen = view.look(scope, name)
            if scope != seen.binder and not self.is_direct(view, fuel):
                self._pass_by(view, scope, seen.binder, name)
            return self._looked_up(view, seen, name, fuel)
        return self._outward(view, scope, name, fuel)

    def _outward(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        """Return what a name is in the innermost of the scopes around that have it or imply it."""
        inner, names, scopes = scope, view.names, view.facts.scopes
        inherited: Tokens = ()
        while inner >= 0:
            if name in names[inner] and view.is_seen(inner, scope):
                return self.bound(view, inner, name, fuel)
            if view.globals and name in view.globals.get(inner, ()):
                inner = 0
                continue
            if (found := self._implied(view, inner, name, fuel)) is not None:
                if found[0][0] != "outside" or not self._may_be_outer(view, found, name):
                    return found
                inherited = inherited or found
            if inner != MODULE_SCOPE and not self.is_direct(view, fuel):
                self._keys.append(self.name_key(view, inner, name))
            inner = scopes[inner][1]
        return self._around(view, name, fuel) or inherited

    def _may_be_outer(self, view: View, found: Tokens, name: str) -> bool:
        """Return whether a member is only supposed, of a base outside of the tree: what is further
        out and has that name is likelier, but for methods that about everything has."""
        return found == (("outside", f".{name}"),) and name not in view.dialect.builtin_methods

    def _pass_by(self, view: View, scope: int, binder: int, name: str) -> None:
        """Note that scopes do not bind a name: were one of them to do so, it would mean that."""
        inner, scopes = scope, view.facts.scopes
        while inner not in (binder, MODULE_SCOPE, -1):
            if scopes[inner][0] != "class" or view.is_seen(inner, scope):
                self._keys.append(self.name_key(view, inner, name))
            inner = scopes[inner][1]

    def _looked_up(self, view: View, seen: Seen, name: str, fuel: int) -> Tokens:
        if seen.binder < 0:
            return self._around(view, name, fuel)
        if seen.fixed is None or fuel <= 0 or self.is_flowing:
            return self.bound(view, seen.binder, name, fuel)
        # As if it were recalled, with one hop; but there is nothing to be worked out.
        self._low = min(self._low, fuel - 1)
        self._keys.append(self.name_key(view, seen.binder, name))
        return seen.fixed

    def _around(self, view: View, name: str, fuel: int) -> Tokens:
        """Return what a name is that the file itself does not bind."""
        self.read(self.name_key(view, 0, name))
        self.read(self.name_key(view, 0, "*"))
        if view.dialect.shares_namespace and (found := self._own_namespace(view, name, fuel)):
            return found
        for key in _UNNAMED.get(view.facts.language, ()):
            if found := self.member(self.family(view), key, name, fuel):
                return found
        return self._builtin(view, name)

    def _own_namespace(self, view: View, name: str, fuel: int) -> Tokens:
        """Return what the files of a file's namespace have under a name."""
        key = self.links.of(view.path).own(view.path)
        return self.member(self.family(view), key, name, fuel)

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
            return view.defined(binding[1])
        if tag == "import":
            return self.imported(view, binding[1], binding[2], binding[3], fuel)
        if tag == "param":
            return self.param(view, binding[1], binding[2], fuel)
        return self.typed(view, binding[1], binding[2], fuel)

    def _bound(self, variable: Variable, fuel: int) -> Tokens:
        _, path, scope, name = variable
        view = self.views[path]
        self._keys.append(self.name_key(view, scope, name))
        bindings = view.names[scope][name]
        if len(bindings) == 1:
            return self.binding(view, bindings[0], fuel)
        return joined([self.binding(view, one, fuel) for one in _effective(view, bindings)])

    def _implied(self, view: View, scope: int, name: str, fuel: int) -> Tokens | None:
        """Return what a scope has without binding it: whole imports, members of the class."""
        # Classes of the own package come before those of `import x.*` and `using x`.
        has_own = not scope and view.facts.language in _CLASSES_FIRST
        if has_own and (found := self._own_namespace(view, name, fuel)):
            return found
        if scope in view.stars and (found := self._from_stars(view, scope, name, fuel)):
            return found
        if not view.dialect.implicit_members:
            return None
        kind, _, number = view.facts.scopes[scope]
        if number < 0:
            return None
        if kind == "class":
            return self.attribute(("instance", view.path, number), name, fuel) or None
        within = view.definitions[number]
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
        if language in SCRIPTS and (view.exports or view.export_stars or view.has_imports):
            return (("outside", name),)
        # What begins like a class, and is none of those in sight, is one of another library.
        if language in _CLASSES_FIRST and name[:1].isupper():
            return (("outside", name),)
        return ()


def _effective(view: View, bindings: list[Binding]) -> list[Binding]:
    """Return bindings without the declarations of overloads whose body stands beside them."""
    kept = [
        one
        for one in bindings
        if one[0] != "define" or "overload" not in view.definitions[one[1]].flags
    ]
    return kept or bindings
