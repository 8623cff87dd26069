"""C and C++: what each construct binds and gives, statement by statement."""

from __future__ import annotations

import pytest

from ..programs import calls
from ..spoken import defined, said

# Statements of a function → everything that they say.
CPP = {
    "structured bindings": (
        "auto [a, b] = one(); const auto& [c] = v; for (auto& [x, y, z] : two()) { x.go(); }",
        ["(a, b) = one()", "(c) = v", "<part> = two()", "(x, y, z) = each <part>", "do x.go()"],
    ),
    "pairs of a mapping": (
        "for (auto& [k, w] : table) w.go();",
        [
            "<part> = table", "<part> = each <part>", "k = (<part>[0] | <part>)",
            "w = (<part>[1] | <part>[?])", "do w.go()",
        ],
    ),
    "captures": (
        "auto l = [x = one(), &y = v, z = z, this](int p) -> T { return x.go(p); };",
        ["<part> = one()", "l = fn(<lambda>)", "x = <part>", "y = v", "return x.go(p)"],
    ),
    "conditions that declare": (
        "if (auto* i = one()) i->go(); while (T* n = two()) n->go();\n"
        "if (T j{three()}; j.ok()) j.go(); switch (auto e = four()) { case 1: e.go(); }",
        [
            "i = one()", "do i.go()", "n: T", "n = two()", "do n.go()",
            "j: T", "j = new T(three())", "do j.ok()", "do j.go()", "e = four()", "do e.go()",
        ],
    ),
    "assignments as values": (
        "T a, b; a = b = one(); a = p()->x = two(); p()->y = three(); g(b = four());",
        [
            "a: T", "do new T()", "b: T", "do new T()", "b = one()", "a = b", "<part> = two()",
            "p().x = <part>", "a = <part>", "p().y = three()", "b = four()", "do g(b)",
        ],
    ),
    "objects made": (
        "auto* r = new (one()) R(two()); auto* s = new T[three()]; T t(four()), u{five()};\n"
        "auto m = std::make_unique<T>(six()); T q = {seven(), 1};",
        [
            "do one()", "r = new R(two())", "do three()", "s = a list[T]",
            "t: T", "t = new T(four())", "u: T", "u = new T(five())", "m = new T(six())",
            "q: T", "q = new T(seven(), int)",
        ],
    ),
    "sizes, commas, members": (
        "int xs[one()]; (two(), three()).go(); ys[four()] = 3; delete five(); throw six();",
        [
            "do one()", "xs: list[int]", "do two()", "do three().go()", "do four()",
            "ys[?] = int", "do five()", "do six()",
        ],
    ),
    "casts and choices": (
        "auto a = static_cast<T*>(one()); auto b = (T*)two(); auto c = v ? three() : four();\n"
        "auto d = std::get<1>(v); auto e = std::move(a);",
        [
            "a = one() as T", "b = two() as T", "c = (three() | four())", "d = v[1]", "e = a",
        ],
    ),
    "handlers": (
        "try { one(); } catch (const E& e) { e.two(); } catch (...) { three(); } co_yield four();",
        ["do one()", "yield four()", "e: E", "do e.two()", "do three()"],
    ),
    "loops": (
        "for (int i = one(); two(i); i++) three(); for (auto x : four()) x.go(); for (;;) {}",
        ["i: int", "i = one()", "do two(i)", "do three()", "x = each four()", "do x.go()"],
    ),
}  # fmt: skip

