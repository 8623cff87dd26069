"""Ruby as facts, and what its names mean across files."""

from __future__ import annotations

from ..programs import Sources, calls, facts_of, kinds, symbols


class TestSymbols:
    """What is found in one file."""

    def test_declarations_of_a_file(self) -> None:
        """Modules, classes, methods of every spelling, attributes, aliases and constants."""
        facts = facts_of(
            """
            # Sells things.
            module Shop::Front
              # A cart.
              class Cart < Base::Box
                include Comparable
                LIMIT = 3
                Failure = Class.new(StandardError)
                Point = Struct.new(:x, :y) do
                  def far?; end
                end
                attr_accessor :items, :owner
                attr_reader "size"
                def initialize(items, limit = 2, *rest, key: 1, **more, &block); end
                def self.make(*args) = new(*args)
                class << self
                  def built; end
                end
                def ==(other) = true
                alias total sum
                alias_method :whole, :total
                define_method(:dynamic) { |x| x }
                private
                def secret; end
              end
            end
            def top; end
            """,
            "shop.rb",
        )
        found = symbols(facts)
        cart = "Shop.Front.Cart"
        assert facts.doc == "Sells things."
        assert found[cart].doc == "A cart."
        assert found[cart].bases == (("attr", ("name", "Base"), "Box"),)
        assert found["Shop.Front"].flags == ("namespace",)
        assert {name.removeprefix(f"{cart}."): kind for name, kind in kinds(facts).items()} == {
            "Shop.Front": "class", cart: "class", "LIMIT": "variable", "Failure": "class",
            "Point": "class", "Point.x": "method", "Point.x=": "method", "Point.y": "method",
            "Point.y=": "method", "Point.far?": "method", "items": "method", "items=": "method",
            "owner": "method", "owner=": "method", "size": "method", "initialize": "method",
            "make": "method", "built": "method", "==": "method", "total": "method",
            "whole": "method", "dynamic": "method", "secret": "method", "top": "function",
        }  # fmt: skip
        assert found[f"{cart}.secret"].flags == ("private",)
        assert found[f"{cart}.make"].flags == found[f"{cart}.built"].flags == ("static",)
        assert found[f"{cart}.initialize"].flags == ("constructor",)
        assert [(p.name, p.sort) for p in found[f"{cart}.initialize"].params] == [
            ("items", ""), ("limit", ""), ("rest", "*"), ("key", "name-only"), ("more", "**"),
            ("block", ""),
        ]  # fmt: skip
        assert found[f"{cart}.Failure"].bases == (("name", "StandardError"),)

    def test_a_broken_file_gives_what_is_whole(self) -> None:
        """Definitions around a syntax error are found, and the error is counted."""
        facts = facts_of("def f\n  x = (\nend\n\ndef g\nend\n", "a.rb")
        assert facts.errors
        assert {"f", "g"} & set(kinds(facts))


class TestPrograms:
    """Names across files."""

    def test_classes_are_known_in_the_whole_tree(self) -> None:
        """Constants need no import; a module reopened elsewhere has all its parts."""
        sources = Sources(
            {
                "lib/a.rb": """
                require_relative "b"
                module M
                  class A < Base
                    include Mix
                    attr_reader :b
                    def initialize; @b = B.new; end
                    def run; @b.go; mixed; helper; super; end
                    def helper; end
                    def self.make; new; end
                  end
                end
                def top; M::A.new.run; M::A.make; end
                """,
                "lib/b.rb": """
                module M
                  class Base; def run; end; end
                  class B; def go; stop; end; def stop; end; end
                  module Mix; def mixed; end; end
                end
                """,
            }
        )
        assert sources.edges() == {
            ("lib/a.rb:M.A.run", "lib/b.rb:M.B.go"), ("lib/a.rb:M.A.run", "lib/b.rb:M.Mix.mixed"),
            ("lib/a.rb:M.A.run", "lib/a.rb:M.A.helper"),
            ("lib/a.rb:M.A.run", "lib/b.rb:M.Base.run"),
            ("lib/b.rb:M.B.go", "lib/b.rb:M.B.stop"),
            ("lib/a.rb:top", "lib/a.rb:M.A.initialize"), ("lib/a.rb:top", "lib/a.rb:M.A.run"),
            ("lib/a.rb:top", "lib/a.rb:M.A.make"),
        }  # fmt: skip
        assert sources.edges("imports") == {("lib/a.rb:", "lib/b.rb:")}
        assert sources.edges("inherits") == {
            ("lib/a.rb:M.A", "lib/b.rb:M.Base"), ("lib/a.rb:M.A", "lib/b.rb:M.Mix")
        }  # fmt: skip

    def test_requires_from_a_lib_folder(self) -> None:
        """`require` finds the file below a `lib` folder, and nothing of a name that fits twice."""
        imports = Sources(
            {
                "gem/lib/shop/cart.rb": "class Cart; end\n",
                "one/lib/twice.rb": "",
                "two/lib/twice.rb": "",
                "gem/bin/run.rb": 'require "shop/cart"\nrequire "twice"\nrequire "json"\n',
            }
        ).edges("imports")
        assert imports == {("gem/bin/run.rb:", "gem/lib/shop/cart.rb:")}

    def test_blocks_locals_and_calls_without_brackets(self) -> None:
        """A bare word is a local if one is bound, else a call; blocks are functions."""
        found = calls(
            {
                "a.rb": """
                class Job
                  def run
                    value = 1
                    value
                    step
                    [1].each { |step| step }
                    3.times do
                      step
                    end
                    work = -> { step }
                    work.call
                  end
                  def step; end
                  def value; end
                end
                """
            }
        )
        assert ("a.rb:Job.run", "a.rb:Job.step") in found
        assert ("a.rb:Job.run.<lambda>", "a.rb:Job.step") in found
        assert ("a.rb:Job.run", "a.rb:Job.run.<lambda>") in found
        assert not any(target == "a.rb:Job.value" for _, target in found)
