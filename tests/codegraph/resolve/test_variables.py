"""Variables, constants, fields and other names for types, used wherever they are seen."""

from __future__ import annotations

from tests.tables import each_row

from ..programs import Sources

# Files → the edges of the one named first to variables and type aliases: kind, target.
USES = {
    "Python, a constant of another module": (
        {"use.py": "from kit import LIMIT\ndef f():\n    return LIMIT",
         "kit.py": "LIMIT = 3"},
        {"imports LIMIT", "references LIMIT"},
    ),
    "Python, through a package and a module": (
        {"use.py": "import kit\ndef f():\n    return kit.LIMIT + kit.C.SIZE",
         "kit/__init__.py": "from .deep import LIMIT, C",
         "kit/deep.py": "LIMIT = 3\nclass C:\n    SIZE = 1"},
        {"references LIMIT", "references C.SIZE", "references C"},
    ),
    "TypeScript, an alias and its import": (
        {"use.ts": 'import { Id } from "./kit"\nexport function f(id: Id) {}',
         "kit.ts": "export type Id = string | number"},
        {"imports Id", "uses Id"},
    ),
    "TypeScript, what another module hands on": (
        {"use.ts": 'import { LIMIT } from "./all"\nLIMIT',
         "all.ts": 'export * from "./kit"', "kit.ts": "export const LIMIT = 3"},
        {"imports LIMIT", "references LIMIT"},
    ),
    "TypeScript, a property that is called": (
        {"use.ts": 'import { Conf } from "./kit"\nexport function f(c: Conf) { c.onRetry(1) }',
         "kit.ts": "export interface Conf { onRetry: (n: number) => void }"},
        {"imports Conf", "uses Conf", "uses Conf.onRetry"},
    ),
    "JavaScript, what a call gives": (
        {"use.js": 'import { fast } from "./kit"\nfast(1)',
         "kit.js": 'import { wrap } from "elsewhere"\nexport const fast = wrap(() => 1)'},
        {"imports fast", "uses fast"},
    ),
    "Java, of its own class and of another": (
        {"p/Use.java": "package p; class Use extends Base { int own = 1; static final int K = 2;\n"
         "int f(Kit k) { return K + own + inherited + Kit.MAX + k.size; } }",
         "p/Base.java": "package p; class Base { int inherited; }",
         "p/Kit.java": "package p; class Kit { static int MAX = 1; int size; }"},
        {"references Use.K", "references Use.own", "references Base.inherited",
         "references Kit.MAX", "references Kit.size", "references Kit", "uses Kit",
         "inherits Base"},
    ),
    "Java, an enum's constant": (
        {"q/Use.java": "package q; import p.Act; class Use { Act f() { return Act.SET; } }",
         "p/Act.java": "package p; public enum Act { SET, PUT }"},
        {"imports Act", "uses Act", "references Act", "references Act.SET"},
    ),
    "Go, of the package": (
        {"use.go": "package m\nfunc f(h Handler, id ID) int { return Max }",
         "kit.go": "package m\ntype Ctx struct{}\ntype Handler func(*Ctx)\ntype ID = string\n"
         "const Max = 3"},
        {"uses Handler", "uses ID", "references Max"},
    ),
    "Go, given a value without being declared, here and in another file": (
        {"use.go": "package m\nvar own int\nfunc f() { own = 1; mode = 2; use(own, mode) }",
         "kit.go": "package m\nvar mode int"},
        {"references own", "references mode"},
    ),
    "Rust, given a value": (
        {"use.rs": "static mut N: i32 = 0;\nfn f() { N = 1; }"},
        {"references N"},
    ),
    "C, given a value in a function, of a header": (
        {"use.c": '#include "kit.h"\nstatic int own;\nvoid f(void) { own = 1; mode = 2; }',
         "kit.h": "extern int mode;"},
        {"references own", "references mode"},
    ),
    "C++, members that are given a value, inside and outside of the class": (
        {"use.cc": '#include "kit.hpp"\nvoid A::f() { n_ = 1; }',
         "kit.hpp": "class A { int n_; void f(); };"},
        {"references A", "references A.n_"},
    ),
    "C++, what a namespace has that is used whole": (
        {"use.cc": '#include "kit.hpp"\nusing namespace k;\nvoid f() { g(RED); }',
         "kit.hpp": "namespace k { enum Color { RED }; }"},
        {"references k.RED"},
    ),
    "C, other names of types, not the types that they are": (
        {"use.c": '#include "kit.h"\nvoid f(ctx_t *c, opaque *o) { g(sizeof(ctx_t)); }',
         "kit.h": "struct ctx { int n; };\ntypedef struct ctx ctx_t;\n"
         "typedef struct opaque opaque;"},
        {"uses ctx_t", "references ctx_t", "uses opaque"},
    ),
    "C, an other name in the header that gives it": (
        {"kit.h": "typedef struct opaque opaque;\nvoid f(opaque *o);"},
        {"uses opaque"},
    ),
    "C, what a pointed function takes": (
        {"kit.h": "struct ctx { int n; };\ntypedef void (*done)(struct ctx *c, int n);"},
        {"uses ctx"},
    ),
    "C, members of a structure without a name": (
        {"use.c": '#include "kit.h"\nvoid f(struct ctx *c) { g(c->tcp.port); }',
         "kit.h": "struct ctx { struct { int port; } tcp; int port; };"},
        {"uses ctx", "references ctx.tcp", "references ctx.tcp.port"},
    ),
    "C, what the text of a macro and a condition names": (
        {"use.c": '#include "kit.h"\n#define WIDE (LIMIT * 2)\n'
         "#define TALL(limit) f(limit, p->size)\n"
         "#if DEBUG && defined(TRACE)\n#endif\n#ifndef GUARD\n#define GUARD\n#endif",
         "kit.h": "#define LIMIT 3\n#define DEBUG 1\n#define TRACE 1\nint limit, p, size;"},
        {"references LIMIT", "references DEBUG", "references TRACE", "references p"},
    ),
    "Java, a field, not the method of its name": (
        {"A.java": "class A { int n; A n(int m) { use(n, this.n); return this; } }"},
        {"references A.n", "uses A"},
    ),
    "Go, a type that is taken apart": (
        {"kit.go": "package m\ntype Handler func(*Ctx) error\ntype Ctx struct{}"},
        {"uses Ctx"},
    ),
    "Go, a check of the compiler": (
        {"use.go": "package m\nvar _ Shape = (*Sq)(nil)",
         "kit.go": "package m\ntype Shape interface { Area() int }\ntype Sq struct{}\n"
         "func (s *Sq) Area() int { return 1 }"},
        {"uses Shape", "uses Sq"},
    ),
}  # fmt: skip


