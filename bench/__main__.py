"""`python -m bench NAME`: run one bench, print its table, write its JSON."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path

from . import command_line as check
from .results import Options, Row, as_json, table

NAMES = (
    "recall", "realuse", "latency", "imports", "secrets", "codegraph", "index", "commits",
    "predict", "episodes", "toolcalls", "realnotes", "map", "compaction", "window", "assembly",
    "guard", "hooks", "mcp", "extraction", "clusters", "cascade", "feedback", "forgetting",
    "pairs", "compression",
)  # fmt: skip
SIZES = ("1k", "10k", "100k")
ROOT = Path(__file__).resolve().parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the bench that the arguments name; return the exit code."""
    given = _parser().parse_args(arguments)
    if given.encoder:
        os.environ["MEMKIT_ENCODER"] = given.encoder  # every store is opened with it
    options = Options(
        data=data_folder(given.data),
        limit=given.limit,
        ablations=given.ablations,
        large=given.large,
        profile=given.profile,
        sizes=given.sizes,
        tree=given.tree,
        sequences=given.sequences,
    )
    # Each module is imported only if it is asked for.
    run: Callable[[Options], Iterable[Row]] = import_module(f".{given.name}", __package__).run
    rows = list(run(options))
    print(table(rows) if rows else "nothing was measured")
    if given.json:
        given.json.write_text(as_json(given.name, rows), encoding="utf-8")
    return 0


def data_folder(given: Path | None) -> Path:
    """Return the folder with the sets: the one given, $MEMKIT_BENCH_DATA, or ../shared/data/dev.

    A folder that holds the sets one level deeper, in `dev`, will do too.
    """
    named = given or os.environ.get("MEMKIT_BENCH_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data" / "dev"
    return folder / "dev" if (folder / "dev").is_dir() else folder


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--data", type=check.folder, help="folder with the sets, one folder each")
    parser.add_argument("--json", type=check.writable, help="write the rows to this file too")
    parser.add_argument(
        "--limit", type=check.positive, help="at most so many questions of each set"
    )
    parser.add_argument("--ablations", action="store_true", help="recall without each of its parts")
    parser.add_argument("--large", action="store_true", help="latency with a million memories too")
    parser.add_argument("--profile", action="store_true", help="latency: where the time goes")
    parser.add_argument("--sizes", type=check.sizes, default=SIZES, help="latency: which sizes")
    parser.add_argument("--tree", type=check.folder, help="index: the large tree")
    parser.add_argument("--encoder", help="name or folder, as memkit.open takes it")
    parser.add_argument("--sequences", type=check.positive, help="index: random edits to compare")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
