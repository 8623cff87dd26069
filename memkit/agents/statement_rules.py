"""Statement rules: which statements of a prompt are meant to last, by a few general forms.

Pure functions of the text. A statement lasts if it says so ("from now on", "remember that"), if it
orders something for every time (always, never, in the place of an order), if it corrects the agent
with what is so, or tells of a decision, a preference, a cause or a way of the project. Questions,
and what is said of "this" file, are none. The words of each form stand in one table for all
languages; quoted words and code never count as a form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from ..memories.records import Kind
from ..text.extractive import is_decision, is_question, split_statements
from ..text.patterns import lazy_pattern

LONGEST = 400
"""Letters of a statement that can be one memory; a longer one says several things."""

SHORTEST = 3
"""Words of the shortest statement that says something by itself (letters / 2 without spaces)."""


# Letters in which words that say something outright are looked for: pasted code is among them.
_MAX_GLANCE = 20_000


class Cue(StrEnum):
    """Form of a statement that is meant to last, which is the reason for a candidate."""

    EXPLICIT = "is to be remembered"
    STANDING = "holds from now on"
    ALWAYS = "holds always"
    FORBIDDEN = "is forbidden"
    REPEATED = "was said before"
    CORRECTION = "corrects the agent"
    DECISION = "was decided"
    PREFERENCE = "is preferred"
    CAUSE = "is a cause"
    CUSTOM = "is the custom here"


# Belief in a candidate by its form: what was said in so many words a little more than what a form
# suggests; never more than .6, since nobody has confirmed it.
CONFIDENCE = dict.fromkeys(Cue, 0.5) | {
    Cue.EXPLICIT: 0.6,
    Cue.STANDING: 0.6,
    Cue.CAUSE: 0.4,
    Cue.CUSTOM: 0.4,
}


OUTRIGHT = frozenset({Cue.EXPLICIT, Cue.STANDING, Cue.ALWAYS, Cue.FORBIDDEN})
"""Forms that say in so many words that a statement is to last."""


class Lasting(NamedTuple):
    """Statement that is meant to last: its words, cue and kind, and the triggers in it."""

    text: str
    cue: Cue
    kind: Kind
    triggers: tuple[str, ...] = ()


class Passing(NamedTuple):
    """Statement with a word of some form that is not meant to last, and why not."""

    text: str
    reason: str


def may_be_outright(text: str) -> bool:
    """Whether a text has words of those forms that say it outright: far less to compile and to
    match than to read it, and most prompts have none."""
    return _SAID_OUTRIGHT.search(text, 0, _MAX_GLANCE) is not None


def asks_nothing(prompt: str) -> bool:
    """Whether a prompt is nothing but a greeting, thanks, a yes or no, or an order to go on."""
    text = prompt.strip()
    return len(text) <= _LONGEST_COURTESY and _ONLY_COURTESIES.fullmatch(text) is not None


def read_statements(text: str) -> list[Lasting | Passing]:
    """Return what of a prose text is meant to last, and what only looks as if it were, in order."""
    statements = list(_statements(text))
    readings: list[Lasting | Passing] = []
    for place, statement in enumerate(statements):
        before = statements[place - 1] if place else ""
        if (reading := _read(statement, before)) is not None and reading not in readings:
            readings.append(reading)
    return readings


# --- Words of the forms. Each row is one form in all languages; `\b` holds for those with spaces.


def _either(*words: str) -> str:
    return "(?:" + "|".join(words) + ")"


_STANDING = _either(
    r"\bfrom\s+(?:now|here|this\s+point|today)\s+on(?:wards?|\s+out)?\b", r"\bgoing\s+forward\b",
    r"\bhenceforth\b", r"\bin\s+(?:the\s+)?future\s*,", r"\bas\s+a\s+(?:general\s+)?rule\b",
    r"\bin\s+general\b", r"\bat\s+all\s+times\b", r"\b(?:without|no)\s+exceptions?\b",
    r"\bfor\s+(?:all|every|each|any)\s+(?:new|future)\b", r"\bby\s+default\s*,",
    r"\b(?:when|each|every)\s*(?:ever|time)\s+(?:you|we|after|before)\b",
    r"\b(?:before|after)\s+(?:(?:you\s+\w+|\w+ing)\s+)?(?:each|every|any)\b",
    r"\bab\s+(?:jetzt|sofort|heute)\b", r"\bvon\s+(?:jetzt|nun)\s+an\b", r"\bk(?:ü|ue)nftig\b",
    r"\b(?:in|f(?:ü|ue)r\s+die)\s+Zukunft\b", r"\bgrunds(?:ä|ae)tzlich\b", r"\bgenerell\b",
    r"\ba\s+partir\s+de\s+(?:ahora|hoy)\b", r"\bde\s+ahora\s+en\s+adelante\b",
    r"\bpor\s+regla\s+general\b", r"\bd(?:é|e)sormais\b", r"\bdor(?:é|e)navant\b",
    r"\b(?:à|a)\s+partir\s+de\s+maintenant\b", "今後", "これから", "以[后後]", "今后", "从现在",
)  # fmt: skip
_REMEMBER = _either(
    r"remember", r"(?:keep|bear)\s+in\s+mind", r"note\s+to\s+(?:self|yourself)",
    r"for\s+(?:(?:your|future)\s+)?(?:reference|info(?:rmation)?|the\s+record)", "fyi",
    r"(?:just\s+a\s+)?heads[\s-]?up", r"just\s+so\s+you(?:'re|\s+are)?\s+(?:know|aware)",
    r"(?:do\s+not|don'?t)\s+forget", r"memori[sz]e", r"(?:make|take)\s+a\s+note",
    r"btw|by\s+the\s+way",
    r"merke?\s+dir", r"denke?\s+(?:bitte\s+)?dara?n", r"vergiss\s+nicht", r"zur\s+info",
    r"recuerda", r"ten\s+en\s+cuenta", r"no\s+olvides", r"souviens[\s-]toi", r"rappelle[\s-]toi",
    r"n'oublie\s+pas",
)  # fmt: skip
_THAT = r"(?:\s*[:,–—-]+\s*(?:that\s+|dass\s+|que\s+)?|\s+(?:that|dass|que)\s+)"
_REMEMBERED = lazy_pattern(rf"{_REMEMBER}(?:{_THAT}|(?<=fyi|btw)\s+)(?=\S)", re.I)
_REMEMBERED_CJK = lazy_pattern(
    r"(?:覚えて(?:おいて)?(?:ください)?|忘れないで|请?[记記]住)[:：,，、。]?\s*"
)
# "…, remember that": what stands before it, in its sentence or the one before.
_REMEMBER_THAT = lazy_pattern(
    r"(?:^|[,.;–—-]\s*)(?:and\s+|so\s+|but\s+|please\s+|pls\s+)*(?:remember|memori[sz]e|(?:keep|bear)\s+(?:that|this|it)"
    r"\s+in\s+mind|(?:keep|stick)\s+to|(?:do\s+not|don'?t)\s+forget|note|"
    r"(?:that|this|it)(?:'?s|\s+is)\s+(?:(?:a|the|our|my)\s+(?:\w+\s+)?(?:rule|convention|policy|standard|default)"
    r"|how\s+(?:i|we))\b[\w\s]*)(?:\s+(?:that|this|it))?(?:\s+(?:please|pls)|\s+for\s+[\w\s]+)?\s*[.!]*$",
    re.I,
)
# Names of rules before a colon, or said of what follows.
_LABEL = lazy_pattern(
    r"(?:(?:the|our|my|team|house|general)\s+)*(?:rule|convention|polic(?:y|ie)|preference|decision"
    r"|standard|guideline|regel|konvention|regla|r[èe]gle)s?(?:\s+(?:here|of\s+the\s+team))?"
    r"(?:\s*(?:is|are)(?:\s+simple)?)?\s*(?::|(?<=is|re)\s)\s*",
    re.I,
)
_IMPORTANT = lazy_pattern(r"(?:important|wichtig|importante?|attention|achtung)\s*[:!]+\s*", re.I)
_ALWAYS = _either(
    "always", "immer", "stets", "siempre", "toujours", r"il\s+faut\s+toujours", "必ず", "常に",
    "总是", "一定要", "务必", "始终",
)  # fmt: skip
_NEVER = _either(
    "never", r"(?:do\s+not|don'?t)\s+ever", r"under\s+no\s+circumstances", "niemals", "nie",
    "nunca", r"jam[áa]s", r"ne\s+\w+\s+jamais", "絶対に", "決して", r"(?:绝对|永远|千万)不[要能]",
)  # fmt: skip
_SAID_OUTRIGHT = lazy_pattern(f"{_REMEMBER}|{_STANDING}|{_ALWAYS}|{_NEVER}", re.I)
_NO_OPENING = _either(
    r"no+\b(?:\s+no\b)*", r"nope\b", r"nein\b", r"non\b", r"wrong\b", r"incorrect\b",
    r"not\s+(?:quite|true|right|correct)\b", r"actually\b", r"correction\b", r"eigentlich\b",
    r"en\s+realidad\b", r"falsch\b", r"faux\b", r"(?:that|this|it)(?:'?s|\s+is|\s+was)\s+"
    r"(?:wrong|incorrect|not\s+(?:right|true|correct)|false)\b",
    r"das\s+(?:stimmt\s+nicht|ist\s+falsch)\b",
    r"you(?:'re|\s+are)?\s+(?:wrong|mis(?:understood|read|took)|(?:mixed|got)\s+(?:it|that|this)\s+(?:up|wrong)(?:\s+again)?)\b",
    "いや", "違います?", "不对", "不是",
)  # fmt: skip
_AGAIN = _either(
    r"(?:as|like)\s+i\s+(?:\w+\s+)?(?:told|said|mentioned|asked)(?:\s+you)?(?:\s+before)?",
    r"i(?:'ve|\s+have)?\s+(?:already\s+)?(?:said|told\s+you)(?:\s+(?:this|it|that))?(?:\s+(?:before|already|a\s+few\s+times\s+now))?",
    r"how\s+(?:often|many\s+times)\s+(?:do|must)\s+i(?:\s+have\s+to)?\s+(?:say|repeat|tell)(?:\s+(?:it|this|you))*",
    r"what\s+did\s+i\s+(?:say|tell\s+you)\b[^?]*",
    r"you\s+(?:keep|always|still|again)\s+\w+[^.!?]*",
    r"(?:this|that)\s+must\s+never\s+happen\s+again",
)  # fmt: skip
# What the agent did, said before how it is done here.
_BLAMES = lazy_pattern(
    r"(?:you|your)\b.*\b(?:used|wrote|put|added|made|forgot|missed?|again|wrong|mixed|confused)\b",
    re.I,
)

# --- Words that let a form pass for nothing.

_FILLER = lazy_pattern(
    r"(?:(?:hey|hi|hello|ok(?:ay)?|ah|oh|h+m+|so|and|but|also|well|yes|yeah|sorry|good|great|thanks"
    r"|please|pls|plz|bitte|por\s+favor|again|wait|then|now|dann|und|und\s+bitte|i\s+think|guys)\b[\s,.:!–—-]*)+",
    re.I,
)
# What a person answers with who asks for nothing new.
_COURTESY = _either(
    r"y(?:es|eah|ep|up)", r"no(?:pe)?", r"ok(?:ay|i)?", "sure", "fine", "cool", "nice", "great",
    "good", "perfect", "super", "hi", "hey", "hello", r"(?:many\s+)?thanks(?:\s+a\s+lot)?",
    r"thank\s+you(?:\s+(?:so|very)\s+much)?", "thx", "ty", "lgtm", "please", "pls", "done",
    "continue", "proceed", r"(?:go|carry|move)\s+on", r"go\s+ahead", r"keep\s+going", r"do\s+it",
    "ja", "nein", "genau", "gerne?", "danke(?:\\s+sch(?:ö|oe)n)?", "bitte", "passt", "prima",
    r"(?:mach\s+)?weiter", "hallo", "s[ií]", "vale", r"(?:muchas\s+)?gracias", "hola",
    "contin[uú]a", "oui", "non", "merci", r"d['’]accord", "salut",
    "はい", "いいえ", "ありがとう(?:ございます)?",
    "お願いします", "続けて(?:ください)?", "好的?", "是的?", "谢谢", "謝謝", "继续", "繼續",
)  # fmt: skip
_ONLY_COURTESIES = lazy_pattern(rf"(?:{_COURTESY}(?:[\W_]+|$))+", re.I)
_LONGEST_COURTESY = 60
_TAG_QUESTION = lazy_pattern(
    r"[\s,]*\b(?:ok(?:ay)?|right|please|alright|got\s+it|yeah|clear)\s*\?+$", re.I
)
_WHOLE = (
    r"(?:repo(?:sitory)?|project|code\s?base|code\s+base|monorepo|team|company|organi[sz]ation|app(?:lication)?"
    r"|machine|laptop|workspace|service|product|house|client|one)s?\b"
)
_POINTED = lazy_pattern(
    rf"\b(?:this|these|those|(?:in|for|on|of|to|from|with|at)\s+that)\s+(?!{_WHOLE}|(?:is|are|was|were|must|should|will|can|means|we|you|i|it|the|they)\b)"
    r"[a-z][\w-]*|\bdies(?:e[mnrs]?)\s+\w+|\bin\s+line\s+\d+",
    re.I,
)
# What makes of the words behind its colon a text to be written, or an example.
_MAKES = lazy_pattern(
    r"(?:add|write|create|generate|implement|build|update|rewrite|translate|change|put|say|print|show|commit)\b.*:\s*$"
    r"|.*\b(?:e\.g|i\.e|for\s+example|like|following)\b[^,]*$",
    re.I,
)

# --- Grammar: orders, statements.

_CLAUSE = r"(?:^|[;:–—]\s*|,\s*(?:and\s+|but\s+|so\s+|then\s+)?|\b(?:and|but|so|then|y|und|et)\s+)"
_WHO = (
    r"(?:(?:please|pls|plz|bitte|por\s+favor)\s+)?"
    r"(?:(?:you|we|agents?)\s+(?:must\s+|should\s+|have\s+to\s+|need\s+to\s+)?|i\s+want\s+you\s+to\s+|wir\s+|"
    r"must\s+)?(?:(?:please|pls|bitte)\s+)?"
)
_UNIVERSAL = lazy_pattern(
    rf"{_CLAUSE}{_WHO}(?P<adverb>{_ALWAYS}|{_NEVER})\s*(?P<verb>[^\s,.;:!?]*)", re.I
)
_ENGLISH = lazy_pattern(r"always|never|do|under", re.I)
# A verb that tells instead of ordering: of a third person, or past.
_TELLING = lazy_pattern(
    r"(?:\w*(?:[^su]s|us(?<!us)|(?<!e)(?<!b)ed)|was|is|are|were|had|has|have|did|got|been|a|an|the|in|on|mind|again"
    r"|ran|saw|knew|worked|wieder|mehr|of|by|true|false|null|none|will|would|be)",
    re.I,
)
_AT_LAST = lazy_pattern(
    r"(?:,|\s[–—-])\s*(?:always|ever|never|full\s+stop|period|without\s+exception|no\s+exceptions?"
    r"|anywhere|every\s+time)\s*[.!]*$",
    re.I,
)
_DO_NOT = lazy_pattern(
    r"(?:(?:do\s+not|don'?t|avoid|stop(?=\s+\w+ing)|no\s+more|refrain)\b(?!\s+(?:worry|mind|bother|know|think|see|like|care))"
    r"|(?:bitte\s+)?(?:nicht|keine?n?)\s|no\s+(?:hagas|uses|toques|edites)\b|ne\s+\w+\s+pas\b|不要|请勿|勿)",
    re.I,
)
_ANY = lazy_pattern(
    r"\b(?:any(?:thing|one|body|where)?|ever|every|each|all|directly|yourself|without|unless|until|otherwise)\b|[\w*]/(?=[\s,.]|$)|\*"
    r"|直接",
    re.I,
)
_NO_NOUN = lazy_pattern(
    r"no\s+(?!need|idea|worries|problem|way|thanks|rush|longer|one|matter|that|this|it|not|we|the|i)\S+(?:\s+\S+){0,4}?"
    r"\s+(?:in|on|without|anywhere|outside|for|from|into|before|between|unless|at|to|please)\b|keine?n?\s+\w+\s+(?:in|im|auf|ohne|an)\b",
    re.I,
)
_IS_BANNED = lazy_pattern(
    r"\b(?:is|are)\s+(?:strictly\s+|absolutely\s+)?(?:banned|forbidden|prohibited|not\s+(?:allowed|permitted)|off[\s-]limits)\b"
    r"|\b(?:nothing|nobody|no\s+one)\s+(?:may|must|should|can)\b|\bverboten\b|\bprohibido\b|\binterdit\b|禁止",
    re.I,
)
_WE = lazy_pattern(
    r"(?:(?:we|our\s+team|the\s+team)\s+(?:(?:here|actually|only|all|usually|normally|currently)\s+)*"
    r"(?:(?:do\s+not|don'?t|never|always|only|no\s+longer)\s+)?"
    r"(?!should|need|could|can|want|must|will|would|might|may|have\s+to|are|were|had|just|talked|know|think|see|get|got"
    r"|hope|wonder|understand|care|also|did|found|to\b|in\b|with\b)[a-z]+"
    r"|wir\s+(?:nutzen|nehmen|verwenden|benutzen|machen|schreiben|haben|sprechen)"
    r"|(?:aquí\s+)?(?:usamos|utilizamos|trabajamos|hacemos)|(?:ici\s+)?(?:on|nous)\s+(?:utilise|utilisons|travaille|fait))\b"
    r"|我们(?:使?用|采用|不)|うちでは",
    re.I,
)
_WE_DO = lazy_pattern(
    r"we\s+(?:(?:here|all)\s+)*(?:do\s+not|don'?t|only|no\s+longer|use|write|keep|call|say|deploy|support|target|follow|run)\b"
    r"(?!\s+(?:have|need|want|know|think|see|get|care|it|this|that)\b)",
    re.I,
)
_COPULA = lazy_pattern(
    r"\b(?:is|are|'s|lives?|belongs?|goes|go|comes?|runs?|uses?|needs?|takes?|has|have|expects?|returns?|means?|owns?"
    r"|ist|sind|wird|werden|liegt|heißt|es|son|está|va|est|sont)\b|は|是",
    re.I,
)
_PREFERS = lazy_pattern(
    r"\b(?:i\s+(?:(?:really|strongly|generally|usually|always)\s+)?(?:prefer(?!red)|favou?r|hate|dislike|(?:do\s+not|don'?t)\s+(?:like|want)"
    r"|like\b(?=.*\b(?:over|more\s+than|better|when|to\s+be)\b))|i(?:'d|\s+would|d)\s+(?:rather|prefer)"
    r"|my\s+prefer(?:ence|red)\b|prefer\s+\S+.*\b(?:over|to|rather\s+than|instead)\b|prefier[eo]|ich\s+(?:bevorzuge|mag|will\s+keine?)|je\s+préfère)\b",
    re.I,
)
_PREFERS_SOMETHING = lazy_pattern(
    r"\b(?:prefer|favou?r|hate|dislike|like|want|rather|prefiero)\s+(?:the|this|that|it|these|those|to\s+see\s+the|what|how|your)\b",
    re.I,
)
_CAUSED = lazy_pattern(
    r"\b(?:(?:it\s+)?turn(?:s|ed)\s+out|the\s+(?:root\s+cause|reason|culprit|trick|missing\s+(?:piece|part|bit)|fix|cause|solution"
    r"|problem|issue)\b[^.]{0,60}\bwas\b|the\s+(?:reason|trick|culprit|root\s+cause)\b[^.]{0,60}\bis\b"
    r"|(?:we|i)(?:'ve)?\s+(?:just\s+|finally\s+)?(?:found\s+out|learn(?:ed|t)|discovered|figured\s+out|reali[sz]ed)|was\s+caused\s+by)\b",
    re.I,
)
_CUSTOM = lazy_pattern(
    rf"(?:in|for)\s+(?:this|our)\s+{_WHOLE}|(?:our|the)\s+(?:\w+\s+)?(?:convention|rule|policy|standard|guideline|naming\s+scheme)s?"
    r"(?:\s+\w+)?\s+(?:is|are|says?)\b|[^,]+\s(?:is|are)\s+(?:owned|maintained)\s+by\b|the\s+(?:correct|right|proper)\s+(?:command|way|order|syntax)\s+(?:is|to)\b",
    re.I,
)
_EVERY_WORK = lazy_pattern(
    r"(?:make\s+sure\s+(?:that\s+)?|ensure\s+(?:that\s+)?)?(?:every|each|all)\s+(?:\w+\s+)?(?:commits?|prs?|pull\s+requests?|branch(?:es)?"
    r"|endpoints?|tests?|modules?|migrations?|functions?|releases?|components?|class(?:es)?|packages?|changes?|features?|fix(?:es)?"
    r"|(?:commit\s+)?messages?)\b.*\b(?:needs?|must|should|ha(?:s|ve)|gets?)\b",
    re.I,
)
_QUOTED = lazy_pattern(
    r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|「[^」\n]*」|`[^`\n]+`|(?<!\w)'[^'\n]{3,}'(?!\w)"
)
_SLOPPY_END = lazy_pattern(
    r"(?<=[\w)`'\"][.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)(?<!bzw\.)(?<!z\.B\.)\s+(?=[a-zß-ÿ¿¡])"
)
_WORD = lazy_pattern(r"[^\W_]+")
_WIDE = lazy_pattern(r"[\u3040-\u30ff\u4e00-\u9fff]")
_BULLET = lazy_pattern(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+")


# --- Reading of one statement. A rule gets it and the statement before it.


class _Said(NamedTuple):
    """Statement without fillers: its words, and the same with quoted ones blanked."""

    text: str
    bare: str
    is_question: bool

    @classmethod
    def of(cls, statement: str) -> _Said:
        text = _TAG_QUESTION.sub("", _BULLET.sub("", statement, count=1)).strip()
        if filler := _FILLER.match(text):
            text = text[filler.end() :].lstrip()
        bare = _QUOTED.sub(lambda quoted: "·" * len(quoted[0]), text)
        return cls(text, bare, is_question(text) or text.endswith(("吗", "か。")))

    def after(self, end: int) -> _Said:
        """Return what follows, without fillers."""
        return _Said.of(self.text[end:].lstrip(" \t,.:;!–—-：，、"))


def _statements(text: str) -> Iterator[str]:
    for statement in split_statements(text):
        yield from _SLOPPY_END.split(statement)


def _read(statement: str, before: str) -> Lasting | Passing | None:
    """Return what a statement is, or None if no form has anything to do with it."""
    if len(statement) > LONGEST:
        return None
    said = _Said.of(statement)
    if opening := re.match(_AGAIN, said.bare, re.I):
        repeated = said.after(opening.end())
        if not repeated.is_question and _says_something(repeated.text):
            return _lasting(repeated.text, Cue.REPEATED)
    if said.is_question:
        return _passing(said, "is a question")
    # Forms that hold whatever else a statement says, and those that do not of what is for the
    # moment.
    plain = _explicit(said, before) or _corrected(said, before) or _standing(said)
    if plain is not None:
        return plain
    if is_decision(said.bare):
        return _lasting(said.text, Cue.DECISION)
    if _POINTED.search(said.bare):
        return _passing(said, "is said of something pointed at")
    cue = next((cue for cue, fits in _SUGGESTED.items() if fits(said.bare)), None)
    return None if cue is None else _lasting(said.text, cue)


def _explicit(said: _Said, before: str) -> Lasting | Passing | None:
    opening = _REMEMBERED.match(said.text) or _REMEMBERED_CJK.match(said.text)
    if opening:
        rest = said.after(opening.end())
        if rest.is_question or not _says_something(rest.text):
            return _passing(said, "says nothing by itself")
        if re.match(r"when\b|the\s+(?:time|day)\b|to\s", rest.text, re.I):
            return _passing(said, "is an order for once")
        return _lasting(rest.text, Cue.EXPLICIT)
    if closing := _REMEMBER_THAT.search(said.bare):
        earlier = _Said.of(said.text[: closing.start()].strip() or before)
        if _says_something(earlier.text) and not earlier.is_question:
            return _lasting(earlier.text, Cue.EXPLICIT)
    if (label := _LABEL.match(said.bare)) and _says_something(said.text[label.end() :]):
        return _lasting(said.after(label.end()).text, Cue.CUSTOM)
    if (label := _IMPORTANT.match(said.bare)) and _DO_NOT.match(said.after(label.end()).bare):
        return _lasting(said.after(label.end()).text, Cue.FORBIDDEN)
    return None


def _corrected(said: _Said, before: str) -> Lasting | Passing | None:
    rest, is_correction = said, bool(_is_refusal(before) or _BLAMES.match(_Said.of(before).bare))
    while (opening := re.match(_NO_OPENING, rest.bare, re.I)) and not _NO_NOUN.match(rest.bare):
        rest, is_correction = rest.after(opening.end()), True
    if not is_correction or rest.is_question or not _says_something(rest.text):
        return None
    if _WE.match(rest.bare) or _is_statement(rest):
        return _lasting(rest.text, Cue.CORRECTION)
    return _passing(said, "says only that something is wrong") if rest is not said else None


def _is_refusal(statement: str) -> bool:
    """Whether a statement is nothing but a "no"."""
    said = _Said.of(statement)
    opening = re.match(_NO_OPENING, said.bare, re.I)
    return opening is not None and len(_WORD.findall(said.text[opening.end() :])) <= 1


def _is_statement(rest: _Said) -> bool:
    """Whether it tells how something is: what is so comes behind a few words that name it."""
    copula = _COPULA.search(rest.bare)
    return copula is not None and 0 < len(_WORD.findall(rest.text[: copula.start()])) <= 6


def _standing(said: _Said) -> Lasting | Passing | None:
    if (cue := re.search(_STANDING, said.bare, re.I)) is None:
        return None
    if not _says_something(said.bare[: cue.start()] + said.bare[cue.end() :], words=2):
        return _passing(said, "says nothing by itself")
    if _POINTED.search(said.bare):
        return _passing(said, "is said of something pointed at")
    return _lasting(said.text, Cue.STANDING)


def _is_for_always(bare: str) -> bool:
    for order in _UNIVERSAL.finditer(bare):
        is_order = not _ENGLISH.match(order["adverb"]) or _orders(order["verb"])
        if is_order and not _MAKES.match(bare[: order.start("adverb")]):
            return True
    return _AT_LAST.search(bare) is not None


def _orders(verb: str) -> bool:
    return bool(verb) and _TELLING.fullmatch(verb) is None


def _is_forbidden(bare: str) -> bool:
    is_order = _DO_NOT.match(bare) and _ANY.search(bare)
    return bool(_IS_BANNED.search(bare) or is_order or _NO_NOUN.match(bare))


def _is_preferred(bare: str) -> bool:
    return bool(_PREFERS.search(bare)) and not _PREFERS_SOMETHING.search(bare)


def _is_custom(bare: str) -> bool:
    return bool(_CUSTOM.match(bare) or _WE_DO.match(bare) or _EVERY_WORK.match(bare))


_SUGGESTED: Mapping[Cue, Callable[[str], object]] = {
    Cue.ALWAYS: _is_for_always,
    Cue.FORBIDDEN: _is_forbidden,
    Cue.PREFERENCE: _is_preferred,
    Cue.CAUSE: lambda bare: _CAUSED.search(bare),
    Cue.CUSTOM: _is_custom,
}


def _says_something(text: str, *, words: int = SHORTEST) -> bool:
    return max(len(_WORD.findall(text)), len(_WIDE.findall(text)) // 2) >= words


def _lasting(said: str, cue: Cue) -> Lasting | Passing:
    text = said.strip()
    if not _says_something(text):
        return Passing(text, "says nothing by itself")
    from ..interchange.notes_parser import triggers_of  # it reads documents: most prompts need none

    kind = _kind(text, cue)
    return Lasting(text, cue, kind, triggers_of(text) if kind is Kind.NEGATIVE else ())


def _kind(text: str, cue: Cue) -> Kind:
    if cue is Cue.CORRECTION:
        return Kind.CORRECTION
    if cue in (Cue.DECISION, Cue.CAUSE):
        return Kind.FACT
    if cue is Cue.FORBIDDEN or re.search(rf"(?:^|\W){_NEVER}", text, re.I):
        return Kind.NEGATIVE
    from ..interchange.notes_parser import kind_of

    kind = kind_of(text, is_rule=True)
    if kind is Kind.FACT and cue in (Cue.PREFERENCE, Cue.STANDING, Cue.ALWAYS, Cue.REPEATED):
        return Kind.PREFERENCE
    return kind


def _passing(said: _Said, reason: str) -> Passing | None:
    """Return a statement that is dropped, if it has a word of those that make one last."""
    cue = rf"\b(?:remember|prefer)|{_ALWAYS}|{_NEVER}|{_STANDING}|^{_NO_OPENING}"
    return Passing(said.text, reason) if re.search(cue, said.bare, re.I) else None
