"""Constructs of Ruby, C and C++: what each of them calls, binds and declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memkit.codegraph.facts import Facts, Term

from ..programs import calls, facts_of, kinds, symbols


def _within(term: object) -> Iterator[tuple[object, ...]]:
    if isinstance(term, tuple):
        yield term
        for part in term:
            yield from _within(part)


def _called(said: object) -> set[object]:
    """Return the last names of what is called or constructed in a term."""
    return {
        term[1][-1]
        for term in _within(said)
        if term[:1] in (("call",), ("new",)) and len(term) == 5 and isinstance(term[1], tuple)
        if term[1][0] != "def"
    }


def _callees(facts: Facts) -> set[object]:
    return _called(facts.statements)


def _said(facts: Facts, kind: str) -> list[Any]:
    """Return what is said in a way anywhere in a file, without that word."""
    return [said[1:] for scope in facts.statements for said in scope if said[0] == kind]


def _bound(facts: Facts) -> dict[Any, Any]:
    """Return what is bound anywhere in a file, by its target; of several values the last one."""
    return dict(_said(facts, "bind"))


def _names(*names: str) -> tuple[Term, ...]:
    return tuple(("name", name) for name in names)


class TestRuby:
    """Statements and expressions of Ruby."""

    def test_blocks(self) -> None:
        """Assignments, loops, rescues, yield and return say what they bind and call."""
        facts = facts_of(
            """
            def work(items)
              a, (b, *c) = one, two; held.size = three; M::LIMIT = four; $seen = five; a ||= six
              @memo ||= seven
              for x, y in pairs do eight(x) end
              begin
                nine
              rescue Wrong, Worse => e
                ten(e)
              rescue Bad
                eleven
              rescue => plain
                twelve
              ensure
                thirteen
              end
              yield fourteen; undef old; return fifteen if sixteen; return
            end
            """,
            "a.rb",
        )
        assert _callees(facts) == set(
            """
            one two held three four five six seven pairs eight nine ten eleven twelve thirteen
            fourteen fifteen sixteen size=
            """.split()
        )
        bound = _bound(facts)
        starred = ("tuple", (("name", "b"), ("star", ("name", "c"))))
        assert _called(bound[("tuple", (("name", "a"), starred))]) == {"one", "two"}
        assert _called(bound[("attr", ("name", "M"), "LIMIT")]) == {"four"}
        assert _called(bound[("name", "$seen")]) == {"five"}
        assert _called(bound[("attr", ("self",), "@memo")]) == {"seven"}
        assert bound[("tuple", _names("x", "y"))][0] == "iter"
        assert bound[("name", "e")] == ("typed", ("either", _names("Wrong", "Worse")))
        assert bound[("name", "plain")] is None
        assert (("name", "Bad"),) in _said(facts, "do")
        assert [_called(said) for said in _said(facts, "return")] == [{"fifteen"}]

    def test_terms(self) -> None:
        """Expressions call what stands in them, and have the values of their branches."""
        facts = facts_of(
            """
            TOP = 1
            def work(items)
              a = "x#{one(1)}y"; c = :"d#{two}"
              d = if three then four elsif five then six else seven end
              e = case eight when nine then ten else eleven end
              f = case twelve
                  in [Integer] then thirteen
                  end
              g = (fourteen; fifteen); h = (sixteen rescue seventeen)
              i = eighteen unless nineteen; j = items + twenty; k = 1 + more
              l = items || others; m = items[key]; n = [element, *rest]
              o = {a: value, "b" => other, **spread}; r = @@shared; s = yes ? left : right
              t = A::B::C
            end
            """,
            "a.rb",
        )
        bound = {name[1]: value for name, value in _bound(facts).items()}
        taken_apart = bound.pop(next(name for name in bound if name[0] == "<"))
        assert _called(taken_apart) == {"twelve"}
        assert {name: _called(value) for name, value in bound.items()} == {
            "TOP": set(), "a": set(), "c": set(), "d": {"four", "six", "seven"},
            "e": {"ten", "eleven"}, "f": {"thirteen"}, "g": {"fifteen"},
            "h": {"sixteen", "seventeen"},
            "i": {"eighteen"}, "j": {"+", "twenty"}, "k": set(), "l": {"others"}, "m": {"key"},
            "n": {"element", "rest"}, "o": {"value", "other", "spread"}, "r": set(),
            "s": {"left", "right"}, "t": set(),
        }  # fmt: skip
        done = _called(tuple(_said(facts, "do")))
        assert done == {
            "one", "two", "three", "five", "eight", "nine", "fourteen", "nineteen", "more", "yes",
        }  # fmt: skip
        assert (("name", "Integer"),) in _said(facts, "do")
        assert bound["a"] == bound["c"] == ("const", "str", None)
        assert [bound[name][0] for name in "lmno"] == ["either", "item", "list", "dict"]
        assert [key for key, _ in bound["o"][1]] == [
            ("const", "str", "a"), ("const", "str", "b"), None
        ]  # fmt: skip
        assert bound["r"] == ("attr", ("self",), "@@shared")
        assert bound["t"] == ("attr", ("attr", ("name", "A"), "B"), "C")

    def test_calls(self) -> None:
        """Safe navigation, `send`, `method`, splats, lambdas, blocks and super are calls."""
        facts = facts_of(
            """
            def work(items)
              items&.safe; ::Top.go; $out.puts; items.call(5); items.send(:sent, 1)
              items.method(:taken); each_one(&items); named(k: 1, "s": 2, **opts)
              z = lambda { |p| in_lambda(p) }; y = ->(p, (q, r), s = 3) { in_arrow(q) }
              items.each do |p| in_block(p) end; items.each { |(m, n), o| m.on_part }; super(1)
            end
            """,
            "a.rb",
        )
        assert _callees(facts) == set(
            """
            safe go puts items sent each_one named opts in_lambda in_arrow each in_block on_part
            work
            """.split()
        )
        done = [said[0] for said in _said(facts, "do")]
        assert ("attr", ("name", "items"), "taken") in done
        named = next(term for term in done if term[1] == ("name", "named"))
        assert [name for name, _ in named[3]] == ["k", "s", "**"]
        assert [_bound(facts)[("name", name)][0] for name in "zy"] == ["def", "def"]
        assert [definition.name for definition in facts.definitions].count("<lambda>") == 4
        returned = next(said[0] for said in _said(facts, "return") if "work" in _called(said))
        assert returned[1] == ("attr", ("super",), "work")

    def test_members(self) -> None:
        """Attributes, aliases, delegation, access and methods of literal names are defined."""
        facts = facts_of(
            """
            module Tool
              module_function
              def helper; end
            end
            class A
              extend Forwardable
              attr_writer :w, name
              include dynamic
              class << self
                attr_reader :cls
                alias neu new
              end
              private def hidden; end
              def shown; end
              def self.build; end
              private_class_method :build
              private_class_method def self.quiet; end
              def_delegators :@list, :size, :each
              define_method(:made) { |x| x.go }
              define_method(name) { other }
              alias_method :one, name
              alias two shown
              cattr_accessor :conf
            end
            require "a#{b}"
            require name
            """,
            "a.rb",
        )
        found = {name: d.flags for name, d in symbols(facts).items() if "<" not in name}
        assert found == {
            "Tool": ("namespace",), "Tool.helper": ("static",), "A": (), "A.w=": ("property",),
            "A.cls": ("property", "static"), "A.neu": ("alias", "static"),
            "A.hidden": ("private",), "A.shown": (), "A.build": ("static",),
            "A.quiet": ("static",), "A.size": (), "A.each": (), "A.made": (),
            "A.two": ("alias",), "A.conf": ("property",), "A.conf=": ("property",),
        }  # fmt: skip
        assert _said(facts, "mixin") == [_names("A", "Forwardable")]
        assert _bound(facts) == {
            ("name", "neu"): ("name", "new"), ("name", "two"): ("name", "shown")
        }  # fmt: skip
        # What is not told by a literal stays a call.
        assert _callees(facts) - {"dynamic"} == {
            "alias_method", "b", "define_method", "each", "go", "name", "other", "require", "size"
        }  # fmt: skip
        assert _said(facts, "import") == []


class TestC:
    """Statements and declarations of C."""

    def test_statements(self) -> None:
        """Every statement and expression of a function says what it calls and binds."""
        facts = facts_of(
            """
            int work(struct S *s, int n) {
              goto end;
              for (int i = first(); i < second(); i = third()) { loop(i); }
              while (going()) { body(); }
              do { once(); } while (again());
              switch (chosen()) { case 1: in_case(); break; default: otherwise(); }
              int q = cond() ? yes() : no();
              struct S t = (struct S){ .a = field(), .cb = start }; s->cb(n);
              int *p = (int *)casted();
              *p = stored(); p[index()] = kept(); n += added(); const char *text = "a" "b";
              int list[] = { item1(), item2() };
              struct { int z; } anon; (*handler)(4); sizeof(unseen());
              if (n) { plain(); } else { other(); }
            end:
              return (returned());
            }
            """,
            "a.c",
        )
        assert _callees(facts) == set(
            """
            first second third loop going body once again chosen in_case otherwise cond yes no
            field cb casted stored index kept added item1 item2 handler plain other returned
            """.split()
        )
        bound = _bound(facts)
        local = {name: _called(bound[("name", name)]) for name in ("i", "q", "p", "list")}
        assert local == {"i": {"third"}, "q": {"yes", "no"}, "p": {"casted"},
                         "list": {"item1", "item2"}}  # fmt: skip
        assert bound[("name", "t")] == ("typed", ("name", "S"))
        assert bound[("name", "p")][:2] == ("cast", ("name", "int"))
        assert bound[("name", "text")] == ("const", "str", None)
        assert _called(bound[("item", ("name", "p"), None)]) == {"kept"}
        assert (("name", "start"),) in _said(facts, "do")
        assert (("name", "z"), ("name", "int")) in _said(facts, "declare")

    def test_declarations(self) -> None:
        """Enumerations, typedefs, unnamed unions and function pointers are declared."""
        facts = facts_of(
            """
            enum { LOW = 1, HIGH };
            typedef struct { int x; } Point;
            typedef struct Node { struct Node *next; } Node, *NodePtr;
            struct S { int a; union { int u; float f; }; int (*cb)(int); };
            static int (*handler)(int) = start;
            int table[] = { [0] = one, two };
            """,
            "a.c",
        )
        assert kinds(facts) == {
            **dict.fromkeys(("LOW", "HIGH", "handler", "table"), "variable"),
            **dict.fromkeys(("Point", "Node", "NodePtr", "S"), "class"),
            **dict.fromkeys(("Point.x", "Node.next", "S.a", "S.u", "S.f", "S.cb"), "variable"),
        }
        found = symbols(facts)
        assert found["LOW"].flags == ("constant", "enum")
        assert found["Point"].flags == found["S"].flags == ("struct",)
        assert found["NodePtr"].flags == ("alias",)
        bound = _bound(facts)
        assert bound[("name", "NodePtr")] == ("name", "Node")
        assert bound[("name", "handler")] == ("name", "start")
        assert set(bound[("name", "table")][1]) == set(_names("one", "two"))
        declared = dict(_said(facts, "declare"))
        assert declared[("name", "cb")][1] == ("name", "Callable")
        assert declared[("name", "next")] == ("name", "Node")


class TestCpp:
    """Statements and declarations of C++."""

    def test_declarations(self) -> None:
        """Namespaces, usings, concepts, friends, operators and initialisers are declared."""
        facts = facts_of(
            """
            using namespace std::chrono;
            using outer::Thing;
            namespace fs = std::filesystem;
            namespace sh = one;
            namespace { int hidden; }
            namespace a::b { void deep(); }
            template <typename T> using Vec = std::vector<T>;
            using Func = std::function<int(int)>;
            template <typename T> concept Small = sizeof(T) < 4;
            struct P : Base {
              P(int v) : Base(v), m(make()), two(1, 2), none() {}
              int m; int two; int none;
              friend void pal() { paled(); }
              friend class Q;
              using Base::run;
              bool operator<(const P& o) const { return less(o); }
            };
            template <typename T, typename... R> T big(T t, R... r) { return t.each(); }
            """,
            "a.cpp",
        )
        assert kinds(facts) == {
            **dict.fromkeys(("a", "a.b", "Vec", "Func", "Small", "P"), "class"),
            **dict.fromkeys(("P.P", "P.operator<"), "method"),
            **dict.fromkeys(("hidden", "P.m", "P.two", "P.none"), "variable"),
            **dict.fromkeys(("a.b.deep", "pal", "big"), "function"),
        }
        found = symbols(facts)
        assert found["Small"].flags == ("interface",)
        assert found["Vec"].flags == found["Func"].flags == ("alias",)
        assert found["a.b"].flags == ("namespace",)
        assert _callees(facts) == {"Base", "make", "paled", "less", "each"}
        assert [said[1:3] for said in _said(facts, "import")] == [("std.chrono", "*")]
        bound = _bound(facts)
        assert bound[("name", "Thing")] == ("attr", ("name", "outer"), "Thing")
        assert bound[("name", "fs")] == ("attr", ("name", "std"), "filesystem")
        assert bound[("name", "sh")] == ("name", "one")
        assert bound[("name", "Vec")] == ("item", ("name", "list"), ("name", "T"))
        assert _called(bound[("attr", ("self",), "m")]) == {"make"}
        assert bound[("attr", ("self",), "two")][0] == "tuple"
        assert bound[("attr", ("self",), "none")] is None

    def test_statements(self) -> None:
        """Range-for, declaring `if`, lambdas, try, new, casts and coroutines are followed."""
        facts = facts_of(
            """
            void work(std::vector<P*> ps, std::map<int, P> by) {
              for (auto& p : ps) { p->go(); }
              for (auto [k, v] : by) { v.visit(); }
              for (const P& q : found()) { q.look(); }
              if (auto x = tested(); x) { in_if(x); }
              auto f = [&ps, y = captured()](int n) { return in_lambda(n); };
              try { risky(); } catch (const Failure& e) { e.report(); } catch (...) { any(); }
              P* n = new P(arg()); P* many = new P[count()]; delete n;
              auto c = static_cast<P*>(raw()); auto u = std::make_unique<P>(1);
              auto mv = std::move(n); P local(ctor()); P brace{1, 2}; P des{.m = field()};
              auto l = {e1(), e2()}; auto [s1, s2] = pair(); this->t.template get<int>();
              a::b::deep(); n->~P(); auto w = co_await waited(); co_return coret();
            }
            """,
            "a.cpp",
        )
        assert _callees(facts) == set(
            """
            go visit found look tested in_if captured in_lambda risky report any arg P count raw
            ctor field e1 e2 pair get deep ~P waited coret
            """.split()
        )
        bound = {name[1]: value for name, value in _bound(facts).items()}
        assert bound["p"][:2] == ("iter", ("name", "ps"))
        assert bound["q"][0] == "iter"
        assert bound["f"][0] == "def"
        assert [bound[name][:2] for name in ("n", "u", "local", "brace", "des")] == [
            ("new", ("name", "P"))
        ] * 5
        assert _called(bound["local"]) == {"P", "ctor"}
        assert bound["des"][3][0][0] == "m"
        assert bound["many"] == ("typed", ("item", ("name", "list"), ("name", "P")))
        assert bound["c"][:2] == ("cast", ("name", "P"))
        assert bound["mv"] == ("name", "n")
        assert _called(bound["l"]) == {"e1", "e2"}
        assert _called(bound["w"]) == {"waited"}
        declared = dict(_said(facts, "declare"))
        assert declared[("name", "e")] == ("name", "Failure")
        assert declared[("name", "q")] == ("name", "P")
        assert [_called(s) for s in _said(facts, "return")] == [{"coret"}, {"in_lambda"}]

    def test_values_have_their_types(self) -> None:
        """What a loop, `new`, a cast, a maker or a handler gives has the methods of its type."""
        body = """
            #include <vector>
            struct P { void a(); void b(); void c(); void d(); void e(); };
            void P::a() {} void P::b() {} void P::c() {} void P::d() {} void P::e() {}
            void work(std::vector<P*> ps, void* raw) {
              for (auto& p : ps) { p->a(); }
              auto n = new P(); n->b(); auto c = static_cast<P*>(raw); c->c();
              auto u = std::make_unique<P>(); u->d();
              try { } catch (const P& e) { e.e(); }
            }
            """
        found = {target for source, target in calls({"a.cpp": body}) if source == "a.cpp:work"}
        assert found == {f"a.cpp:P.{name}" for name in "abcde"}
