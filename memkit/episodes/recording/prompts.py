"""Prompt: what a user asked for, without what the agent's program put around it.

    <session_context>…</session_context>     <system-reminder>…</system-reminder>
    <environment_details>…</environment_details>  # AGENTS.md instructions for …

Such blocks are told by their tags, whose words name what a program tells a model; tags around what
the user wrote are taken off. A message of nothing else is no prompt.
"""

from __future__ import annotations

import re

from ...text.patterns import lazy_pattern
from ...text.word_lists import SOFT, STOP

# Words of tags that programs put around what they tell a model; HTML has some of them alone, or
# joined by a hyphen.
_CONTEXT_WORDS = (
    "context reminder instructions environment notification stdout stderr caveat metadata layout"
    " attachment attachments attached memories rules info ide aborted skill skills files status"
    " viewed diagnostics selection summary details command"
).replace(" ", "|")
_TAG = (
    rf"(?:[a-zA-Z]+[_ ])*(?:{_CONTEXT_WORDS})(?:[_ ][a-zA-Z]+)+"
    rf"|(?:[a-zA-Z]+[_ ])+(?:{_CONTEXT_WORDS})"
    r"|(?:[a-z]+-)+(?:reminder|notification|caveat|stdout|stderr|context|instructions|hook)"
    r"|INSTRUCTIONS|instructions|skill|rules|memories"
)
_BLOCK = lazy_pattern(rf"<({_TAG})(?:\s[^<>\n]*)?>.*?</\1>\s*", re.S)
# Tags around what the user wrote.
_WRAPPED = lazy_pattern(
    r"\s*<(user_query|user_message|user_prompt|user_request|task|feedback)>\s*(.*?)\s*</\1>\s*",
    re.S,
)
_IDE = lazy_pattern(r"\s*# Context from my IDE setup:.*?^## My request for Codex:\s*", re.S | re.M)
# What stands in the place of a prompt and is none.
_NO_PROMPT = lazy_pattern(
    r"\s*(?:/[\w:-]+(?:\s|$)|<(?:command-\w+|local-command-\w+|bash-\w+|user-memory-input"
    r"|task-notification)\b|\[Request interrupted by user|Warmup\s*$"
    r"|Caveat: The messages below were generated|This session is being continued from a previous"
    r"|# AGENTS\.md instructions for "
    r"|This is the \w+ CLI\. We are setting up the context for our chat)"
)
_LONGEST = 1_000_000
# Beside words that tell nothing of what is asked for: how people say yes, no and go on to an agent.
_REPLIES = frozenset(
    "ok okay k y yep yeah n nope thanks thank continue proceed ahead carry resume retry try "
    "keep next sure great perfect nice cool fine correct wrong lgtm hi hello hey "
    "done sounds again agreed option variant ja jo jep nein bitte danke weiter mach mache das "
    "so passt genau gerne klar gut mal nochmal sí si no gracias sigue vale oui merci".split()
)
_LONGEST_REPLY = 6
_WORD = lazy_pattern(r"\w+(?:['’]\w+)?")


def request_of(words: str) -> str | None:
    """Return what the user wrote, or None if it is a command or nothing of the user's."""
    if _NO_PROMPT.match(words):
        return None
    request = _IDE.sub("", _BLOCK.sub("", words[:_LONGEST]), count=1).strip()
    if match := _WRAPPED.fullmatch(request):
        request = match[2]
    return None if not request or _NO_PROMPT.match(request) else request


def is_reply(request: str) -> bool:
    """Whether a prompt only answers the agent ("ok", "yes please", "option b", "2"): it asks for
    nothing of its own, and what was under way goes on."""
    words = [word.lower().replace("’", "'") for word in _WORD.findall(request)]
    is_short = 0 < len(words) <= _LONGEST_REPLY and len(request) < 20 * _LONGEST_REPLY
    return is_short and all(
        word in STOP or word in SOFT or word in _REPLIES or word.isdecimal() or len(word) == 1
        for word in words
    )
