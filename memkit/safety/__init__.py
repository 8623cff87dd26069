"""Keeps secrets out of the store: found by published formats and by their names, replaced by typed
markers.

Modules:

- from a text to a text without secrets:
    redaction, findings, rendered
- found by their form:
    formats, prefixed, anchored, anchors, encoded, wrapped, runs, hidden
- found by the name beside them:
    named, names, beside, values, letters, prose
- on a command line:
    commands, programs
- files that are not read:
    private, private_names, paths
"""

from .findings import Finding
from .paths import redact_path, suspects
from .private import PrivateFiles
from .redaction import Redacted, clean_text, quoted, redact, redact_json, scan

__all__ = [
    "Finding",
    "PrivateFiles",
    "Redacted",
    "clean_text",
    "quoted",
    "redact",
    "redact_json",
    "redact_path",
    "scan",
    "suspects",
]
