"""Dialect: all policy of one language, test-file patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import Literal

import attrs

# --- What functions and types of libraries give, whose code is not in the tree.


class LibraryRule(Enum):
    """What a function or method of a library gives."""

    ARGUMENT = auto()  # what it is called with first
    ELEMENT = auto()  # an element of that
    CONTAINER = auto()  # a container of the same elements
    ENUMERATED = auto()  # rows of a number and an element
    ZIPPED = auto()  # rows of elements of each argument
    MAPPED = auto()  # what a function gives, many times
    FILTERED = auto()  # elements of the second argument
    PLAIN = auto()  # something without anything inside
    CAST = auto()  # a value of the type that is named first
    CLASS_OF = auto()  # the class of an object
    # Something by its name, which must be a constant:
    MEMBER = auto()
    MODULE = auto()
    CLASS = auto()
    METHOD = auto()
    METHOD_HANDLE = auto()  # a method of the class that is the first argument
    EXACT_HANDLE = auto()  # the same, whatever the object is
    FIELD = auto()
    FIELD_HANDLE = auto()
    # More of what is asked by name (see `reflection_values`):
    REFLECTED = auto()  # an object that is asked for its methods by name
    RECEIVER = auto()  # what it is called on
    PARAMETER_TYPES = auto()
    PROXY = auto()  # an object all whose methods are one of a handler


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def by_word(rules: Mapping[LibraryRule, str]) -> dict[str, LibraryRule]:
    """Return the rule of each word; `rules` has the words of each rule in one text."""
    return {word: rule for rule, text in rules.items() for word in text.split()}


@attrs.frozen
class LibraryRules:
    """Words of a language's libraries.

    The defaults are those that have one meaning wherever they occur; a language adds its own.

    Attributes:
        results: rule of a function, by the last part of its name.
        reflection: rule of a method that asks for something by its name, as a value.
        invoking, reading: methods that run what is reflected, or read a reflected field.
        mapping_types: generic types that map keys to values; `dict` in the facts of any language.
        callable_types: types whose last argument is what a call gives; `Callable` in the facts.
        element_methods: methods of containers that give an element of it.
        value_methods: methods of mappings that give one of its values.
        same_methods: methods that give a container of the same elements.
        mutating_methods: methods that change what a container holds, called for that.
        adding_methods: methods that put their last argument into a container.
        extending_methods: methods that put the elements of their first argument into one.
        iteration: the methods that walking through an object runs: one gives an iterator, one of
            that the next element.
        text_methods: methods of something outside that give a text.
        arithmetic_methods: methods of a number that give one of its type or of their argument's.
        memberless_bases: bases outside of the tree that bring no methods of their own.
        enumerations: bases whose classes have all their objects from the beginning.
    """

    results: Mapping[str, LibraryRule] = attrs.field(
        factory=lambda: by_word({
            LibraryRule.ARGUMENT: "iter copy deepcopy partial lru_cache cache wraps evolve replace "
            "shield create_task ensure_future wait_for aiter closing nullcontext staticmethod "
            "classmethod update_wrapper",
            LibraryRule.ELEMENT: "next anext min max choice reduce",
            LibraryRule.CONTAINER: "list tuple set frozenset sorted reversed deque chain islice "
            "cycle takewhile",
            LibraryRule.ENUMERATED: "enumerate",
            LibraryRule.ZIPPED: "zip zip_longest product",
            LibraryRule.MAPPED: "map imap starmap",
            LibraryRule.FILTERED: "filter filterfalse dropwhile",
            LibraryRule.CLASS_OF: "type",
            LibraryRule.MEMBER: "getattr",
            LibraryRule.CAST: "cast",
            LibraryRule.MODULE: "import_module __import__",
            LibraryRule.PLAIN: "str int float bool bytes bytearray len repr hash id ord chr abs "
            "sum round divmod any all isinstance issubclass callable hasattr open print format "
            "input range dict object dir vars globals locals memoryview complex slice bin hex oct "
            "pow ascii",
        })
    )  # fmt: skip
    reflection: Mapping[str, LibraryRule] = attrs.field(factory=dict)
    invoking: frozenset[str] = frozenset()
    reading: frozenset[str] = frozenset()
    mapping_types: frozenset[str] = frozenset({"dict"})
    callable_types: frozenset[str] = frozenset({"Callable"})
    element_methods: frozenset[str] = words("pop find shift next at get peek element remove")
    value_methods: frozenset[str] = words("get pop put")
    same_methods: frozenset[str] = words(
        "copy union intersection difference slice filter concat reversed iterator distinct skip"
    )
    mutating_methods: frozenset[str] = words("update pop clear insert remove splice")
    adding_methods: frozenset[str] = words("append add push insert")
    extending_methods: frozenset[str] = words("extend update")
    iteration: tuple[tuple[str, str], ...] = ()
    text_methods: frozenset[str] = frozenset()
    arithmetic_methods: frozenset[str] = frozenset()
    memberless_bases: frozenset[str] = frozenset()
    enumerations: frozenset[str] = frozenset()


@attrs.frozen
class OverloadTypes:
    """How near values are to the types that take them, where types choose among overloads.

    Attributes:
        boxed: primitive type by the class of its objects.
        primitive: types that take nothing but values of the language.
        final: classes below which there are no others.
        nearness: for each kind of value, the types that take it, the nearest with the most.
        universal: types that take what else there is.
        method_results: kinds of what methods and members of these names give, whatever has them.
        converts: whether a class may be given whatever one of its constructors takes.
    """

    boxed: Mapping[str, str]
    primitive: frozenset[str]
    final: frozenset[str]
    nearness: Mapping[str, Mapping[str, int]]
    universal: frozenset[str]
    method_results: Mapping[str, str]
    converts: bool = False


@attrs.frozen
class ExternalTypes:
    """How types outside of the tree fit what an extension function is for, by their names.

    Attributes:
        universal: the type that everything is of.
        final: types below which there are no others, by the names that they have as values.
        above_final: types that some final ones are of.
        lists: types of lists and sets: one may stand for another.
        number_widths: types of numbers, that which holds most last; calculating gives the wider.
        calculating: methods of numbers that take numbers of other types as well.
        calculated, counted: types of which these, and all other such methods, are known.
    """

    universal: str
    final: Mapping[str, str]
    above_final: frozenset[str]
    lists: frozenset[str]
    number_widths: tuple[str, ...]
    calculating: frozenset[str]
    calculated: frozenset[str]
    counted: frozenset[str]


# --- What the resolver must know of a language besides the facts: data, no code paths of its own.

UnicodeForm = Literal["NFC", "NFKC"]


@attrs.frozen
class Dialect:
    """How names and calls behave in one language.

    Attributes:
        name: language, as in `Facts.language`.
        extensions: file endings, with the dot.
        files: whole file names without such an ending (Rakefile).
        constructors: methods that run when a class is called or made.
        receiver: first parameter of a method is its object (Python).
        implicit_members: a bare name also means a member of the class around it (Java, C#, C++).
        shares_namespace: files of one namespace see each other's names without an import (Go, Java,
            C#, Ruby, C).
        builtin_methods: method names too common to be bound to the only method of that name.
        linearised: bases in C3 order; otherwise depth first.
        invokers: methods of a function that call it; "*": any, where a function is an object with
            one method of whatever name (Java).
        composing: methods of a function that make another of it, and those of every object: they
            do not call it.
        bare_in_class: the body of a class sees its own names bare (JavaScript, Go, Rust: no).
        transparent: methods that give back what they are called on, where its type has none of
            that name (Rust's `unwrap`, `iter`, `clone`).
        elements: methods that in the same way give back one element of it (`first`, `pop`).
        defaulting: methods that give their second argument where there is nothing else to give.
        holders: types outside of the tree that hold values of others, where functions are named
            after the type whose object they give (`Command::new`): of these that tells nothing.
        spelling: Unicode form in which names are compared; None: letter by letter, as the
            standards of Go, Java and JavaScript ask for.
        family: languages whose files import each other, by the folder of their module resolver;
            "alone": imports are not looked up.
        module_replaceable: a file may say what stands for it as a whole (`module.exports = …`).
        package_before_wildcard: types of the own package come before those of `import x.*`.
        imports_folders: what is imported is a folder, with all files of its package.
        global_namespace: key of the namespace of files that declare none, seen by every file.
        ambient_suffixes: ends of the paths of files that declare, where they are no modules, names
            that every file has.
        star_excludes: names that importing a module whole leaves out: those with an underscore
            (but for those that `__all__` lists), or those in lower case.
        includes_transitively: what is imported whole is the text of files, and of theirs (C).
        builtin_names: names that every module sees without binding them.
        capitalised_is_external: an unknown name that begins like a type is one of a library.
        module_globals_only: an unknown name in a file that is a module is a global of the runtime.
        methods_outside_class: methods may be written apart from their type.
        reopened: what may have its members in several places: namespaces, or classes as well.
        declares_apart: functions are declared in one place and have their body in another.
        prototype_members: a class may have its methods from an object literal.
        static_side_apart: of two members of one name one may be static, the other not.
        structural_interfaces: a type implements an interface by having its methods.
        abstract_gives_way: a member without a body is asked only if no class further up has one
            with a body (PHP, where what a trait asks for may be inherited).
        traits_see_users: the object of a trait also has the methods of the classes that use it
            (PHP).
        overrides_by_base: a method names as its base the type whose method it implements; one
            without a base implements none (Rust).
        fields_override: a field stands for those of its name that the bases of its class have, and
            a method for such a field; elsewhere methods alone do so for methods.
        imports_class_members: what is imported whole may be a class: its constants (Rust's enums).
        methods_apart: a method may have the name of a field, which is not called, and those of the
            bases are overloads of one (Java).
        type_may_be_member: a type in a class's body may be any name that the body binds.
        quoted_annotations: a text in an annotation is a type.
        dict_keys_are_members: what a mapping holds under a name is a member of it.
        subscript_is_member: a subscript of an object is a member of it.
        literals_name_fields: `name: value` in braces gives a field its value.
        external_items_are_external: elements of something outside are of types outside.
        setter_suffix: what the name of a method has behind that of the member whose assignment runs
            it (Ruby's `name=`).
        known_everywhere: `macros` or `functions` that files see which do not import them: what
            nothing else has a name is the only one of that name (of C's functions the linker knows
            one, and any header may be included by one that is made while a program is built).
        checks_arity: the compiler counts the arguments of a method that is called.
        overload_types: what types take, where of functions of one name a call means one by the
            types of its arguments.
        name_signs: what belongs to a name besides letters (`#x` and `$x` are other names than x).
        line_comment: what begins a comment that ends with its line.
        quoted_character: no more than one character stands between single quotes; one of them
            alone is something else (Rust).
        library: words of the language's libraries.
        private_is_file_wide: private members are seen in their own file alone.
        extension_methods: a static method may take its object as an argument.
        spreads_multiple_results: a call as the only argument may give several.
        dynamically_typed: nothing says what most variables are.
        candidate_filter: what is known of a candidate method besides its name: that a test is seen
            by its own folder alone, or the definition that a declaration announces.
        implicit_calls: method of its first argument that a built-in function runs, by function.
        fixtures: parameters of tests are filled by fixtures of their names (pytest).
        extension_functions: a function that has an owner is a method of whatever is of that type,
            wherever its name is in sight; functions of one name in all files of a package are
            overloads, a private one is seen by its own file, and of `expect` and `actual`
            definitions of one name the one nearest to the caller is meant (Kotlin); how types
            outside fit such an owner.
    """

    name: str
    extensions: tuple[str, ...]
    files: tuple[str, ...] = ()
    constructors: frozenset[str] = frozenset()
    receiver: bool = False
    implicit_members: bool = False
    shares_namespace: bool = False
    builtin_methods: frozenset[str] = frozenset()
    linearised: bool = False
    invokers: frozenset[str] = frozenset()
    composing: frozenset[str] = frozenset()
    bare_in_class: bool = True
    transparent: frozenset[str] = frozenset()
    elements: frozenset[str] = frozenset()
    defaulting: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    spelling: UnicodeForm | None = None
    # Modules and names.
    family: str = "alone"
    module_replaceable: bool = False
    package_before_wildcard: bool = False
    imports_folders: bool = False
    global_namespace: str | None = None
    ambient_suffixes: tuple[str, ...] = ()
    star_excludes: Literal["", "underscore", "lowercase"] = ""
    includes_transitively: bool = False
    builtin_names: frozenset[str] = frozenset()
    capitalised_is_external: bool = False
    module_globals_only: bool = False
    # Types and their members.
    methods_outside_class: bool = False
    reopened: Literal["", "namespaces", "all"] = ""
    declares_apart: bool = False
    prototype_members: bool = False
    static_side_apart: bool = False
    structural_interfaces: bool = False
    abstract_gives_way: bool = False
    traits_see_users: bool = False
    overrides_by_base: bool = False
    fields_override: bool = False
    imports_class_members: bool = False
    methods_apart: bool = False
    type_may_be_member: bool = False
    quoted_annotations: bool = False
    dict_keys_are_members: bool = True
    subscript_is_member: bool = False
    literals_name_fields: bool = False
    external_items_are_external: bool = False
    # Calls.
    setter_suffix: str = ""
    known_everywhere: Literal["", "macros", "functions"] = ""
    extension_functions: ExternalTypes | None = None
    checks_arity: bool = False
    overload_types: OverloadTypes | None = None
    private_is_file_wide: bool = False
    extension_methods: bool = False
    spreads_multiple_results: bool = False
    dynamically_typed: bool = False
    candidate_filter: Literal["", "test_folder", "definition"] = ""
    implicit_calls: Mapping[str, str] = attrs.field(factory=dict)
    fixtures: bool = False
    name_signs: str = ""
    line_comment: str = "//"
    quoted_character: bool = False
    library: LibraryRules = attrs.field(factory=LibraryRules)


# --- What a file is for, as far as its path tells.

_TEST = re.compile(
    r"(?:^|/)(?:[\w.]+-)?(?:tests?|specs?|__tests__|testdata)/"
    r"|(?:^|/)(?:test_|conftest\b)[^/]*$"
    r"|[._-](?:tests?|spec)\.\w+$"
    r"|(?:Tests?|Spec)\.(?:java|kt|scala|groovy|cs|php)$"
)


def of_tests(path: str) -> bool:
    """Whether a file is there to test others."""
    return bool(_TEST.search(path))
