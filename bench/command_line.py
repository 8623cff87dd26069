"""Command line of a bench: arguments checked before anything is measured."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000, "1M": 1_000_000}


def positive(text: str) -> int:
    """Return a whole number, 1 or more."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} measures nothing; give 1 or more")
    return number


def sizes(text: str) -> tuple[str, ...]:
    """Return the names of sizes, parted by commas: 1k, 10k, 100k, 1M or plain numbers."""
    names = tuple(text.split(","))
    for name in names:
        if name not in SIZES and not (name.isdecimal() and int(name)):
            known = ", ".join(SIZES)
            raise argparse.ArgumentTypeError(f"{name!r} is no size; give {known} or a number")
    return names


def count_of(name: str) -> int:
    """Return how many memories a size has: 10k, 1M or a plain number."""
    return SIZES[name] if name in SIZES else int(name)


def folder(text: str) -> Path:
    """Return a folder that is there."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text!r}: there is no such folder")
    return Path(text)


def existing(text: str) -> Path:
    """Return a file or folder that is there."""
    if not Path(text).exists():
        raise argparse.ArgumentTypeError(f"{text!r}: there is no such file or folder")
    return Path(text)


def writable(text: str) -> Path:
    """Return a file that can be written: in a folder that is there."""
    path = Path(text)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text!r}: is a folder, or its folder is missing")
    return path


def parts(arguments: Sequence[str], least: int, bench: str) -> Sequence[str]:
    """Return what one part of a bench is given in a process of its own; by hand it is not run."""
    if len(arguments) < least:
        leave(f"a part that 'python -m bench {bench}' runs by itself; run that")
    return arguments


def leave(why: str) -> NoReturn:
    """End the process with one line and the exit code of a wrong command line."""
    print(why, file=sys.stderr)
    raise SystemExit(2)
