"""What Hypothesis makes up: texts of every kind, statements, names, moments, graphs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import strategies as st

# Anything a str can hold: NUL, lone surrogates, marks that stand on nothing, every plane.
any_text = st.text(max_size=120)

# Pieces that have broken other stores, mixed with everything else.
_AWKWARD = [
    "\0", "\ud800", "\udfff", "e\u0301", "\u00e9", "\u202e", "\ufeff", "\u200d", "\u2028", "\r\n",
    "👩\u200d👧", "🇩🇪", "固定", "テスト", "캐시", "مرحبا", "İ", "ß", "'", '"', "--", ";", "/*", "%",
    "_", "\\", "NEAR(", "^", "*", ":",
]  # fmt: skip
awkward_text = st.lists(st.sampled_from(_AWKWARD) | st.text(max_size=8), max_size=12).map("".join)
texts = any_text | awkward_text

# Statements that are not blank and hold no secret, few enough to meet again.
_WORDS = "cache token deploy build retry schema naïve größe 部署 queue".split()
statements = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=3).map(" ".join)

tag_names = st.sampled_from(["build", "ci", "naïve", "部署", "release train"])

_OFFSETS = st.integers(-14 * 60, 14 * 60).map(lambda m: timezone(timedelta(minutes=m)))
moments = st.datetimes(
    min_value=datetime(1971, 1, 1),
    max_value=datetime(2100, 1, 1),
    timezones=_OFFSETS | st.just(UTC),
)


@st.composite
def graphs(draw: st.DrawFn) -> list[tuple[int, int, str, float]]:
    """Edges (src, dst, kind, weight) between a dozen nodes, each pair and kind once."""
    node = st.integers(1, 12)
    kind = st.sampled_from(["relates_to", "next", "derived_from"])
    keys = draw(st.sets(st.tuples(node, node, kind), max_size=30))
    weight = st.integers(0, 10).map(lambda tenths: tenths / 10)
    return [(src, dst, name, draw(weight)) for src, dst, name in sorted(keys)]
