"""Which of several functions of one name a call means: by the number and the types of arguments.

Types decide only where both sides are known: of an argument that is not known any parameter takes
it, and where no function takes the arguments all of them stay.
"""

from __future__ import annotations

from ..facts import Term
from .declared import Declared
from .memo import Token, Tokens, Variable
from .views import View, arity

# Functions of one name, of which a call means those that take its arguments.
CALLABLE = ("function", "bound")
# Languages that choose among functions of one name by the types of what they are given.
_TYPED = frozenset({"java", "csharp"})
# A parameter: what a value of its type can be, and the name of the type as it is written.
_Taken = tuple[Tokens, str]

_NUMBERS = ["byte", "short", "int", "long", "float", "double"]
_BOXED = {
    "Integer": "int", "Long": "long", "Float": "float", "Double": "double", "Short": "short",
    "Byte": "byte", "Character": "char", "Boolean": "boolean",
}  # fmt: skip
_PRIMITIVE = frozenset({*_NUMBERS, *"char boolean bool decimal uint ulong ushort sbyte".split()})
# Classes below which there are no others.
_FINAL = frozenset({"String", "string", *_BOXED})
# How near a value of a kind is to the types that take it; nothing else takes it but _ANY.
_NEAR: dict[str, dict[str, int]] = {
    **{
        kind: {wider: 9 - place for place, wider in enumerate(_NUMBERS[start:])}
        for start, kind in enumerate(_NUMBERS)
    },
    "char": {"char": 9, "int": 8, "long": 7, "float": 6, "double": 5},
    "boolean": {"boolean": 9},
    "bool": {"bool": 9, "boolean": 9},
    # What is written `1.5` is of several types in C#.
    "float": dict.fromkeys(("float", "double", "decimal"), 9),
    "str": {"String": 9, "string": 9, "CharSequence": 8},
}
for _box, _kind in _BOXED.items():
    _NEAR[_kind][_box] = 3
_NEAR["int"].update(dict.fromkeys("decimal uint ulong ushort sbyte".split(), 1))
_ANY = frozenset(
    "Object object dynamic Number Comparable Serializable Constable ConstantDesc".split()
)
# What methods and members of these names give, whatever has them.
_GIVING = {
    **dict.fromkeys("length size indexOf lastIndexOf hashCode compareTo ordinal".split(), "int"),
    **dict.fromkeys("toString substring trim toLowerCase toUpperCase".split(), "str"),
    **dict.fromkeys("equals isEmpty contains startsWith endsWith hasNext".split(), "boolean"),
}
# What may be an array, which is given for the rest of the parameters as a whole.
_ARRAYS = frozenset({"literal", "generic", "many"})
# What an argument is to a parameter that may take it, but of which no more is known.
_PERHAPS = 0
_FURTHEST = 10_000
_NEVER = -1


