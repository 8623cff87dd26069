"""Made-up memories with the word frequencies of real prose, the same on every run of one Python.

Sentences are drawn from the docstrings of the standard library and of this repository and mixed by
a seeded chain of words (each word follows the two before it as it does somewhere in the source),
so common words are as common, and rare ones as rare, as in what people write about code. Names of
modules and functions are strewn in, because the vocabulary of a growing store grows too.
"""

from __future__ import annotations

import ast
import math
import random
import re
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

ROOT = Path(__file__).resolve().parent.parent
# Words of a memory: log-normal, median 28, as turns of conversations and notes on code are.
_MEDIAN, _SPREAD, _SHORTEST, _LONGEST = 28, 0.6, 5, 200
# Share of words that are exchanged for a name out of the code.
_NAMES_SHARE = 0.04
_TAGS = 200
# Tags follow Zipf's law: the first is on a tenth of the memories.
COMMONEST_TAG = "topic-1"
_FOLDERS = ("asyncio", "email", "http", "json", "logging", "unittest", "xml", "concurrent")
_NOISE = (
    "how do we handle", "what about", "where is", "why did we change", "is there anything on",
    "do you remember", "which one uses", "when should I use",
)  # fmt: skip


@attrs.frozen
class Source:
    """Words in their order, and names, out of the files at hand."""

    followers: dict[tuple[str, str], tuple[str, ...]]
    starts: tuple[tuple[str, str], ...]
    names: tuple[str, ...]


@attrs.frozen
class Made:
    """A made-up memory."""

    text: str
    tags: tuple[str, ...]


def read_source() -> Source:
    """Return the words and names of the standard library and of this repository."""
    followers: dict[tuple[str, str], list[str]] = {}
    starts: list[tuple[str, str]] = []
    names: dict[str, None] = {}
    for path in _files():
        sentences, found = _parsed(path)
        names.update(dict.fromkeys(found))
        for sentence in sentences:
            words = sentence.split()
            if len(words) < 4:
                continue
            starts.append((words[0], words[1]))
            for first, second, third in zip(words, words[1:], words[2:], strict=False):
                followers.setdefault((first, second), []).append(third)
    chain = {pair: tuple(after) for pair, after in followers.items()}
    return Source(chain, tuple(starts), tuple(names))


def memories(source: Source, count: int, *, seed: int) -> Iterator[Made]:
    """Yield made-up memories; the first ones are the same whatever the count."""
    rng = random.Random(seed)
    for _ in range(count):
        length = round(rng.lognormvariate(math.log(_MEDIAN), _SPREAD))
        words = _words(source, rng, min(max(length, _SHORTEST), _LONGEST))
        tags = tuple(f"topic-{int(_TAGS ** rng.random())}" for _ in range(rng.randrange(3)))
        yield Made(" ".join(words), tuple(dict.fromkeys(tags)))


def questions(texts: Sequence[str], count: int, *, seed: int) -> list[str]:
    """Return questions: three to six words of one text, behind words that ask."""
    rng = random.Random(seed)
    found = []
    for _ in range(count):
        text = rng.choice(texts)
        words = [word for word in re.findall(r"[\w.]+", text) if len(word) > 3] or text.split()
        start = rng.randrange(max(1, len(words) - 6))
        near = words[start : start + 8]
        chosen = rng.sample(near, k=min(rng.randint(3, 6), len(near)))
        found.append(f"{rng.choice(_NOISE)} {' '.join(chosen)}?")
    return found


def _words(source: Source, rng: random.Random, length: int) -> list[str]:
    words: list[str] = []
    while len(words) < length:
        pair = rng.choice(source.starts)
        sentence = [*pair]
        while (after := source.followers.get(pair)) and len(sentence) < length - len(words):
            pair = (pair[1], rng.choice(after))
            sentence.append(pair[1])
        words += sentence
    return [rng.choice(source.names) if rng.random() < _NAMES_SHARE else word for word in words]


def _files() -> Iterator[Path]:
    library = Path(sysconfig.get_path("stdlib"))
    for folder in (library, *(library / name for name in _FOLDERS)):
        yield from sorted(folder.glob("*.py"))
    for name in ("memkit", "bench"):
        yield from sorted((ROOT / name).rglob("*.py"))


def _parsed(path: Path) -> tuple[list[str], list[str]]:
    """Return the sentences of a file's docstrings and the names it defines."""
    try:
        tree = ast.parse(path.read_text("utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return [], []
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    sentences, names = [], []
    for node in ast.walk(tree):
        if not isinstance(node, documented):
            continue
        if not isinstance(node, ast.Module):
            names.append(f"{path.stem}.{node.name}")
        if text := ast.get_docstring(node):
            parts = re.split(r"(?<=[.:;])\s+|\n\s*\n", text)
            sentences += [part for part in parts if ">>>" not in part]
    return sentences, names
