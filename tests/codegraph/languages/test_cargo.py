"""Cargo.toml: which crate a name means in the files of a package."""

from __future__ import annotations

from tests.tables import each_row

from ..programs import Sources, calls

CORE = "pub fn fold() {}"

# Manifests by folder → the name by which the file app/src/main.rs calls the crate in `core`.
MANIFESTS = {
    "a list before the name": (
        {"core": '[package]\nauthors = ["A [b]"]\nname = "text-core"'}, "text_core",
    ),
    "single quotes": ({"core": "[package]\nname = 'text-core'"}, "text_core"),
    "a library of another name": (
        {"core": '[lib]\ncrate-type = ["cdylib"]\nname = "tc"\n[package]\nname = "text-core"'},
        "tc",
    ),
    "dotted keys": ({"core": 'package.name = "text-core"\nlib.name = "tc"'}, "tc"),
    "renamed, by its path": (
        {
            "core": '[package]\nname = "text-core"',
            "app": '[dependencies]\ntc = { package = "text-core", path = "../core" }',
        },
        "tc",
    ),
    "renamed, by a table": (
        {
            "core": '[package]\nname = "text-core"',
            "app": '[dependencies.t-c]\npackage = "text-core"\npath = "../core"',
        },
        "t_c",
    ),
    "renamed in tests alone": (
        {
            "core": '[package]\nname = "text-core"',
            "app": '[dev-dependencies]\ntc = { package = "text-core", version = "1" }',
        },
        "tc",
    ),
    "renamed for a platform": (
        {
            "core": '[package]\nname = "text-core"',
            "app": '[target.\'cfg(unix)\'.dependencies]\ntc = { package = "text-core" }',
        },
        "tc",
    ),
    "renamed by the workspace": (
        {
            "": '[workspace.dependencies]\ntc = { package = "text-core", path = "core" }',
            "core": '[package]\nname = "text-core"',
            "app": "[dependencies]\ntc.workspace = true",
        },
        "tc",
    ),
    "the library's name behind a path": (
        {
            "core": '[package]\nname = "text-core"\n[lib]\nname = "fold_lib"',
            "app": '[dependencies]\ntext-core = { path = "../core" }',
        },
        "fold_lib",
    ),
}  # fmt: skip


def _files(manifests: dict[str, str], name: str) -> dict[str, str]:
    return {
        "app/Cargo.toml": '[package]\nname = "app"',
        **{f"{folder}/Cargo.toml".lstrip("/"): text for folder, text in manifests.items()},
        "core/src/lib.rs": CORE,
        "app/src/main.rs": f"use {name}::fold;\nfn main() {{ fold(); {name}::fold(); }}",
    }


@each_row("form", MANIFESTS)
def test_names_of_crates(form: str) -> None:
    """What the parser of a manifest reads decides what a crate is called."""
    call = ("app/src/main.rs:main", "core/src/lib.rs:fold")
    assert calls(_files(*MANIFESTS[form])) == {call}


def test_a_name_belongs_to_the_crate_that_depends() -> None:
    """Two packages may call two crates alike, and a crate from outside as one of the tree."""
    files = {
        "one/Cargo.toml": '[package]\nname = "one"',
        "one/src/lib.rs": CORE,
        "two/Cargo.toml": '[package]\nname = "two"',
        "two/src/lib.rs": CORE,
        "a/Cargo.toml": '[dependencies]\nkit = { path = "../one", package = "one" }',
        "a/src/lib.rs": "fn run() { kit::fold() }",
        "b/Cargo.toml": '[dependencies]\nkit = { path = "../two", package = "two" }',
        "b/src/lib.rs": "fn run() { kit::fold() }",
        "c/Cargo.toml": '[dependencies]\none = { package = "elsewhere", version = "2" }',
        "c/src/lib.rs": "fn run() { one::fold() }",
    }
    assert calls(files) == {
        ("a/src/lib.rs:run", "one/src/lib.rs:fold"), ("b/src/lib.rs:run", "two/src/lib.rs:fold"),
    }  # fmt: skip


def test_roots_that_a_manifest_names() -> None:
    """A program whose file lies anywhere is a crate of its own."""
    files = {
        "Cargo.toml": '[package]\nname = "app"\n[[bin]]\nname = "x"\npath = "tools/x.rs"',
        "tools/x.rs": "mod help;\nmod more;\nfn main() { crate::help::fold() }",
        "tools/help.rs": CORE,
        "tools/more.rs": "fn again() { crate::help::fold() }",
    }
    assert calls(files) == {
        ("tools/x.rs:main", "tools/help.rs:fold"), ("tools/more.rs:again", "tools/help.rs:fold"),
    }  # fmt: skip


def test_a_target_without_a_path_lies_where_its_name_says() -> None:
    """Files beside a test that is the only one of its folder are its modules, not crates."""
    files = {
        "Cargo.toml": '[package]\nname = "app"\nautotests = false\n[[test]]\nname = "tests"',
        "src/lib.rs": CORE,
        "tests/tests.rs": "mod help;\nmod more;\nfn all() { help::fold() }",
        "tests/help.rs": CORE,
        "tests/more.rs": (
            "use crate::help::fold;\nuse help::fold as old;\nfn one() { fold() }\n"
            "fn two() { old() }\nfn three() { super::help::fold() }"
        ),
    }
    assert calls(files) == {
        ("tests/tests.rs:all", "tests/help.rs:fold"),
        *((f"tests/more.rs:{name}", "tests/help.rs:fold") for name in ("one", "two", "three")),
    }
    imports = Sources(files).edges("imports")
    assert ("tests/tests.rs:", "tests/help.rs:") in imports


def test_a_folder_of_a_target_is_a_crate() -> None:
    """`main.rs` in a folder of tests, benches or examples has the files beside it as modules."""
    for folder in ("tests", "benches", "examples"):
        files = {
            "Cargo.toml": '[package]\nname = "app"',
            f"{folder}/all/main.rs": "mod help;\nmod more;",
            f"{folder}/all/help.rs": CORE,
            f"{folder}/all/more.rs": "fn again() { crate::help::fold() }",
        }
        assert calls(files) == {(f"{folder}/all/more.rs:again", f"{folder}/all/help.rs:fold")}


def test_what_could_not_be_placed() -> None:
    """A module or crate of the tree that is not there counts as not resolved."""
    program = Sources({
        "Cargo.toml": '[package]\nname = "app"\n[dependencies]\nkit = { path = "kit" }\nlog = "1"',
        "kit/Cargo.toml": '[package]\nname = "kit"',
        "src/lib.rs": "mod gone;\nfn f() { gone::run(); kit::run(); log::run(); }",
    })  # fmt: skip
    counts = program.resolved("src/lib.rs").counts
    states = {state: counts[key] for key in counts for kind, state, _ in [key] if kind == "calls"}
    assert states == {"unresolved": 2, "outside": 1}
