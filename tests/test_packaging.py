"""However memkit gets to a machine, it works: wheel, vendored, editable, copied by hand."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest
from pyproject_hooks import BuildBackendHookCaller

import memkit

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LICENCE_OF_MODEL = "LICENSE.apache-2.0"
# Imported directly, and required through model2vec, whose format they are.
OF_MODEL2VEC = {"tokenizers", "safetensors"}

USE = """
import sys
from pathlib import Path
{ready}
import {name} as memkit
assert Path(memkit.__file__).is_relative_to({home!r}), memkit.__file__
assert "memkit" == {name!r} or "memkit" not in sys.modules
with memkit.open("used.memkit.db", global_store=False) as kit:
    kit.memories.remember("Never retry a POST: uploads were doubled.")
    assert kit.recall("may I retry a POST?", min_score=0)
    assert kit.check().is_sound
    assert kit.stats()
print("answered")
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from that sdist, without a network."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--skip-dependency-check"]
    run([*command, "--outdir", str(folder), str(ROOT)], ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    """The wheel."""
    return next(built.glob("memkit-*.whl"))


def test_wheel_has_everything(wheel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The wheel holds every module, the SQL, the assets, the licences and py.typed; no more."""
    with zipfile.ZipFile(wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
        about = {name.partition(".dist-info/")[2] for name in archive.namelist()} - {""}
    wanted = tracked("memkit") | {f"memkit/{name}" for name in tracked("sql")}
    assert inside == wanted
    assert {"memkit/py.typed", "memkit/sql/schema/0001_store.sql"} <= inside
    model = {f"licenses/memkit/assets/model/{name}" for name in ("NOTICE.txt", LICENCE_OF_MODEL)}
    assert {"licenses/memkit/LICENSE", *model} <= about
    with capsys.disabled():
        print(f"\n{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")  # noqa: T201 asked for


def test_sdist_has_everything(built: Path) -> None:
    """The source distribution can be built and tested by itself."""
    with tarfile.open(next(built.glob("memkit-*.tar.gz"))) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    wanted = set().union(*(tracked(name) for name in ("memkit", "sql", "tests", "bench", ".ci")))
    assert {name for name in wanted if not name.startswith("bench/results/")} <= inside
    assert {"README.md", "memkit/LICENSE", "pyproject.toml", ".ci/run"} <= inside


def test_vendored_under_another_name(wheel: Path, tmp_path: Path) -> None:
    """Installed into tool/_vendor and imported as tool._vendor.memkit, it works."""
    vendor = tmp_path / "tool" / "_vendor"
    install(wheel, vendor)
    assert use(tmp_path, name="tool._vendor.memkit", home=vendor) == "answered\n"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_vendored_with_what_it_stands_on(wheel: Path, tmp_path: Path) -> None:
    """As the README says it: tool/_vendor on sys.path holds the dependencies too, and no other
    packages are there."""
    vendor = tmp_path / "tool" / "_vendor"
    install(wheel, vendor)
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if "memkit" not in package.name and not (vendor / package.name).exists():
            (vendor / package.name).symlink_to(package)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    ready = 'sys.path.insert(0, "tool/_vendor")'
    assert ready in text
    code = USE.format(ready=ready, name="memkit", home=str(vendor))
    assert run([sys.executable, "-S", "-c", code], tmp_path) == "answered\n"


def test_wheel_installed(wheel: Path, tmp_path: Path) -> None:
    """Installed as a wheel, it works without the checkout, and has its command."""
    install(wheel, tmp_path / "site")
    ready = "sys.path.insert(0, 'site')"
    assert use(tmp_path, home=tmp_path / "site", ready=ready) == "answered\n"
    scripts = tmp_path / "site" / ("Scripts" if os.name == "nt" else "bin")
    assert [path.stem for path in scripts.iterdir()] == ["memkit"]


def test_editable(tmp_path: Path) -> None:
    """Installed as editable, it is the checkout's own package with the checkout's SQL."""
    caller = BuildBackendHookCaller(str(ROOT), "hatchling.build", runner=run)
    install(tmp_path / caller.build_editable(str(tmp_path)), tmp_path / "site")
    ready = "import site; site.addsitedir('site')"
    assert use(tmp_path, home=ROOT / "memkit", ready=ready) == "answered\n"


def test_copied_by_hand(tmp_path: Path) -> None:
    """With memkit/ and sql/ copied into a folder, it works there."""
    copy("memkit", tmp_path)
    copy("sql", tmp_path)
    assert use(tmp_path, home=tmp_path / "memkit") == "answered\n"


def test_copied_without_sql(tmp_path: Path) -> None:
    """With memkit/ alone copied, opening says what is missing and what to do."""
    copy("memkit", tmp_path)
    code = "import memkit\ntry: memkit.open('x.db')\nexcept memkit.StoreError as e: print(e)"
    said = run([sys.executable, "-c", code], tmp_path)
    assert said.startswith("no sql/ beside memkit")
    assert "install the wheel or copy the sql/ folder too" in said
    assert not (tmp_path / "x.db").exists()


def test_metadata_agrees() -> None:
    """The version stands in one place, and the licence is the one in memkit/LICENSE."""
    assert PROJECT["dynamic"] == ["version"]
    assert "version" not in PROJECT
    assert memkit.__version__
    own, model = PROJECT["license"].split(" AND ")
    text = (ROOT / "memkit" / "LICENSE").read_text(encoding="utf-8")
    assert text.startswith(f"{own} License")
    assert f"LICENSE.{model.lower()}" == LICENCE_OF_MODEL
    terms = (ROOT / "memkit" / "assets" / "model" / LICENCE_OF_MODEL).read_text(encoding="utf-8")
    assert "Apache License\n" in terms
    assert "END OF TERMS AND CONDITIONS" in terms
    assert f"(c) 2026 {PROJECT['authors'][0]['name']}\n" in text


def test_what_is_imported_is_required() -> None:
    """Every package that is imported is a requirement, of memkit or of an extra, `dev` for tests
    alone; or it is what model2vec reads models with, and its own hard requirement."""
    extras = PROJECT["optional-dependencies"]
    with_model2vec = {_name(line) for line in requires("model2vec") or () if "extra ==" not in line}
    assert with_model2vec >= OF_MODEL2VEC
    homes = packages_distributions()
    optional = [line for name, lines in extras.items() if name != "dev" for line in lines]
    for folder, lines in (("memkit", optional), ("tests", optional + extras["dev"])):
        required = {_name(line) for line in [*PROJECT["dependencies"], *lines]}
        imported = {
            _name(home)
            for path in (ROOT / folder).rglob("*.py")
            for top in _imports(path)
            for home in homes.get(top, ())
        }
        assert imported - required - OF_MODEL2VEC <= {"memkit"}, folder


def _name(requirement: str) -> str:
    """Return the name of a package as indexes compare it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^\w.-]", requirement.strip())[0]).lower()


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").partition(".")[0]


def tracked(folder: str) -> set[str]:
    """Return every file of a folder of the checkout, caches apart, by its path."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def copy(folder: str, to: Path) -> None:
    shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__"))


def install(package: Path, target: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-compile"]
    run([*pip, "--quiet", "--no-deps", "--no-index", "--target", str(target), str(package)], ROOT)


def use(folder: Path, *, home: Path, name: str = "memkit", ready: str = "") -> str:
    """Do the main job in `folder` with the memkit that lies in `home`; return what it printed."""
    return run([sys.executable, "-c", USE.format(ready=ready, name=name, home=str(home))], folder)


def run(command: list[str], cwd: str | Path | None = None, extra_environ: object = None) -> str:
    """Run a command in `cwd`; return what it said, and fail with all of it if it failed."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PIP_TARGET")}
    environment |= extra_environ if isinstance(extra_environ, dict) else {}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout
