"""Random valid message lists of the providers' formats, as Hypothesis draws them."""

from __future__ import annotations

from hypothesis import strategies as st

from bench.histories import FORMATS, Message, history

format_names = st.sampled_from(FORMATS)
# Hypothesis makes the choices of this Random, so that what it finds is made small.
randoms = st.randoms(use_true_random=False)


def histories(format: str) -> st.SearchStrategy[list[Message]]:
    """Valid lists of one format: parallel calls, thinking, images, server tools, a call that waits
    at the end, a compaction block."""
    return randoms.map(lambda random: history(random, format))


# A format's name and a valid list of it.
named_histories = format_names.flatmap(lambda name: st.tuples(st.just(name), histories(name)))
