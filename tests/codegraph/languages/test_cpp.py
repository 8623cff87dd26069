"""C++ as facts, and what its names mean across headers, sources and namespaces."""

from __future__ import annotations

from ..programs import Sources, calls, facts_of, kinds, symbols

HEADER = """
#pragma once
#include <vector>
namespace geo {
class Shape {
 public:
  virtual ~Shape();
  virtual double area() const = 0;
  void draw();
};
class Circle : public Shape {
 public:
  explicit Circle(double r);
  double area() const override;
  std::vector<Circle*> parts;
 private:
  double r_;
};
double helper(double x);
}
"""
SOURCE = """
#include "shape.hpp"
namespace geo {
Circle::Circle(double r) : r_(helper(r)) {}
double Circle::area() const { return helper(r_); }
void Shape::draw() { area(); }
double helper(double x) { return x; }
}
"""


class TestSymbols:
    """What is found in one file."""

    def test_declarations_of_a_file(self) -> None:
        """Namespaces, classes, templates, operators and members have dotted names and flags."""
        facts = facts_of(
            """
            namespace a::b { inline namespace v1 { int global; } }
            template <typename T, int N> class Box : public Base, private ns::Other<T> {
             public:
              Box(int a) : x_(a) {}
              ~Box();
              static Box* make(const std::string& s, int n = 3);
              Box& operator=(const Box& o);
              T operator()(int a) const;
              operator bool() const { return true; }
              enum class Color : int { Red, Green };
              struct Inner { int z; };
              template <class U> void each(U u) { u.f(); }
              friend bool operator==(const Box& a, const Box& b) { return true; }
             private:
              int x_, *y_ = nullptr;
            };
            int Box<int, 1>::get() const { return x_; }
            using Short = Box<int, 2>;
            enum Plain { One };
            """,
            "box.cpp",
        )
        found = symbols(facts)
        assert kinds(facts) == {
            "a": "class", "a.b": "class", "a.b.v1": "class", "a.b.v1.global": "variable",
            "Box": "class", "Box.Box": "method", "Box.~Box": "method", "Box.make": "method",
            "Box.operator=": "method", "Box.operator()": "method", "Box.operator bool": "method",
            "Box.Color": "class", "Box.Color.Red": "variable", "Box.Color.Green": "variable",
            "Box.Inner": "class", "Box.Inner.z": "variable", "Box.each": "method",
            "operator==": "function", "Box.x_": "variable", "Box.y_": "variable",
            "Box.get": "method", "Short": "class", "Plain": "class", "One": "variable",
        }  # fmt: skip
        assert found["a.b"].flags == ("namespace",)
        assert found["Box"].bases == (("name", "Base"), ("attr", ("name", "ns"), "Other"))
        assert found["Box.Box"].flags == ("constructor",)
        assert found["Box.make"].flags == ("static", "pointer", "abstract")
        assert found["Box.x_"].flags == ("private",)
        assert found["Box.get"].owner == ("name", "Box")

    def test_macros_between_class_and_name_are_read_over(self) -> None:
        """`class API Foo : Bar` is class Foo, at its place, with its base and members."""
        facts = facts_of(
            "class API_EXPORT Gate : public Base {\n public:\n  void open();\n};\n"
            'struct DEPRECATED("x") Old { int a; };\n',
            "gate.hpp",
        )
        found = symbols(facts)
        assert found["Gate"].bases == (("name", "Base"),)
        assert (found["Gate"].line, found["Gate"].column) == (1, 18)
        assert {"Gate.open", "Old", "Old.a"} <= set(found)

    def test_a_broken_file_gives_what_is_whole(self) -> None:
        """Definitions around a syntax error are found, and the error is counted."""
        facts = facts_of("int f() { return (; }\nint g() { return 1; }\n", "a.cpp")
        assert facts.errors
        assert "g" in kinds(facts)


