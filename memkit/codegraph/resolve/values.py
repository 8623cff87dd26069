"""Values and their members: classes, instances, modules; method resolution order."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..facts import Definition
from .engine import FUEL, Memo, Place, Token, Tokens, Tree, Variable, joined
from .file_scopes import Names as Bound
from .file_scopes import View, Views
from .names import Names

if TYPE_CHECKING:
    from .container_values import Containers
    from .evaluator import Terms


# --- Method resolution order: C3 where a language has it, else depth first.
#
# A pure function of the direct bases. Circles, which no interpreter would accept but any file may
# hold, are cut where they close.

# Steps of one search: a lattice of diamonds has more ways than there is time.
_MOST_STEPS = 5000


class Orders:
    """The method resolution orders of classes."""

    def __init__(self, bases: Callable[[Place], Sequence[Token]], *, linearised: bool) -> None:
        """Take what gives a class's direct bases, and whether C3 holds."""
        self._bases = bases
        self._linearised = linearised
        self._made: dict[Place, list[Token]] = {}
        self._around: list[Place] = []
        self._steps = 0

    def order(self, place: Place) -> list[Token]:
        """Return a class and everything that it inherits from, in the order of their members."""
        return self._order(place)[0]

    def _order(self, place: Place) -> tuple[list[Token], bool]:
        """Return the order, and whether it holds wherever it is asked for (nothing was cut)."""
        self._steps += 1
        if place in self._made:
            return self._made[place], True
        if place in self._around or self._steps > _MOST_STEPS:
            return [], False
        self._around.append(place)
        direct = [base for base in self._bases(place) if base[0] in ("class", "function")]
        lines, whole = [], True
        for base in direct:
            line, sound = self._order((base[1], base[2]))
            lines.append(line)
            whole = whole and sound
        self._around.pop()
        order = [("class", *place), *self._joined([*lines, direct])]
        order = list(dict.fromkeys(order))
        if whole:
            self._made[place] = order
        return order, whole

    def _joined(self, lines: list[list[Token]]) -> list[Token]:
        if len(lines) == 2:  # one base: its own order, which begins with it
            return lines[0] or lines[1]
        return merged(lines) if self._linearised else [token for line in lines for token in line]


def merged(lines: Sequence[Sequence[Token]]) -> list[Token]:
    """Return the C3 merge of lines; where there is none, what is first stays first."""
    order: list[Token] = []
    left = [deque(line) for line in lines if line]
    behind = Counter(token for line in left for token in list(line)[1:])
    while left:
        head = next((line[0] for line in left if not behind[line[0]]), left[0][0])
        order.append(head)
        for line in left:
            if line[0] == head:
                line.popleft()
                if line:
                    behind[line[0]] -= 1
            elif behind[head] and head in line:  # lines that contradict each other
                behind[head] -= 1
                line.remove(head)
        left = [line for line in left if line]
    return order


# --- Static members beside members of objects, under one name.


def of_one_side(views: Views, tokens: Tokens, *, is_class: bool) -> Tokens:
    """Return of several functions those of the class, or those of its objects; all of them where
    a language has overloads, which may be of either."""
    if len(tokens) < 2 or any(token[0] != "function" for token in tokens):
        return tokens
    if not views[tokens[0][1]].dialect.static_side_apart:
        return tokens
    members = tuple(
        token
        for token in tokens
        if ("static" in views[token[1]].definitions[token[2]].flags) == is_class
    )
    return members or tokens


# --- Structural types in Go: implemented interfaces, fields of the underlying type.

# Interfaces with this many methods or more are compared by so many of them.
_MOST_METHODS = 40


def implemented(terms: Terms, view: View, number: int) -> list[Place]:
    """Return the methods of interfaces that a method is, where its type has all their methods."""
    definition = view.definitions[number]
    if not view.dialect.structural_interfaces or definition.owner is None:
        return []
    terms.read(f"u:{definition.name}")
    holders = terms.typed(view, definition.scope, definition.owner, FUEL)
    places = []
    for path, other, _ in terms.tree.named(definition.name):
        there = terms.views[path]
        declaration = there.definitions[other]
        if "abstract" not in declaration.flags or there.facts.language != view.facts.language:
            continue
        interface = there.class_of(other)
        if interface >= 0 and any(_has_all(terms, holder, there, interface) for holder in holders):
            places.append((path, other))
    return places


