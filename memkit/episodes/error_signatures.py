"""Failure detection, error signatures, same-call keys.

Agents seldom say that a call failed: a traceback in the output of a command does. The signature of
a fault is its telling line without what differs from run to run, so that the same fault is
recognised in another place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from ..text.patterns import lazy_pattern
from .recording.envelope import unwrap
from .recording.tool_vocabulary import names_file, path_of

# Characters of a signature; the telling part of a message stands at its beginning.
MAX_CHARS = 160

# -- lines that tell, strongest first

_RAISED = lazy_pattern(
    r"^(?:E\s+)?((?:[\w]+\.)*\w*(?:Error|Exception|Interrupt|Exit|Fault)\b(?:: (?!\(none\)).*|:)?)$"
)
# What stands before a fault in pytest's list of tests that failed.
_TEST = r"(?:FAILED|ERROR) \S+?(?:::[^\s\[]+(?:\[.*?\](?= - ))?)? - "
_TELLING = (
    _RAISED,
    lazy_pattern(
        r"(?i)^(?:.*?[:\]] ?)?((?:fatal(?: error)?|error|panic(?:ked)?)\b(?:\[\w+\])?: "
        r"(?!\(none\)).+)$"
    ),
    lazy_pattern(rf"^{_TEST}(\S.*)$"),
    lazy_pattern(r"^(FAILED \S+.*)$"),
    lazy_pattern(r"(?i)^((?:Uncaught |Unhandled )\w.+)$"),
    lazy_pattern(
        r"^(.*\b(?:command not found|No such file or directory|No module named"
        r"|Permission denied).*)$"
    ),
    lazy_pattern(r"^(.*\b(?:undefined reference to|cannot find module|Cannot find) .+)$"),
    lazy_pattern(r"^(npm ERR! .+)$"),
    lazy_pattern(r"(?i)^(.*\bsyntax error\b.*)$"),
    lazy_pattern(r'^\{"error": "(.+)"\}$'),
)
# What was raised at the end of a Python traceback, whatever it is called.
_TRACED = lazy_pattern(
    r"^[ \t]*Traceback \(most recent call last\):\r?\n"
    r"(?:[ \t].*\n|\r?\n)+([A-Za-z_][\w.]*(?:: .*)?)\r?$",
    re.M,
)
_COLOURS = lazy_pattern("(?:\x1b|\u241b)\\[[0-9;]*[A-Za-z]")
_WRAPPING = lazy_pattern(r"OBSERVATION:|ERROR:|EXECUTION RESULT of \[[^\]]*\]:|<[\w_]+>")
NUMERAL = "<n>"
# What differs between two runs into the same fault, and what is written in its place.
_VARIABLE = (
    (
        lazy_pattern(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I),
        "<id>",
    ),
    (
        lazy_pattern(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"),
        "<time>",
    ),
    (lazy_pattern(r"\b0x[0-9a-f]+\b", re.I), "<address>"),
    (lazy_pattern(r"\b[0-9a-f]{12,}\b", re.I), "<hash>"),
    (lazy_pattern(r"\b[a-z][a-z0-9+.-]*://[^\s'\")>,]+", re.I), "<url>"),
    (lazy_pattern(r"(?:\b[A-Za-z]:)?(?:[\w.@~()-]*[/\\])+([\w.@()-]+)"), r"\1"),
    (lazy_pattern(r"(?<![\w<])\d+(?:\.\d+)?(?![\w>])"), NUMERAL),
    (lazy_pattern(r"\s+"), " "),
)

# What one fault may name in another place, and where its kind is defined.
_ALIKE = (
    (lazy_pattern(rf"^{_TEST}"), ""),
    (lazy_pattern(r"^(?:[A-Za-z_]\w*\.)+(?=[A-Z]\w*(?::|$))"), ""),
    (lazy_pattern(r"(?<!\w)(['\"`])(?:\\.|(?!\1).)*\1(?!\w)"), "<value>"),
    (lazy_pattern(r"(?<!\S)--?[A-Za-z][\w-]*"), "<value>"),
    (lazy_pattern(r"(?<![\w.])[\w@-][\w@.-]*\.[A-Za-z]\w{0,4}\b"), "<value>"),
)
_PLAIN_WORD = lazy_pattern(r"(?<!<)\b[A-Za-z]{4,}\b(?!>)")

# -- what says that a call failed

_TRACEBACK = lazy_pattern(r"^[ \t]*Traceback \(most recent call last\):", re.M)
_SHELL = lazy_pattern(
    r"(?m)^(?:\S*(?:sh|bash|zsh)(?:\.exe)?: .*(?:command not found|syntax error"
    r"|No such file or directory|Permission denied|unbound variable).*"
    r"|\w[\w.+-]*: .*No such file or directory|Error\b[^:\n]{0,40}: (?!\(none\)).+"
    r"|(?:fatal|FATAL|error): .+|npm ERR! .+|make(?:\[\d+\])?: \*\*\* .+)$"
)
_TESTS = lazy_pattern(
    r"(?m)^(?:=+ .*\b[1-9]\d* (?:failed|errors?)\b.*=+|FAILED(?: \(| \S+::).*|"
    r"Tests?:\s+.*\b[1-9]\d* failed.*|test result: FAILED.*|--- FAIL: .*|not ok \d+.*)$"
)
_OWN_WORDS = lazy_pattern(
    r"(?:<tool_use_error>|fatal: |[a-z][\w.-]*: .{0,300}\b(?:command not found"
    r"|No such file or directory|Permission denied|Is a directory|syntax error"
    r"|unrecognized option|invalid option)\b)"
)
_BEGINS = lazy_pattern(
    r"(?i)^\s*(?:OBSERVATION:\s*|EXECUTION RESULT of \[[^\]]*\]:\s*)?"
    r"(?:<tool_use_error>|ERROR:|Error:|Traceback \(|No replacement was performed|Invalid `"
    r"|Your proposed edit has introduced)"
)
_NOT_SHELL = frozenset({"exit_code", "duration_ms", "timeout", "timeout_ms", "description"})


def looks_failed(output: str, *, is_command: bool, only_looks: bool = False) -> bool:
    """Whether an output says that its call failed, where nobody says it outright.

    `is_command`: of a shell, a test, a program. With `only_looks` the output is what files hold,
    and only what the program says of itself, in its first line, counts.
    """
    if only_looks:
        return bool(_OWN_WORDS.match(output.lstrip()[:400]))
    if _BEGINS.match(output[:2_000]):
        return True
    if not is_command:
        return False
    ends = _ends(output)
    if any(rule.search(ends) for rule in (_TRACEBACK, _TESTS, _SHELL)):
        return True
    last = next((line for line in reversed(ends.splitlines()) if line.strip()), "")
    return bool(_RAISED.match(last.strip())) and ":" in last


def telling_line(text: str) -> str | None:
    """Return the line of a text that says what went wrong, the last of the strongest sort; of a
    long text its beginning and its end are looked at."""
    text = unwrap(text).body
    if raised := _TRACED.findall(_ends(text)):
        return str(raised[-1]).strip()
    lines = _lines(text)
    for rule in _TELLING:
        for line in reversed(lines):
            if match := rule.match(line[:1000]):
                return match[1].strip()
    return None


def signature(error: str) -> str:
    """Return a fault without numbers, times, addresses and folders: equal for the same fault.

    `error` may be a message or a whole output; "" if it is blank.
    """
    text = _fault(error)
    for rule, instead in _VARIABLE:
        text = rule.sub(instead, text)
    return text.strip()[:MAX_CHARS].rstrip()


def numbers(error: str) -> tuple[str, ...]:
    """Return the numbers of a fault in order, without those of times, addresses and folders: what
    two faults of the same signature may differ in."""
    text = _fault(error)
    for rule, instead in _VARIABLE:
        if instead == NUMERAL:
            return tuple(rule.findall(text))
        text = rule.sub(instead, text)
    return ()


def first_line(text: str) -> str:
    """Return the first line of an output that says anything, "" if none does."""
    return next(iter(_lines(unwrap(text).body)), "")


def _fault(error: str) -> str:
    error = unwrap(error).body
    return (telling_line(error) or first_line(error))[:1000]


def alike(signature: str) -> str:
    """Return a signature without the values, paths and options that it names: equal for the same
    fault of something else."""
    for rule, instead in _ALIKE:
        signature = rule.sub(instead, signature)
    return signature


def plain_word(form: str) -> str | None:
    """Return the longest word that all signatures of a form contain, or None."""
    return max(_PLAIN_WORD.findall(form), key=len, default=None)


def _lines(text: str) -> list[str]:
    """Return the lines of an output without colours and without the words that agents' tools put
    before them."""
    bare = _COLOURS.sub("", _ends(text))
    if "\n" not in bare.strip() and bare.startswith("{"):  # JSON: its line ends are written out
        bare = bare.replace("\\n", "\n")
    stripped = (line.strip() for line in bare.splitlines())
    return [line for line in stripped if line and not _WRAPPING.fullmatch(line)]


def _ends(text: str) -> str:
    """Return a text, or its beginning and its end if it is too long to be read for every call."""
    return text if len(text) < 40_000 else text[:8_000] + "\n" + text[-32_000:]


def command_of(parameters: Mapping[str, Any]) -> str | None:
    """Return the shell command of a call, or None if it is none."""
    for name in ("command", "cmd", "code", "script"):
        value = parameters.get(name)
        if isinstance(value, str) and not names_file(parameters):
            return value
        if isinstance(value, list) and value:
            return str(value[-1]) if str(value[0]).endswith("sh") else " ".join(map(str, value))
    return None


def same_call(tool: str, parameters: Mapping[str, Any]) -> str:
    """Return what two calls share that ask for the same: the command without its surroundings, or
    the tool, what it does and the file it does it to."""
    command = command_of(parameters)
    if command is not None:
        bare = re.sub(r"^\s*(?:cd\s+\S+\s*(?:&&|;)\s*)+", "", command)
        bare = re.sub(r"\s*2>&1|\s*\|\s*(?:tail|head|cat)\b[^|]*$", "", bare)
        return "$ " + " ".join(bare.split())
    if (path := path_of(parameters)) is not None:
        return f"{tool} {parameters.get('command', '')} {path}"
    rest = {k: v for k, v in parameters.items() if k not in _NOT_SHELL}
    return f"{tool} {json.dumps(rest, sort_keys=True, ensure_ascii=False, default=str)}"


def call_form(tool: str, parameters: Mapping[str, Any]) -> str:
    """Return what two calls share that ask for the same in another version or number: what
    `pip install foo==2.0` could not do, `pip install foo==1.9` did."""
    return _NUMBER.sub("<n>", same_call(tool, parameters))


# A version or number that is a word, or the value of an option, a port or a package; not a part of
# a name: `test_1.py` and `test_2.py` are two things.
_NUMBER = lazy_pattern(r"(?:(?<=[=@:<>~^])|(?<=\s)(?:[<>~^]=?)?)v?\d+(?:[.\-+]\w+)*(?![\w/]|\.\w)")


_SURROUNDINGS = lazy_pattern(
    r"^\s*(?:cd\s+\S+\s*(?:&&|;)\s*|(?:[A-Z_]+=\S*\s+)+|sudo\s+|time\s+|(?:uv|poetry|pipenv|pdm)\s+run\s+"
    r"|python[\d.]*\s+-m\s+|npx\s+|(?:source|\.)\s+\S+\s*(?:&&|;)\s*)+"
)
# Tools whose second word says what is done: git commit, npm test.
_SUBCOMMANDS = frozenset(
    "git npm pnpm yarn cargo go make just docker kubectl gh uv pip poetry bun deno mvn gradle"
    " dotnet terraform helm nox tox rake bundle mix".split()
)
# Of a path its last part: scripts/stage.sh is stage.sh.
_COMMAND_WORD = lazy_pattern(r"(?:[\w.@~+-]*/)*([\w.@+-]*\w[\w.@+-]*)")
# Programs that run what their first argument names: that is the program.
_INTERPRETERS = lazy_pattern(r"(?:python[\d.]*|node|bash|sh|zsh|ruby|perl|php|tsx|ts-node)")


def program_of(command: str) -> str | None:
    """Return the program of a command with what it is to do: `pytest`, `git commit`, the script
    that an interpreter runs; None if there is none."""
    words: list[str] = _COMMAND_WORD.findall(_SURROUNDINGS.sub("", command)[:200])
    if not words:
        return None
    has_verb = words[0] in _SUBCOMMANDS or _INTERPRETERS.fullmatch(words[0])
    verb = list(takewhile(lambda word: not word.startswith("-"), words[1:3])) if has_verb else []
    # "npm run" tells nothing, "npm run build" does.
    return " ".join([words[0], *verb[: 2 if verb[:1] == ["run"] else 1]])


# What installs, configures or starts something: programs, and subcommands of others.
_SETTING_UP = lazy_pattern(
    r"(?:^|[;&|(]|\bsudo|-m|\w=\S*)\s*(?:\S*/)?(?:"
    r"(?:chmod|chown|mkdir|ln|cp|mv|rm|touch|export|source|systemctl|service|createdb|nvm|pyenv|asdf"
    r"|corepack|virtualenv|venv)(?=\s)"
    r"|(?:pip[\d.]*|pipx|uv|poetry|pdm|conda|mamba|npm|pnpm|yarn|bun|deno|gem|bundle|cargo|rustup|go"
    r"|brew|apt|apt-get|apk|dnf|yum|pacman|snap|choco|winget|composer|dotnet|docker|docker-compose"
    r"|podman|kubectl|helm|git|gh|gcloud|aws|az|npx|playwright|pre-commit|make|python[\d.]*)"
    r"(?:\s+(?:-\S+|pip|compose|run|mod|tool|global|playwright|setup\.py))*"
    r"\s+(?:install|i|ci|add(?<!git add)|get|sync|update|upgrade|up|start|restart|pull|login|auth"
    r"|config|configure|init|submodule|tidy|lock|setup|bootstrap|env|enable|use|apply|-S\w*)"
    r"(?![\w-]))"
)


def sets_up(command: str) -> bool:
    """Whether a command changes what others run in: it installs, configures or starts something."""
    return _SETTING_UP.search(command) is not None


def without_numbers(text: str) -> str:
    """Return a command without its versions and numbers."""
    return _NUMBER.sub(" ", text)


def telling_part(key: str) -> str:
    """Return the longest word of what two calls share: it stands so in their stored parameters."""
    return max(re.findall(r"\w+", key.partition(" ")[2]), key=len, default="")
