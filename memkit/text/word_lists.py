"""Word lists: stop words, negations, abbreviations, words of low weight."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# --- Stop words and negations.
#
# Words, not data: nothing here was taken from the sets that ranking is measured on.

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

# Function words of other languages: articles, pronouns, prepositions, question words. Some are
# words of English or names in code as well, so they weigh little rather than nothing.
FOREIGN = frozenset(
    # German
    "aber alle als auch auf aus bei bin bis das dass dem den denn der des die dies diese dieser "
    "dieses doch dort du durch ein eine einem einen einer eines er es für gibt habe haben hier "
    "ich ihr ihre im ist ja jede jeder kann kein keine können man mein mit muss nach nicht noch "
    "nur oder ohne sein sich sie sind soll um und uns unser vom von vor wann warum weil welche "
    "welcher welches wenn wer werden wie wieder wir wird wo wohin wozu wurde zu zum zur zwischen "
    "über "
    # French
    "au aux avec ce ces cet cette chez comme comment dans de des donc du elle elles en entre est "
    "et ici il ils je la le les leur leurs lui mais mes mon ne nos notre nous on où par pas peut "
    "pour pourquoi quand que quel quelle quelles quels qui quoi sa sans se ses sont sous sur tous "
    "tout un une vos votre vous "
    # Spanish, Portuguese, Italian
    "al ao aos che ci como con cual cuando cuál cuándo cómo da dal dalla das degli del della "
    "delle dello di donde dos dov dove dónde e el ella ellos em ese eso esta este esto está están "
    "fue gli ha hace hay i isso já las lo los mas mi muy na nel nella nem no nos nós o onde os ou "
    "para perché pero più por porque puede qual quale quando que quem quiere quién qué sem si sin "
    "sobre sono su sua suo são também te tu uma un una uno você vuol y é "
    # Dutch
    "dat deze die dit een en er geen het hoe ik is maar met naar niet nu of ook op te van voor "
    "waar waarom wat we welke wij worden wordt ze zijn".split()
)


def english_lead(words: Iterable[str]) -> int:
    """Return how many more of some words in lower case are function words of English alone than of
    other languages alone."""
    return sum((word in STOP) - (word in FOREIGN) for word in words)


# In the languages in which "No, do" is told from "No do". Hashes that are stored follow from it
# (memories/identity.py), so it never changes.
NEGATIONS = frozenset("no not never nor cannot nein nicht kein non pas ne нет не нельзя".split())
_NOT = ("n't", "n’t")


def is_negation(word: str) -> bool:
    """Whether a word says that something is not so, whatever its case."""
    small = word.lower()
    return small in NEGATIONS or small.endswith(_NOT)


# --- Abbreviations of developers, so that "the env vars of the repo" and "environment variables
# of the repository" meet.
#
# A closed list of common knowledge: shortenings that stand for the same thing wherever developers
# write, each with the words it is short for. What is short for too many things ("res", "pos") is
# not here, nor are words of like meaning, which vectors find.

_LONG_FORMS = {
    "admin": "administrator", "app": "application", "arg": "argument", "async": "asynchronous",
    "attr": "attribute", "auth": "authentication authorization", "authn": "authentication",
    "authz": "authorization", "cert": "certificate", "cfg": "configuration",
    "conf": "configuration", "config": "configuration", "cmd": "command", "conn": "connection",
    "ctx": "context", "db": "database", "dep": "dependency", "dev": "development developer",
    "dir": "directory", "doc": "documentation", "env": "environment", "err": "error",
    "exec": "execute", "expr": "expression", "fn": "function", "func": "function",
    "idx": "index", "impl": "implementation", "info": "information", "init": "initialization",
    "js": "javascript", "k8s": "kubernetes", "lang": "language", "lib": "library",
    "max": "maximum", "md": "markdown", "mem": "memory", "min": "minimum", "msg": "message",
    "num": "number", "obj": "object", "param": "parameter", "perf": "performance",
    "perm": "permission", "pg": "postgresql postgres", "pkg": "package",
    "postgres": "postgresql", "pref": "preference", "prev": "previous", "prod": "production",
    "prop": "property", "py": "python", "regex": "regexp", "repo": "repository",
    "req": "request requirement", "resp": "response", "spec": "specification", "src": "source",
    "stat": "statistic", "std": "standard", "sys": "system", "temp": "temporary",
    "tmp": "temporary", "ts": "typescript", "tz": "timezone", "util": "utility", "val": "value",
    "var": "variable", "ws": "websocket", "a11y": "accessibility",
    "i18n": "internationalization", "l10n": "localization", "o11y": "observability",
}  # fmt: skip


def _both_ways() -> Mapping[str, tuple[str, ...]]:
    forms: dict[str, list[str]] = {}
    for short, longs in _LONG_FORMS.items():
        for long in longs.split():
            forms.setdefault(short, []).append(long)
            forms.setdefault(long, []).append(short)
    return {word: tuple(others) for word, others in forms.items()}


_OTHERS = _both_ways()


def other_forms(word: str) -> tuple[str, ...]:
    """Return the long forms of a shortened word in lower case, or the short forms of a long one,
    in the singular; none of what has no other form."""
    return _OTHERS.get(word) or _OTHERS.get(_singular(word), ())


def _singular(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("s")


# --- Words of low weight in a question.

# Words of the frame of a question ("can you give me a complete list of the …"): they may occur
# anywhere and tell little of what is asked, so they weigh only SOFT_WEIGHT of their rarity.
SOFT = frozenset(
    "use used uses using make makes made making thing things something anything kind kinds type "
    "types sort way ways lot bit current currently exact exactly specific specifically various "
    "different several certain particular overall complete completely full fully entire whole "
    "detailed detail details list describe explain mention mentioned mentioning discuss discussed "
    "discussion discussions talk talked talking conversation conversations said say says saying "
    "told remind recall remember summary summarize summarise comprehensive overview provide give "
    "gave help helped walk brought bring order aspects aspect item items topic topics throughout "
    "across know known think thought want wanted need needed look looking looks related regarding "
    "based involve involved include includes included including developer user project projects "
    "implemented implement implementation approach happen happened happens handle handled handles "
    "work works working come came comes go goes going went first last time times new good best "
    "better main recommended suggest suggested recommend prefer preferred preference preferences "
    "start started compared versus considering given originally actually really getting set setup "
    "decision decisions established establish encountered encounter "
    "put take taken took see seen seem seems one two three four five six seven eight nine "
    "ten".split()
)
# Measured with bench/train over .2 to 1: chats gain 2 points of R@10 against 1, turns lose .2.
SOFT_WEIGHT = 0.3

# --- Words of which one excludes the others of its group: where one was said, another denies it.
# Their vectors are as near as those of words that mean the same.

EXCLUSIVE: tuple[tuple[str, ...], ...] = tuple(
    tuple(group.split())
    for group in (
        "enable disable", "allow forbid", "permit prohibit", "with without", "include exclude",
        "accept reject", "use avoid", "prefer avoid", "ascending descending", "true false",
        "required optional", "sync async", "synchronous asynchronous", "public private",
        "mutable immutable", "supported unsupported", "possible impossible", "safe unsafe",
        "stable unstable", "encrypted unencrypted", "tabs spaces", "single double",
        "uppercase lowercase", "always never", "left right", "before after", "above below",
        "minimum maximum", "stdout stderr stdin", "main master develop trunk", "kb mb gb tb",
        "monday tuesday wednesday thursday friday saturday sunday",
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "january february march april may june july august september october november december",
        "milliseconds seconds minutes hours days weeks months years",
    )
)  # fmt: skip
