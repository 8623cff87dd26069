"""Values and their members: classes, instances, modules; method resolution order."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..facts import Definition

if TYPE_CHECKING:
    from .engine import InferenceEngine
    from .file_scopes import Names as Bound
    from .file_scopes import View, Views

# --- Values, and how many of them are followed.
#
# What a term can be is a tuple of *tokens*, each with its tag first:
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

Token = tuple[Any, ...]
Tokens = tuple[Token, ...]
Variable = tuple[Any, ...]
# Path and number of a definition; number -1 is the file itself.
Place = tuple[str, int]

# Hops from a question to what answers it. Twelve give no edge more than eight on Django.
FUEL = 8
# Values of one variable that are followed: a registry of hundreds of classes is no answer.
MOST_TOKENS = 12
# The same of functions of one name in one file, where they are that.
_MOST_OVERLOADS = {False: MOST_TOKENS, True: 40}


def joined(parts: list[Tokens]) -> Tokens:
    """Return the tokens of several values, each once, in the order in which they came."""
    if len(parts) == 1:
        return parts[0]
    tokens = [token for part in parts for token in part]
    if len(tokens) < 2:
        return tuple(tokens)
    unique = tuple(dict.fromkeys(tokens))
    return unique if len(unique) <= MOST_TOKENS else unique[: _MOST_OVERLOADS[_is_one(unique)]]


def _is_one(tokens: Tokens) -> bool:
    """Return whether all of these are functions of one file: overloads, of which one is meant."""
    return all(token[0] in ("function", "bound") and token[1] == tokens[0][1] for token in tokens)


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


def implemented(engine: InferenceEngine, view: View, number: int) -> list[Place]:
    """Return the methods of interfaces that a method is, where its type has all their methods."""
    definition = view.definitions[number]
    if not view.dialect.structural_interfaces or definition.owner is None:
        return []
    engine.depend_on(f"u:{definition.name}")
    holders = engine.annotations.instances_of(view, definition.scope, definition.owner, FUEL)
    places = []
    for path, other, _ in engine.tree.named(definition.name):
        there = engine.files[path]
        declaration = there.definitions[other]
        if "abstract" not in declaration.flags or there.facts.language != view.facts.language:
            continue
        interface = there.class_of(other)
        if interface >= 0 and any(_has_all(engine, holder, there, interface) for holder in holders):
            places.append((path, other))
    return places


def _has_all(engine: InferenceEngine, holder: Token, view: View, interface: int) -> bool:
    """Return whether a type has every method of an interface and of those embedded in it."""
    if holder[0] != "instance":
        return False
    for token in engine.members.order(view.path, interface):
        if token[0] != "class":
            continue
        there = engine.files[token[1]]
        names = there.names[there.definitions[token[2]].body]
        for name in list(names)[:_MOST_METHODS]:
            members = engine.members.get_member(holder, name, FUEL)
            if not any(member[0] in ("bound", "function") for member in members):
                return False
    return True


def of_plain(engine: InferenceEngine, kind: str, name: str) -> Tokens:
    """Return the methods of a name that the tree gives to a type of the language (`&char`): Rust
    traits do so."""
    engine.depend_on(f"u:{name}")
    methods: list[Token] = []
    for path, number, _ in engine.tree.named(name):
        there = engine.files[path]
        owner = there.definitions[number].owner
        # What the language itself has under that name comes first.
        is_common = name in there.dialect.builtin_methods
        if owner is not None and not is_common and owner[0] == "const" and owner[1] == kind:
            methods.append(("bound", path, number))
    return tuple(methods)


def field_of(engine: InferenceEngine, path: str, number: int, name: str, fuel: int) -> Tokens:
    """Return what a named type has from the one it is made of: `type decoder coder` has all its
    fields, or what an interface asks for, but none of the methods it has been given."""
    view = engine.files[path]
    definition = view.definitions[number]
    if definition.kind != "class" or definition.returns is None:
        return ()
    engine.depend_on(f"b:{path}:{definition.qualname}")
    made = engine.annotations.instances_of(view, definition.scope, definition.returns, fuel)
    members = joined(
        [engine.members.get_member(token, name, fuel) for token in made if token[0] == "instance"]
    )
    return tuple(
        token
        for token in members
        if token[0] not in ("function", "bound")
        or engine.files[token[1]].definitions[token[2]].owner is None
    )


# --- Members of values: classes with their bases in order, their methods and attributes.

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


class MemberLookup:
    """Lookup of members."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine
        self._orders = engine.new_table()
        self._lines = engine.new_table()

    def get_member(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return what a member of something can be; of things outside it is outside as well."""
        tag = token[0]
        if tag in ("instance", "class", "bases"):
            tokens: Tokens = self.engine.cached(("attr", *token, name), fuel, self._attribute)
            return tokens
        if tag == "module":
            return self.engine.names.below(token[1], token[2], name, fuel)
        if tag == "outside":
            dots = token[1].count(".")
            return (("outside", f"{token[1]}.{name}"),) if dots < _MOST_DOTS else (token,)
        if tag in ("function", "bound"):
            own = self._own(token[1], token[2], name, fuel) if tag == "function" else None
            return own or self.loose(token, name, fuel) or self._run_by(token, name)
        return self.engine.containers.inner(token, name, fuel)

    def loose(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return what its file binds to a member of a value: `x.name = …`."""
        self.engine.depend_on(f"l:{token[1]}:{name}")
        if name not in self.engine.files[token[1]].loose_names:
            return ()
        tokens: Tokens = self.engine.cached(("loose", token, name), fuel, self._loose)
        return tokens

    def _loose(self, variable: Variable, fuel: int) -> Tokens:
        _, token, name = variable
        view = self.engine.files[token[1]]
        self.engine.depend_on(f"l:{view.path}:{name}")
        parts = [
            self.engine.evaluator.evaluate(view, scope, value, fuel)
            for scope, base, bound, value in view.loose
            if bound == name and token in self.engine.evaluator.evaluate(view, scope, base, fuel)
        ]
        return joined(parts or [()])

    def _run_by(self, token: Token, name: str) -> Tokens:
        """Return a function itself for those of its methods that call it."""
        dialect = self.engine.files[token[1]].dialect
        runs = "*" in dialect.invokers and name not in dialect.composing
        return (token,) if runs or name in dialect.invokers else ()

    def order(self, path: str, number: int) -> tuple[Token, ...]:
        """Return the classes whose members a class has, itself first; what is outside last.

        C3 where the language has it, else depth first. Circles are cut where they close.
        """
        classes: tuple[Token, ...] = self.engine.cached_once(
            self._orders, (path, number), self._work_order
        )
        return classes

    def _work_order(self, place: Place) -> tuple[Token, ...]:
        linearised = self.engine.files[place[0]].dialect.linearised
        orders = Orders(lambda class_place: self.bases(*class_place), linearised=linearised)
        return self._with_outside(orders.order(place))

    def _with_outside(self, order: list[Token]) -> tuple[Token, ...]:
        """Return an order, ended by ("outside", "") if one of its classes has a base out there."""
        for place in order:
            memberless = self.engine.files[place[1]].dialect.library.memberless_bases
            for base in self.bases(place[1], place[2]):
                if base[0] == "outside" and base[1].rpartition(".")[2] not in memberless:
                    return (*order, ("outside", ""))
        return tuple(order)

    def bases(self, path: str, number: int) -> Tokens:
        """Return the direct bases of a class, and what is outside of the tree among them."""
        tokens: Tokens = self.engine.cached_statically(("bases", path, number), self._bases)
        return tokens

    def _bases(self, variable: Variable, fuel: int) -> Tokens:
        _, path, number = variable
        view = self.engine.files[path]
        self.engine.depend_on(f"b:{path}:{view.definitions[number].qualname}")
        definition = view.definitions[number]
        own = {("class", path, number), ("function", path, number)}
        parts = [self._other_parts(view, definition)]
        for scope, kind, base in view.mixins:
            if not own.isdisjoint(self.engine.evaluator.evaluate(view, scope, kind, fuel)):
                parts.append(self.engine.evaluator.evaluate(view, scope, base, fuel))
        parts += [
            self.engine.evaluator.evaluate(view, definition.scope, term, fuel)
            for term in definition.bases
        ]
        return tuple(dict.fromkeys(base for part in parts for base in part))

    def _other_parts(self, view: View, definition: Definition) -> Tokens:
        """Return the other parts of a class that is written in several (C# partial)."""
        if "partial" not in definition.flags:
            return ()
        linker = self.engine.modules.of(view.path)
        self.engine.depend_on(f"u:{definition.name}")
        parts: list[Token] = []
        for path, number, _ in self.engine.tree.named(definition.name):
            if self.engine.languages[path] != view.facts.language or linker.own(path) != linker.own(
                view.path
            ):
                continue
            other = self.engine.files[path].definitions[number]
            if "partial" in other.flags and other.qualname == definition.qualname:
                parts.append(("class", path, number))
        return tuple(
            part
            for part in parts
            if self.engine.files[part[1]].definitions[part[2]] is not definition
        )

    def _attribute(self, variable: Variable, fuel: int) -> Tokens:
        _, tag, path, number, name = variable
        line = self._line((path, number))
        for holder in line[1:] if tag == "bases" else line:
            if holder.path is None:
                return (("outside", f".{name}"),)
            if not (
                name in holder.names
                or name in holder.attrs
                or holder.is_open
                or self.engine.is_flowing
            ):
                # Nothing else can make it a member: most classes of most lines end here.
                self.engine.depend_on(holder.prefix + name)
                continue
            tokens = self._own(holder.path, holder.number, name, fuel)
            if tokens is None and holder.is_open and not self.engine.is_static:
                tokens = self._of_literals(holder, name, fuel)
            if tokens is not None:
                return self._seen_from(tokens, is_class=tag == "class", fuel=fuel)
        return field_of(self.engine, path, number, name, fuel)

    def _line(self, place: Place) -> tuple[Holder, ...]:
        """Return the classes that are asked for a member of a class, in their order."""
        if self.engine.is_static:
            return (self._holder(("class", *place)),)
        holders: tuple[Holder, ...] = self.engine.cached_once(self._lines, place, self._work_line)
        return holders

    def _work_line(self, place: Place) -> tuple[Holder, ...]:
        return tuple(map(self._holder, self.order(*place)))

    def _holder(self, token: Token) -> Holder:
        if token[0] == "outside":
            return _OUTSIDE
        _, path, number = token
        view = self.engine.files[path]
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
        if not self.engine.files[place.path].dialect.prototype_members:
            return None
        for base in self.bases(place.path, place.number):
            if base[0] == "literal":
                members = tuple(
                    member
                    for member in self.engine.containers.inner(base, name, fuel)
                    if member[0] != "method"
                )
                if members:
                    return members
        return None

    def _own(self, path: str, number: int, name: str, fuel: int) -> Tokens | None:
        """Return what a class itself has under a name, None if it has none."""
        view = self.engine.files[path]
        definition = view.definitions[number]
        self.engine.depend_on(f"a:{path}:{definition.qualname}.{name}")
        parts: list[Tokens] = []
        is_class = definition.body >= 0 and definition.kind == "class"
        if is_class and name in view.names[definition.body]:
            parts.append(self.engine.names.bound(view, definition.body, name, fuel))
        if number in view.attrs:
            bindings = view.attrs[number].get(name, ())
            parts += [self.engine.names.binding(view, binding, fuel) for binding in bindings]
        if flowing := self.engine.extra_values(("member", path, number, name)):
            parts.append(flowing)
        owned: Tokens = ()
        if view.dialect.methods_outside_class:
            elsewhere = self._elsewhere(view, definition, name)
            owned = joined([self._owned(view, number, name, fuel), elsewhere])
        return joined([*parts, owned]) if parts or owned else None

    def _elsewhere(self, view: View, definition: Definition, name: str) -> Tokens:
        """Return members of a namespace or class that stand in its other parts, in any file."""
        language = view.facts.language
        reopened = view.dialect.reopened
        if not reopened or (reopened == "namespaces" and "namespace" not in definition.flags):
            return ()
        self.engine.depend_on(f"u:{name}")
        members: list[Token] = []
        for path, other, _ in self.engine.tree.named(name):
            there = self.engine.files[path]
            around = there.around[there.definitions[other].scope]
            if there.facts.language != language or around < 0:
                continue
            holder = there.definitions[around]
            if holder is not definition and holder.qualname == definition.qualname:
                members += there.defined(other) if holder.kind == "class" else ()
        return tuple(members)

    def _owned(self, view: View, number: int, name: str, fuel: int) -> Tokens:
        """Return methods that are written elsewhere but say that a class is their owner."""
        self.engine.depend_on(f"u:{name}")
        methods: list[Token] = []
        for path, other, _ in self.engine.tree.named(name):
            there = self.engine.files[path]
            owner = there.definitions[other].owner
            if owner is None or there.facts.language != view.facts.language:
                continue
            if owner[-1] != view.definitions[number].name:
                continue
            scope = there.definitions[other].scope
            if ("class", view.path, number) in self.engine.evaluator.evaluate(
                there, scope, owner, fuel
            ):
                methods += there.defined(other)
        return tuple(methods)

    def _seen_from(self, members: Tokens, *, is_class: bool, fuel: int) -> Tokens:
        """Return members as an object or a class gives them: methods with their object."""
        parts: list[Tokens] = []
        for token in of_one_side(self.engine.files, members, is_class=is_class):
            if token[0] != "function":
                parts.append((token,))
                continue
            flags = self.engine.files[token[1]].definitions[token[2]].flags
            if "property" in flags and not is_class:
                parts.append(self.engine.calls.returns(token[1], token[2], fuel))
            elif "static" in flags or (is_class and "classmethod" not in flags):
                parts.append((token,))
            else:
                parts.append((("bound", token[1], token[2]),))
        return joined(parts) if parts else ()
