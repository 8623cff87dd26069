"""Python: packages without `__init__.py`, and the folders from which their names count."""

from __future__ import annotations

from tests.tables import each_row

from ..programs import Sources, calls

AREA = "def area():\n    pass\n"

# What imports `area`, and its call, by the layout's name: files of settings, the module's path.
LAYOUTS = {
    "src": ({}, "src/acme/geo.py"),
    "lib": ({}, "lib/acme/geo.py"),
    "a workspace": ({}, "packages/geo/src/acme/geo.py"),
    "deeper": ({}, "src/acme/shapes/geo.py"),
    "setuptools": (
        {"tool": '[tool.setuptools.packages.find]\nwhere = ["code"]'}, "code/acme/geo.py",
    ),
    "setuptools, a mapping": (
        {"tool": '[tool.setuptools]\npackage-dir = { "" = "code" }'}, "code/acme/geo.py",
    ),
    "pytest": ({"tool": "[tool.pytest.ini_options]\npythonpath = 'code'"}, "code/acme/geo.py"),
    "poetry": (
        {"tool": '[[tool.poetry.packages]]\ninclude = "acme"\nfrom = "code"'}, "code/acme/geo.py",
    ),
    "hatch": (
        {"tool": '[tool.hatch.build.targets.wheel]\npackages = ["code/acme"]'}, "code/acme/geo.py",
    ),
}  # fmt: skip
IMPORTS = (
    "from {module} import area\narea()",
    "import {module}\n{module}.area()",
    "from {package} import {name}\n{name}.area()",
    "from {package} import {name} as n\nn.area()",
)


@each_row("layout", LAYOUTS)
def test_source_roots(layout: str) -> None:
    """Folders below a source root are packages, with an `__init__.py` and without."""
    settings, path = LAYOUTS[layout]
    module = path.removesuffix(".py").partition("acme/")[2].replace("/", ".")
    package, _, name = f"acme.{module}".rpartition(".")
    for text in IMPORTS:
        files = {
            **({"pyproject.toml": settings["tool"]} if settings else {}),
            path: AREA,
            "tests/test_geo.py": text.format(module=f"acme.{module}", package=package, name=name),
        }
        assert calls(files) == {("tests/test_geo.py:", f"{path}:area")}, text


def test_the_only_file_of_a_dotted_name() -> None:
    """No root is known: a dotted name means the only file that ends so, and none of several."""
    files = {
        "services/api/code/acme/geo.py": AREA,
        "services/api/checks/geo_check.py": "from acme.geo import area\narea()",
    }
    call = ("services/api/checks/geo_check.py:", "services/api/code/acme/geo.py:area")
    assert calls(files) == {call}
    files["services/web/code/acme/geo.py"] = AREA
    assert calls(files) == set()


def test_lone_names_are_not_looked_for_far_away() -> None:
    """A folder of scripts has the name of a library: it is not that."""
    files = {"tools/docker/run.py": AREA, "app/use.py": "import docker\ndocker.area()"}
    assert calls(files) == set()
    assert ("calls", "outside", "local") in Sources(files).resolved("app/use.py").counts


# An import for which no file is there → whether it could only mean the tree's own code.
MODULES = {
    "from . import gone as f": True, "from .gone import f": True, "from acme.gone import f": True,
    "from kit.deep.gone import f": True, "from elsewhere.x import f": False,
    "from json.gone import f": False,
}  # fmt: skip


@each_row("text", MODULES)
def test_modules_that_could_not_be_placed(text: str) -> None:
    """A module of a package of the tree that is not there counts as not resolved."""
    program = Sources({
        "src/acme/geo.py": AREA, "src/kit/__init__.py": "", "pkg/use.py": f"{text}\nf()",
    })  # fmt: skip
    states = {state for _, state, _ in program.resolved("pkg/use.py").counts}
    expected = {"unresolved"} if MODULES[text] else {"outside"}
    assert states == expected or (text.startswith("from . ") and "unresolved" in states)