@each_row("case", USES)
def test_uses(case: str) -> None:
    """A variable or an alias is used where its name or its member is read."""
    files, expected = USES[case]
    program = Sources(files)
    path = next(iter(files))
    uses = {
        f"{edge.kind} {program.facts[edge.path].definitions[edge.target].qualname}"
        for edge in program.resolved(path).edges
        if edge.target >= 0 and edge.kind not in ("calls", "overrides")
    }
    assert uses == expected


def test_a_type_implements_what_it_has_the_methods_of() -> None:
    """In Go a type inherits from an interface without saying so."""
    files = {
        "kit.go": "package m\ntype Shape interface { Area() int }\ntype Deep interface { Shape }\n"
        "type Both interface { Area() int; Name() string }",
        "sq.go": "package m\ntype Sq struct{}\nfunc (s *Sq) Area() int { return 1 }",
    }
    program = Sources(files)
    assert program.edges("inherits") == {
        ("sq.go:Sq", "kit.go:Shape"), ("kit.go:Deep", "kit.go:Shape"),
    }  # fmt: skip
    assert program.edges("overrides") == {("sq.go:Sq.Area", "kit.go:Shape.Area")}


def test_types_that_are_members_of_what_is_inherited() -> None:
    """In Java a class in a class sees the types that the outer one inherits."""
    files = {
        "p/Base.java": "package p; class Base { static class Maker { void make() {} } }",
        "p/Lazy.java": "package p; class Lazy extends Base {\n"
        "class Builder extends Maker { void run() { make(); } } }",
    }
    program = Sources(files)
    assert ("p/Lazy.java:Lazy.Builder", "p/Base.java:Base.Maker") in program.edges("inherits")
    call = ("p/Lazy.java:Lazy.Builder.run", "p/Base.java:Base.Maker.make")
    assert program.edges() == {call}


def test_types_that_nothing_imports() -> None:
    """A class or module of the same namespace is used where it is named."""
    java = Sources({
        "p/Tool.java": "package p; class Tool { static void go() {} }",
        "p/Use.java": "package p; class Use { void f() { Tool.go(); } }",
    })  # fmt: skip
    assert java.edges("references") == {("p/Use.java:Use.f", "p/Tool.java:Tool")}
    ruby = Sources({
        "kit/tool.rb": "module Kit\n  module Tool\n    def self.go; end\n  end\nend",
        "kit/run.rb": "module Kit\n  def self.run\n    Tool.go\n  end\nend",
    })  # fmt: skip
    assert ruby.edges("references") == {("kit/run.rb:Kit.run", "kit/tool.rb:Kit.Tool")}


def test_accessors_of_ruby_are_called() -> None:
    """Members of a Struct and of `attr_accessor` are methods, read and written."""
    text = """
        Point = Struct.new(:x)
        class Box
          attr_accessor :size
        end
        def run
          point = Point.new(1)
          point.x
          box = Box.new
          box.size = point.x
          box.size
        end
        """
    program = Sources({"a.rb": text})
    targets = {target for source, target in program.edges() if source == "a.rb:run"}
    assert targets == {"a.rb:Point.x", "a.rb:Box.size", "a.rb:Box.size="}
    assert ("calls", "unresolved", "member") not in program.resolved("a.rb").counts


def test_defaults_are_of_the_function() -> None:
    """What stands among the parameters belongs to the function: defaults as annotations."""
    text = "def gen(): pass\nclass T: pass\nclass C:\n    def m(self, a=gen(), b: T = gen): pass\n"
    program = Sources({"a.py": text})
    assert program.edges() == {("a.py:C.m", "a.py:gen")}
    assert program.edges("references") == {("a.py:C.m", "a.py:gen")}
    assert program.edge("a.py", "C.m", "gen").line == 4
