"""Tree-sitter grammars, parse with time limit.

The grammars come from tree-sitter-language-pack 0.13, the last series that carries them; later
ones fetch them from a network at run time, and an index without grammars would be silently empty.
"""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

from ...errors import NotFound

if TYPE_CHECKING:
    from tree_sitter import Parser, Tree

# Seconds that one file may take: 288 KB of Python take .1, 2.8 MB in one line of JavaScript 1.7.
PARSE_SECONDS = 2.0
# Below this size no file comes near the budget, and asking the clock costs a tenth of the parse.
_SMALL = 200_000
_CHUNK = 1 << 16


class ParseTimeout(TimeoutError):
    """A file takes longer to parse than it is worth."""


def parse(data: bytes, language: str, *, seconds: float = PARSE_SECONDS) -> Tree:
    """Return the syntax tree of UTF-8 text in the grammar of that name.

    A tree is there for any bytes: what the grammar does not know stands in ERROR nodes.
    Raises NotFound for a grammar that is not installed, ParseTimeout if `seconds` do not suffice.
    """
    parser = _parser(language)
    if len(data) <= _SMALL:
        return parser.parse(data)
    end = time.monotonic() + seconds
    chunks: list[memoryview] = []

    def chunk(offset: int, _: object) -> memoryview:
        chunks.append(memoryview(data)[offset : offset + _CHUNK])
        return chunks[-1]

    try:
        # The options after the reader are not in the package's type hints.
        return parser.parse(  # type: ignore[call-overload, no-any-return, unused-ignore]
            chunk, progress_callback=lambda *_: time.monotonic() > end
        )
    except ValueError as error:
        # The next parse would otherwise go on with this text.
        parser.reset()
        raise ParseTimeout(
            f"{len(data)} bytes of {language}: not parsed within {seconds:g} seconds"
        ) from error
    finally:
        # The binding (0.26.1) never lets go of what the reader returned: three times the file.
        for view in chunks:
            view.release()


@cache
def _parser(language: str) -> Parser:
    try:
        from tree_sitter import Parser
        from tree_sitter_language_pack import get_language

        return Parser(get_language(language))  # type: ignore[arg-type, unused-ignore]
    except (ImportError, LookupError, OSError, RuntimeError, ValueError) as error:
        raise NotFound(
            f"grammar {language!r}: not in the installed tree-sitter-language-pack ({error}); "
            "memkit needs the series 0.13, which carries its grammars"
        ) from error
