"""How developers shorten words, so that "the env vars of the repo" and "environment variables of
the repository" meet.

A closed list of common knowledge: shortenings that stand for the same thing wherever developers
write, each with the words it is short for. What is short for too many things ("res", "pos") is not
here, nor are words of like meaning, which vectors find.
"""

from __future__ import annotations

from collections.abc import Mapping

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