def _has_all(terms: Terms, holder: Token, view: View, interface: int) -> bool:
    """Return whether a type has every method of an interface and of those embedded in it."""
    if holder[0] != "instance":
        return False
    for token in terms.order(view.path, interface):
        if token[0] != "class":
            continue
        there = terms.views[token[1]]
        names = there.names[there.definitions[token[2]].body]
        for name in list(names)[:_MOST_METHODS]:
            members = terms.attribute(holder, name, FUEL)
            if not any(member[0] in ("bound", "function") for member in members):
                return False
    return True


def of_plain(terms: Containers, kind: str, name: str) -> Tokens:
    """Return the methods of a name that the tree gives to a type of the language (`&char`): Rust
    traits do so."""
    terms.read(f"u:{name}")
    methods: list[Token] = []
    for path, number, _ in terms.tree.named(name):
        there = terms.views[path]
        owner = there.definitions[number].owner
        # What the language itself has under that name comes first.
        is_common = name in there.dialect.builtin_methods
        if owner is not None and not is_common and owner[0] == "const" and owner[1] == kind:
            methods.append(("bound", path, number))
    return tuple(methods)


def field_of(terms: Members, path: str, number: int, name: str, fuel: int) -> Tokens:
    """Return what a named type has from the one it is made of: `type decoder coder` has all its
    fields, or what an interface asks for, but none of the methods it has been given."""
    view = terms.views[path]
    definition = view.definitions[number]
    if definition.kind != "class" or definition.returns is None:
        return ()
    terms.read(f"b:{path}:{definition.qualname}")
    made = terms.typed(view, definition.scope, definition.returns, fuel)
    members = joined(
        [terms.attribute(token, name, fuel) for token in made if token[0] == "instance"]
    )
    return tuple(
        token
        for token in members
        if token[0] not in ("function", "bound")
        or terms.views[token[1]].definitions[token[2]].owner is None
    )


# --- Members of values: classes with their bases in order, their methods and attributes.

# Bases are names and members of modules: no more hops than a chain of re-exports has.
_BASES_FUEL = 12
# Names of things outside that are followed: a.b.c.d.
_MOST_DOTS = 5


class Holder(NamedTuple):
    """One class that is asked for a member.

    Attributes:
        path, number: where it is; without a path it lies outside, and has any member.
        prefix: of the keys of its members.
        names, attrs: what is bound in its body, and to its members elsewhere in its file.
        is_open: whether other files may give it members.
    """

    path: str | None
    number: int
    prefix: str
    names: Bound
    attrs: Bound
    is_open: bool


_OUTSIDE = Holder(None, -1, "", {}, {}, is_open=False)


