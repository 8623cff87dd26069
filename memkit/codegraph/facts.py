"""Facts of one file: language-neutral definitions, scopes, terms and statements.

An extractor turns a syntax tree into `Facts`; one resolver (`resolve/`) turns the facts of all
files into edges. Facts are nested tuples and named tuples of text, numbers and None: they are made
by the hundred thousand, go through JSON into the file as they are, and come back as lists, so they
are read by index and never hashed or compared with `==`.

A *term* is an expression, its tag first:

    ("name", id)                         a variable is read
    ("attr", term, id, site)             a member; site: where it stands, if not behind the term
    ("call", callee, args, named, site, types)
                                         a call; named: ((name, term), …), name "**" for a splat;
                                         types: a tuple of the types given to it, if there are any
    ("new", type, args, named, site)     a constructor call written as one (new T(…), T{…})
    ("item", term, key, index, site)     a subscript; also a generic type's arguments: List[T];
                                         index: the key where it matters only to an operator of the
                                         tree; with site, or left out
    ("operate", name, terms, site)       an operator with its operands: one of the tree, by name
    ("const", kind, value)               kind: str int float bool none bytes regex char; value:
                                         short text or a number, else None
    ("list" | "tuple" | "set", terms)    literals
    ("dict", ((key, value), …))          mapping and object literals; key None for a splat
    ("def", n)                           definition n in place: lambda, function or class expression
    ("either", terms)                    one of these: conditional, and/or, union type, match
    ("iter", term)                       one element of it: for, comprehension, spread
    ("enter", term)                      what a context manager gives
    ("await", term), ("yield", term), ("star", term)
    ("self",), ("super",)                this object; the view of its bases (keywords)
    ("cast", type, term)                 a value said to be of a type
    ("typeof", type)                     a type as a value: T.class, typeof(T)
    ("join", terms)                      texts one behind the other
    ("parameter", place, type)           in what a method gives: what stands for a parameter of its
                                         class, by number; `type` is what any such extends
    ("argument", place, type)            in what a function gives: an object of the class that is
                                         given in that place; type: what it is at any rate
    ("ran", callee, call)                a call that the callee makes, if it is one outside
    ("generic", place, type)             in what a function takes and gives: what stands for its own
                                         parameter of types, by number; type: what any such extends
    ("variable", place, type)            in a type that has another name: what stands for the
                                         argument in that place; type: what any such extends
    ("like", place, type)                in what a function gives or calls a function with: of the
                                         type of what is given in that place (-1: of the receiver);
                                         type: what it is at any rate
    ("means", type)                      the type itself, for which a name stands: type A = B
    ("typed", type)                      some value of a type (a declared variable, a caught error)
    ("label", type, name, site, consts)  the field of a type that a literal names: Point{x: 1};
                                         consts: name and text of its fields that are constants,
                                         which tell the types of a union apart; may be left out
    ("given", callee, place, number, types)
                                         what a function is called with, as its parameter of that
                                         number, that is given to a callee as an argument; types: as
                                         those of a call
    ("in", scope, term)                  a term of an inner scope: the element of a comprehension
    None                                 nothing known

In types of parameters and of what is given back also:

    ("same", term)                       the type of a value: typeof x, T["x"]
    ("taken", callee, number, types)     (in such a term) what a function says that its parameter
                                         of that number is; types: as those of a call

A type in an annotation is a term as well: ("name", "Foo"), ("attr", ("name", "m"), "Foo"),
("item", ("name", "List"), …), ("either", …). Pointers, references and nullability are left out;
a quoted annotation is parsed. A structure without a name is a ("dict", …) of ("typed", type).

A *statement* stands in the list of its scope, in the order of the source:

    ("bind", target, value)              target: name, attr, item, tuple, list or star term
    ("declare", target, type)            an annotation; a value, if there is one, binds apart
    ("do", term)                         evaluated for its calls and reads
    ("return", term), ("yield", term)
    ("define", n)                        definition n is bound here, under its name
    ("import", local, module, name, level, site)
                                         local: bound name, "" if none; module: as written; name:
                                         what is taken from it, None: the module itself, "*":
                                         everything; level: leading dots (Python), else 0
    ("export", name, local, module, site)
                                         the file's name for others; module None: from this scope;
                                         name "*": everything of module; local "*": module as one
    ("global", names), ("nonlocal", names)
    ("mixin", type, base, site)          type gains the members of base (impl Trait for X,
                                         include M, X.prototype = …, embedded struct fields); site
                                         may be left out
    ("part", type, site)                 what stands here is of a type: impl T for X is of both; a
                                         constructor with the name of its class is of ("def", n)

Every term that is evaluated stands in exactly one statement, so that each call is seen once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Expression = tuple[Any, ...]
Term = Expression | None
Statement = tuple[Any, ...]

MODULE_SCOPE = 0

# Longest value of a constant that is kept: keys of dictionaries, not texts.
CONST_CHARS = 64


class Param(NamedTuple):
    """One parameter. `sort`: "" plain, "*" rest, "**" named rest, "name-only"."""

    name: str
    type: Term
    default: Term
    sort: str


class Scope(NamedTuple):
    """A region of names.

    `kind`: module, class, function or block; `parent`: number of the scope around it, -1 for the
    module; `definition`: number of the class or function whose body it is, -1 if none.
    """

    kind: str
    parent: int
    definition: int


class Definition(NamedTuple):
    """One function, method, class or variable, or a section of a document.

    Attributes:
        kind: function, method, class, variable (of a module or a class; locals are none), or
            section.
        name: as written; `<lambda>` for one without a name.
        qualname: dotted inside the file: `Outer.method.inner`; a later one of the same name is the
            same name again (overloads, conditional definitions).
        scope: number of the scope in which its name is bound.
        body: number of the scope of its body, -1 if it has none.
        params: parameters in order, the receiver included where the language writes it.
        returns: declared type of what comes back; of a variable its declared type.
        bases: terms of base classes, interfaces, embedded types; of a method, where the language
            says so, the type whose method it implements (Rust's `impl Trait for T`).
        decorators: terms, outermost first.
        owner: type to which a method written elsewhere belongs (Go receiver, Rust impl, `A::f`).
        flags: of static, classmethod, property, abstract, async, generator, constructor, exported,
            private, overload, interface, trait, enum, struct, alias, macro, namespace, constant,
            test, partial, object (a class that is its own only object), data, internal, hidden (not
            to be called), pointer (gives or holds addresses), expect and actual (definitions that
            stand for each other by platform), override (said to be of a base, also of one outside),
            entry (run without being named: an initialiser, what a framework calls).
        start, end: bytes of the whole definition, end excluded.
        line, column, end_line: from 1; column in characters.
        signature: one line, as written, whitespace folded, at most 200 characters.
        doc: first line of its docstring or of the comment above it, at most 200 characters.
        digest: 16 hex digits: sha256 of the source text with comments kept and trailing spaces and
            the indentation of the whole removed, so that a move or CRLF changes nothing; of all but
            variables also without the own name, so that a new one changes nothing else.
    """

    kind: str
    name: str
    qualname: str
    scope: int
    body: int
    params: tuple[Param, ...]
    returns: Term
    bases: tuple[Term, ...]
    decorators: tuple[Term, ...]
    owner: Term
    flags: tuple[str, ...]
    start: int
    end: int
    line: int
    column: int
    end_line: int
    signature: str
    doc: str
    digest: str


class Named(NamedTuple):
    """One of the definitions of a name: its file, its number there and its kind."""

    path: str
    number: int
    kind: str


class Facts(NamedTuple):
    """Everything one file says.

    Attributes:
        path: relative to the root, forward slashes.
        language: its name in `languages.REGISTRY`.
        namespace: what the file itself declares (Java or Go package, C# namespace), or "".
        definitions, scopes: numbered from 0; scope 0 is the module.
        sites: the lines, from 1, where a call, an import or a read stands.
        statements: one list a scope.
        errors: syntax errors met; the rest of the file is there all the same.
        doc: first line of the file's own docstring or leading comment.
        lines: number of lines.
    """

    path: str
    language: str
    namespace: str
    definitions: tuple[Definition, ...]
    scopes: tuple[Scope, ...]
    sites: tuple[int, ...]
    statements: tuple[tuple[Statement, ...], ...]
    errors: int
    doc: str
    lines: int


def around(scopes: Sequence[Scope], number: int) -> int:
    """Return the definition whose body a scope belongs to, -1 for the module's."""
    while number >= 0:
        _, parent, definition = scopes[number]
        if definition >= 0:
            return definition
        number = parent
    return -1
