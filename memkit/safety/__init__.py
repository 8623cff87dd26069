"""Keeps secrets out of the store: found by published formats and by their names, replaced by typed
markers."""

from .findings import Finding
from .paths import redact_path, suspects
from .private import PrivateFiles
from .redaction import Redacted, clean_text, redact, redact_json, scan

__all__ = [
    "Finding",
    "PrivateFiles",
    "Redacted",
    "clean_text",
    "redact",
    "redact_json",
    "redact_path",
    "scan",
    "suspects",
]
