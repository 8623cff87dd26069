"""Standard input and output as they really are: any encoding, closed, a pipe that ends early.

Stored text can hold anything. What is printed for people has its control characters and direction
marks made visible, so that no memory can drive the terminal; JSON stays within the encoding.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import sys
import unicodedata
from itertools import accumulate, takewhile
from typing import IO, Any

from ..tokens import boundary
from ..words.encodings import decode
from .table import Usage

# C0 but tab and newline, DEL and C1 (escape sequences), direction marks (text that shows otherwise
# than it is), separators that end a line for some programs.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_WIDE = frozenset("WF")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def prepare() -> None:
    """Let any text be printed on stdout and stderr, whatever their encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def visible(text: str) -> str:
    """Return a text with everything that would act on a terminal shown as an escape."""
    return _UNSAFE.sub(lambda match: _escape(match[0]), text)


def one_line(text: str) -> str:
    """Return a text on one line, safe to print."""
    return visible(" ".join(text.split()))


def json_text(document: object) -> str:
    """Return one JSON document, safe to print on stdout as it is."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    text = json.dumps(document, ensure_ascii=encoding != "utf8", indent=2, default=_plain)
    return _UNSAFE.sub(lambda match: match[0] if match[0] == "\n" else _json_escape(match[0]), text)


def fit(text: str, columns: int) -> str:
    """Return a line cut to so many columns, between characters as people see them, with an
    ellipsis."""
    if columns_of(text) <= columns:
        return text
    widths = accumulate(map(_width, text))
    end = sum(1 for _ in takewhile(lambda used: used < columns, widths))
    return text[: boundary(text, end)].rstrip() + "…"


def columns_of(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_width, text))


def read_stdin() -> str:
    """Return all of standard input as text: UTF-8, with or without a byte order mark."""
    return decode(stdin_bytes().read())


def given(text: str) -> str:
    """Return a text as it was given on the command line; '-' stands for standard input."""
    return read_stdin().rstrip("\r\n") if text == "-" else text


def stated(text: str) -> str:
    """Return the same of what is to be kept: raises Usage where letters of it would be lost."""
    if text != "-":
        return text
    data = stdin_bytes().read()
    if not data.startswith(_UTF16):
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise Usage(
                f"standard input: byte {error.start + 1} ({data[error.start]:#04x}) is not UTF-8; "
                "give text in UTF-8, for instance by 'iconv -f latin1 -t utf-8'"
            ) from None
    # How lines end is the shell's, not the statement's.
    return decode(data).replace("\r\n", "\n").rstrip("\r\n")


def stdin_bytes() -> IO[Any]:
    """Return standard input as bytes; raises Usage if it is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise Usage("standard input is closed; give the text or a file instead of -")
    return getattr(sys.stdin, "buffer", sys.stdin)


def stdout_bytes() -> IO[Any]:
    """Return standard output as bytes; raises Usage if it is closed."""
    if sys.stdout is None or sys.stdout.closed:
        raise Usage("standard output is closed; give a file to write to")
    sys.stdout.flush()
    return getattr(sys.stdout, "buffer", sys.stdout)


def drop_stdout() -> None:
    """After the reader of a pipe has gone: let nothing more be written, not even at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        sys.stdout = None
    finally:
        os.close(nowhere)


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def _escape(char: str) -> str:
    return f"\\x{ord(char):02x}" if ord(char) < 256 else f"\\u{ord(char):04x}"


def _json_escape(char: str) -> str:
    return f"\\u{ord(char):04x}"


def _plain(value: object) -> object:
    if isinstance(value, bytes | bytearray):
        return value.hex()
    return list(value) if isinstance(value, set | frozenset | tuple) else str(value)
