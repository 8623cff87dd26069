"""Texts in one of Unicode's forms, so that what looks alike is alike; most are ASCII anyway."""

from __future__ import annotations

import unicodedata


def nfc(text: str) -> str:
    """Return a text with its accents joined to their letters, the form in which texts are compared:
    one file system, keyboard or editor keeps them so, another apart."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def nfkc(text: str) -> str:
    """Return a text with letters of one meaning made one as well (ﬁ and fi, ｶ and カ)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def spellings(text: str) -> list[str]:
    """Return a path or name as it is given, then with its accents joined to their letters and
    apart, then with letters of one meaning made one, as Python reads them: file systems and
    sources keep, and people type, any of these."""
    forms = (text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC")))
    return [text] if text.isascii() else list(dict.fromkeys(forms))
