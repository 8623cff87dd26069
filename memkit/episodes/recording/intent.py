"""What a task is after, told from its words and from what was done."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..kinds import CHANGING, Intent, Operation

# Words of the description that speak for an intent; a verb at the beginning counts twice, since a
# request usually begins with what is wanted.
_WORDS = {
    Intent.PROJECT_FIXING: (
        "fix debug repair solve resolve correct broken bug crash crashes error errors fail fails"
        " failing failure regression issue wrong flaky traceback exception leak hotfix revert"
    ),
    Intent.CODE_WRITING: (
        "add implement create write build make refactor rename extract move migrate support port"
        " introduce replace remove delete update change improve optimise optimize generate convert"
        " extend upgrade bump document feature"
    ),
    Intent.CODE_READING: (
        "explain read understand describe summarise summarize review what why how does walk"
        " clarify show"
    ),
    Intent.PROJECT_EXPLORATION: (
        "explore find search locate where list overview investigate look map survey structure"
        " architecture which inspect"
    ),
}
_BY_WORD = {word: intent for intent, words in _WORDS.items() for word in words.split()}
_WORD = re.compile(r"[a-z]+")
# Only the beginning of a description says what is wanted; the rest is often pasted.
_READ = 600
# Files or searches from which on looking around is exploring rather than reading.
_MANY = 8


def infer(description: str, operations: Mapping[str, int]) -> Intent | None:
    """Return what a task is after, or None if nothing tells. `operations` counts the file
    operations of the task; words decide, and operations where the words do not."""
    votes = dict.fromkeys(Intent, 0)
    for place, word in enumerate(_WORD.findall(description[:_READ].lower())):
        intent = _BY_WORD.get(word)
        if intent is not None:
            votes[intent] += 3 if place < 2 else 1
    changed = sum(operations.get(operation, 0) for operation in CHANGING)
    looked = sum(operations.values()) - changed
    if changed:  # whoever changes files does not only look
        votes[Intent.CODE_READING] = votes[Intent.PROJECT_EXPLORATION] = 0
        votes[Intent.CODE_WRITING] += 1
    elif looked:
        searched = operations.get(Operation.SEARCH, 0)
        exploring = searched > looked / 2 or looked >= _MANY
        votes[Intent.PROJECT_EXPLORATION if exploring else Intent.CODE_READING] += 1
    best = max(votes, key=lambda intent: votes[intent])
    return best if votes[best] else None