class Overloads(Declared):
    """Chooses among functions of one name."""

    def fitting(self, found: Tokens, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return callees without those of the same name that do not take the arguments."""
        groups: dict[tuple[str, str], list[Token]] = {}
        for token in found:
            if token[0] in CALLABLE:
                name = self.views[token[1]].definitions[token[2]].qualname
                groups.setdefault((token[1], name), []).append(token)
        unfit: set[Token] = set()
        for group in groups.values():
            if len(group) > 1:
                fit = self._fitting(group, view, scope, term, fuel)
                unfit.update([one for one in group if one not in fit])
        return tuple([one for one in found if one not in unfit]) if unfit else found

    def _fitting(
        self, group: list[Token], view: View, scope: int, term: Term, fuel: int
    ) -> list[Token]:
        assert term is not None
        fit = group
        if "star" not in [one[0] for one in term[2] if one is not None]:
            size = len(term[2]) + len(term[3])
            fit = [one for one in group if self._takes(one, size)] or group
        if len(fit) > 1 and self.views[fit[0][1]].facts.language in _TYPED:
            return self._nearest(fit, view, scope, term, fuel)
        return fit

    def _takes(self, token: Token, size: int) -> bool:
        """Return whether a function takes so many arguments."""
        view = self.views[token[1]]
        is_bound = view.dialect.receiver and token[0] == "bound"
        least, most = arity(view.definitions[token[2]], skip=int(is_bound))
        return least <= size <= most

    def _nearest(
        self, group: list[Token], view: View, scope: int, term: Term, fuel: int
    ) -> list[Token]:
        """Return those whose parameters are the nearest to the types of the arguments."""
        assert term is not None
        given = [self._said_of(view, scope, one, fuel) for one in term[2]]
        ranked = []
        for token in group:
            taken = self._taken(token, len(given), fuel)
            ranks = [self._rank(one, param) for one, param in zip(given, taken, strict=False)]
            if _NEVER not in ranks:
                ranked.append((token, ranks, taken))
        if _ARRAYS.isdisjoint([one[0] for one in (given[-1] if given else ())]):
            ranked = [one for one in ranked if not self._is_open(one[0])] or ranked
        kept = [
            one[0]
            for one in ranked
            if not any(_is_nearer(other, one) for other in ranked if other is not one)
        ]
        return kept or group

    def _said_of(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what an argument is by its declared type, if it has one, else by its value."""
        if term is None:
            return ()
        if term[0] == "name":
            binder = view.binder(scope, term[1])
            for one in view.names[binder][term[1]] if binder >= 0 else ():
                if one[0] == "type":
                    return self.typed(view, one[1], one[2], fuel)
        found = self.eval(view, scope, term, fuel)
        named = term[1] if term[0] == "call" else term
        kind = _GIVING.get(named[2]) if named is not None and named[0] == "attr" else None
        is_known = any(one[0] == "instance" or one[1:] not in ((), ("",)) for one in found)
        return found if is_known or kind is None else (("thing", kind),)

    def _is_open(self, token: Token) -> bool:
        """Return whether a function takes any number of arguments: it does so only if need be."""
        params = self.views[token[1]].definitions[token[2]].params
        return bool(params) and params[-1][3] == "*"

    def _taken(self, token: Token, size: int, fuel: int) -> list[_Taken]:
        """Return the parameters of a function, as many as there are arguments."""
        found: tuple[_Taken, ...] = self.recall(("taken", token[1], token[2]), fuel, self._params)
        definition = self.views[token[1]].definitions[token[2]]
        params = list(found)
        if definition.params and definition.params[-1][3] == "*" and params:
            # An array may be given for the rest as well: of that nothing is said.
            params = [*params[:-1], *[((), "")] * (size - len(params) + 1)]
        return params[:size]

    def _params(self, variable: Variable, fuel: int) -> tuple[_Taken, ...]:
        _, path, number = variable
        view = self.views[path]
        definition = view.definitions[number]
        self.read(view.unit(definition.body))
        return tuple(
            (self.typed(view, definition.scope, param[1], fuel), name_of(param[1]))
            for param in definition.params
        )

    def _rank(self, given: Tokens, taken: _Taken) -> int:
        """Return how near an argument is to a parameter; nothing is known of one without tokens."""
        if len(given) > 1:
            given = self._most_general(given)
        return max((self._rank_of(one, *taken) for one in given), default=_PERHAPS)

    def _most_general(self, given: Tokens) -> Tokens:
        """Return what is given without what is below another: what is declared decides."""
        return tuple(
            one
            for one in given
            if one[0] != "instance"
            or not any(
                other != one and ("class", *other[1:]) in self.order(one[1], one[2])
                for other in given
                if other[0] == "instance"
            )
        )

    def _rank_of(self, token: Token, kinds: Tokens, written: str) -> int:
        tag = token[0]
        if tag == "value":  # a constant, where values are followed
            tag, token = "thing", ("thing", token[1])
        if tag == "thing" and token[1] in _NEAR:
            near = _NEAR[token[1]].get(written, _NEVER)
            is_open = written in _ANY or not (kinds or written in _PRIMITIVE)
            return max(near, _PERHAPS) if is_open else near
        if tag == "instance":
            return self._rank_of_object(token, kinds, written)
        if tag in _ARRAYS and (array := self._array_of(token)):
            return _rank_of_array(array, kinds, written)
        if tag in ("thing", "generic", "reflected"):
            return self._rank_outside(token, kinds, written)
        if tag in CALLABLE:
            is_value = written in _PRIMITIVE or written in _NEAR["str"]
            return _NEVER if is_value else _PERHAPS
        return _PERHAPS

    def _rank_of_object(self, token: Token, kinds: Tokens, written: str) -> int:
        view = self.views[token[1]]
        if written in _PRIMITIVE:
            return int(_BOXED.get(view.definitions[token[2]].name) == written) or _NEVER
        if written.endswith("[]"):
            return _NEVER
        above = self.order(token[1], token[2])
        inside = [("class", *one[1:]) for one in kinds if one[0] == "instance"]
        if inside:
            # The further above, the less near.
            places = [above.index(one) for one in inside if one in above]
            return max(_FURTHEST - place for place in places) if places else _NEVER
        is_open = not kinds or written in _ANY or any(one[0] == "outside" for one in above)
        return _PERHAPS if is_open else _NEVER

    def _rank_outside(self, token: Token, kinds: Tokens, written: str) -> int:
        """Return how near an object of a class outside is: its bases are not known."""
        name = token[1] if token[0] == "thing" else self._name_of_generic(token)
        if token[0] == "reflected":
            name = "Class"
        name = name.rpartition(".")[2]
        if not name:
            return _PERHAPS
        if name == written:
            return 3
        if written in _PRIMITIVE:
            return int(_BOXED.get(name) == written) or _NEVER
        if written in _FINAL or written.endswith("[]"):
            return _NEVER
        return _NEVER if any(one[0] == "instance" for one in kinds) else _PERHAPS

    def _name_of_one(self, tokens: Tokens) -> str:
        """Return the name of a type, "?" if it is none or several."""
        tag, *rest = tokens[0] if len(tokens) == 1 else ("",)
        if tag == "thing":
            return str(rest[0]).rpartition(".")[2]
        return self.views[rest[0]].definitions[rest[1]].name if tag == "instance" else "?"

    def _name_of_generic(self, token: Token) -> str:
        if token[0] != "generic":
            return ""
        term = self.terms[token[3]]
        inner = term[1] if term is not None else None
        return str(inner[-1]).strip("<>") if inner is not None else ""

    def _array_of(self, token: Token) -> str:
        """Return an array's type as it is written, "" for what is none."""
        if token[0] == "many":  # what is given for the rest of the parameters
            return f"{self._name_of_one(token[1])}[]"
        if token[0] != "generic":
            return ""
        name = name_of(self.terms[token[3]])
        return name if name.endswith("[]") else ""


_Ranked = tuple[Token, list[int], list[_Taken]]


def _rank_of_array(array: str, kinds: Tokens, written: str) -> int:
    """Return how near an array is to a parameter: one of numbers is no array of anything else."""
    if array == written:
        return 9
    if not written.endswith("[]"):
        takes_any = written in _ANY or not kinds
        return _PERHAPS if takes_any and written not in _PRIMITIVE else _NEVER
    is_plain = array[:-2] in _PRIMITIVE or written[:-2] in _PRIMITIVE
    return _NEVER if is_plain else _PERHAPS


def _is_nearer(one: _Ranked, other: _Ranked) -> bool:
    """Return whether one function takes the arguments more exactly than another.

    Where an argument is not known well enough, the parameters must be the same: it might decide.
    """
    nearer = False
    for place, (rank, other_rank) in enumerate(zip(one[1], other[1], strict=False)):
        if rank < other_rank:
            return False
        if rank == other_rank == _PERHAPS and one[2][place] != other[2][place]:
            return False
        nearer = nearer or rank > other_rank
    return nearer


def name_of(kind: Term) -> str:
    """Return the name of a type without what it holds: `List`, `int`, `Shop[]`; "" for none."""
    if kind is None or kind[0] not in ("name", "attr", "const", "item"):
        return ""
    if kind[0] == "const":
        return str(kind[1])
    if kind[0] != "item":
        return str(kind[-1]).strip("<>").rpartition(".")[2]
    is_array = kind[1] is not None and kind[1][-1] == "list"
    return f"{name_of(kind[2]) or '?'}[]" if is_array else name_of(kind[1])
