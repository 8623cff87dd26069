"""Python's names, dotted names and short constants as terms, from their text alone.

They are most of all expressions, and the same wherever the same text stands: neither their nodes
nor new terms have to be made.
"""

from __future__ import annotations

import re
import sys

from ..facts import CONST_CHARS, Term

# Types of the nodes whose text may tell everything.
PLAIN = frozenset({"identifier", "attribute", "string", "integer"})
STR: Term = ("const", "str", None)

_DOTTED = re.compile(rb"(?!(?:None|True|False)\b)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_DIGITS = 10
# Longer ones are walked: a chain of thousands of dots would go too deep.
_LONGEST = 300


def by_text(text: bytes, known: dict[bytes, Term]) -> Term:
    """Return the term of an expression of a plain type, None if its node must be walked.

    `known` are those of the texts that were met before; it is put in there.
    """
    if len(text) > _LONGEST:
        return None
    found: Term = None
    if text[:1] in (b'"', b"'") and text[:1] == text[-1:]:
        found = quoted(text.decode("utf-8", "replace"))
    elif text.isdigit() and len(text) < _DIGITS:
        found = ("const", "int", int(text))
    elif _DOTTED.fullmatch(text):
        return _dotted(text, known)
    if found is not None:
        known[text] = found
    return found


def quoted(text: str) -> Term:
    """Return the term of a string without a prefix, with what it says if that is short."""
    if len(text) > CONST_CHARS:
        return STR
    size = 3 if text[:3] in ('"""', "'''") else 1
    return ("const", "str", text[size:-size])


def is_plain(term: Term, name: str) -> bool:
    """Return whether a term calls nothing and does not read a name."""
    while term is not None and term[0] == "attr":
        term = term[1]
    return term is None or term[0] == "const" or (term[0] == "name" and term[1] != name)


def again(term: Term) -> Term:
    """Return what a value that was evaluated already is: its calls must not count twice."""
    return ("seen", term)


def _dotted(text: bytes, known: dict[bytes, Term]) -> Term:
    base, dot, last = text.rpartition(b".")
    name = sys.intern(last.decode())
    found: Term = ("attr", known.get(base) or _dotted(base, known), name) if dot else ("name", name)
    known[text] = found
    return found
