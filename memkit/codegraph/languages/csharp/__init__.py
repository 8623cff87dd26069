"""C#: words of the library."""

from __future__ import annotations

from ...dialect import LibraryRule, LibraryRules, by_word, words

_COMMON = LibraryRules()
LIBRARY = LibraryRules(
    reflection=by_word(
        {
            LibraryRule.METHOD: "GetMethod GetRuntimeMethod",
            LibraryRule.FIELD: "GetField GetProperty",
            LibraryRule.RECEIVER: "GetConstructor MakeGenericType MakeGenericMethod CreateDelegate",
            LibraryRule.CLASS_OF: "GetType",
        }
    ),
    invoking=frozenset({"Invoke"}),
    reading=frozenset({"GetValue"}),
    mapping_types=words(
        "dict Dictionary IDictionary IReadOnlyDictionary SortedDictionary ConcurrentDictionary"
    ),
    callable_types=_COMMON.callable_types | {"Func"},
    element_methods=_COMMON.element_methods
    | words(
        "First FirstOrDefault Last LastOrDefault Single SingleOrDefault ElementAt Find Pop Peek "
        "Dequeue"
    ),
    same_methods=_COMMON.same_methods
    | words("Where OrderBy OrderByDescending ToList ToArray Skip Take Distinct"),
    iteration=(("GetEnumerator", "MoveNext"),),
    memberless_bases=words("object Object"),
)
