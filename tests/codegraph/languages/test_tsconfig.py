"""tsconfig.json: which project a file belongs to, and where its paths lead."""

from __future__ import annotations

import json

from tests.tables import each_row

from ..programs import Sources, calls

AREA = "export function area() {}"
USES = 'import { area } from "%s"\narea()'


# Files without code → the path of the importer, the name that it imports, the file that is meant.
PROJECTS = {
    "a reference of another name": (
        {
            "tsconfig.json": {"files": [], "references": [{"path": "./tsconfig.web.json"}]},
            "tsconfig.web.json": {"compilerOptions": {"paths": {"~lib/*": ["./code/*"]}}},
        },
        "code/use.ts", "~lib/geo", "code/geo.ts",
    ),
    "of several references the one that includes the file": (
        {
            "tsconfig.json": {
                "files": [],
                "references": [{"path": "./conf/ts.a.json"}, {"path": "conf/ts.b.json"}],
            },
            "conf/ts.a.json": {
                "compilerOptions": {"paths": {"@/*": ["../a/*"]}}, "include": ["../a"]
            },
            "conf/ts.b.json": {
                "compilerOptions": {"paths": {"@/*": ["../b/*"]}}, "include": ["../b/**/*.ts"],
            },
        },
        "b/in/use.ts", "@/geo", "b/geo.ts",
    ),
    "what a project excludes is of the next": (
        {
            "tsconfig.json": {
                "compilerOptions": {"paths": {"@/*": ["./a/*"]}}, "exclude": ["b"],
                "references": [{"path": "./b/other.json"}],
            },
            "b/other.json": {"compilerOptions": {"paths": {"@/*": ["./*"]}}},
        },
        "b/use.ts", "@/geo", "b/geo.ts",
    ),
    "the folder of who extends": (
        {
            "tsconfig.shared.json": {
                "compilerOptions": {"paths": {"~/*": ["${configDir}/code/*"]}},
            },
            "apps/x/tsconfig.json": {"extends": "../../tsconfig.shared.json"},
        },
        "apps/x/main.ts", "~/geo", "apps/x/code/geo.ts",
    ),
    "the folder of who extends, as base": (
        {
            "shared.json": {"compilerOptions": {"baseUrl": "${configDir}/code"}},
            "apps/x/tsconfig.json": {"extends": "../../shared"},
        },
        "apps/x/main.ts", "geo", "apps/x/code/geo.ts",
    ),
    "extends of any name, twice": (
        {
            "tsconfig.json": {"extends": "./settings/one.json"},
            "settings/one.json": {"extends": "./two"},
            "settings/two.json": {"compilerOptions": {"paths": {"@/*": ["../code/*"]}}},
        },
        "code/use.ts", "@/geo", "code/geo.ts",
    ),
    "extends of a package of the tree": (
        {
            "tools/ts/package.json": {"name": "@own/ts"},
            "tools/ts/strict.json": {"compilerOptions": {"baseUrl": "../../code"}},
            "code/tsconfig.json": {"extends": "@own/ts/strict.json"},
        },
        "code/use.ts", "in/geo", "code/in/geo.ts",
    ),
    "extends of a package as a whole": (
        {
            "tools/ts/package.json": {"name": "own-ts", "tsconfig": "./main.json"},
            "tools/ts/main.json": {"compilerOptions": {"baseUrl": "../../code"}},
            "code/tsconfig.json": {"extends": ["own-ts"]},
        },
        "code/use.ts", "in/geo", "code/in/geo.ts",
    ),
    "below the base what paths do not give": (
        {
            "tsconfig.json": {
                "compilerOptions": {"baseUrl": "./code", "paths": {"*": ["../gone/*"]}},
            },
        },
        "code/use.ts", "in/geo", "code/in/geo.ts",
    ),
    "a folder without a main configuration": (
        {"tsconfig.build.json": {"compilerOptions": {"paths": {"@/*": ["./code/*"]}}}},
        "code/use.ts", "@/geo", "code/geo.ts",
    ),
}  # fmt: skip


@each_row("form", PROJECTS)
def test_projects(form: str) -> None:
    """The configuration that a file belongs to says what the names in it mean."""
    settings, importer, module, target = PROJECTS[form]
    decoys = {"a/geo.ts": AREA} if target != "a/geo.ts" else {}
    files = {
        **{path: f"// read by its parser\n{json.dumps(text)}" for path, text in settings.items()},
        **decoys,
        target: AREA,
        importer: USES % module,
    }
    assert calls(files) == {(f"{importer}:", f"{target}:area")}


# An import for which no file is there → whether it could only mean the tree's own code.
MODULES = {
    "./gone": True, "../gone.js": True, "@/gone": True, "#gone": True, "@own/kit": True,
    "@own/kit/gone": True, "app/gone": True,
    "react": False, "@other/kit": False, "./look.css": False, "./logo.svg?raw": False,
    "node:fs": False,
}  # fmt: skip


@each_row("module", MODULES)
def test_names_that_could_not_be_placed(module: str) -> None:
    """What must be the tree's own code and is not there counts as not resolved, with its calls."""
    program = Sources(
        {
            "tsconfig.json": json.dumps(
                {"compilerOptions": {"paths": {"*": ["./types/*"], "app/*": ["./x/*"]}}}
            ),
            "kit/package.json": '{"name": "@own/kit"}',
            "use.ts": f'import {{ f }} from "{module}"\nf()\nf.g()\nclass A extends f {{}}',
        }
    )
    state = "unresolved" if MODULES[module] else "outside"
    counts = program.resolved("use.ts").counts
    assert {key[:2]: count for key, count in counts.items()} == {
        ("imports", state): 1, ("calls", state): 2, ("inherits", state): 1,
    }  # fmt: skip


def test_methods_of_what_could_not_be_placed() -> None:
    """An object whose class is of the tree, wherever that is, has the methods of the tree."""
    files = {
        "a.ts": "export class Kit { tidy() {} }",
        "use.ts": 'import { Kit } from "@/gone"\nnew Kit().tidy()',
    }
    assert calls(files) == {("use.ts:", "a.ts:Kit.tidy")}
