"""Python: its dialect."""

from __future__ import annotations

import builtins

from ...dialect import Dialect, LibraryRules, words
from ...facts import Term

# Methods of built-in types and of what the standard library hands out most: a receiver of which
# nothing is known is more likely one of those than the repository's only class with such a method.
_BUILTIN_METHODS = frozenset(
    name
    for kind in (str, bytes, bytearray, list, tuple, dict, set, frozenset, int, float, complex)
    for name in dir(kind)
    if not name.startswith("_")
) | frozenset(
    """
    acquire add_argument appendleft as_posix basename cancel close closed connect cursor date
    datetime debug dirname done dump dumps error exception execute exists fetchall fetchone
    fileno flush fullmatch getvalue group groupdict groups info is_dir is_file isatty isoformat
    iterdir join load loads lock log match mkdir most_common name next notify open parse
    popleft put qsize read read_bytes read_text readable readline readlines recv release
    rename resolve result run save search seek seekable send set set_result shutdown sleep span
    start stat stop strftime strip sub submit tell throw time timestamp total_seconds truncate
    unlink wait warn warning with_name with_suffix writable write write_bytes write_text writelines
    """.split()
)

_ITERATING = (
    "iter list tuple set frozenset sorted reversed sum min max any all enumerate zip dict map "
    "filter"
)
_COMMON = LibraryRules()
_LIBRARY = LibraryRules(
    mapping_types=words(
        "dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict ChainMap"
    ),
    element_methods=_COMMON.element_methods | words("popleft popitem __next__ __getitem__"),
    value_methods=words("get setdefault pop"),
    mutating_methods=_COMMON.mutating_methods | {"popitem"},
    adding_methods=_COMMON.adding_methods | words("appendleft setdefault"),
    iteration=(("__iter__", "__next__"), ("__aiter__", "__anext__")),
    memberless_bases=words("object Generic Protocol ABC Enum"),
    enumerations=words("Enum IntEnum StrEnum Flag IntFlag"),
)
# The method of their first argument that built-in functions run.
_IMPLICIT_CALLS = {
    **{name: f"__{name}__" for name in "len str repr bool hash int float abs next bytes".split()},
    **dict.fromkeys(_ITERATING.split(), "__iter__"),
}

DIALECT = Dialect(
    name="python",
    line_comment="#",
    extensions=(".py", ".pyi", ".pyw", ".ipynb"),
    family="python",
    star_excludes="underscore",
    builtin_names=frozenset(dir(builtins)),
    type_may_be_member=True,
    quoted_annotations=True,
    dict_keys_are_members=False,
    dynamically_typed=True,
    implicit_calls=_IMPLICIT_CALLS,
    fixtures=True,
    library=_LIBRARY,
    constructors=frozenset({"__init__", "__new__", "__post_init__"}),
    receiver=True,
    builtin_methods=_BUILTIN_METHODS,
    linearised=True,
    defaulting=frozenset({"get", "pop", "setdefault"}),
    spelling="NFKC",
)

_FLAGS = {
    "staticmethod": "static",
    "classmethod": "classmethod",
    "property": "property",
    "cached_property": "property",
    "abstractmethod": "abstract",
    "abstractproperty": "property",
    "overload": "overload",
    "override": "override",
    "setter": "property",
    "getter": "property",
    "deleter": "property",
}
# Class methods without saying so.
_IMPLICIT = ("__new__", "__init_subclass__", "__class_getitem__")


def flags_of(name: str, decorators: tuple[Term, ...], *, is_async: bool) -> tuple[str, ...]:
    """Return the flags of a function."""
    flags = []
    for term in decorators:
        if term is not None and term[0] == "call":
            term = term[1]
        if term is not None and term[0] in ("name", "attr") and term[-1] in _FLAGS:
            flags.append(_FLAGS[term[-1]])
    if is_async:
        flags.append("async")
    return (*flags, *_named_flags(name))


def _named_flags(name: str) -> tuple[str, ...]:
    """Return the flags that a function has by its name."""
    if not name.startswith("_"):
        return ("test",) if name.startswith("test") else ()
    if name in _IMPLICIT:
        return ("constructor", "classmethod") if name == "__new__" else ("classmethod",)
    if name in DIALECT.constructors:
        return ("constructor",)
    return () if name.endswith("__") else ("private",)
