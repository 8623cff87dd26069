"""Name resolution: scopes, imports, namespaces, includes, built-ins."""

from __future__ import annotations

from collections.abc import Iterable

from ..facts import MODULE_SCOPE, Term
from ..languages import ModuleResolvers
from . import packages
from .engine import FUEL, Entry, Memo, Tokens, Tree, Variable, joined
from .file_scopes import Binding, Seen, View, Views

# --- Includes of C and C++ files, followed to all that they include, and namespaces used.

# Level of an import that is `using namespace`, not a file.
USING = 2
# Files that one file takes in; what lies behind them is no longer seen.
_MOST_FILES = 5000


class Includes(Memo):
    """The files that each file includes, directly or not.

    A name is looked up among the definitions of that name, not file by file: with some hundred
    headers behind each other a name that none of them has would cost a walk through all.
    """

    tree: Tree
    links: ModuleResolvers
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

    def eval(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what a term of a scope can be."""
        raise NotImplementedError

    def returns(self, path: str, number: int, fuel: int) -> Tokens:
        """Return what a call of a function gives."""
        raise NotImplementedError

    def from_includes(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        """Return what a name is in the files that a scope includes, or in namespaces it uses."""
        stars = view.stars.get(scope, ())
        parts: list[Tokens] = []
        if any(level != USING for _, level in stars):
            inside = self.included(view.path)
            self.read(f"u:{name}")
            paths = dict.fromkeys(
                definition.path for definition in self.tree.named(name) if definition.path in inside
            )
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
        paths: frozenset[str] = self.keep(self._included, path, self._reached)
        return paths

    def _reached(self, path: str) -> frozenset[str]:
        paths, left = {path}, [path]
        while left and len(paths) < _MOST_FILES:
            view = self.views[left.pop()]
            linker = self.links.of(view.path)
            self.read(f"n:{linker.namespace(view.path)}:*")
            for module, level in view.stars.get(MODULE_SCOPE, ()):
                for key in linker.dependency_keys(view.path, module, level):
                    self.read(key)
                new = [
                    other for other in linker.find(view.path, module, level) if other not in paths
                ]
                paths.update(new)
                left += new
        return frozenset(paths - {path})

    def _using(self, variable: Variable, fuel: int) -> Tokens:
        """Return a member of a namespace that is used whole."""
        _, path, module, name = variable
        first, *others = module.split(".")
        if name == first:
            return ()
        tokens = self.name(self.views[path], MODULE_SCOPE, first, fuel)
        for part in (*others, name):
            tokens = joined([self.attribute(token, part, fuel) for token in tokens] or [()])
        return tokens


# --- Imports and namespaces: the names of the files of one namespace.


class Spaces(Includes):
    """Lookup of names in namespaces.

    Attributes:
        tree, links, views: as given; which module names mean which files; files by path.
        languages: of parsed files, by path.
        candidates: methods of a name that files of a family may call.
    """

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree
        self.views = Views(tree.facts_of)
        self.links = ModuleResolvers(tree.files, tree.texts)
        self.languages = {path: language for path, language, _ in tree.files}
        self._namespaces = self.table()
        self.candidates = self.table()
        self._prefixes: dict[str, str] = {}

    def imported(self, view: View, module: str, name: str | None, level: int, fuel: int) -> Tokens:
        """Return what an import gives: a module, or a name of one, or something outside."""
        family = view.dialect.family
        keys = self.namespaces(view, module, level)
        if name is None:
            modules = tuple(("module", family, key) for key in keys)
            default = self._replaced(view, keys, fuel)
            return (*default, *modules) or (("outside", module),)
        for key in keys:
            if taken := self.below(family, key, name, fuel):
                return taken
        if not keys and view.dialect.extension_functions:
            members = packages.of_classes(self, view, module, name, fuel)
            return members or (("outside", f"{module}.{name}"),)
        return () if keys else (("outside", f"{module}.{name}"),)

    def namespaces(self, view: View, module: str, level: int) -> tuple[str, ...]:
        """Return the namespaces that a module name means in a file, and note that it was asked."""
        place = (view.path, module, level)
        keys: tuple[str, ...] = self.keep(self._namespaces, place, self._work_namespaces)
        return keys

    def _work_namespaces(self, place: tuple[str, str, int]) -> tuple[str, ...]:
        linker = self.links.of(place[0])
        self.read_all(linker.dependency_keys(*place))
        return linker.find(*place)

    def below(self, family: str, key: str, name: str, fuel: int) -> Tokens:
        """Return what a namespace has under a name: one of its names, or a namespace in it."""
        if tokens := self.member(family, key, name, fuel):
            return tokens
        linker = self.links.of_family(family)
        for read_key in (
            linker.dependency_keys(key, name, 1) if linker.members(key) or key == "/" else ()
        ):
            self.read(read_key)
        return tuple(("module", family, inner) for inner in linker.nested(key, name))

    def member(self, family: str, key: str, name: str, fuel: int) -> Tokens:
        """Return what a namespace's own names give."""
        tokens: Tokens = self.recall(("member", family, key, name), fuel, self._member)
        return tokens

    def name_key(self, view: View, scope: int, name: str) -> str:
        """Return the key under which the bindings of a name in a scope are read (see `keys`)."""
        if scope == 0:
            prefix = self._prefixes.get(view.path)
            if prefix is None:
                own = self.links.of(view.path).namespace(view.path)
                prefix = self._prefixes[view.path] = f"n:{own}:"
            return prefix + name
        kind, _, number = view.facts.scopes[scope]
        if kind == "class":
            return f"a:{view.path}:{view.definitions[number].qualname}.{name}"
        return view.unit(scope)

    def _member(self, variable: Variable, fuel: int) -> Tokens:
        _, family, key, name = variable
        self.read(f"n:{key}:{name}")
        parts = [self._of_file(view, name, fuel) for view in self._holders(family, key, name)]
        return joined([tokens for tokens in parts if tokens])

    def _holders(self, family: str, key: str, name: str) -> Iterable[View]:
        """Return the files of a namespace that may have a name: of many, few are loaded."""
        members = self.links.of_family(family).members(key)
        if len(members) > 1:
            inside = frozenset(members)
            members = tuple(
                dict.fromkeys(
                    definition.path
                    for definition in self.tree.named(name)
                    if definition.path in inside
                )
            )
        return [self.views[path] for path in members if path in self.languages]

    def _of_file(self, view: View, name: str, fuel: int) -> Tokens:
        if view.exports or view.export_stars:
            return self._exported(view, name, fuel)
        if view.dialect.extension_functions:
            return packages.own(self, view, name, fuel)
        if name in view.names[0]:
            return self.bound(view, 0, name, fuel)
        self.read(self.name_key(view, 0, "*"))
        stars = view.stars.get(0, ())
        if name.startswith("_") and view.dialect.star_excludes == "underscore":
            stars = [star for star in stars if self._is_listed(view, star, name)]
        # What a C file includes is asked of all files behind it at once.
        if view.dialect.includes_transitively:
            return ()
        return self.starred(view, stars, name, fuel)

    def _is_listed(self, view: View, star: tuple[str, int], name: str) -> bool:
        """Return whether a module says that its private name is for others (Python's `__all__`)."""
        for key in self.namespaces(view, *star):
            for there in self._holders(view.dialect.family, key, "__all__"):
                self.read(self.name_key(there, 0, "__all__"))
                if any(_lists(binding, name) for binding in there.names[0].get("__all__", ())):
                    return True
        return False

    def _from_stars(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        if view.dialect.includes_transitively:
            return self.from_includes(view, scope, name, fuel)
        return self.starred(view, view.stars[scope], name, fuel)

    def starred(self, view: View, stars: Iterable[tuple[str, int]], name: str, fuel: int) -> Tokens:
        if view.dialect.star_excludes == "lowercase" and not name[:1].isupper():
            return ()
        for module, level in stars:
            keys = self.namespaces(view, module, level)
            for key in keys:
                if tokens := self.member(view.dialect.family, key, name, fuel):
                    return tokens
            if not keys and (tokens := self._of_class(view, module, name, fuel)):
                return tokens
        return ()

    def _of_class(self, view: View, module: str, name: str, fuel: int) -> Tokens:
        """Return a member of a class whose members are imported whole (Java, C#: static)."""
        outer, _, last = module.rpartition(".")
        if not view.dialect.implicit_members:
            return ()
        for key in self.namespaces(view, outer, 0):
            tokens = self.member(view.dialect.family, key, last, fuel)
            parts = [self.attribute(token, name, fuel) for token in tokens if token[0] == "class"]
            if any(parts):
                return joined(parts)
        return ()

    def _from_outside(self, view: View, name: str) -> Tokens:
        """Return a name as one of a module outside that a file exports whole, if there is one."""
        outside = [module for module in view.export_stars if not self.namespaces(view, module, 0)]
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
            parts.append(self.starred(view, stars, name, fuel))
        if not any(parts) and name not in ("=", "default") and "=" in view.exports:
            whole = self._exported(view, "=", fuel)
            parts += [self.attribute(token, name, fuel) for token in whole]
        is_passed_on = name not in view.exports and name != "default"
        return joined(parts) or (self._from_outside(view, name) if is_passed_on else ())

    def _replaced(self, view: View, keys: Iterable[str], fuel: int) -> Tokens:
        """Return what stands for a whole module, where a language lets one say so."""
        if not view.dialect.module_replaceable:
            return ()
        return joined([self.member(view.dialect.family, key, "=", fuel) for key in keys])


def _lists(binding: Binding, name: str) -> bool:
    """Return whether a binding is to a list that holds a text."""
    term = binding[2] if binding[0] == "value" else None
    if term is None or term[0] not in ("list", "tuple"):
        return False
    return any(
        element is not None and element[0] == "const" and element[2] == name for element in term[1]
    )


# --- Name lookup: scopes from the inside out, imports, the namespace around, built-ins.
#
# What a name, a member or a call can be is a tuple of *tokens*, each with its tag first:
#
#     ("class", path, n), ("function", path, n)   the thing itself
#     ("instance", path, n)                       an object of a class
#     ("bound", path, n)                          a method with its object
#     ("bases", path, n)                          super(): the class as its bases see it
#     ("module", family, key)                     a namespace
#     ("outside", name)                           something that lies outside of the tree
#     ("thing", name)                             an object of a type outside of the tree
#     ("literal", path, scope, id)                a list, tuple, set or dict as it is written
#     ("generic", path, scope, id)                something of a type with arguments: List[T]; of a
#                                                 function's, where it may be an object: one more
#     ("many", tokens)                            a container of these
#     ("row", (tokens, …))                        a tuple of these
#     ("generator", path, n)                      what a generator function gives
#     ("method", token, name)                     a method of something outside or of a container
#     ("argument", place)                         an object of the class given there, before it is
#     ("reflected", token), ("proxy", token)      what is asked by name (see `reflection`)

_INNER = frozenset({"function", "block"})


class Names(Spaces):
    """Lookup of names in scopes.

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
        if view.dialect.extension_functions:
            return packages.read(self, view, scope, name, fuel)
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
            if (tokens := self._implied(view, inner, name, fuel)) is not None:
                if tokens[0][0] != "outside" or not self._may_be_outer(view, tokens, name):
                    return tokens
                inherited = inherited or tokens
            if inner != MODULE_SCOPE and not self.is_direct(view, fuel):
                self._keys.append(self.name_key(view, inner, name))
            inner = scopes[inner][1]
        return self._around(view, name, fuel) or inherited

    def _may_be_outer(self, view: View, tokens: Tokens, name: str) -> bool:
        """Return whether a member is only supposed, of a base outside of the tree: what is further
        out and has that name is likelier, but for methods that about everything has."""
        return tokens == (("outside", f".{name}"),) and name not in view.dialect.builtin_methods

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
        if view.dialect.shares_namespace and (tokens := self.own_namespace(view, name, fuel)):
            return tokens
        key = view.dialect.global_namespace
        if key and (tokens := self.member(view.dialect.family, key, name, fuel)):
            return tokens
        return self.builtin(view, name)

    def own_namespace(self, view: View, name: str, fuel: int) -> Tokens:
        """Return what the files of a file's namespace have under a name."""
        key = self.links.of(view.path).namespace(view.path)
        return self.member(view.dialect.family, key, name, fuel)

    def bound(self, view: View, scope: int, name: str, fuel: int) -> Tokens:
        """Return what the bindings of a name in a scope give."""
        tokens: Tokens = self.recall(("name", view.path, scope, name), fuel, self._bound)
        return tokens

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
        return joined([self.binding(view, binding, fuel) for binding in _effective(view, bindings)])

    def _implied(self, view: View, scope: int, name: str, fuel: int) -> Tokens | None:
        """Return what a scope has without binding it: whole imports, members of the class."""
        has_own = not scope and view.dialect.package_before_wildcard
        if has_own and (tokens := self.own_namespace(view, name, fuel)):
            return tokens
        if scope in view.stars and (tokens := self._from_stars(view, scope, name, fuel)):
            return tokens
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
        parts = [self.attribute(holder, name, fuel) for holder in holders]
        return joined(parts) or None

    def builtin(self, view: View, name: str) -> Tokens:
        dialect = view.dialect
        if name in dialect.builtin_names:
            return (("outside", name),)
        # A module has no names but its own, what it imports, and those of the language.
        is_module = view.exports or view.export_stars or view.has_imports
        if dialect.module_globals_only and is_module:
            return (("outside", name),)
        # What begins like a class, and is none of those in sight, is one of another library.
        if dialect.capitalised_is_external and name[:1].isupper():
            return (("outside", name),)
        return ()


def _effective(view: View, bindings: list[Binding]) -> list[Binding]:
    """Return bindings without the declarations of overloads whose body stands beside them."""
    implementations = [
        binding
        for binding in bindings
        if binding[0] != "define" or "overload" not in view.definitions[binding[1]].flags
    ]
    return implementations or bindings
