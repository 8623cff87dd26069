"""Names that stand for one constant text wherever they are read: keys, and what is asked by name.

A name is followed to its one binding, through imports and members of classes; one that is bound
twice, or to anything but a constant, says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import Term
from .members import Members
from .memo import Token, Variable
from .scopes import Binding
from .views import View

# Bindings that only say of what type a name is.
_DECLARING = frozenset({"type", "narrow"})


class Constants(Members):
    """Works constants out."""

    def constant(self, view: View, scope: int, term: Term, fuel: int) -> object:
        """Return the value of a constant, or the text that a name stands for, else None."""
        if term is None:
            return None
        tag = term[0]
        if tag == "const":
            return term[2]
        if tag == "join":
            parts = [self.constant(view, scope, one, fuel) for one in term[1]]
            texts = [one for one in parts if isinstance(one, str)]
            return "".join(texts) if len(texts) == len(parts) else None
        if tag == "name":
            return self._recalled(("constant", view.path, scope, term[1]), fuel)
        if tag != "attr":
            return None
        base = self.eval(view, scope, term[1], fuel)
        return self._recalled(("constant", base[0], term[2]), fuel) if len(base) == 1 else None

    def _recalled(self, variable: Variable, fuel: int) -> object:
        work = self._named if isinstance(variable[1], str) else self._held
        found = self.recall(variable, fuel, work)
        return found if isinstance(found, str) else None

    def _named(self, variable: Variable, fuel: int) -> object:
        """Return the text that a name of a scope stands for."""
        _, path, scope, name = variable
        view = self.views[path]
        binder = view.binder(scope, name)
        if binder < 0:
            return self._elsewhere_constant(view, scope, name, fuel)
        self._keys.append(self.name_key(view, binder, name))
        number = view.facts.scopes[binder][2]
        others = view.attrs.get(number, {}).get(name, ()) if number >= 0 else ()
        return self._bound_once(view, [*view.names[binder][name], *others], fuel)

    def _elsewhere_constant(self, view: View, scope: int, name: str, fuel: int) -> object:
        """Return what a name stands for that no scope binds: of a base, or of the own namespace."""
        if view.dialect.implicit_members and (method := view.method_around(scope)) >= 0:
            holder = ("class", view.path, view.class_of(method))
            return self._held(("constant", holder, name), fuel) if holder[2] >= 0 else None
        if not view.dialect.shares_namespace:
            return None
        key = self.links.of(view.path).own(view.path)
        return self._of_namespace(self.family(view), key, name, fuel)

    def _held(self, variable: Variable, fuel: int) -> object:
        """Return the text that a member of a class or a namespace stands for."""
        _, token, name = variable
        if token[0] == "module":
            return self._of_namespace(token[1], token[2], name, fuel)
        if token[0] not in ("class", "instance"):
            return None
        for one in self.order(token[1], token[2]):
            if one[0] == "class" and (found := self._bindings(one, name)):
                return self._bound_once(self.views[one[1]], found, fuel)
        return None

    def _bindings(self, token: Token, name: str) -> list[Binding]:
        """Return what is bound to a member of one class, in its body and elsewhere in its file."""
        view = self.views[token[1]]
        definition = view.definitions[token[2]]
        self.read(f"a:{view.path}:{definition.qualname}.{name}")
        own = view.names[definition.body].get(name, ()) if definition.body >= 0 else ()
        return [*own, *view.attrs.get(token[2], {}).get(name, ())]

    def _of_namespace(self, family: str, key: str, name: str, fuel: int) -> object:
        self.read(f"n:{key}:{name}")
        for view in self._holders(family, key, name):
            for local, _ in view.exports.get(name, [(name, None)]):
                if local in view.names[0]:
                    return self._bound_once(view, view.names[0][local], fuel)
        return None

    def _bound_once(self, view: View, bindings: Iterable[Binding], fuel: int) -> object:
        found = [one for one in bindings if one[0] not in _DECLARING]
        if len(found) != 1:
            return None
        if found[0][0] == "value":
            return self.constant(view, found[0][1], found[0][2], fuel)
        if found[0][0] != "import" or found[0][2] in (None, "*"):
            return None
        _, module, name, level = found[0]
        for key in self.found(view, module, level):
            if (text := self._of_namespace(self.family(view), key, name, fuel)) is not None:
                return text
        return None