class TestPrograms:
    """Names across files."""

    def test_namespaces_and_members_written_outside(self) -> None:
        """Parts of a namespace in several files are one; calls lead to bodies, not to headers."""
        sources = Sources({"shape.hpp": HEADER, "shape.cpp": SOURCE})
        assert sources.edges() == {
            ("shape.cpp:geo.Circle.Circle", "shape.cpp:geo.helper"),
            ("shape.cpp:geo.Circle.area", "shape.cpp:geo.helper"),
            ("shape.cpp:geo.Shape.draw", "shape.hpp:geo.Shape.area"),
        }
        assert ("shape.hpp:geo.Circle", "shape.hpp:geo.Shape") in sources.edges("inherits")
        assert ("shape.hpp:geo.Circle.area", "shape.hpp:geo.Shape.area") in sources.edges(
            "overrides"
        )

    def test_objects_pointers_and_containers(self) -> None:
        """Locals, `new`, smart pointers, `auto`, casts and elements carry their class."""
        found = calls(
            {
                "shape.hpp": HEADER,
                "shape.cpp": SOURCE,
                "main.cpp": """
                #include "shape.hpp"
                void a() { geo::Circle c(1); c.draw(); }
                void b() { auto p = std::make_unique<geo::Circle>(2); p->area(); }
                void c(geo::Circle& c) { for (auto* part : c.parts) part->draw(); }
                void d(void* raw) { static_cast<geo::Circle*>(raw)->draw(); }
                void e() { geo::Shape* s = new geo::Circle(3); s->draw(); geo::helper(1); }
                """,
            }
        )
        draw, circle = "shape.cpp:geo.Shape.draw", "shape.cpp:geo.Circle.Circle"
        assert {(source, target) for source, target in found if source.startswith("main")} == {
            ("main.cpp:a", circle), ("main.cpp:a", draw), ("main.cpp:b", circle),
            ("main.cpp:b", "shape.cpp:geo.Circle.area"), ("main.cpp:c", draw),
            ("main.cpp:d", draw), ("main.cpp:e", circle), ("main.cpp:e", draw),
            ("main.cpp:e", "shape.cpp:geo.helper"),
        }  # fmt: skip

    def test_using_names_and_namespaces(self) -> None:
        """`using namespace`, `using a::b` and namespace aliases make names short."""
        found = calls(
            {
                "lib.hpp": "namespace one { void f(); namespace two { void g(); } }\n",
                "a.cpp": '#include "lib.hpp"\nusing namespace one;\nvoid a() { f(); two::g(); }\n',
                "b.cpp": '#include "lib.hpp"\nusing one::two::g;\nvoid b() { g(); }\n',
                "c.cpp": '#include "lib.hpp"\nnamespace t = one::two;\nvoid c() { t::g(); }\n',
            }
        )
        assert found == {
            ("a.cpp:a", "lib.hpp:one.f"), ("a.cpp:a", "lib.hpp:one.two.g"),
            ("b.cpp:b", "lib.hpp:one.two.g"), ("c.cpp:c", "lib.hpp:one.two.g"),
        }  # fmt: skip

    def test_members_without_this_and_lambdas(self) -> None:
        """A bare name in a method is a member first; a lambda is called by its variable."""
        found = calls(
            {
                "a.cpp": """
                void run();
                struct Job {
                  void run() {}
                  void all() { run(); this->run(); ::run(); auto f = [&](int x) { run(); }; f(1); }
                };
                """
            }
        )
        assert ("a.cpp:Job.all", "a.cpp:Job.run") in found
        assert ("a.cpp:Job.all", "a.cpp:Job.all.<lambda>") in found
        assert ("a.cpp:Job.all.<lambda>", "a.cpp:Job.run") in found

    def test_declarations_make_objects(self) -> None:
        """`T a;` and `T a(b, c);` call what makes a T; a pointer, or a type outside, makes none."""
        text = """
            class T { public: T(); T(int a, int b); };
            void f(int x, int y) { T one; T two(x, y); T *none; int n; std::string s; }
            T make(int);
            """
        facts = Sources({"a.cpp": text})
        edges = [edge for edge in facts.resolved("a.cpp").edges if edge.kind == "calls"]
        made = [facts.facts["a.cpp"].definitions[edge.target].params for edge in edges]
        assert sorted(map(len, made)) == [0, 2]

    def test_a_constructor_written_apart_leaves_its_name_to_the_class(self) -> None:
        """In the methods of a class its name is the class."""
        header = "class Node { public: Node(int n); Node* next(); void go(); };"
        source = """
            #include "node.hpp"
            Node::Node(int n) { }
            void Node::go() { Node* other = next(); other->next(); }
            """
        edges = calls({"node.hpp": header, "node.cpp": source})
        assert edges == {("node.cpp:Node.go", "node.hpp:Node.next")}
        uses = Sources({"node.hpp": header, "node.cpp": source}).edges("uses")
        assert ("node.cpp:Node.go", "node.hpp:Node") in uses

    def test_overloads_by_what_they_take(self) -> None:
        """A call means the body that takes so many arguments, wherever it is written."""
        header = """
            class Out {
             public:
              void put(const char* a) { put(a, 2); }
              void put(const char* a, int size);
              void one();
            };
            """
        source = """
            #include "out.hpp"
            void Out::put(const char* a, int size) { }
            void Out::one() { put("x"); }
            """
        sources = Sources({"out.hpp": header, "out.cpp": source})
        assert sources.edges() == {
            ("out.hpp:Out.put", "out.cpp:Out.put"),
            ("out.cpp:Out.one", "out.hpp:Out.put"),
        }

    def test_a_body_behind_a_macro_sees_the_members_of_the_class_it_is_given(self) -> None:
        """`TEST_F(Class, name) {…}`: those of its bases, too; a suite that is no class does no
        harm."""
        sources = Sources(
            {
                "a.cpp": """
                class Base { public: int deep() { return 1; } };
                class Fixture : public Base { public: void fill(int a) {} };
                void free_one() {}
                TEST_F(Fixture, Fills) { fill(deep()); }
                TEST(Suite, Runs) { free_one(); }
                """
            }
        )
        assert {"Fixture.Fills", "Suite.Runs"} <= set(kinds(sources.facts["a.cpp"]))
        assert sources.edges() == {
            ("a.cpp:Fixture.Fills", "a.cpp:Fixture.fill"),
            ("a.cpp:Fixture.Fills", "a.cpp:Base.deep"),
            ("a.cpp:Suite.Runs", "a.cpp:free_one"),
        }

    def test_macros_behind_parameters(self) -> None:
        """They are read over in front of a body, of initialisers, and of what else is said."""
        facts = facts_of(
            """
            class Door {
             public:
              Door(int a) LOCKS_IT(a) : a_(a) { ring(); }
              ~Door() MAY_NOT_THROW override;
              int bell() const BOUND_TO_LIFE { return a_; }
            };
            """,
            "a.cpp",
        )
        assert list(symbols(facts)) == ["Door", "Door.Door", "Door.~Door", "Door.bell"]

    def test_values_of_enumerators_are_read_in_the_enumeration(self) -> None:
        """A constant that another is made of is referred to by its enumeration."""
        sources = Sources({"a.cpp": "class S { enum Mode { A, B = A }; };"})
        assert sources.edges("references") == {("a.cpp:S.Mode", "a.cpp:S.A")}

    def test_methods_defaulted_apart_from_their_class(self) -> None:
        """They are defined where `= default` stands, whatever they are."""
        facts = facts_of(
            "Log::Log() = default; Log::~Log() = default; Log& Log::operator=(Log&&) = default;",
            "a.cpp",
        )
        assert list(symbols(facts)) == ["Log.Log", "Log.~Log", "Log.operator="]

    def test_names_in_front_of_a_type_and_in_its_brackets_are_used(self) -> None:
        """`Scope::value`, `Box<Item>`, `template <Size N>`; of a template its own names are not."""
        sources = Sources(
            {
                "a.cpp": """
                struct Scope { enum value { A }; };
                struct Item {}; struct Size {};
                template <typename T> struct Box {};
                void set(Scope::value v) {}
                Box<Item> make() { return {}; }
                template <Size N> struct Row {};
                template <typename Item> struct Own { Box<Item> box; };
                """
            }
        )
        uses = sources.edges("uses")
        assert {("a.cpp:set", "a.cpp:Scope"), ("a.cpp:set", "a.cpp:Scope.value")} <= uses
        users = {source for source, target in uses if target == "a.cpp:Item"}
        assert "a.cpp:Own.box" not in users
        assert "a.cpp:Own" not in users
        assert any(target == "a.cpp:Size" for _, target in uses)


