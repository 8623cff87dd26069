"""Dialect: all policy of one language, test-file patterns."""

from __future__ import annotations

import re
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
        extension_functions: a function that has an owner is a method of whatever is of that type, wherever
            its name is in sight; functions of one name in all files of a package are overloads, a
            private one is seen by its own file, and of `expect` and `actual` definitions of one
            name the one nearest to the caller is meant (Kotlin).
        counts_arguments: the compiler counts the arguments of a method that is called.
        hides_private: private members are those of one file.
        typed_overloads: types of arguments decide among functions of one name.
        texts: methods that give a text, where nothing in the tree has that name.
        arithmetic: methods of a number that give one of its type, or of that of their argument.
        widening: a number is taken where one of a wider type is asked for.
        package_first: classes of the own package come before those of an import of everything, and
            what begins with a capital and is not in sight lies outside.
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
    extension_functions: bool = False
    counts_arguments: bool = False
    hides_private: bool = False
    typed_overloads: bool = False
    texts: frozenset[str] = frozenset()
    arithmetic: frozenset[str] = frozenset()
    widening: bool = True
    package_first: bool = False


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
