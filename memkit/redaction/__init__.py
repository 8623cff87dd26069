"""Secret detection and masking: redact, scan, is_private."""

from __future__ import annotations

from .private_files import PrivateFiles, redact_path, suspects
from .redactor import Redacted, clean_text, quoted, redact, redact_json, scan
from .rules import Finding

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
