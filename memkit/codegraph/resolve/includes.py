"""What C and C++ files see of each other: all that their includes include, and namespaces used."""

from __future__ import annotations

from ..facts import MODULE_SCOPE
from ..link import Links
from .memo import Entry, Memo, Tokens, Variable, joined
from .records import Tree
from .views import View, Views

# Level of an import that is `using namespace`, not a file.
USING = 2
# Files that one file takes in; what lies behind them is no longer seen.
_MOST_FILES = 5000


class Includes(Memo):
    """Knows for each file which others its includes lead to.

    A name is looked up among the definitions of that name, not file by file: with some hundred
    headers behind each other a name that none of them has would cost a walk through all.
    """

    tree: Tree
    links: Links
    views: Views

    def __init__(self) -> None:
        super().__init__()
        self._included: dict[str, Entry] = {}

    def bound(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        """Return what the bindings of a name in a scope give."""
        raise NotImplementedError

    def name(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        """Return what a name can be in a scope."""
        raise NotImplementedError

    def attribute(self, token: tuple[object, ...], name: str, fuel: int) -> Tokens:
        """Return what a member of something can be."""
        raise NotImplementedError

    def from_includes(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        """Return what a name is in the files that a scope includes, or in namespaces it uses."""
        stars = view.stars.get(scope, ())
        parts: list[Tokens] = []
        if any(level != USING for _, level in stars):
            inside = self.included(view.path)
            self.read(f"u:{name}")
            paths = dict.fromkeys(one.path for one in self.tree.named(name) if one.path in inside)
            views = [self.views[path] for path in paths]
            parts = [
                self.bound(there, MODULE_SCOPE, name, fuel)
                for there in views
                if name in there.names[MODULE_SCOPE]
            ]
        for module, level in stars:
            if level == USING and not any(parts):
                parts.append(self.recall(("using", view.path, module, name), fuel, self._using))
        return joined(parts or [()])

    def included(self, path: str) -> frozenset[str]:
        """Return the files that a file includes, and all that those include."""
        found: frozenset[str] = self.keep(self._included, path, self._reached)
        return found

    def _reached(self, path: str) -> frozenset[str]:
        found, left = {path}, [path]
        while left and len(found) < _MOST_FILES:
            view = self.views[left.pop()]
            linker = self.links.of(view.path)
            self.read(f"n:{linker.own(view.path)}:*")
            for module, level in view.stars.get(MODULE_SCOPE, ()):
                for key in linker.asked(view.path, module, level):
                    self.read(key)
                new = [one for one in linker.find(view.path, module, level) if one not in found]
                found.update(new)
                left += new
        return frozenset(found - {path})

    def _using(self, variable: Variable, fuel: int) -> Tokens:
        """Return a member of a namespace that is used whole."""
        _, path, module, name = variable
        first, *others = module.split(".")
        if name == first:
            return ()
        tokens = self.name(self.views[path], MODULE_SCOPE, first, fuel)
        for part in (*others, name):
            tokens = joined([self.attribute(one, part, fuel) for one in tokens] or [()])
        return tokens
