"""Java: types that take what overloads are called with, words of the library."""

from __future__ import annotations

from ...dialect import LibraryRule, LibraryRules, OverloadTypes, by_word, words

_NUMBERS = ["byte", "short", "int", "long", "float", "double"]
_BOXED = {
    "Integer": "int", "Long": "long", "Float": "float", "Double": "double", "Short": "short",
    "Byte": "byte", "Character": "char", "Boolean": "boolean",
}  # fmt: skip
_NEARNESS: dict[str, dict[str, int]] = {
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
    _NEARNESS[_kind][_box] = 3
_NEARNESS["int"].update(dict.fromkeys("decimal uint ulong ushort sbyte".split(), 1))

# Of C# as well: nearly all of its types have names of their own.
OVERLOAD_TYPES = OverloadTypes(
    boxed=_BOXED,
    primitive=words("char boolean bool decimal uint ulong ushort sbyte").union(_NUMBERS),
    final=frozenset({"String", "string", *_BOXED}),
    nearness=_NEARNESS,
    universal=words("Object object dynamic Number Comparable Serializable Constable ConstantDesc"),
    method_results={
        **dict.fromkeys(
            "length size indexOf lastIndexOf hashCode compareTo ordinal".split(), "int"
        ),
        **dict.fromkeys("toString substring trim toLowerCase toUpperCase".split(), "str"),
        **dict.fromkeys("equals isEmpty contains startsWith endsWith hasNext".split(), "boolean"),
    },
)

_COMMON = LibraryRules()
LIBRARY = LibraryRules(
    reflection=by_word(
        {
            LibraryRule.METHOD: "getMethod getDeclaredMethod",
            LibraryRule.METHOD_HANDLE: "findStatic findVirtual",
            LibraryRule.EXACT_HANDLE: "findSpecial",
            LibraryRule.FIELD: "getField getDeclaredField",
            LibraryRule.FIELD_HANDLE: "findGetter findStaticGetter findVarHandle "
            "findStaticVarHandle",
            LibraryRule.RECEIVER: "getConstructor getDeclaredConstructor asSubclass bindTo asType "
            "asSpreader asCollector",
            LibraryRule.ARGUMENT: "findConstructor unreflect unreflectConstructor unreflectGetter",
            LibraryRule.CLASS_OF: "getClass",
            LibraryRule.CLASS: "forName loadClass",
            LibraryRule.CAST: "cast",
            LibraryRule.PARAMETER_TYPES: "methodType",
            LibraryRule.PROXY: "newProxyInstance",
        }
    ),
    invoking=words("invoke invokeExact invokeWithArguments newInstance"),
    reading=words("get getVolatile getAcquire getOpaque invoke invokeExact"),
    mapping_types=words(
        "dict Map HashMap TreeMap LinkedHashMap ConcurrentMap ConcurrentHashMap SortedMap"
    ),
    callable_types=_COMMON.callable_types | words("Function Supplier Callback"),
    element_methods=_COMMON.element_methods
    | words("getFirst getLast poll orElse orElseGet orElseThrow findFirst findAny"),
    value_methods=_COMMON.value_methods | words("getOrDefault computeIfAbsent"),
    same_methods=_COMMON.same_methods | words("stream sorted limit toList collect"),
    iteration=(("iterator", "next"),),
    memberless_bases=words("Object Enum"),
)
