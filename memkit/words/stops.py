"""Small closed lists: words that are never asked for, and words that turn round what is said.

Words, not data: nothing here was taken from the sets that ranking is measured on.
"""

from __future__ import annotations

# Function words: never asked for, unless there is nothing else in the question.
STOP = frozenset(
    "a about above after again against all also am an and any are aren't as at be because been "
    "before being below between both but by can can't cannot could couldn't d did didn't do does "
    "doesn't doing don don't dont down during each etc ever few for from further get got had has "
    "have having he her here hers herself him himself his how i i'd i'll i'm i've if im in into is "
    "isn't it it's its itself ive just let's like ll m many may me might more most much must my "
    "myself no nor not of off on once only or other our ours ourselves out over own please re s "
    "same shall she should since so some such t tell than that that's the their theirs them "
    "themselves then there there's these they they're this those through to too under until up "
    "upon us ve very via vs was wasn't we we're were weren't what what's when where which while "
    "who whom why will with won't would wouldn't yes yet you you're your yours yourself".split()
)

# In the languages in which "No, do" is told from "No do". Hashes that are stored follow from it
# (memories/identity.py), so it never changes.
NEGATIONS = frozenset("no not never nor cannot nein nicht kein non pas ne нет не нельзя".split())
_NOT = ("n't", "n’t")


def is_negation(word: str) -> bool:
    """Whether a word says that something is not so, whatever its case."""
    small = word.lower()
    return small in NEGATIONS or small.endswith(_NOT)
