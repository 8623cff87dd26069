"""Library rules: what functions of libraries give."""

from __future__ import annotations

SAME = "what it is given"
ELEMENT = "an element of what it is given"
ELEMENTS = "a container of the same elements"
NUMBERED = "rows of a number and an element"
SIDE_BY_SIDE = "rows of elements"
MAPPED = "what a function gives, many times"
FILTERED = "elements of the second argument"
CLASS_OF = "the class of what it is given"
MEMBER = "a member by its name"
TYPE = "a value of the type that it is given first"
PLAIN = "something without anything inside"
MODULE_NAMED = "the module of a name"
METHOD = "a method by its name"
HANDLE = "a method of the class that it is given, by its name"
EXACT_HANDLE = "the same, whatever the object is"
FIELD = "a field by its name"
FIELD_HANDLE = "a field of the class that it is given, by its name"
FIRST = "what it is given, as a value"
CLASS_NAMED = "the class of a name"
PARAMETERS = "types of parameters"
PROXY = "an object of which all methods are one"
REFLECTED = "an object that is asked for its methods by name"

_BY_RULE = {
    SAME: "iter copy deepcopy partial lru_cache cache wraps evolve replace shield create_task "
    "ensure_future wait_for aiter closing nullcontext staticmethod classmethod update_wrapper",
    ELEMENT: "next anext min max choice reduce",
    ELEMENTS: "list tuple set frozenset sorted reversed deque chain islice cycle takewhile",
    NUMBERED: "enumerate",
    SIDE_BY_SIDE: "zip zip_longest product",
    MAPPED: "map imap starmap",
    FILTERED: "filter filterfalse dropwhile",
    CLASS_OF: "type",
    MEMBER: "getattr",
    TYPE: "cast",
    MODULE_NAMED: "import_module __import__",
    REFLECTED: "ValueOf",
    PLAIN: "str int float bool bytes bytearray len repr hash id ord chr abs sum round divmod any "
    "all isinstance issubclass callable hasattr open print format input range dict object dir "
    "vars globals locals memoryview complex slice bin hex oct pow ascii",
}
# The rule of each function, by the last part of its name.
CALLS = {name: rule for rule, names in _BY_RULE.items() for name in names.split()}

# Rules of functions that are given a name.
NAMING = frozenset({MEMBER, MODULE_NAMED, REFLECTED})

_BY_NAME = {
    METHOD: "getMethod getDeclaredMethod GetMethod GetRuntimeMethod MethodByName",
    HANDLE: "findStatic findVirtual",
    EXACT_HANDLE: "findSpecial",
    FIELD: "getField getDeclaredField GetField GetProperty FieldByName",
    FIELD_HANDLE: "findGetter findStaticGetter findVarHandle findStaticVarHandle",
    SAME: "getConstructor getDeclaredConstructor GetConstructor asSubclass bindTo asType "
    "asSpreader asCollector MakeGenericType MakeGenericMethod CreateDelegate Elem",
    FIRST: "findConstructor unreflect unreflectConstructor unreflectGetter",
    CLASS_OF: "getClass GetType",
    CLASS_NAMED: "forName loadClass",
    TYPE: "cast",
    PARAMETERS: "methodType",
    PROXY: "newProxyInstance",
}
# The rule of each method that asks for something by its name, as a value (see `reflection`).
REFLECTING = {name: rule for rule, names in _BY_NAME.items() for name in names.split()}
# Methods that run what is reflected, or make an object of it.
INVOKING = frozenset("invoke invokeExact invokeWithArguments newInstance Invoke Call".split())
# Methods that read a reflected field.
READING = frozenset(
    "get getVolatile getAcquire getOpaque invoke invokeExact GetValue Interface".split()
)
# The method of its handler that every method of a proxy is.
HANDLING = "invoke"

# Types whose last argument is what a call gives.
CALLABLE_TYPES = frozenset({"Callable", "func()", "Function", "Func", "Supplier", "Callback"})
