"""Compressed storage form of facts.

Of facts only what other files read is stored, as JSON under deflate, never in a format that could
run something. The rest is taken from the code itself when a file is linked anew.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from ..errors import StoreDamaged
from ..redaction import scan
from .facts import Definition, Facts, Param, Scope, Statement, Term, around

# Unpacked, no file that is read (files.MAX_BYTES) gives more; a bomb would.
_MAX_BYTES = 256 * 1024 * 1024
# A higher one takes twice the time for a hundredth of the size.
_LEVEL = 7
# Bits of a text's digest that are kept: as an integer it takes three bytes. It tells a text from
# what it was, or from a few of its name: one in 8 * 10^6 such pairs looks alike.
_DIGEST_BITS = 23
# What facts are made of, the commonest last: small files need not say it again. Another text makes
# facts that were stored with this one unreadable (`definition` sees to it that they are made anew).
_PHRASES = (
    b'["import","","",null,0,+1],["import","Any","typing","Any",0,+1],["declare",["name","str"]],'
    b'["yield",["name","value"]],["iter",["name","items"]],["await",["call",["either",[["name","l'
    b'ist"],["in",0,["enter",["call",["tuple",[["const","str","key"],["const","str","name"],["ite'
    b'm",["name","kwargs"],["const","int",0]],["dict",[[["const","str","default"],["const","float'
    b'",null]]]],["list",[]],["set",[["bind",["tuple",[["name","name"],["name","value"]]],["iter"'
    b',["call",["attr",["name","items"],"items"],[],[],+1]]],["bind",["item",["attr",["name","sel'
    b'f"],"data"],["name","key"]],["name","value"]],["bind",["attr",["name","self"],"name"],["nam'
    b'e","name"]],["bind",["name","result"],["call",["attr",["call",["name","super"],[],[],+1],"_'
    b'_init__"],[["name","args"]],[["return",["call",["attr",["name","self"],"get"],[["name","nam'
    b'e"]],[["default",["const","none",null]]],+1]]],["return",["attr",["name","self"],"value"]],'
    b'["return",["const","bool",true]]],["return",["const","bool",false]]],[["define",0],["define'
    b'",1],["define",2]],[],[],[["module",-1,-1],["class",0,0],["function",1,1],["block",2,-1],["'
    b'function",0,2],["class",0,0,0,1,[],null,[["name","Exception"],["attr",["name","object"],"Me'
    b'ta"]],[],null,["private"]],["variable",0,0,-1,[],null,[],[],null,[]],["variable",0,0,-1,[],'
    b'null,[],[],null,["constant"]],["function",0,0,0,2,[["args",null,null,"*"],["kwargs",null,nu'
    b'll,"**"]],null,[],[["name","staticmethod"]],null,["static"]],["method",0,0,1,2,[["self",nul'
    b'l,null,""]],null,[],[],null,[]],["method",0,0,1,2,[["self",null,null,""],["name",null,["con'
    b'st","none",null],""],["value",null,["const","str",""],""]],null,[],[],null,["constructor"]]'
    b',["method",0,0,1,3,[["self",null,null,""]],null,[],[["name","property"]],null,["property"]]'
    b',["method",0,0,1,2,[["self",null,null,""]],null,[],[],null,["test"]],[[["class","'
)
# Bytes of a piece in which facts are stored: eight fill a page, larger ones leave much of it empty.
_PIECE = 490

# Statements by which the inside of a function shows outside of it.
_TELLING = frozenset({"return", "yield", "global", "nonlocal", "export", "mixin"})
_PLACED = Definition._fields.index("start")
_NAME, _QUALNAME, _SCOPE, _PARAMS = map(
    Definition._fields.index, ("name", "qualname", "scope", "params")
)
# Numbers that end a list count upwards; as steps they are nearly all alike. Each has a plus before
# it, which no number in JSON has: there are negative ones, in the scope of every module.
_NUMBER, _STEP = re.compile(r",(0|[1-9]\d*)\]"), re.compile(r",\+(-?\d+)\]")
_PLAIN, _STEPPED = b"0", b"1"
# Facts are trees: nothing in them holds itself.
_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode
# A constant text, long enough for a secret.
_CONSTANT = re.compile(r'"const","(?:str|bytes)","((?:[^"\\]|\\.){6,})"')


def essence(facts: Facts) -> Facts:
    """Return what other files can read of a file; places and texts are left out.

    What a statement only does shows nowhere else, and a function shows nothing of its inside that
    gives nothing back and binds nothing but its own names.
    """
    roots = _outermost(facts.scopes)
    telling = {
        root
        for root, scope in zip(roots, facts.statements, strict=True)
        if root >= 0 and any(_tells(statement) for statement in scope)
    }
    statements = tuple(
        tuple(statement for statement in scope if statement[0] != "do")
        if root < 0 or root in telling
        else ()
        for root, scope in zip(roots, facts.statements, strict=True)
    )
    definitions = tuple(
        Definition._make((*definition[:_PLACED], 0, 0, 0, 0, 0, "", "", ""))
        for definition in facts.definitions
    )
    return facts._replace(definitions=definitions, statements=statements, sites=(), doc="")


def pack(facts: Facts, data: bytes) -> bytes:
    """Return the essence of facts in the stored form; `data` is the text that they are of.

    Names of definitions stand in their rows. Constants that hold a secret of that text are left
    out.
    """
    shared = essence(facts)
    document = [_short(shared), shared.scopes, shared.statements]
    text = _json(document)
    if _CONSTANT.search(text):
        text = _without_secrets(text, data.decode("utf-8", "replace"))
    form = _PLAIN
    if not _STEP.search(text):
        form, text = _STEPPED, _as_steps(text)
    squeezer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, 9, zlib.Z_DEFAULT_STRATEGY, _PHRASES)
    return form + squeezer.compress(text.encode("utf-8", "surrogatepass")) + squeezer.flush()


def pieces(blob: bytes) -> list[bytes]:
    """Return the stored form cut into the pieces that are rows."""
    return [blob[at : at + _PIECE] for at in range(0, len(blob), _PIECE)]


def unpack(
    blob: bytes,
    names: Sequence[str],
    *,
    path: str,
    language: str,
    namespace: str,
    errors: int,
    lines: int,
) -> Facts:
    """Return the essence of facts from the stored form and the names of all definitions.

    Raises StoreDamaged if it is none.
    """
    try:
        definitions, numbers, statements = _document(blob)
        scopes = tuple(Scope(*scope) for scope in numbers)
        return Facts(
            path=path,
            language=language,
            namespace=namespace,
            definitions=tuple(_whole(definitions, names, scopes)),
            scopes=scopes,
            sites=(),
            statements=tuple(statements),
            errors=errors,
            doc="",
            lines=lines,
        )
    except (ValueError, TypeError, zlib.error, RecursionError) as error:
        raise StoreDamaged(
            f"code_facts of {path}: is not as memkit makes it ({error}); "
            "run 'memkit check --repair'"
        ) from error


def digest_number(digest: str) -> int:
    """Return the stored form of a definition's digest (16 hex digits)."""
    return int(digest, 16) >> (64 - _DIGEST_BITS)


