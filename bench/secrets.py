"""How well secrets are told from harmless text, and how fast.

Precision and recall count texts of the evaluation set (`secrets/secrets.jsonl`: is there a secret
in this text?); the kinds of those that were judged wrongly are said. Throughput is measured on this
repository's own files, prose and code, repeated.
The floor is detect-secrets (`bc-detect-secrets`), default plugins, where that is installed.
"""

from __future__ import annotations

import base64
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memkit.redaction import redact, scan

from .results import Options, Row

ROOT = Path(__file__).resolve().parents[1]
_MEGABYTES = 4  # of plain text for the throughput, the median of three runs


def run(options: Options) -> list[Row]:
    """One row per metric: precision, recall (0..1) and megabytes a second, beside its floor."""
    folder = options.folder("secrets", "secrets", holds="secrets.jsonl")
    if folder is None:
        return []
    rows = _read(folder / "secrets.jsonl")[: options.limit]
    wrong = Counter(row["kind"] for row in rows if bool(scan(row["text"])) != row["is_secret"])
    options.say(
        f"secrets: judged wrongly: {', '.join(f'{n} {k}' for k, n in wrong.items()) or 'none'}"
    )
    own = _quality(rows, lambda text: bool(scan(text))) | {"mb_per_s": _throughput(redact)}
    floor = _floor(rows, options)
    return [Row("secrets", name, value, floor.get(name)) for name, value in own.items()]


def _read(path: Path) -> list[dict[str, Any]]:
    """Return the rows of the set with their text decoded: id, text, is_secret, kind."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        row["text"] = base64.b64decode(row.pop("text_b64")).decode("utf-8")
    return rows


def _quality(rows: list[dict[str, Any]], finds: Callable[[str], bool]) -> dict[str, float]:
    counts = Counter((row["is_secret"], finds(row["text"])) for row in rows)
    hits, false, missed = counts[True, True], counts[False, True], counts[True, False]
    return {"precision": hits / max(1, hits + false), "recall": hits / max(1, hits + missed)}


def _plain_text(root: Path) -> str:
    suffixes = {".py", ".md", ".sql", ".toml"}
    files = (
        path for name in ("memkit", "sql", "tests", "bench") for path in (root / name).rglob("*")
    )
    texts = [path.read_text("utf-8") for path in sorted(files) if path.suffix in suffixes]
    texts += [path.read_text("utf-8") for path in sorted(root.glob("*.md"))]
    text = "\n".join(part for part in texts if redact(part).text is part)
    size = _MEGABYTES * 1_000_000
    return (text * (size // len(text) + 1))[:size]


def _throughput(scanner: Callable[[str], object]) -> float:
    text = _plain_text(ROOT)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        scanner(text)
        seconds.append(time.perf_counter() - start)
    return len(text) / 1e6 / sorted(seconds)[1]


def _floor(rows: list[dict[str, Any]], options: Options) -> dict[str, float]:
    try:
        from detect_secrets.core.scan import scan_file  # noqa: F401
    except ImportError:
        options.say("secrets: no floor; pip install bc-detect-secrets gives one")
        return {}
    with tempfile.TemporaryDirectory() as folder:
        floor = _quality(rows, lambda text: any(_detect_secrets(text, Path(folder))))
        sample = _plain_text(ROOT)[:200_000]
        start = time.perf_counter()
        list(_detect_secrets(sample, Path(folder)))
        return floor | {"mb_per_s": len(sample) / 1e6 / (time.perf_counter() - start)}


def _detect_secrets(text: str, folder: Path) -> Iterator[object]:
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    place = folder / "text.txt"
    place.write_text(text, "utf-8")
    with default_settings():
        yield from scan_file(str(place))
