"""Dialect: all policy of one language, test-file patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

import attrs

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
        global_namespace: key of the namespace of files that declare none, seen by every file.
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
        type_may_be_member: a type in a class's body may be any name that the body binds.
        quoted_annotations: a text in an annotation is a type.
        dict_keys_are_members: what a mapping holds under a name is a member of it.
        subscript_is_member: a subscript of an object is a member of it.
        external_items_are_external: elements of something outside are of types outside.
        checks_arity: the compiler counts the arguments of a method that is called.
        overloads_by_type: of functions of one name a call means one by the types of its arguments.
        private_is_file_wide: private members are seen in their own file alone.
        extension_methods: a static method may take its object as an argument.
        spreads_multiple_results: a call as the only argument may give several.
        dynamically_typed: nothing says what most variables are.
        candidate_filter: what is known of a candidate method besides its name: that a test is seen
            by its own folder alone, or the definition that a declaration announces.
        implicit_calls: method of its first argument that a built-in function runs, by function.
        fixtures: parameters of tests are filled by fixtures of their names (pytest).
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
    global_namespace: str | None = None
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
    type_may_be_member: bool = False
    quoted_annotations: bool = False
    dict_keys_are_members: bool = True
    subscript_is_member: bool = False
    external_items_are_external: bool = False
    # Calls.
    checks_arity: bool = False
    overloads_by_type: bool = False
    private_is_file_wide: bool = False
    extension_methods: bool = False
    spreads_multiple_results: bool = False
    dynamically_typed: bool = False
    candidate_filter: Literal["", "test_folder", "definition"] = ""
    implicit_calls: Mapping[str, str] = attrs.field(factory=dict)
    fixtures: bool = False


# --- What a file is for, as far as its path tells.

_TEST = re.compile(
    r"(?:^|/)(?:[\w.]+-)?(?:tests?|specs?|__tests__|testdata)/"
    r"|(?:^|/)(?:test_|conftest\b)[^/]*$"
    r"|[._-](?:tests?|spec)\.\w+$"
    r"|(?:Tests?|Spec)\.(?:java|kt|scala|groovy|cs)$"
)


def of_tests(path: str) -> bool:
    """Whether a file is there to test others."""
    return bool(_TEST.search(path))