class Members(Names):
    """Lookup of members."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._orders = self.table()
        self._lines = self.table()
        # Bases are worked out apart, without following members into bases.
        self._apart = Memo()

    def returns(self, path: str, number: int, fuel: int) -> Tokens:
        """Return what a call of a function gives."""
        raise NotImplementedError

    def attribute(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return what a member of something can be; of things outside it is outside as well."""
        tag = token[0]
        if tag in ("instance", "class", "bases"):
            tokens: Tokens = self.recall(("attr", *token, name), fuel, self._attribute)
            return tokens
        if tag == "module":
            return self.below(token[1], token[2], name, fuel)
        if tag == "outside":
            dots = token[1].count(".")
            return (("outside", f"{token[1]}.{name}"),) if dots < _MOST_DOTS else (token,)
        if tag in ("function", "bound"):
            own = self._own(token[1], token[2], name, fuel) if tag == "function" else None
            return own or self.loose(token, name, fuel) or self._run_by(token, name)
        return self.inner(token, name, fuel)

    def loose(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return what its file binds to a member of a value: `x.name = …`."""
        self.read(f"l:{token[1]}:{name}")
        if name not in self.views[token[1]].loose_names:
            return ()
        tokens: Tokens = self.recall(("loose", token, name), fuel, self._loose)
        return tokens

    def _loose(self, variable: Variable, fuel: int) -> Tokens:
        _, token, name = variable
        view = self.views[token[1]]
        self.read(f"l:{view.path}:{name}")
        parts = [
            self.eval(view, scope, value, fuel)
            for scope, base, bound, value in view.loose
            if bound == name and token in self.eval(view, scope, base, fuel)
        ]
        return joined(parts or [()])

    def _run_by(self, token: Token, name: str) -> Tokens:
        """Return a function itself for those of its methods that call it."""
        dialect = self.views[token[1]].dialect
        runs = "*" in dialect.invokers and name not in dialect.composing
        return (token,) if runs or name in dialect.invokers else ()

    def inner(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return a member of a container or of something outside."""
        raise NotImplementedError

    def order(self, path: str, number: int) -> tuple[Token, ...]:
        """Return the classes whose members a class has, itself first; what is outside last.

        C3 where the language has it, else depth first. Circles are cut where they close.
        """
        classes: tuple[Token, ...] = self.keep(self._orders, (path, number), self._work_order)
        return classes

    def _work_order(self, place: Place) -> tuple[Token, ...]:
        linearised = self.views[place[0]].dialect.linearised
        orders = Orders(lambda class_place: self.bases(*class_place), linearised=linearised)
        return self._with_outside(orders.order(place))

    def _with_outside(self, order: list[Token]) -> tuple[Token, ...]:
        """Return an order, ended by ("outside", "") if one of its classes has a base out there."""
        for place in order:
            memberless = self.views[place[1]].dialect.library.memberless_bases
            for base in self.bases(place[1], place[2]):
                if base[0] == "outside" and base[1].rpartition(".")[2] not in memberless:
                    return (*order, ("outside", ""))
        return tuple(order)

    def bases(self, path: str, number: int) -> Tokens:
        """Return the direct bases of a class, and what is outside of the tree among them."""
        outer, swapped = (self._done, self._dry, self._low, self.is_static), self._apart
        self._done, self._dry = swapped._done, swapped._dry
        self.is_static = True
        try:
            tokens: Tokens = self.recall(("bases", path, number), _BASES_FUEL, self._bases)
        finally:
            self._done, self._dry, self._low, self.is_static = outer
        return tokens

    def _bases(self, variable: Variable, fuel: int) -> Tokens:
        _, path, number = variable
        view = self.views[path]
        self.read(f"b:{path}:{view.definitions[number].qualname}")
        definition = view.definitions[number]
        own = {("class", path, number), ("function", path, number)}
        parts = [self._other_parts(view, definition)]
        for scope, kind, base in view.mixins:
            if not own.isdisjoint(self.eval(view, scope, kind, fuel)):
                parts.append(self.eval(view, scope, base, fuel))
        parts += [self.eval(view, definition.scope, term, fuel) for term in definition.bases]
        return tuple(dict.fromkeys(base for part in parts for base in part))

    def _other_parts(self, view: View, definition: Definition) -> Tokens:
        """Return the other parts of a class that is written in several (C# partial)."""
        if "partial" not in definition.flags:
            return ()
        linker = self.links.of(view.path)
        self.read(f"u:{definition.name}")
        parts: list[Token] = []
        for path, number, _ in self.tree.named(definition.name):
            if self.languages[path] != view.facts.language or linker.namespace(
                path
            ) != linker.namespace(view.path):
                continue
            other = self.views[path].definitions[number]
            if "partial" in other.flags and other.qualname == definition.qualname:
                parts.append(("class", path, number))
        return tuple(
            part for part in parts if self.views[part[1]].definitions[part[2]] is not definition
        )

    def _attribute(self, variable: Variable, fuel: int) -> Tokens:
        _, tag, path, number, name = variable
        line = self._line((path, number))
        for holder in line[1:] if tag == "bases" else line:
            if holder.path is None:
                return (("outside", f".{name}"),)
            if not (
                name in holder.names or name in holder.attrs or holder.is_open or self.is_flowing
            ):
                # Nothing else can make it a member: most classes of most lines end here.
                self._keys.append(holder.prefix + name)
                continue
            tokens = self._own(holder.path, holder.number, name, fuel)
            if tokens is None and holder.is_open and not self.is_static:
                tokens = self._of_literals(holder, name, fuel)
            if tokens is not None:
                return self.seen_from(tokens, is_class=self._is_class(variable), fuel=fuel)
        return field_of(self, path, number, name, fuel)

    def _line(self, place: Place) -> tuple[Holder, ...]:
        """Return the classes that are asked for a member of a class, in their order."""
        if self.is_static:
            return (self._holder(("class", *place)),)
        holders: tuple[Holder, ...] = self.keep(self._lines, place, self._work_line)
        return holders

    def _work_line(self, place: Place) -> tuple[Holder, ...]:
        return tuple(map(self._holder, self.order(*place)))

    def _holder(self, token: Token) -> Holder:
        if token[0] == "outside":
            return _OUTSIDE
        _, path, number = token
        view = self.views[path]
        definition = view.definitions[number]
        is_class = definition.body >= 0 and definition.kind == "class"
        return Holder(
            path,
            number,
            f"a:{path}:{definition.qualname}.",
            view.names[definition.body] if is_class else {},
            view.attrs.get(number, {}),
            view.dialect.methods_outside_class,
        )

    def _of_literals(self, place: Holder, name: str, fuel: int) -> Tokens | None:
        """Return a member that a class has from an object literal (JavaScript prototypes)."""
        assert place.path is not None
        if not self.views[place.path].dialect.prototype_members:
            return None
        for base in self.bases(place.path, place.number):
            if base[0] == "literal":
                members = tuple(
                    member for member in self.inner(base, name, fuel) if member[0] != "method"
                )
                if members:
                    return members
        return None

    def _own(self, path: str, number: int, name: str, fuel: int) -> Tokens | None:
        """Return what a class itself has under a name, None if it has none."""
        view = self.views[path]
        definition = view.definitions[number]
        self.read(f"a:{path}:{definition.qualname}.{name}")
        parts: list[Tokens] = []
        is_class = definition.body >= 0 and definition.kind == "class"
        if is_class and name in view.names[definition.body]:
            parts.append(self.bound(view, definition.body, name, fuel))
        if number in view.attrs:
            bindings = view.attrs[number].get(name, ())
            parts += [self.binding(view, binding, fuel) for binding in bindings]
        if flowing := self.pushed(("member", path, number, name)):
            parts.append(flowing)
        owned: Tokens = ()
        if view.dialect.methods_outside_class:
            elsewhere = self._elsewhere(view, definition, name)
            owned = joined([self._owned(view, number, name, fuel), elsewhere])
        return joined([*parts, owned]) if parts or owned else None

    def pushed(self, variable: Token) -> Tokens:
        """Return what is known to flow into a variable: nothing, unless values are followed."""
        return ()

    def _elsewhere(self, view: View, definition: Definition, name: str) -> Tokens:
        """Return members of a namespace or class that stand in its other parts, in any file."""
        language = view.facts.language
        reopened = view.dialect.reopened
        if not reopened or (reopened == "namespaces" and "namespace" not in definition.flags):
            return ()
        self.read(f"u:{name}")
        members: list[Token] = []
        for path, other, _ in self.tree.named(name):
            there = self.views[path]
            around = there.around[there.definitions[other].scope]
            if there.facts.language != language or around < 0:
                continue
            holder = there.definitions[around]
            if holder is not definition and holder.qualname == definition.qualname:
                members += there.defined(other) if holder.kind == "class" else ()
        return tuple(members)

    def _owned(self, view: View, number: int, name: str, fuel: int) -> Tokens:
        """Return methods that are written elsewhere but say that a class is their owner."""
        self.read(f"u:{name}")
        methods: list[Token] = []
        for path, other, _ in self.tree.named(name):
            there = self.views[path]
            owner = there.definitions[other].owner
            if owner is None or there.facts.language != view.facts.language:
                continue
            if owner[-1] != view.definitions[number].name:
                continue
            scope = there.definitions[other].scope
            if ("class", view.path, number) in self.eval(there, scope, owner, fuel):
                methods += there.defined(other)
        return tuple(methods)

    def _is_class(self, variable: Variable) -> bool:
        """Return whether members are those of a class, not of its objects: an object that is
        declared as such is its own only one."""
        _, tag, path, number, _ = variable
        return tag == "class" and "object" not in self.views[path].definitions[number].flags

    def seen_from(self, members: Tokens, *, is_class: bool, fuel: int) -> Tokens:
        """Return members as an object or a class gives them: methods with their object."""
        parts: list[Tokens] = []
        for token in of_one_side(self.views, members, is_class=is_class):
            if token[0] != "function":
                parts.append((token,))
                continue
            flags = self.views[token[1]].definitions[token[2]].flags
            if "property" in flags and not is_class:
                parts.append(self.returns(token[1], token[2], fuel))
            elif "static" in flags or (is_class and "classmethod" not in flags):
                parts.append((token,))
            else:
                parts.append((("bound", token[1], token[2]),))
        return joined(parts) if parts else ()
