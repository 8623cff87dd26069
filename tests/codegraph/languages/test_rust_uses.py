"""Rust: what is used without being called, macros, and whose method an `impl` block has."""

from __future__ import annotations

from memkit.codegraph.analysis import drafts
from tests.tables import each_row

from ..programs import Sources, facts_of

TREE = {
    "Cargo.toml": '[package]\nname = "app"',
    "src/lib.rs": "mod kit;\n#[macro_use]\nmod mac;\nmod user;",
    "src/kit.rs": """
        pub struct Tool;
        impl Tool { pub const SIZE: u8 = 1; pub fn go() {} }
        pub enum Act { Set, Put(u8), Big { size: u8 } }
        pub type Id = u64;
        pub const LIMIT: u8 = 9;
        pub fn free<T>() -> u8 { 1 }
        """,
    "src/mac.rs": """
        #[macro_export]
        macro_rules! twice { ($x:expr) => { $x * 2 } }
        macro_rules! say { ($($t:tt)*) => { $crate::twice!(1) } }
        """,
}

# A function's body → what it uses of kit.rs and mac.rs, besides Tool and Act themselves.
BODIES = {
    "Tool::go();": {"calls Tool.go", "references Tool"},
    "let n = Tool::SIZE;": {"references Tool.SIZE", "references Tool"},
    "let t = Tool;": {"references Tool"},
    "let a = Act::Set;": {"references Act.Set", "references Act"},
    "match a { Act::Set => {} Act::Put(n) => {} _ => {} }": {
        "references Act.Set", "uses Act.Put", "references Act", "uses Act",
    },
    "if let Act::Big { size } = a {}": {
        "uses Act.Big", "uses Act", "references Act",
    },
    "println!(\"{}\", LIMIT);": {"references LIMIT"},
    "twice!(2);": {"calls twice"},
    "say!(2);": {"calls say"},
    "crate::twice!(2);": {"calls twice"},
    "assert!(twice!(2) > 1);": {"calls twice"},
    "assert_eq!(free::<u8>(), 1);": {"calls free"},
    "assert_eq!(free::<Vec<Vec<u8>>>(), 1);": {"calls free"},
    "let c = [1].map(|x| free::<u8>());": {"calls free"},
    "quote! { free() }": set(), "quote::quote!(free());": set(), "stringify!(free());": set(),
    "vec![quote!(free())];": set(),
}  # fmt: skip


@each_row("body", BODIES)
def test_uses(body: str) -> None:
    """Types, constants, variants and macros are used where they are named."""
    use = "use crate::kit::{free, Act, Tool, LIMIT, Id};\n"
    program = Sources({**TREE, "src/user.rs": f"{use}fn run(a: u8) {{ {body} }}"})
    uses = {
        f"{edge.kind} {program.facts[edge.path].definitions[edge.target].qualname}"
        for edge in program.resolved("src/user.rs").edges
        if edge.source >= 0
        and edge.kind in ("calls", "references", "uses")
        and edge.path != "src/user.rs"
    }
    assert uses == BODIES[body]


def test_a_type_alias_is_used_as_a_type() -> None:
    """Its own name is used, besides the type that it stands for, and imported."""
    use = "use crate::kit::Id;\nfn run(id: Id) {}"
    program = Sources({**TREE, "src/user.rs": use})
    assert ("src/user.rs:run", "src/kit.rs:Id") in program.edges("uses")


def test_macros_call_each_other() -> None:
    """The text of a macro calls what it names, also by `$crate`."""
    assert ("src/mac.rs:say", "src/mac.rs:twice") in Sources(TREE).edges()


# The type that a trait is for → the name of its method.
TYPES = {
    "u8": "u8", "Box<T>": "Box", "Vec<T>": "Vec", "&str": "str", "Own": "Own", "inner::Own": "Own",
}  # fmt: skip


@each_row("kind", TYPES)
def test_methods_of_a_trait(kind: str) -> None:
    """A method in an `impl` of a trait overrides that trait's, whatever type it is for; one of
    the type's own does not."""
    program = Sources({
        "src/lib.rs": f"""
            pub trait Weigh {{ fn weigh(&self); }}
            pub struct Own;
            mod inner {{ pub struct Own; }}
            impl<T> Weigh for {kind} {{ fn weigh(&self) {{}} }}
            impl Own {{ fn weigh(&self) {{}} }}
            """
    })  # fmt: skip
    definitions = program.facts["src/lib.rs"].definitions
    edges = [e for e in program.resolved("src/lib.rs").edges if e.kind == "overrides"]
    assert [definitions[e.target].qualname for e in edges] == ["Weigh.weigh"]
    assert [definitions[e.source].line for e in edges] == [5]
    assert definitions[edges[0].source].qualname == f"{TYPES[kind]}.weigh"


def test_types_in_modules_keep_their_methods() -> None:
    """A method belongs to the type beside its `impl`, in a module as well."""
    text = "mod a { struct In; impl In { fn go() {} } }"
    facts = facts_of(text + "\nmod b { impl crate::a::In { fn far() {} } }", "a.rs")
    names = {draft.identity[0] for draft in drafts(facts)}
    assert {"a", "a.In", "a.In.go", "b", "b.In.far"} == names
