"""How well secrets are told from harmless text, and how fast: `python -m bench.secrets [--misses]`.

Precision and recall count texts of the evaluation set (`secrets/secrets.jsonl`: is there a secret
in this text?). Throughput is measured on this repository's own files, prose and code, repeated.
The floor is detect-secrets (`bc-detect-secrets`), default plugins, where that is installed.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memkit.safety import redact, scan

ROOT = Path(__file__).resolve().parents[1]
DEFAULT_DATA = ROOT.parent / "shared" / "data"
_MEGABYTES = 4  # of plain text for the throughput, the median of three runs


def read(data: Path, part: str = "dev") -> list[dict[str, Any]]:
    """The rows of the set with their text decoded: id, text, is_secret, kind.

    `data` holds the sets by folder, or the parts (`dev`) that do.
    """
    folder = data if (data / "secrets").is_dir() else data / part
    place = folder / "secrets" / "secrets.jsonl"
    rows = [json.loads(line) for line in place.read_text("utf-8").splitlines()]
    for row in rows:
        row["text"] = base64.b64decode(row.pop("text_b64")).decode("utf-8")
    return rows


def run(data: Path, limit: int | None = None) -> list[dict[str, Any]]:
    """One row per metric: precision, recall (0..1) and megabytes a second, beside its floor."""
    rows = read(data)[:limit]
    own = _quality(rows, lambda text: bool(scan(text)))
    floor = _floor(rows)
    own["mb_per_s"] = _throughput(lambda text: redact(text))
    return [
        {"set": "secrets", "metric": name, "value": round(value, 4), "floor": floor.get(name)}
        for name, value in own.items()
    ]


def misses(data: Path) -> dict[str, list[str]]:
    """Texts that were judged wrongly, by kind; harmless ones under "not a secret: KIND"."""
    wrong: dict[str, list[str]] = defaultdict(list)
    for row in read(data):
        if bool(scan(row["text"])) != row["is_secret"]:
            wrong["" if row["is_secret"] else "not a secret: " + row["kind"]].append(row["text"])
            if row["is_secret"]:
                wrong[row["kind"]].append(wrong.pop("")[0])
    return dict(wrong)


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


def _floor(rows: list[dict[str, Any]]) -> dict[str, Any]:
    try:
        from detect_secrets.core.scan import scan_file  # noqa: F401
    except ImportError:
        print(
            "secrets: no floor, bc-detect-secrets is not installed (pip install bc-detect-secrets)"
        )
        return {}
    floor: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        quality = _quality(rows, lambda text: any(_detect_secrets(text, Path(folder))))
        floor.update({name: round(value, 4) for name, value in quality.items()})
        sample = _plain_text(ROOT)[:200_000]
        start = time.perf_counter()
        list(_detect_secrets(sample, Path(folder)))
        floor["mb_per_s"] = round(len(sample) / 1e6 / (time.perf_counter() - start), 4)
    return floor


def _detect_secrets(text: str, folder: Path) -> Iterator[object]:
    from detect_secrets.core.scan import scan_file
    from detect_secrets.settings import default_settings

    place = folder / "text.txt"
    place.write_text(text, "utf-8")
    with default_settings():
        yield from scan_file(str(place))


def main(arguments: list[str]) -> int:
    """Print the table, and with `--misses` what was judged wrongly."""
    data = Path(os.environ.get("MEMKIT_BENCH_DATA", DEFAULT_DATA))
    if not any((data / "dev" / "secrets").glob("*.jsonl")):
        print(f"skipped: no evaluation data at {data}; set MEMKIT_BENCH_DATA")
        return 0
    for row in run(data, None):
        print(f"{row['metric']:10} {row['value']:8.3f}   floor {row['floor'] or 'not installed'}")
    if "--misses" in arguments:
        for kind, texts in sorted(misses(data).items()):
            print(f"\n{kind} ({len(texts)})")
            for text in texts:
                print(f"    {text[:160]!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