def _outermost(scopes: tuple[Scope, ...]) -> list[int]:
    """Return for each scope the outermost function scope around it, itself included, or -1."""
    roots: list[int] = []
    for number, scope in enumerate(scopes):
        around = roots[scope[1]] if 0 <= scope[1] < number else -1
        roots.append(around if around >= 0 else number if scope[0] == "function" else -1)
    return roots


def _tells(statement: Statement) -> bool:
    tag = statement[0]
    return tag in _TELLING or (tag in ("bind", "declare") and not _is_local(statement[1]))


def _is_local(target: Term) -> bool:
    """Whether a target binds names alone, no member and no item."""
    if target is None or target[0] == "name":
        return True
    if target[0] in ("tuple", "list"):
        return all(_is_local(part) for part in target[1])
    return target[0] == "star" and _is_local(target[1])


def _without_secrets(text: str, source: str) -> str:
    secrets = {source[finding.start : finding.end] for finding in scan(source)}
    if not secrets:
        return text

    def checked(match: re.Match[str]) -> str:
        value = json.loads(f'"{match[1]}"')
        if any(secret in value or value in secret for secret in secrets):
            return '"const","str",null'
        return match[0]

    return _CONSTANT.sub(checked, text)


def _as_steps(text: str) -> str:
    last = 0

    def step(match: re.Match[str]) -> str:
        nonlocal last
        before, last = last, int(match[1])
        return f",+{last - before}]"

    return _NUMBER.sub(step, text)


def _as_numbers(text: str) -> str:
    last = 0

    def number(match: re.Match[str]) -> str:
        nonlocal last
        last += int(match[1])
        return f",{last}]"

    return _STEP.sub(number, text)


def _document(blob: bytes) -> list[Any]:
    unsqueezer = zlib.decompressobj(-15, _PHRASES)
    raw = unsqueezer.decompress(blob[1:], _MAX_BYTES)
    if unsqueezer.unconsumed_tail or not unsqueezer.eof:
        raise ValueError("too large or cut off")
    text = raw.decode("utf-8", "surrogatepass")
    document: list[Any] = json.loads(_as_numbers(text) if blob[:1] == _STEPPED else text)
    return document


def _short(facts: Facts) -> list[list[Any]]:
    """Return definitions without what is known of them: names, and names after those around."""
    spelt = [definition.qualname for definition in facts.definitions]
    shortened = []
    for number, definition in enumerate(facts.definitions):
        values: list[Any] = list(definition[:_PLACED])
        values[_NAME] = 0
        if definition.qualname == _after(
            spelt, around(facts.scopes, definition.scope), number, definition.name
        ):
            values[_QUALNAME] = 0
        shortened.append(values)
    return shortened


def _whole(
    definitions: Sequence[list[Any]], names: Sequence[str], scopes: Sequence[Scope]
) -> Iterator[Definition]:
    spelt: list[str] = []
    for number, (values, name) in enumerate(zip(definitions, names, strict=True)):
        values[_NAME] = name
        if values[_QUALNAME] == 0:
            values[_QUALNAME] = _after(spelt, around(scopes, values[_SCOPE]), number, name)
        values[_PARAMS] = tuple(Param(*param) for param in values[_PARAMS])
        spelt.append(values[_QUALNAME])
        yield Definition._make((*values, 0, 0, 0, 0, 0, "", "", ""))


def _after(spelt: Sequence[str], outer: int, number: int, name: str) -> str:
    """Return a name after that of the definition around it, if that stands before it."""
    return f"{spelt[outer]}.{name}" if 0 <= outer < number else name
