"""C as facts, and what its names mean across headers and sources."""

from __future__ import annotations

from memkit.codegraph.languages import dialect_of

from ..programs import Sources, calls, facts_of, kinds, symbols


class TestSymbols:
    """What is found in one file."""

    def test_declarations_of_a_file(self) -> None:
        """Functions, prototypes, structures, their members, macros and variables are found."""
        facts = facts_of(
            """
            /* Boxes. */
            #include <stdio.h>
            #define LIMIT 3
            #define TWICE(x) add((x), (x))
            // A box.
            struct box { int w, *h; void (*draw)(int); struct { int deep; }; };
            typedef struct { int id; } thing_t;
            typedef struct box box_t;
            typedef int (*handler)(int);
            union raw { int a; float b; };
            enum color { RED, GREEN = 2 };
            enum { ANONYMOUS };
            static int count, *first = 0;
            extern int shared;
            int api(struct box *b, const char *name, ...);
            static inline int add(int a, int b) { return a + b; }
            char *names[] = { "a" };
            int (*callback)(int) = add;
            """,
            "box.c",
        )
        found = symbols(facts)
        assert facts.doc == "Boxes."
        assert kinds(facts) == {
            "LIMIT": "variable", "TWICE": "function", "box": "class", "box.w": "variable",
            "box.h": "variable", "box.draw": "variable", "box.deep": "variable",
            "thing_t": "class", "thing_t.id": "variable", "box_t": "class", "handler": "class",
            "raw": "class", "raw.a": "variable", "raw.b": "variable", "color": "class",
            "RED": "variable", "GREEN": "variable", "ANONYMOUS": "variable", "count": "variable",
            "first": "variable", "shared": "variable", "api": "function", "add": "function",
            "names": "variable", "callback": "variable",
        }  # fmt: skip
        assert found["box"].doc == "A box."
        assert found["box"].flags == ("struct",)
        assert found["api"].flags == ("abstract",)
        assert [param.name for param in found["api"].params] == ["b", "name", ""]
        assert found["api"].params[0].type == ("name", "box")
        assert found["add"].flags == ("private",)
        assert found["add"].signature == "add(int a, int b)"
        assert found["TWICE"].flags == ("macro",)

    def test_branches_of_the_preprocessor_all_count(self) -> None:
        """Definitions in every branch of `#if` are found."""
        facts = facts_of(
            "#ifdef A\nint f(void) { return 1; }\n#elif B\nint g(void) { return 2; }\n#else\n"
            "int h(void) { return 3; }\n#endif\n",
            "a.c",
        )
        assert set(kinds(facts)) == {"f", "g", "h"}

    def test_macros_that_break_the_syntax_are_read_over(self) -> None:
        """A function behind macros of attributes is found where it stands."""
        facts = facts_of(
            'API_EXPORT int one(void);\nMODULE_LICENSE("x")\n'
            "MY_API static int two(int a) NO_THROW\n{ return a; }\n",
            "a.c",
        )
        found = symbols(facts)
        assert {"one", "two"} <= set(found)
        assert (found["two"].line, found["two"].column) == (3, 19)

    def test_a_comment_in_a_macro_of_many_lines_hides_nothing_behind_it(self) -> None:
        """The macro calls what stands behind the comment, and what follows the macro is found."""
        edges = Sources(
            {
                "a.c": "#define BOTH(x) \\\n  ((x) ? one(x) : /* else */ \\\n  (two(x), 1))\n"
                "int one(int a);\nint two(int a);\nint three(int a) { return one(a); }\n",
            }
        )
        assert set(kinds(edges.facts["a.c"])) == {"BOTH", "one", "two", "three"}
        assert edges.edges() == {
            ("a.c:BOTH", "a.c:one"),
            ("a.c:BOTH", "a.c:two"),
            ("a.c:three", "a.c:one"),
        }

    def test_macros_that_are_nothing_stand_anywhere(self) -> None:
        """Behind a parameter and behind an argument; they are used there, but in no comment, text
        or directive."""
        edges = Sources(
            {
                "a.c": "#ifdef THREADS\n#define MTa , info\n#define MTd , int info\n#else\n"
                "#define MTa /* nothing */\n#define MTd\n#endif\n"
                "int *alloc(int k MTd)\n{ return 0; }\n"
                'int *f(int n MTd)\n{ puts("MTa"); /* MTa */ return alloc(n MTa); }\n'
                'int g(void) { return h("MTd"); } // MTd\n',
            }
        )
        assert {"alloc", "f", "g"} <= set(kinds(edges.facts["a.c"]))
        assert edges.edges() == {("a.c:f", "a.c:alloc")}
        assert edges.edges("references") == {
            ("a.c:alloc", "a.c:MTd"),
            ("a.c:f", "a.c:MTd"),
            ("a.c:f", "a.c:MTa"),
        }

    def test_what_a_condition_puts_behind_return_is_read(self) -> None:
        """The function that gives back by it, and the one behind it, are found."""
        facts = facts_of(
            "char *f(int *r)\n{\n  return\n#ifdef A\n  last =\n#endif\n  (char *)(r + 1);\n}\n"
            "int g(void) { return 2; }\n",
            "a.c",
        )
        assert {"f", "g"} <= set(kinds(facts))

    def test_a_static_function_of_a_header_is_seen_over_a_generated_one(self) -> None:
        """That of a source file is seen by it alone."""
        edges = Sources(
            {
                "in.h": "static inline int head(int a) { return a; }\n",
                "b.c": "static int own(int a) { return a; }\nint b(void) { return own(1); }\n",
                "a.c": '#include "generated.h"\nint f(void) { return head(1) + own(2); }\n',
            }
        )
        assert edges.edges() == {("a.c:f", "in.h:head"), ("b.c:b", "b.c:own")}

    def test_macros_that_are_read_over_are_used(self) -> None:
        """They are called or read in the innermost function or class where they stand."""
        edges = Sources(
            {
                "a.h": "#define GUARDED_BY(x)\n#define LIB_API\n#define LIB_CDECL\n"
                "#define EXPECT(x)\n",
                "a.cpp": '#include "a.h"\nclass LIB_API Box {\n  Env* const env_ GUARDED_BY(mu_);\n'
                "  int sizes_[k::N] GUARDED_BY(mu_);\n};\nint LIB_CDECL main(void)\n{\n"
                "  EXPECT(1)\n  return 0;\n}\n",
            }
        )
        assert {"Box.env_", "Box.sizes_", "main"} <= set(kinds(edges.facts["a.cpp"]))
        assert edges.edges() == {
            ("a.cpp:Box", "a.h:GUARDED_BY"),
            ("a.cpp:main", "a.h:EXPECT"),
        }
        assert edges.edges("references") == {
            ("a.cpp:Box", "a.h:LIB_API"),
            ("a.cpp:main", "a.h:LIB_CDECL"),
        }

    def test_a_body_behind_a_macro_is_a_function_of_the_name_it_is_given(self) -> None:
        """By the last of several names; a loop in a function is none, nor is a plain block."""
        sources = Sources(
            {
                "a.h": "#define CHECK(name) int check_##name(void)\n",
                "a.c": '#include "a.h"\nint mine(int a);\nCHECK(boiler) { return mine(1); }\n'
                "RUN_IN(kitchen, kettle)\n{\n  mine(2);\n}\n"
                "int mine(int a) { EACH(a) { mine(3); } return a; }\n"
                "int late(void) { return boiler() + kettle(); }\n",
            }
        )
        found = symbols(sources.facts["a.c"])
        assert {name for name, symbol in found.items() if symbol.kind == "function"} == {
            "boiler", "kettle", "mine", "late"
        }  # fmt: skip
        assert [found[name].line for name in ("boiler", "kettle")] == [3, 4]
        assert sources.edges() == {
            ("a.c:boiler", "a.h:CHECK"),
            ("a.c:boiler", "a.c:mine"),
            ("a.c:kettle", "a.c:mine"),
            ("a.c:mine", "a.c:mine"),
        }

    def test_macros_that_are_given_a_type(self) -> None:
        """`API(type) f()` declares f, of that type, and uses the macro."""
        sources = Sources(
            {
                "a.c": "#define API(t) t\nstruct box { int n; };\n"
                "API(struct box *) make(void) { return 0; }\n"
            }
        )
        assert symbols(sources.facts["a.c"])["make"].returns == ("name", "box")
        assert sources.edges() == {("a.c:", "a.c:API")}

    def test_lines_of_a_typedef_are_those_of_its_members(self) -> None:
        """A structure whose name stands behind its body begins where its body does."""
        found = symbols(facts_of("typedef enum {\n  RED,\n  GREEN\n} color;\n", "a.c"))
        assert (found["color"].line, found["color"].end_line) == (1, 4)
        assert found["color"].signature == "color = typedef enum"

    def test_sixteen_thousand_braces(self) -> None:
        """Deeply nested blocks are walked without recursion, and no call is lost."""
        depth = 16_000
        text = "void g(void) {}\nvoid f(void) {" + "{" * depth + "g();" + "}" * depth + "}\n"
        assert calls({"deep.c": text}) == {("deep.c:f", "deep.c:g")}

    def test_headers_are_c_unless_they_look_otherwise(self) -> None:
        """A `.h` file is C++ if it has what only C++ has."""
        for text, language in ((b"int f(void);\n", "c"), (b"namespace a { class B; }\n", "cpp")):
            dialect = dialect_of("x.h", text)
            assert dialect is not None
            assert dialect.name == language


