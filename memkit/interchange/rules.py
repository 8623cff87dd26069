"""What sort of statement a text is, judged by its wording: rule, prohibition, procedure or fact.

Only wording in the imperative counts: "Never retry a POST" forbids, "it never finished" tells.
"""

from __future__ import annotations

import re

from ..memories.kinds import Kind
from ..memories.records import Procedure

# Where an order may begin: the start, the end of a sentence or clause, a list or bold mark.
_START = (
    r"(?:^|[.;:!?—–]\s+|\n|[-*]\s+|\*\*|__|\b(?:and|but|so|please|then|always|you|we|agents?)\s+)"
)
_MARKS = r"[*_`\"'(\[]*"
_FORBIDS = re.compile(
    _START + _MARKS + r"(?:never|do\s+not|don['’]?t|avoid|stop|no\s+longer)\b(?!\s+(?:mind|worry))"
    r"|\b(?:must|should|may|shall|can)\s*(?:not|n['’]t|never)\b(?!\s+be\s+(?:able|surprised))"
    r"|\bcannot\s+be\s+(?:used|changed|edited)\b|\bis\s+(?:forbidden|prohibited|not\s+allowed)\b"
    r"|\bare\s+(?:forbidden|prohibited|not\s+allowed)\b|" + _START + _MARKS + r"no\s+\w+s?\b[^?]*$",
    re.I,
)
_PREFERS = re.compile(
    _START + _MARKS + r"(?:always|prefer|use|favou?r|keep|follow|write|make\s+sure|ensure|stick"
    r"|choose|put|name|add|include|be)\b"
    r"|\b(?:must|should|shall|prefers?|preferred|instead\s+of|rather\s+than|by\s+convention)\b",
    re.I,
)
_STEP = re.compile(r"^\s{0,3}\d+[.)]\s+(.*(?:\n(?!\s{0,3}\d+[.)]\s).*)*)", re.M)
_HOW_TO = re.compile(
    r"\b(how\s+to|steps?|set\s?-?up|install\w*|releas\w+|deploy\w*|build\w*|run\w*|test\w*|workflow"
    r"|getting\s+started|quick\s?start|usage|debug\w*|migrat\w+|publish\w*|develop\w*)\b",
    re.I,
)
_COMMANDS = re.compile(r"```(?:ba|z|fi)?sh|```(?:console|shell|powershell)|^\s*\$ \S", re.M)
# What stands under one heading as prose is a procedure from so many steps on.
_FEWEST_STEPS = 2


def kind_of(text: str, *, heading: str = "", is_rule: bool = False) -> Kind:
    """Return the kind of a statement; only where rules are given (`is_rule`) is it one of them."""
    if is_rule and _FORBIDS.search(text):
        return Kind.NEGATIVE
    if len(steps(text)) >= _FEWEST_STEPS or (_HOW_TO.search(heading) and _COMMANDS.search(text)):
        return Kind.PROCEDURE
    if is_rule and _PREFERS.search(text):
        return Kind.PREFERENCE
    return Kind.FACT


def procedure_of(text: str, *, name: str) -> Procedure | None:
    """Return the numbered steps of a text, or None if it has fewer than two."""
    found = steps(text)
    return Procedure(found, name=name) if len(found) >= _FEWEST_STEPS else None


def steps(text: str) -> tuple[str, ...]:
    """Return the items of numbered lists, each on one line."""
    return tuple(" ".join(match[1].split()) for match in _STEP.finditer(text) if match[1].strip())
