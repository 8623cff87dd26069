"""Edges of one file, collected in one walk over its statements, and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..facts import Definition, Expression, Statement, Term
from . import call_targets
from .calls import functions_first
from .engine import Edge, InferenceEngine, ResolvedFile
from .file_scopes import FileScopes, Lookup
from .members import implemented
from .values import (
    FUEL,
    ClassValue,
    DefinedValue,
    ExternalInstance,
    ExternalMethod,
    ExternalValue,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    Place,
    UnplacedValue,
    Value,
    ValueSet,
    is_itself,
)
from .variables import Places

# The surest tier first.
_TIERS = {"scope": 0, "local": 1, "only": 2, "candidate": 3, "flow": 4}

# Source, kind, path and target of an edge.
EdgeKey = tuple[int, str, str, int]
# Kind, state and tier: as what a reference counts.
Count = tuple[str, str, str]
# Terms of types that say another in their third place.
_WITH_TYPE = ("argument", "parameter", "generic", "like", "variable")
# Terms of what a class inherits from in which no more than names are read.
_TYPES = ("name", "attr", "item")
_ENTERED = ("__enter__", "__exit__", "__aenter__", "__aexit__")
_ANYWAY = (FunctionValue, InstanceValue, ExternalMethod, ExternalInstance, ModuleValue)
# Of a namespace with many files an import means none of them in particular.
_MAX_MEMBERS = 8


class EdgeCollector:
    """The walk through one file: every statement once, with its calls, reads and imports.

    Attributes:
        engine, file: what terms mean; the scopes of the file.
        counts: number of references by kind, state and tier.
    """

    def __init__(self, engine: InferenceEngine, path: str) -> None:
        self.engine = engine
        self.file: FileScopes = engine.files[path]
        self._edges: dict[EdgeKey, Edge] = {}
        # Where each stands: the lines of calls, the words of what is only read.
        self._sites_of: dict[EdgeKey, list[int | str]] = {}
        # Edges added since the call at hand began.
        self._added: list[EdgeKey] = []
        self.counts: Counter[Count] = Counter()
        self._called_before: dict[tuple[Any, ...] | None, tuple[Count, tuple[EdgeKey, ...]]] = {}
        self._read: set[tuple[int, int, str]] = set()
        self._sites = self.file.facts.sites
        types = self.file.dialect.overload_types
        self._converts = types is not None and types.converts
        self._source = -1
        self._line = 1
        self._word = ""

    def add(
        self,
        kind: str,
        path: str,
        target: int,
        tier: str,
        state: str = "resolved",
        *,
        word: str = "",
    ) -> None:
        """Add an edge from where the walk is; of several of a kind the surest is kept.

        `word` is how what is only read is written: its place is not known.
        """
        key = (self._source, kind, path, target)
        self._added.append(key)
        old = self._edges.get(key)
        word = word or self._word
        if old is None:
            line = 0 if word else self._line
            self._edges[key] = Edge(self._source, kind, path, target, tier, state, line)
            self._sites_of[key] = [word or line]
            return
        self._sites_of[key].append(word or self._line)
        if (state, _TIERS[tier]) > (old.state, -1) and _TIERS[tier] < _TIERS[old.tier]:
            self._edges[key] = old._replace(tier=tier, state=state)

    def _at(self, site: int | None) -> None:
        if site is not None:
            self._line = self._sites[site]

    def collect(self) -> ResolvedFile:
        """Return edges and counts; what was read is known to the memo."""
        facts = self.file.facts
        for number in range(len(facts.definitions)):
            self._definition(number)
        for scope, statements in enumerate(facts.statements):
            self._source = self.file.around[scope]
            for statement in statements:
                if statement[0] in _EVALUATED:
                    self._visit(scope, statement[1])
                elif (step := _STATEMENTS.get(statement[0])) is not None:
                    step(self, scope, statement)
        edges = tuple([
            self._with_sites(edge, self._sites_of[key]) for key, edge in self._edges.items()
        ])  # fmt: skip
        return ResolvedFile(edges, frozenset(), dict(self.counts))

    @staticmethod
    def _with_sites(edge: Edge, sites: list[int | str]) -> Edge:
        """Return an edge with everywhere that it stands."""
        if len(sites) == 1 and edge.line:
            return edge
        lines = {site for site in sites if isinstance(site, int)}
        words = dict.fromkeys(site for site in sites if isinstance(site, str))
        return edge._replace(lines=tuple(sorted(lines)), words=tuple(words))

    def _definition(self, number: int) -> None:
        """Decorators and bases are read where the definition is bound; what stands among the
        parameters is of the definition, defaults and types alike."""
        definition = self.file.definitions[number]
        scope = definition.scope
        self._source, self._line = self.file.around[scope], definition.line
        for term in definition.decorators:
            self._visit(scope, term)
            if term is not None:
                self._word = _written(term) if term[0] in ("name", "attr") else ""
                self._call(scope, ("call", term, (("def", number),), (), None))
        self._word = ""
        self._each(scope, [term for term in definition.bases if term and term[0] not in _TYPES])
        self._source = number
        self._line = definition.line
        self._signature(scope, definition)
        if definition.kind == "class":
            self._head(scope, definition)
            self._inherits(number)
        elif definition.kind == "method":
            self._overrides(number)
        if self.file.dialect.fields_override and definition.kind in ("variable", "method"):
            self._overrides_fields(number)

    def _signature(self, scope: int, definition: Definition) -> None:
        """Defaults are read, and types used."""
        if definition.params:
            self._each(scope, [param[2] for param in definition.params])
            for param in definition.params:
                if param[1] is not None:
                    self._type(scope, param[1])
        if (returns := definition.returns) is not None:
            self._type(scope, returns[2] if returns[0] in _WITH_TYPE else returns)

    def _head(self, scope: int, definition: Definition) -> None:
        """What the bases of a class are given, and what they are in, is used by the class."""
        for term in definition.bases:
            if term is not None and term[0] == "item":
                self._type(scope, term)
            elif term is not None and term[0] == "attr":
                self._visit(scope, term[1])

    def _inherits(self, number: int) -> None:
        for base in self.engine.members.bases(self.file.path, number):
            if isinstance(base, ExternalValue):
                state = "unresolved" if isinstance(base, UnplacedValue) else "outside"
                self.counts["inherits", state, "scope"] += 1
            elif is_itself(base) and not self._is_same_class(number, base):
                self.add("inherits", *base.place, "scope", word=base.definition.name)
                self.counts["inherits", "resolved", "scope"] += 1

    def _is_same_class(self, number: int, base: DefinedValue) -> bool:
        """Return whether a base is another part of a class that is written in several."""
        own = self.file.definitions[number]
        return "partial" in own.flags and own.qualname == base.definition.qualname

    def _overrides(self, number: int) -> None:
        definition = self.file.definitions[number]
        if "constructor" in definition.flags:
            return
        holders: Iterable[DefinedValue]
        if self.file.dialect.overrides_by_base:
            holders = self._types(definition.scope, definition.bases)
        else:
            holders = [owner.as_super() for owner in self._owners(number)]
        for holder in holders:
            for member in holder.get_member(definition.name, FUEL):
                if isinstance(member, FunctionValue):
                    self.add("overrides", *member.place, "scope")
        source = self._source
        for holder, interface, method in implemented(self.engine, self.file, number):
            self.add("overrides", interface.path, method, "scope")
            if holder.path == self.file.path:
                self._source = holder.number
                self.add("inherits", *interface.place, "scope")
                self._source = source

    def _overrides_fields(self, number: int) -> None:
        """Add the fields, and of a field the methods, for which a member stands: of each base the
        one of its name, if both are of the class or both of its objects."""
        definition, owner = self.file.definitions[number], self.file.class_of(number)
        bases = self.engine.members.bases(self.file.path, owner) if owner >= 0 else ()
        for base in bases:
            if not isinstance(base, ClassValue):
                continue
            places = self.engine.variables.field_of(base.place, definition.name)
            if definition.kind == "variable" and not places:
                members = base.instance().get_member(definition.name, FUEL)
                places = tuple([m.place for m in members if isinstance(m, FunctionValue)])
            for place in places:
                flags = self.engine.files[place[0]].definitions[place[1]].flags
                if ("static" in flags) == ("static" in definition.flags):
                    self.add("overrides", *place, "scope")

    def _owners(self, number: int) -> list[ClassValue]:
        """Return the class of a method, also of one that is written apart from it."""
        owner = self.file.class_of(number)
        if owner >= 0:
            return [self.engine.value(ClassValue, self.file.path, owner)]
        definition = self.file.definitions[number]
        return self._types(definition.scope, [definition.owner])

    def _types(self, scope: int, terms: Iterable[Term]) -> list[ClassValue]:
        """Return the classes that terms mean."""
        return [
            value
            for term in terms
            for value in self.engine.evaluate(self.file, scope, term, FUEL)
            if isinstance(value, ClassValue)
        ]

    def _bind(self, scope: int, statement: Statement) -> None:
        self._visit(scope, statement[2])
        self._target(scope, statement[1])
        self.flows(scope, statement[1], statement[2])

    def _target(self, scope: int, target: Term) -> None:
        if target is None:
            return
        if target[0] in ("tuple", "list"):
            for part in target[1]:
                self._target(scope, part)
        elif target[0] == "star":
            self._target(scope, target[1])
        else:
            self._written_to(scope, target)

    def _written_to(self, scope: int, target: Expression) -> None:
        """What stands in a target is read, and a variable of others that it is is mentioned."""
        if target[0] == "name":
            if self.file.facts.scopes[scope][0] not in ("module", "class"):
                self._variables(scope, target)
            return
        if target[0] == "item":
            self._subscript(scope, target)
            return
        self._visit(scope, target[1])
        if target[0] == "attr":
            if suffix := self.file.dialect.setter_suffix:
                self._reads_property(scope, ("attr", target[1], target[2] + suffix), target[2])
            self.engine.evaluate(self.file, scope, target, FUEL)  # what is read, see `member_of`
            places = self._places_of(scope, target)
            if not places and not suffix:  # an accessor, of which setter and getter have one name
                places = tuple(call_targets.properties(self.engine, self.file, scope, target))
            if not self._are_defined_here(places):
                self._mention(scope, target, places)

    def _are_defined_here(self, places: Places) -> bool:
        """Return whether a target is a constant of a type that is defined apart from it."""
        return any(
            path == self.file.path and self.file.definitions[number].owner is not None
            for path, number in places
        )

    def _declare(self, scope: int, statement: Statement) -> None:
        self._type(scope, statement[2])

    def _mixin(self, scope: int, statement: Statement) -> None:
        self._at(statement[3] if len(statement) > 3 else None)
        bases = self.engine.evaluate(self.file, scope, statement[2], FUEL)
        source = self._source
        for value in self.engine.evaluate(self.file, scope, statement[1], FUEL):
            if is_itself(value) and value.path == self.file.path:
                self._source = value.number
                for base in bases:
                    if is_itself(base):
                        self.add("inherits", *base.place, "scope")
        self._source = source

    def _part(self, scope: int, statement: Statement) -> None:
        """What stands apart from a type and is of it names it: a use by itself, if it is here. A
        constructor that has the name of its class names it, too, but makes none."""
        self._at(statement[2])
        source = self._source
        kind = "references" if statement[1][0] == "def" else "uses"
        for value in self.engine.evaluate(self.file, scope, statement[1], FUEL):
            if is_itself(value):
                self._source = value.number if value.path == self.file.path else source
                self.add(kind, *value.place, "scope")
        self._source = source

    def _import(self, scope: int, statement: Statement) -> None:
        _, _, module, name, level, site = statement
        self._at(site)
        keys = self.engine.names.namespaces(self.file, module, level)
        is_taken = bool(keys) and name not in (None, "*") and self._taken(module, name, level)
        self._modules(keys, is_taken=is_taken)
        is_unplaced = not keys and self.engine.names.is_unplaced(self.file, module, level)
        state = "resolved" if keys else "unresolved" if is_unplaced else "outside"
        self.counts["imports", state, "scope"] += 1

    def _export(self, scope: int, statement: Statement) -> None:
        _, _, local, module, site = statement
        self._at(site)
        if module is None:
            self._given_out(scope, local)
            return
        self._modules(self.engine.names.namespaces(self.file, module, 0))
        if local not in (None, "*"):
            self._taken(module, local, 0)

    def _given_out(self, scope: int, name: str) -> None:
        """Add references to what a file lists for others, but not where it is defined."""
        lookup = self.file.lookup(scope, name)
        target = call_targets.read(self.engine, self.file, lookup, name)
        for path, number in (target,) if target else self._places_of(scope, ("name", name)):
            definition = self.engine.files[path].definitions[number] if number >= 0 else None
            if definition is None or definition.name != name:
                continue
            is_here = path == self.file.path
            if not (is_here and definition.line <= self._line <= definition.end_line):
                self.add("references", path, number, "scope")

    def _modules(self, keys: tuple[str, ...], *, is_taken: bool = False) -> None:
        """Add the imports of the files of modules; of several none is meant by an import that takes
        what one of them has."""
        linker = self.engine.modules.of(self.file.path)
        for key in keys:
            members = linker.members(key)
            if is_taken and len(members) > 1:
                continue
            for path in members if len(members) <= _MAX_MEMBERS else members[:1]:
                if path != self.file.path:
                    self.add("imports", path, -1, "scope")

    def _taken(self, module: str, name: str, level: int) -> bool:
        """Add the imports of what a name of a module means, and of the variables of that name;
        return whether there is any."""
        edges = len(self._edges)
        places = tuple(self.engine.variables.imported(self.file, module, name, level))
        is_alias = self._is_alias(places)
        for value in self.engine.names.imported(self.file, module, name, level, FUEL):
            if is_itself(value):
                if not is_alias or value.definition.name == name:
                    self.add("imports", *value.place, "scope")
            elif isinstance(value, ModuleValue):
                self._modules((value.key,))
        for place in places:
            self.add("imports", *place, "scope")
        return len(self._edges) > edges

    # --- Expressions: edges of the calls and reads of terms.

    def flows(self, scope: int, target: Term, value: Term) -> None:
        """Follow a value into what it is assigned to: nothing, unless values are followed."""

    def _type(self, scope: int, kind: Term) -> None:
        """Names in a type are used."""
        if kind is None:
            return
        if kind[0] in ("name", "attr"):
            if kind[0] == "attr" and self.file.dialect.declares_apart:
                self._type(scope, kind[1])  # what stands in front of `::`
            self._named_type(scope, kind)
        elif kind[0] in ("item", "star", "either", "tuple", "list"):
            for part in kind[1:] if kind[0] in ("item", "star") else kind[1]:
                self._type(scope, part)
        elif kind[0] == "dict":
            self._pairs(scope, kind)
        elif kind[0] == "same":
            self._same(scope, kind)

    def _named_type(self, scope: int, kind: Expression) -> None:
        """A class is used; where another name of it is written, that is, and not the class."""
        if kind[0] == "name" and kind[1][:1] == "<" and "." not in kind[1]:
            return  # a type without a name; one behind that of its package has one
        if kind[0] == "attr" and not self.file.dialect.declares_apart:
            self._visit(scope, kind[1])  # the class or namespace that the type is in
        scope = self.engine.annotations.type_scope(self.file, scope, kind)
        values = self.engine.evaluate(self.file, scope, kind, FUEL)
        places = self._places_of(scope, kind)
        is_alias = self._is_alias(places)
        if not is_alias and self.file.dialect.implicit_members:
            places = ()  # a field of a type's name is none
        for value in values:
            if isinstance(value, ClassValue) and (
                not is_alias or value.definition.name == kind[-1]
            ):
                self.add("uses", *value.place, "scope", word=_written(kind))
        self._mention(scope, kind, places, "uses")

    def _visit(self, scope: int, term: Term) -> None:
        """Look up everything that evaluating a term calls and reads."""
        if term is not None and (step := _VISITS.get(term[0])) is not None:
            step(self, scope, term)

    def _each(self, scope: int, terms: Iterable[Term]) -> None:
        """Visit several terms: many are constants, in which there is nothing."""
        for term in terms:
            if term is not None and (step := _VISITS.get(term[0])) is not None:
                step(self, scope, term)

    def _name(self, scope: int, term: Expression) -> None:
        lookup = self.file.lookup(scope, term[1])
        if lookup.binder >= 0 and lookup.is_local and lookup.part is None:
            return
        place = (self._source, scope, term[1])
        if place in self._read:
            return
        self._read.add(place)
        places = self._places_of(scope, term)
        for path, number in self._read_by(scope, term, lookup):
            definition = self.engine.files[path].definitions[number]
            if self._gives_way(definition, term[1], places):
                continue
            self.add("references", path, number, "scope", word=term[1])
            if lookup.binder >= 0 and definition.kind != "class":
                return
        if lookup.part is not None and not places:
            places = tuple(call_targets.properties(self.engine, self.file, *lookup.part))
        self._mention(scope, term, places)

    def _gives_way(self, definition: Definition, name: str, places: Places) -> bool:
        """Return whether what is read under a name is none of what it stands for, but a variable:
        one of another name, or the field of a class that has a method of its name."""
        if places and definition.name != name:
            return True
        is_method = definition.kind in ("function", "method")
        return bool(places) and is_method and self.file.dialect.implicit_members

    def _read_by(self, scope: int, term: Expression, lookup: Lookup) -> list[Place]:
        """Return the definition that a name means, if it is known; of the namespace, or of what is
        imported whole, as well."""
        if target := call_targets.read(self.engine, self.file, lookup, term[1]):
            return [target]
        if lookup.binder >= 0:
            return []
        values = filter(is_itself, self.engine.evaluate(self.file, scope, term, FUEL))
        return [value.place for value in _of_one(list(values))]

    def _is_alias(self, places: Places) -> bool:
        """Return whether a name means another name of a type."""
        files = self.engine.files
        return any("alias" in files[path].definitions[number].flags for path, number in places)

    def _attr(self, scope: int, term: Expression) -> None:
        self._visit(scope, term[1])
        if len(term) > 3:
            self._at(term[3])
        values = self.engine.evaluate(self.file, scope, term, FUEL)
        places = self._places_of(scope, term)
        for value in values:
            if isinstance(value, FunctionValue | ClassValue) and not self._gives_way(
                value.definition, term[2], places
            ):
                tier = self._tier(scope, term)
                self.add("references", *value.place, tier, word=_written(term))
        self._reads_property(scope, term, _written(term))
        self._mention(scope, term, places)

    def _variables(self, scope: int, term: Expression, kind: str = "references") -> None:
        """Add edges to the variables, fields and aliases that a name or a member means."""
        self._mention(scope, term, self._places_of(scope, term), kind)

    def _mention(
        self, scope: int, term: Expression, places: Places, kind: str = "references"
    ) -> None:
        if places:
            tier, word = self._tier(scope, term), _written(term)
            for place in places:
                self.add(kind, *place, tier, word=word)

    def _reads_property(self, scope: int, term: Expression, word: str) -> bool:
        """Add calls of the methods that the read of a member runs; return whether there are any."""
        places = list(call_targets.properties(self.engine, self.file, scope, term))
        for path, number in places:
            self.add("calls", path, number, self._tier(scope, term), word=word)
        return bool(places)

    def _places_of(self, scope: int, term: Expression) -> Places:
        variables = self.engine.variables
        if term[0] == "attr":
            return variables.member_of(self.file, scope, term)
        return variables.named(self.file, scope, self.file.lookup(scope, term[1]), term[1])

    def _through_variable(self, scope: int, term: Expression, values: ValueSet) -> Count | None:
        """Add uses of the variables that hold what is called."""
        callee = term[1]
        if callee is None or callee[0] not in ("name", "attr"):
            return None
        if self.file.dialect.methods_apart:
            return None  # fields are not called
        is_function = any(
            isinstance(value, DefinedValue) and value.definition.name == callee[-1]
            for value in values
        )
        if is_function and callee[0] == "name":
            return None
        places = self._places_of(scope, callee)
        if is_function:  # which may be what an interface only declares as a field
            places = tuple(filter(self._is_declared, places))
        if not places:
            return None
        tier = self._tier(scope, callee)
        for place in places:
            self.add("uses", *place, tier)
        return "calls", "resolved", tier

    def _is_declared(self, place: Place) -> bool:
        """Return whether a field is one of an interface."""
        file = self.engine.files[place[0]]
        owner = file.around[file.definitions[place[1]].scope]
        return owner >= 0 and "interface" in file.definitions[owner].flags

    def _called(self, scope: int, term: Expression) -> None:
        _, callee, arguments, named = term[:4]
        if callee is not None and callee[0] == "attr":
            self._visit(scope, callee[1])
        elif callee is not None and callee[0] != "name":
            self._visit(scope, callee)
        if arguments:
            self._each(scope, arguments)
        if named:
            self._each(scope, [value for _, value in named])
        self._call(scope, term)

    def _convert(self, scope: int, term: Expression, keys: Iterable[EdgeKey]) -> None:
        """Add calls of what makes the objects that the one function is given which a call runs,
        where a class may be given whatever one of its constructors takes."""
        places = [(path, target) for _, kind, path, target in keys if kind == "calls"]
        if len(places) == 1:
            conversions = self.engine.conversions
            for function in conversions.of_arguments(self.file, scope, places[0], term):
                self.add("calls", *call_targets.with_body(self.engine, function.place), "local")

    def _label(self, scope: int, term: Expression) -> None:
        """Add references to the member that a literal of a type names: `Point{x: 1}`."""
        _, kind, name, site, *constants = term
        self._at(site)
        self._word = ""
        values = self.engine.evaluate(self.file, scope, ("typed", kind), FUEL)
        owners = [value for value in values if isinstance(value, DefinedValue)]
        if len(owners) > 1 and constants:
            owners = [o for o in owners if not self._contradicts(o, constants[0])] or owners
        places = dict.fromkeys(place for owner in owners for place in self._named_by(owner, name))
        for place in places:
            self.add("references", *place, "scope")

    def _contradicts(self, owner: DefinedValue, constants: Iterable[tuple[str, str]]) -> bool:
        """Return whether a literal with such constants is none of a type, by what its fields are
        said to be."""
        for name, text in constants:
            for path, number in self.engine.variables.field_of(owner.place, name):
                kind = self.engine.files[path].definitions[number].returns
                kinds = kind[1] if kind is not None and kind[0] == "either" else (kind,)
                if all(k is not None and k[0] == "const" and k[2] != text for k in kinds):
                    return True
        return False

    def _named_by(self, owner: DefinedValue, name: str) -> Places:
        """Return the field or the methods of an object that have a name."""
        if fields := self.engine.variables.field_of(owner.place, name):
            return fields
        members = owner.get_member(name, FUEL)
        return tuple([value.place for value in members if isinstance(value, FunctionValue)])

    def _call(self, scope: int, term: Expression) -> None:
        """Add the edges of one call, and count it."""
        if term[4] is not None:
            self._line = self._sites[term[4]]
        place = self._place(scope, term)
        before = self._called_before.get(place)
        if before is None:
            self._added.clear()
            values = self.engine.evaluate(self.file, scope, term[1], FUEL)
            is_same = place is not None and self._runs_the_same(values)
            if not is_same and term[0] != "new":
                values = self.engine.calls.callees(self.file, scope, term, FUEL)
            held = self._through_variable(scope, term, values)
            count = self._callees(scope, values, term) or held or self._guess(scope, term, values)
            keys = tuple(self._added)
            if is_same:
                self._called_before[place] = (count, keys)
        else:
            count, keys = before
            for key in keys:
                self._sites_of[key].append(self._word or self._line)
        self.counts[count] += 1
        if self._converts and term[2] and keys:
            self._convert(scope, term, keys)

    def _runs_the_same(self, values: ValueSet) -> bool:
        """Return whether a call of a name runs the same whatever its arguments are."""
        if self.file.dialect.extension_functions:
            return False
        if len(values) != 1:
            return not values
        value = values[0]
        if self.file.dialect.methods_apart and not self._is_only_method(value):
            return False
        if not isinstance(value, ExternalValue):
            return isinstance(value, _ANYWAY)
        return value.name != "super" and value.name not in self.file.dialect.implicit_calls

    def _is_only_method(self, value: Value) -> bool:
        """Return whether a method has no overloads in the bases of its class."""
        if not isinstance(value, FunctionValue):
            return False
        owner = value.file.class_of(value.number)
        return owner < 0 or len(self.engine.members.order(value.path, owner)) == 1

    def _place(self, scope: int, term: Expression) -> tuple[Any, ...] | None:
        """Return where a name or a member of a name is called, None for what else is called."""
        callee = term[1]
        if callee is None or term[0] == "new":
            return None
        if callee[0] == "name":
            return (self._source, scope, callee[1])
        if callee[0] == "attr" and (base := callee[1]) is not None and base[0] == "name":
            return (self._source, scope, base[1], callee[2])
        return None

    def _callees(self, scope: int, values: ValueSet, term: Expression) -> Count | None:
        """Add edges to what is called; return as what it counts if it is in the tree."""
        tier, implicit = "", self.file.dialect.implicit_calls
        if len(values) > 1:
            values = functions_first(values)
        for value in values:
            if isinstance(value, ExternalValue) and (method := implicit.get(value.name)):
                self._run_by(scope, method, term)
            targets = call_targets.of_call(self.engine, self.file, scope, value, term)
            for kind, place in targets:
                tier = tier or self._tier(scope, term[1])
                self.add(kind, *place, tier)
        return ("calls", "resolved", tier) if tier else None

    def _run_by(self, scope: int, method: str, term: Expression) -> None:
        """Add edges to the method of its argument that a built-in function runs."""
        if not term[2]:
            return
        for value in self._implied(
            self.engine.evaluate(self.file, scope, term[2][0], FUEL), method
        ):
            if method == "__iter__":
                self._implied(value.returns(FUEL), "__next__")

    def _guess(self, scope: int, term: Expression, values: ValueSet) -> Count:
        """Add edges to the methods of that name, if nothing else is known of the receiver."""
        callee = term[1]
        if values:
            is_known = not all(isinstance(value, InstanceValue | UnplacedValue) for value in values)
            return "calls", "outside" if is_known else "unresolved", "local"
        for place in call_targets.known_everywhere(self.engine, self.file, scope, term):
            self.add("calls", *place, "only")
            return "calls", "resolved", "only"
        if callee is None or callee[0] != "attr":
            return "calls", "unresolved", "name" if callee else "expression"
        if self.engine.evaluate(self.file, scope, callee[1], FUEL):
            is_read = self._reads_property(scope, callee, "")
            return "calls", "resolved" if is_read else "unresolved", "member"
        places = call_targets.by_class(self.engine, self.file, term)
        places = places or call_targets.methods(self.engine, self.file, term)
        state, tier = ("resolved", "only") if len(places) == 1 else ("ambiguous", "candidate")
        for path, target in places:
            self.add("calls", path, target, tier, state)
        return "calls", state if places else "unresolved", tier if places else "receiver"

    def _iter(self, scope: int, term: Expression) -> None:
        self._visit(scope, term[1])
        if len(term) > 2:
            self._at(term[2])
            for walk, step in self.file.dialect.library.iteration:
                for value in self._implied(
                    self.engine.evaluate(self.file, scope, term[1], FUEL), walk
                ):
                    self._implied(value.returns(FUEL), step)

    def _enter(self, scope: int, term: Expression) -> None:
        self._visit(scope, term[1])
        if len(term) > 2:
            self._at(term[2])
            values = self.engine.evaluate(self.file, scope, term[1], FUEL)
            for name in _ENTERED:
                self._implied(values, name)

    def _implied(self, values: ValueSet, name: str) -> list[FunctionValue]:
        """Add calls of a method that the language makes, and return those methods."""
        methods = [
            member
            for value in values
            if isinstance(value, InstanceValue)
            for member in value.get_member(name, FUEL)
            if isinstance(member, FunctionValue) and member.is_bound
        ]
        for method in methods:
            self.add("calls", *method.place, "local")
        return methods

    def _several(self, scope: int, term: Expression) -> None:
        self._each(scope, term[1])

    def _pairs(self, scope: int, term: Expression) -> None:
        for key, value in term[1]:
            self._visit(scope, key)
            self._visit(scope, value)

    def _inside(self, scope: int, term: Expression) -> None:
        self._visit(scope, term[1])

    def _subscript(self, scope: int, term: Expression) -> None:
        self._visit(scope, term[1])
        self._visit(scope, term[2])
        if len(term) > 3:
            self._visit(scope, term[3])
            self._runs(scope, term)

    def _operate(self, scope: int, term: Expression) -> None:
        self._each(scope, term[2])
        self._runs(scope, term)

    def _runs(self, scope: int, term: Expression) -> None:
        """Add calls of the functions that an operator runs."""
        functions = self.engine.operators.functions(self.file, scope, term, FUEL)
        if functions:
            self._at(term[-1])
            self.counts["calls", "resolved", "local"] += 1
        for function in functions:
            self.add("calls", *call_targets.with_body(self.engine, function.place), "local")

    def _other_scope(self, scope: int, term: Expression) -> None:
        self._visit(term[1], term[2])

    def _cast(self, scope: int, term: Expression) -> None:
        self._type(scope, term[1])
        self._visit(scope, term[2])

    def _typed(self, scope: int, term: Expression) -> None:
        self._type(scope, term[1])

    def _same(self, scope: int, term: Expression) -> None:
        """The type of a value reads the value; what it says of a call runs nothing."""
        value = term[1]
        if value is not None and value[0] in ("call", "new"):
            value = value[1]
        if value is not None and value[0] in ("name", "dict"):
            self._visit(scope, value)
        elif value is not None and value[0] == "attr":
            self._visit(scope, value[1])
            # The member in `T["x"]` stands between quotes: the name in code is another one's.
            if value[1] is not None and value[1][0] != "typed":
                self._variables(scope, value)

    def _ran(self, scope: int, term: Expression) -> None:
        """A method of something outside runs what it is given; one of the tree has calls itself."""
        if not self.engine.evaluator.is_own(self.file, scope, term[1], FUEL):
            self._visit(scope, term[2])

    def _tier(self, scope: int, term: Term) -> str:
        return "scope" if call_targets.is_static(self.engine, self.file, scope, term) else "local"


def _written(term: Expression) -> str:
    """Return a name as it is written, a member behind the last name before it: `base.name`; "" for
    one whose place is known."""
    if term[0] == "name":
        return str(term[1])
    if len(term) > 3:
        return ""
    base = term[1]
    is_named = base is not None and base[0] in ("name", "attr")
    return f"{base[-1] if is_named else ''}.{term[2]}"


def _of_one(values: list[ClassValue | FunctionValue]) -> list[ClassValue | FunctionValue]:
    """Return the first of what a name means; of a namespace in several parts none is meant."""
    is_spread = len(values) > 1 and values[0].has_flag("namespace")
    return [] if is_spread else values[:1]


_VISITS = {
    "name": EdgeCollector._name,
    "attr": EdgeCollector._attr,
    "call": EdgeCollector._called,
    "new": EdgeCollector._called,
    "item": EdgeCollector._subscript,
    "operate": EdgeCollector._operate,
    "list": EdgeCollector._several,
    "tuple": EdgeCollector._several,
    "set": EdgeCollector._several,
    "either": EdgeCollector._several,
    "join": EdgeCollector._several,
    "dict": EdgeCollector._pairs,
    "iter": EdgeCollector._iter,
    "enter": EdgeCollector._enter,
    "await": EdgeCollector._inside,
    "star": EdgeCollector._inside,
    "typeof": EdgeCollector._inside,
    "yield": EdgeCollector._inside,
    "in": EdgeCollector._other_scope,
    "cast": EdgeCollector._cast,
    "ran": EdgeCollector._ran,
    "typed": EdgeCollector._typed,
    "means": EdgeCollector._typed,
    "label": EdgeCollector._label,
    "same": EdgeCollector._same,
}
# Statements that only evaluate a term.
_EVALUATED = frozenset({"do", "return", "yield"})
_STATEMENTS = {
    "bind": EdgeCollector._bind,
    "declare": EdgeCollector._declare,
    "import": EdgeCollector._import,
    "export": EdgeCollector._export,
    "mixin": EdgeCollector._mixin,
    "part": EdgeCollector._part,
}