C = {
    "assignments as values": (
        "struct T *a, *b; a = b = one(); while ((b = two(b)) != 0) go(b); p()->x = three();",
        [
            "a: T", "b: T", "b = one()", "a = b", "b = two(b)", "do go(b)", "p().x = three()",
        ],
    ),
    "declarations": (
        "int n = one(), xs[two()]; char *s = \"a\" \"b\"; struct T t = {.a = three(), four()};\n"
        "T u = (T){five()}; int (*f)(int) = six;",
        [
            "n: int", "n = one()", "do two()", "xs: list[int]", "s: char", "s = str", "t: T",
            "do label T.a", "do four()", "do three()", "t = a T", "u: T", "do five()", "u = a T",
            "f: Callable[([], int)]", "f = six",
        ],
    ),
    "statements": (
        "if (one()) goto out; else two(); do { three(); } while (four());\n"
        "switch (five()) { case A: six(); default: seven(); } out: return eight();",
        ["do one()", "do two()", "do three()", "do four()", "do five()", "do A", "do six()",
         "do seven()", "return eight()"],
    ),
    "expressions": (
        "v->a.b(one()); (*fp)(two()); x = sizeof(three()); y = -four() + !five(); i += six();\n"
        "z = v ? seven() : eight(); w = (T *)nine(); v->f[ten()](eleven());",
        [
            "do v.a.b(one())", "do fp(two())", "nonlocal x", "x = int", "do four()", "do five()",
            "nonlocal y", "y = ?", "do i", "do six()", "nonlocal z", "z = (seven() | eight())",
            "nonlocal w", "w = nine() as T", "do ten()", "do v.f[?](eleven())",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("construct", CPP)
def test_statements_and_values_of_cpp(construct: str) -> None:
    """Each construct says what it evaluates, binds and gives, and nothing else."""
    source, expected = CPP[construct]
    assert said(f"void f(P v) {{ {source} }}\n", "a.cpp", "f") == expected


@pytest.mark.parametrize("construct", C)
def test_statements_and_values_of_c(construct: str) -> None:
    """Each construct says what it evaluates, binds and gives, and nothing else."""
    source, expected = C[construct]
    assert said(f"int f(struct P *v) {{ {source} }}\n", "a.c", "f") == expected


def test_friend_function_with_a_body_belongs_to_the_namespace() -> None:
    """It is a function of the namespace, whose body sees the names of the class."""
    text = """
        namespace n {
        struct K { void go(); };
        class A {
            struct Own { void go(); };
            friend bool operator==(A a, A b) { return one(a); }
            template <class U> friend void swap(A& a, U u) { Own o; o.go(); }
            friend class B;
            void m();
        };
        void use(A a) { swap(a, 1); }
        }
    """
    assert defined(text, "a.cpp")[3:] == [
        "class n.A", "class n.A.Own [struct]", "method n.A.Own.go -> void [abstract]",
        "function n.operator==(a: A, b: A) -> bool", "function n.swap(a: A, u: U) -> void",
        "method n.A.m -> void [private abstract]", "function n.use(a: A) -> void",
    ]  # fmt: skip
    assert {("a.cpp:n.use", "a.cpp:n.swap"), ("a.cpp:n.swap", "a.cpp:n.A.Own.go")} <= calls(
        {"a.cpp": text}
    )


def test_what_functions_give() -> None:
    """Types behind an arrow, of lambdas as well, pairs, maps and arrays are types."""
    assert defined(
        """
        auto f(std::vector<T> xs, std::map<K, V>& m) -> std::pair<A, b::B>;
        std::tuple<A, int> g(std::shared_ptr<T> p, T (&arr)[3], void (*cb)(int));
        auto l = [](T t) -> U { return t; };
        """,
        "a.cpp",
    ) == [
        "function f(xs: list[T], m: dict[(K, V)]) -> tuple[(A, b.B)] [abstract]",
        "function g(p: T, arr: list[T], cb: Callable[([], void)]) -> tuple[(A, int)] [abstract]",
        "variable l",
        "function <lambda>(t: T) -> U",
    ]


LAMP = "struct Lamp { void on(); };\nstruct Other { void on(); };\nstd::pair<int, Lamp> both();\n"


@pytest.mark.parametrize(
    "text",
    [
        "auto [n, l] = both(); l.on();",
        "if (Lamp* l = find()) l->on();",
        "Lamp a; auto f = [l = a]() { l.on(); };",
        "std::map<int, Lamp> m; for (auto& [k, l] : m) l.on();",
        "std::vector<std::pair<int, Lamp>> m; for (auto& [k, l] : m) l.on();",
        "std::tuple<int, Lamp> t; std::get<1>(t).on();",
        "Lamp *a, *b; a = b = new Lamp(); b->on();",
        "auto g = [](int i) -> Lamp* { return look(i); }; g(1)->on();",
    ],
)
def test_objects_are_followed(text: str) -> None:
    """A method is found on an object that came by a binding, a capture or a container."""
    found = {target for _, target in calls({"a.cpp": f"{LAMP}void f() {{ {text} }}\n"})}
    assert "a.cpp:Lamp.on" in found
    assert "a.cpp:Other.on" not in found
