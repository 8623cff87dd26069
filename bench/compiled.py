"""Calls in real code beside those that its compiler knows, each compiler that is there.

    python -m bench.compiled [--jdk HOME] [--module java.base] [--package java/util …]
                             [--npm FOLDER] [--own zod/src …] [--wrong N]

The JDK's own sources are held against what javac made of them (`jdk`), the sources of packages from
npm against the compiler of TypeScript (`typescript`): FOLDER is one in which
`npm install typescript@5 zod …` was run.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence

from . import jdk, typescript
from .call_oracle import CallComparison, Missing
from .command_line import folder, leave


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask every compiler, compare, print."""
    parser = argparse.ArgumentParser("python -m bench.compiled", description=__doc__)
    parser.add_argument("--jdk", type=folder, help="its folder; by default one of /usr/lib/jvm")
    parser.add_argument("--module", default="java.base")
    parser.add_argument("--package", action="append", help="with slashes; may be repeated")
    parser.add_argument("--npm", type=folder, help="where typescript and packages are installed")
    parser.add_argument("--own", action="append", help="package/folder, as in node_modules")
    parser.add_argument("--wrong", type=int, default=0, help="print so many wrong and missed calls")
    given = parser.parse_args(arguments)
    skipped = []
    for asked in (_java, _scripts):
        try:
            for name, found in asked(given):
                sys.stdout.write("\n".join((name, *found.lines(listed=given.wrong))) + "\n")
                sys.stdout.flush()
        except Missing as why:
            skipped.append(f"skipped: {why}")
    if len(skipped) == 2:
        leave("; ".join(skipped))
    sys.stdout.write("".join(f"{line}\n" for line in skipped))
    return 0


def _java(given: argparse.Namespace) -> Iterator[tuple[str, CallComparison]]:
    yield given.module, jdk.measured(given.jdk, given.module, given.package or ())


def _scripts(given: argparse.Namespace) -> Iterator[tuple[str, CallComparison]]:
    if given.npm is None:
        raise Missing("packages of npm; name by --npm a folder that has them and typescript")
    for name in given.own or typescript.installed(given.npm):
        yield name, typescript.measured(given.npm, name)


if __name__ == "__main__":
    raise SystemExit(main())
