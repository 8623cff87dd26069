"""Ruby: what each construct binds and gives, statement by statement."""

from __future__ import annotations

import pytest

from tests.tables import each_row

from ..programs import calls, facts_of, symbols
from ..spoken import said

# Statements of a method `f(v)` → everything that they say.
SAID = {
    "assignments": (
        "a = b = one\n(c = two).go\nd, *e = e, d\n@m = @n ||= K.new\ne.go\na",
        [
            "b = one()", "a = b", "c = two()", "do c.go()", "(d, *e) = (e(), d())",
            "self.@n = new K()", "self.@m = self.@n", "do e.go()", "return a",
        ],
    ),
    "operators that assign": (
        "a = 1\na += one\n@n -= two\nx.y <<= three\nnil",
        [
            "a = int", "a = a.+(one())", "do self.@n.-(two())", "do x().y.<<(three())",
            "return none",
        ],
    ),
    "assigned where they are asked": (
        "if m = one then m.go end\nwhile (l = io.gets) do l.chomp end\nfoo(w = two)",
        [
            "m = one()", "do m.go()", "l = io().gets()", "do l.chomp()", "w = two()",
            "return foo(w)",
        ],
    ),
    "patterns": (
        "case v.get\nin [Integer => q, *r] if q.ok? then q.one\n"
        "in {name: String => n, age:} then n.two\nin [*, s, *] then s.three\n"
        "in Point(x:, y: [a, b]) | nil then x\nin ^pin then four\nelse five end\nnil",
        [
            "<part> = v.get()", "q = a Integer", "r = <part>", "do q.ok?()", "n = a String",
            "age = <part>['age']", "s = each <part>", "x = (a Point).x", "a = (a Point).y[0]",
            "b = (a Point).y[1]", "do pin()",
            "do (q.one() | n.two() | s.three() | x | four() | five())", "return none",
        ],
    ),
    "patterns on their own": (
        "v => {key: k}\nv in [z]\n[k, z]",
        ["k = v['key']", "z = v[0]", "return [k, z]"],
    ),
    "texts": (
        's = "a#{one}" "b#{two}" "c"\n%w[p q].each { |i| i.go }\n%i[x y]',
        [
            "do one()", "do two()", "s = str", "<part> = ['p', 'q']",
            "do fn(<lambda>)(each <part>)", "do <part>.each(fn(<lambda>))",
            "return ['x', 'y']", "return i.go()", "i = each <part>",
        ],
    ),
    "one of several": (
        "a = (one rescue two)\nb = v ? three : four\nc = v || five\n"
        "d = if six then 1 else g7 end\nd",
        [
            "a = (one() | two())", "b = (three() | four())", "c = (v | five())", "do six()",
            "d = g7()", "return d",
        ],
    ),
    "given back": (
        "v.map { |i| next i.a if i.b; i }\nreturn *one if two\nreturn three, four",
        [
            "do (v.map(fn(<lambda>)) | [fn(<lambda>)(each v)])", "do two()", "return *one()",
            "return [three(), four()]",
            "do i.b()", "return i.a()", "return i", "i = each v",
        ],
    ),
    "blocks": (
        "v.each { |a, (b, (c, *d)); e| b.go; e.go; d.go }\nv.select { |k, w| w.go }\n"
        "one.tap { |x| x.go }\ng { |y| y.go }",
        [
            "do fn(<lambda>)(each v)", "do v.each(fn(<lambda>))", "do fn(<lambda>)(each v)",
            "do v.select(fn(<lambda>))", "<part> = one()", "do fn(<lambda>)(<part>)",
            "do <part>.tap(fn(<lambda>))", "return g(fn(<lambda>))",
            "(b, (c, *d)) = <part>", "do b.go()", "do e.go()", "return d.go()",
            "<part> = (each v[1] | v[?])", "a = each v", "return w.go()",
            "w = (each v[1] | v[?])", "k = each v", "return x.go()", "x = <part>",
            "return y.go()",
        ],
    ),
    "members that are set": (
        "v.x = one\nself.y ||= 2\ng(v.z = three)\nfour.w += five\nLOG()\nLOG",
        [
            "<part> = one()", "v.x = <part>", "do v.x=(<part>)", "self.y = int",
            "do self.y=(int)", "<part> = three()", "v.z = <part>", "do v.z=(<part>)",
            "do g(<part>)", "do four().w.+(five())", "do LOG()", "return LOG",
        ],
    ),
    "arguments": (
        'g(*xs, **o, &b)\ng(a: 1, "k": two)\nh = {v:, z: 1}\nT[one, two]\nm[key] = three\nh',
        [
            "do b()", "do g(*xs(), **=o())", "do g(a=int, k=two())", "h = {'v': v, 'z': int}",
            "do one()", "do two()", "do T[?]", "m()[key()] = three()", "return h",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("construct", SAID)
def test_statements_and_values(construct: str) -> None:
    """Each construct says what it evaluates, binds and gives, and nothing else."""
    source, expected = SAID[construct]
    assert said(f"def f(v)\n{source}\nend\n", "a.rb", "f") == expected


def test_delegation_calls_and_does_not_define_its_target() -> None:
    """`def_delegator` with three names defines the last of them and calls the second."""
    text = """
        class Queue
          def_delegator :@items, :first, :head
          def_delegator :@items, :last
          def_delegators :store, :push, :pop
          delegate :size, "empty?", to: :store
        end
    """
    names = ["head", "last", "push", "pop", "size", "empty?"]
    assert list(symbols(facts_of(text, "a.rb"))) == ["Queue", *(f"Queue.{one}" for one in names)]
    assert [line for line in said(text, "a.rb") if line.startswith("return")] == [
        "return self.@items.first()", "return self.@items.last()", "return self.store().push()",
        "return self.store().pop()", "return self.store().size()", "return self.store().empty?()",
    ]  # fmt: skip


LAMP = "class Lamp\n  def on; end\nend\nclass Other\n  def on; end\nend\n"


@each_row(
    "text",
    [
        "a = b = Lamp.new\na.on", "(a = Lamp.new).on", "case x\nin Lamp => l then l.on\nend",
        "a = (x rescue Lamp.new)\na.on", "a, b = 1, Lamp.new\nb.on",
        "a = nil\na ||= Lamp.new\na.on", "case [1, Lamp.new]\nin [n, l] then l.on\nend",
        "def g; return 1, Lamp.new; end\ng[1].on",
        "[Lamp.new].each { |l| l.on }", "{a: Lamp.new}.map { |k, l| l.on }",
        "[[1, Lamp.new]].each { |n, l| l.on }", "[[1, Lamp.new]].each { |(n, l)| l.on }",
        "Lamp.new.tap { |l| l.on }",
        "{a: Lamp.new}[:a].on", "a = [*[Lamp.new]]\na[0].on",
    ],
)  # fmt: skip
def test_objects_are_followed(text: str) -> None:
    """A method is found on an object that came by an assignment, a pattern or a container."""
    found = {target for _, target in calls({"a.rb": f"{LAMP}{text}\n"})}
    assert "a.rb:Lamp.on" in found
    assert "a.rb:Other.on" not in found


def test_require_and_attr_in_branches_are_declarations() -> None:
    """Files are required and attributes defined in branches, handlers and methods as well."""
    text = """
        begin
          require "a"
        rescue LoadError
          require_relative "b"
        end
        require "c" if one
        class K
          if two
            attr_reader :x
          else
            def y; require "d"; end
          end
          class << self
            three ? attr_accessor(:z) : nil
          end
        end
    """
    lines = said(text, "a.rb")
    assert [line for line in lines if line.startswith("import")] == [
        "import a", "import .b", "import c", "import d",
    ]  # fmt: skip
    assert {"K.x", "K.y", "K.z", "K.z="} <= set(symbols(facts_of(text, "a.rb")))