class TestPrograms:
    """Names across files."""

    def test_calls_through_headers_lead_to_the_body(self) -> None:
        """A call of what a header declares is a call of the function that is written elsewhere."""
        found = calls(
            {
                "include/api.h": "#define CALL(x) api(x)\nint api(int a);\n"
                "static inline int tiny(void) { return 1; }\n",
                "src/api.c": '#include "../include/api.h"\n'
                "static int helper(int a) { return a; }\n"
                "int api(int a) { return helper(a) + tiny(); }\n",
                "src/main.c": "#include <include/api.h>\nint main(void) { return CALL(api(1)); }\n",
                "other/helper.c": "static int helper(int a) { return a; }\n",
            }
        )
        assert found == {
            ("include/api.h:CALL", "src/api.c:api"),
            ("src/api.c:api", "src/api.c:helper"),
            ("src/api.c:api", "include/api.h:tiny"),
            ("src/main.c:main", "include/api.h:CALL"),
            ("src/main.c:main", "src/api.c:api"),
        }

    def test_includes_are_found_beside_and_by_their_end(self) -> None:
        """A quoted include is looked for beside the file first; one that fits twice is none."""
        imports = Sources(
            {
                "a/x.h": "int a_x(void);\n",
                "b/x.h": "int b_x(void);\n",
                "a/one.c": '#include "x.h"\n',
                "c/two.c": '#include "x.h"\n#include "b/x.h"\n',
                "c/three.c": "#include <stdio.h>\n",
            }
        ).edges("imports")
        assert imports == {("a/one.c:", "a/x.h:"), ("c/two.c:", "b/x.h:")}

    def test_headers_that_include_each_other(self) -> None:
        """Names come through headers of headers; circles do no harm."""
        found = calls(
            {
                "a.h": '#include "b.h"\nint from_a(void);\n',
                "b.h": '#include "a.h"\nint from_b(void);\n',
                "m.c": '#include "a.h"\n'
                "int main(void) { return from_a() + from_b() + nobody(); }\n",
            }
        )
        assert found == {("m.c:main", "a.h:from_a"), ("m.c:main", "b.h:from_b")}

    def test_a_linked_function_needs_no_declaration(self) -> None:
        """What nothing in scope declares is the only function of the program of that name that
        takes so much; a static one is its file's own."""
        found = calls(
            {
                "a.c": "int oven(int a) { return a; }\nstatic int grill(void) { return 1; }\n"
                "int twice(void) { return 1; }\n",
                "b.c": "int twice(void) { return 2; }\n",
                "m.c": '#include "made.h"\nint one(void) { return oven(1); }\n'
                "int two(void) { return oven(1, 2) + grill() + twice(); }\n",
            }
        )
        assert found == {("m.c:one", "a.c:oven")}

    def test_a_header_of_the_standard_is_none_of_a_folder_of_the_tree(self) -> None:
        """One that a tree has for its own library is."""
        files = {"m.c": "#include <errno.h>\n#include <string.h>\n"}
        headers = {"include/kit/errno.h": "int e;\n", "include/string.h": "int s;\n"}
        imports = Sources({**files, **headers}).edges("imports")
        assert imports == {("m.c:", "include/string.h:")}

    def test_pointers_to_functions_are_not_guessed(self) -> None:
        """A local or a parameter hides a function; a call through a member is no call of a name."""
        found = calls(
            {
                "a.c": """
                struct ops { int (*run)(int); };
                int run(int a) { return a; }
                int f(int (*run)(int), struct ops *o) { return run(1) + o->run(2); }
                int g(void) { return run(3); }
                """
            }
        )
        assert found == {("a.c:g", "a.c:run")}