OPERATORS = """
struct Slice {
  Slice(const char* s); Slice(int size);
  char operator[](int n) const { return 0; }
  bool operator()(int n) { return true; }
  Slice& operator+=(int n) { return *this; }
  Slice& operator++() { return *this; }
  int size() { return 1; }
};
enum Mode { Plain, Bold };
struct Out {};
bool operator==(const Slice& a, const Slice& b) { return true; }
Out& operator<<(Out& out, const Slice& s) { return out; }
Out& operator<<(Out& out, Mode m) { return out; }
Out& operator<<(Out& out, int n) { return out; }
"""


class TestOperators:
    """Functions that are called by a sign, or by none at all."""

    def callees(self, text: str) -> set[str]:
        """Return what a function `f` calls in a file with the operators."""
        edges = Sources({"a.cpp": f"{OPERATORS}\n{text}"}).edges()
        return {target.removeprefix("a.cpp:") for source, target in edges if source == "a.cpp:f"}

    def test_methods_of_the_left_side(self) -> None:
        """A subscript, a call of an object, a sign in front, an assignment that adds."""
        text = "void f(Slice s) { s[0]; s(1); ++s; s += 2; }"
        names = "operator[] operator() operator++ operator+="
        assert self.callees(text) == {f"Slice.{name}" for name in names.split()}

    def test_functions_by_the_types_of_their_operands(self) -> None:
        """What one gives is the left side of the next one; constants of an enumeration have its
        type."""
        sources = Sources({"a.cpp": OPERATORS + "void f(Out o, Slice s) { o << s << Bold; }"})
        lines = {line for _, target, line in _lines(sources) if target == "a.cpp:operator<<"}
        assert lines == {13, 14}
        assert self.callees("bool f(Slice s, Slice t) { return s == t; }") == {"operator=="}

    def test_pointers_and_numbers_have_operators_of_the_language(self) -> None:
        """Whether a name, a field or a call says so; what is pointed to is an object."""
        text = """
        struct Held { Slice* at; Slice own; };
        Slice* next();
        bool f(Slice* p, Slice* q, Held h, int n) {
          return p == q || h.at == p || h.at == &h.own || next() == p || n == 1;
        }
        """
        assert self.callees(text) == {"next"}
        text = "struct Held { Slice own; }; bool f(Slice* p, Held h) { return *p == h.own; }"
        assert self.callees(text) == {"operator=="}

    def test_streams_outside_go_on(self) -> None:
        """An operator whose left side is of no class of the tree."""
        text = """
        std::ostream& operator<<(std::ostream& out, const Held& h) { return out; }
        void f(Held h) { std::cout << 1 << h; }
        """
        callees = self.callees("struct Held {};" + text)
        assert callees == {"operator<<"}

    def test_constructors_convert_arguments(self) -> None:
        """A text is made the object that a function takes; an object of it is passed as it is."""
        text = 'void put(const Slice& s) {} void f() { put("a"); }'
        assert self.callees(text) == {"put", "Slice.Slice"}
        assert self.callees("void put(const Slice& s) {} void f(Slice s) { put(s); }") == {"put"}


def _lines(sources: Sources) -> set[tuple[str, str, int]]:
    """Return the calls of `f` with the line on which each target is defined."""
    facts = sources.facts["a.cpp"]
    return {
        ("a.cpp:f", f"a.cpp:{facts.definitions[edge.target].qualname}",
         facts.definitions[edge.target].line)
        for edge in sources.resolved("a.cpp").edges
        if edge.kind == "calls" and facts.definitions[edge.source].name == "f"
    }  # fmt: skip
