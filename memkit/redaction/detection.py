"""Detection pipeline: all detectors over a text and over what it shows once decoded."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from . import decoding, keyword_detector, password_detectors, token_detector
from .decoding import encoded, views, wrapped
from .entropy import fits
from .keyword_detector import columns, kind_of, named, strength
from .literal_search import LiteralSearch, LowerText
from .password_detectors import commands, prose
from .rules import Finding, merge
from .token_detector import anchored, long_runs, prefixed, private_keys, urls


def scan_once(text: str) -> list[Finding]:
    """Return the secrets of a text and of what it shows once decoded, in order of place."""
    # One byte a character, so that places agree; everything beyond Latin-1 becomes "?", which is in
    # no rule's literal.
    shadow = text.encode("latin-1", "replace")
    lower = _search().over(shadow.lower())
    findings = _findings(text, shadow, lower)
    for view in views(text, lower):
        shadow = view.text.encode("latin-1", "replace")
        lower = _search().over(shadow.lower())
        findings += map(view.original, _findings(view.text, shadow, lower))
    return merge(findings)


@cache
def _search() -> LiteralSearch:
    detectors = (token_detector, keyword_detector, password_detectors, decoding)
    return LiteralSearch(literal for detector in detectors for literal in detector.LITERALS)


def _findings(text: str, shadow: bytes, lower: LowerText) -> list[Finding]:
    runs = long_runs(shadow)
    findings = [*private_keys(text, lower), *prefixed(text, shadow, runs), *anchored(text, lower)]
    findings += [*encoded(shadow, runs), *wrapped(text, shadow, runs)]
    findings += [*urls(text, lower), *_manifests(text, lower), *named(text, lower)]
    findings += [*commands(text, lower), *prose(text, lower), *columns(text, lower)]
    return findings


def _manifests(text: str, lower: LowerText) -> Iterator[Finding]:
    if lower.places("secret") and (lower.places("kind") or lower.places("kubernetes_secret")):
        from .manifests import kubernetes  # few texts hold one, and its forms take time to compile

        yield from kubernetes(text, lower)


def kind_by_key(key: str, value: str) -> str | None:
    """Return the kind of secret that a value is by the name it has, or None."""
    force = strength(key)
    return kind_of(key, force) if fits(value, force) else None
