"""Next file in a session: access trail, paths in outputs, imports of a text."""

from __future__ import annotations

import math
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import Any

import attrs

from ...text.analyzer import nfc, words_of
from ..recording.tool_calls import files_of, shell_command
from ..records import CHANGING, FileOperation
from .co_change import Links, Reasons, ending_of, is_test, nearness

# --- Which file comes next in a session: from what was asked, where it went so far and what its
# outputs named.
#
# Whether an agent explores (each file is a new one) or works to and fro between a few is told by
# the share of new files of late, and decides between files that were opened already and files
# that were only named. Pure functions; each reason is a number from 0 to 1.

# How much the last file weighs in the share of new ones: the last four or so decide.
_SHARE_OF_LAST = 0.25
# Files opened before the last few are not gone back to in a session that explores.
_FEW = 3
_MAX_OPENED_BEFORE = 12
# How much each file before the last weighs less in what kind of file is opened of late.
_FADING = 0.8
# Endings that imports leave out.
_GUESSED = frozenset({"js", "jsx", "py", "ts", "tsx"})
# Words of what was asked that are compared with the words of paths.
_MAX_WORDS = 500


@attrs.frozen
class Access:
    """One file that was read or changed; `is_part`: only some lines were read, more may follow."""

    path: str
    operation: FileOperation = FileOperation.READ
    is_part: bool = False


@attrs.frozen
class Mention:
    """A path that an output named: number of that output in the session, how many paths it named
    before this one, how many outputs named it."""

    call: int
    place: int
    count: int = 1


@attrs.frozen
class Trail:
    """Where a session has gone.

    Attributes:
        accesses: files in order. mentions: paths that outputs named. calls: number of outputs.
        request: what is to be done, in words.
        searched: the last call opened no file: what its output names was looked for.
    """

    accesses: Sequence[Access]
    mentions: Mapping[str, Mention]
    calls: int = 0
    request: str = ""
    searched: bool = False

    def before_last(self) -> Trail:
        """Return the trail without the last file: what was known when it was chosen."""
        return attrs.evolve(self, accesses=self.accesses[:-1])

    def novelty(self) -> float:
        """Return the share of files, of late, that were opened for the first time."""
        share, opened = 0.5, set[str]()
        for access in self.accesses:
            is_new = access.path not in opened
            share += _SHARE_OF_LAST * (is_new - share)
            opened.add(access.path)
        return share


def next_files(trail: Trail, links: Links, others: Collection[str] = ()) -> dict[str, Reasons]:
    """Return for each file that may be the next the reasons why, by name; nothing at a start.

    `others` are files that nothing in the session named, but that may come next all the same.
    """
    if not trail.accesses:
        return {}
    current, novelty = trail.accesses[-1].path, trail.novelty()
    opened = list(dict.fromkeys(access.path for access in reversed(trail.accesses)))
    linked = _linked(opened, links)
    named = _without_guesses(trail.mentions, opened)
    candidates: dict[str, Reasons] = {path: {} for path in (*opened, *named, *linked, *others)}
    _add_opened(candidates, trail, opened)
    _add_named(candidates, trail, set(opened))
    for path, reasons in linked.items():
        candidates[path] |= reasons
    kinds = _kinds_of_late(trail.accesses)
    shares = _asked_for(candidates, trail.request)
    for path, reasons in candidates.items():
        reasons["asked for"] = shares.get(path, 0.0)
        reasons["kind of late"] = kinds.get(ending_of(path), 0.0)
        if path != current:
            reasons["near"] = nearness(current, path)
            reasons["near while exploring"] = reasons["near"] * novelty
    return candidates


# -- inside


def _without_guesses(named: Collection[str], opened: Collection[str]) -> list[str]:
    """Return the named paths without "a/b.ts" where "a/b/…" is known: an import of "a/b" was taken
    for a file before its folder was seen."""
    folders = {path.rpartition("/")[0] for path in (*named, *opened)}
    return [
        path
        for path in named
        if ending_of(path) not in _GUESSED or path.rpartition(".")[0] not in folders
    ]


def _add_named(candidates: dict[str, Reasons], trail: Trail, opened: set[str]) -> None:
    """Add what speaks for files that were not opened yet."""
    novelty, current = trail.novelty(), trail.accesses[-1].path
    firsts, following = _listed(trail, opened)
    for path, reasons in candidates.items():
        if path in opened:
            continue
        reasons |= {"new": 1.0, "new while exploring": novelty}
        if is_test(path) and not is_test(current):
            reasons["a test"] = 1.0
        first = reasons["first of those named"] = firsts.get(path, 0.0)
        reasons["next of a list"] = following.get(path, 0.0) * novelty
        mention = trail.mentions.get(path)
        age = trail.calls - mention.call if mention else trail.calls
        reasons["named last"] = float(mention is not None and age <= 1)
        if trail.searched and mention is not None and age == 0:
            reasons |= {"found": 1.0, "found first": first}


def _add_opened(candidates: dict[str, Reasons], trail: Trail, opened: Sequence[str]) -> None:
    """Add what speaks for files that were opened already, the current one too."""
    novelty = trail.novelty()
    last = trail.accesses[-1]
    onward = _onward(trail.accesses)[last.path]
    for rank, path in enumerate(opened):
        candidates[path]["followed before"] = onward[path] / (onward.total() + 1)
        if rank == 0:
            candidates[path]["same again"] = 1.0
            candidates[path]["changed just now"] = float(last.operation in CHANGING)
            candidates[path]["read in part"] = float(last.is_part)
        else:
            candidates[path]["opened lately"] = 1 / rank
            candidates[path]["opened long ago"] = novelty * (rank > _FEW)


def _onward(accesses: Sequence[Access]) -> defaultdict[str, Counter[str]]:
    """Return how often each file was followed by which."""
    onward: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for access, other in pairwise(accesses):
        onward[access.path][other.path] += 1
    return onward


def _listed(trail: Trail, opened: set[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Return 1, 1/2, 1/3 … for the paths of each output that were not opened yet: counted from its
    first path, and from the current file where the output names that."""
    lists: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for path, mention in trail.mentions.items():
        lists[mention.call].append((mention.place, path))
    firsts: dict[str, float] = {}
    following: dict[str, float] = {}
    for listed in lists.values():
        paths = [path for _, path in sorted(listed)]
        firsts |= _ranked(path for path in paths if path not in opened)
        current = trail.accesses[-1].path
        if current in paths:
            behind = paths[paths.index(current) + 1 :]
            following |= _ranked(path for path in behind if path not in opened)
    return firsts, following


def _ranked(paths: Iterable[str]) -> dict[str, float]:
    return {path: 1 / rank for rank, path in enumerate(paths, 1)}


def _kinds_of_late(accesses: Sequence[Access]) -> dict[str, float]:
    """Return the share of each ending in the files opened of late."""
    weights: defaultdict[str, float] = defaultdict(float)
    for back, access in enumerate(reversed(accesses)):
        weights[ending_of(access.path)] += _FADING**back
    total = sum(weights.values())
    return {ending: weight / total for ending, weight in weights.items()}


def _asked_for(paths: Iterable[str], request: str) -> dict[str, float]:
    """Return which share of each path's words was asked for, rare words counting more."""
    request_words = set(words_of(request)[:_MAX_WORDS])
    words = {path: _words_of_path(path) for path in paths}
    spread = Counter(word for own in words.values() for word in own)
    rare = {word: math.log((len(words) + 1) / count) for word, count in spread.items()}
    return {
        path: sum(rare[word] for word in own & request_words)
        / (sum(rare[word] for word in own) or 1.0)
        for path, own in words.items()
        if own & request_words
    }


@lru_cache(maxsize=20_000)
def _words_of_path(path: str) -> frozenset[str]:
    return frozenset(words_of(path.rpartition(".")[0] or path))


def _linked(opened: Sequence[str], links: Links) -> dict[str, Reasons]:
    """Return files that the current file, or those opened before it, are linked with."""
    candidates: dict[str, Reasons] = {}
    known = set(opened)
    for back, path in enumerate(opened[:_MAX_OPENED_BEFORE]):
        ahead = sorted(links(path).items(), key=lambda link: (-link[1], link[0]))
        for rank, (other, _) in enumerate(link for link in ahead if link[0] not in known):
            reasons = candidates.setdefault(other, {})
            share = 1 / (1 + 0.3 * rank)
            if back == 0:
                reasons["linked now"] = share
            before = reasons.get("linked with those opened", 0.0) + share / (1 + back)
            reasons["linked with those opened"] = min(1.0, before / 2)
    return candidates


# --- Where the files lie that the text of a file imports: read off the text, with no tree at
# hand.
#
# A name seldom says how its file ends, so each gives the forms that it may mean; where one of
# them is known, the others are left out.

MAX_IMPORTS = 60
Known = Mapping[str, Sequence[str]]

_QUOTED = re.compile(
    r"""(?:from|import|(?:require|import)\()\s*['"]((?:\.{1,2}|[@~])/[^'"\n]{1,200})['"]"""
)
# A file may be shown with line numbers.
_NUMBER = r"^[ \t]*(?:\d+[\t:|] ?)?[ \t]*"
_FROM = re.compile(_NUMBER + r"from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)", re.M)
_IMPORT = re.compile(_NUMBER + r"import[ \t]+()([\w.]+)()", re.M)
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".css", ".json", ".svelte", ".vue")


def imported_in(text: str, path: str, known: Known | None = None) -> list[str]:
    """Return where the files lie that the text of a file imports, in order; `known` gives the paths
    there are by their last part."""
    forms_of = _modules if path.endswith((".py", ".pyi")) else _scripts
    folders = cache(lambda: _folders(known or {}))  # asked for only if something is not known
    places: dict[str, None] = {}
    for forms in islice(forms_of(text, path), MAX_IMPORTS):
        # What was known of a folder is certain, a name beside it may have been guessed before.
        certain = [form for form in reversed(forms) if known and form in known.get(_last(form), ())]
        if certain:
            places[certain[0]] = None
        else:
            places[forms[-1] if posixpath.dirname(forms[-1]) in folders() else forms[0]] = None
    places.pop(path, None)
    return list(places)


# -- inside


def _folders(known: Known) -> frozenset[str]:
    return frozenset(posixpath.dirname(path) for paths in known.values() for path in paths)


def _scripts(text: str, path: str) -> Iterator[list[str]]:
    """Yield the forms of what a script imports by a relative name, or by "@/" or "~/": these count
    from the folder of the sources by custom."""
    ending = posixpath.splitext(path)[1]
    before, separator, _ = f"/{path}".rpartition("/src/")
    for name in _QUOTED.findall(text):
        place = (
            _relative_to(name, path)
            if name[0] == "."
            else f"{before}{separator or '/'}{name[2:]}"[1:]
        )
        if posixpath.splitext(place)[1] in _SCRIPTS:
            yield [place]
        elif ending == ".tsx" and _last(place)[:1].islower():
            # By custom, components begin with a capital, and what is no component needs no .tsx.
            yield [f"{place}.ts", f"{place}.tsx", f"{place}/index.ts"]
        elif ending in (".ts", ".tsx"):
            other = ".ts" if ending == ".tsx" else ".tsx"
            yield [place + ending, place + other, f"{place}/index.ts"]
        else:
            yield [place + ending, f"{place}/index{ending}"]


def _modules(text: str, path: str) -> Iterator[list[str]]:
    """Yield the forms of what a Python module imports by a relative name, or from a package that it
    lies in itself."""
    for dots, module, names in (*_FROM.findall(text), *_IMPORT.findall(text)):
        for name in [module] if module else re.findall(r"\w+", names):
            parts = name.replace(".", "/")
            before, separator, _ = f"/{path}".rpartition(f"/{parts.partition('/')[0]}/")
            if dots:
                place = _relative_to("../" * (len(dots) - 1) + parts, path)
            elif separator:
                place = f"{before}/{parts}"[1:]
            else:
                continue
            yield [f"{place}.py", f"{place}/__init__.py"]


def _relative_to(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _last(path: str) -> str:
    return path.rpartition("/")[2]


# --- Paths that an output names: what a search found or a listing showed is often opened next.

# Of one output so many paths are noted; nobody opens the hundredth hit of a search.
MAX_PATHS = 120
_MAX_CHARS = 100_000
# It begins where a word does: to begin anywhere takes the square of the time of a long one.
_TOKEN = re.compile(r"(?<![\w.@+~/\-\[\]()])[\w.@+~/\-\[\]()]*[\w\])]\.[A-Za-z][A-Za-z0-9]{0,9}\b")
# A name with a dot is a path if it ends like one; `self.value` and `example.com` do not.
_ENDINGS = frozenset(
    "adoc bash bat c cc cfg cjs clj cmake conf cpp cs css csv cue dart ex exs fs gd go gradle "
    "graphql h hpp hs htm html ini ipynb java jl js json jsonc jsx kt kts less lock lua m md mdx "
    "mjs ml mod nim nix php pl prisma proto ps1 py pyi pyx r rb rs rst sass scala scss sh sql "
    "svelte svg swift tex tf toml ts tsx txt vb vue xml yaml yml zig".split()
)


def named_by_call(
    tool: str,
    parameters: Mapping[str, Any],
    output: str,
    *,
    place: Callable[[str], str],
    known: Callable[[], Mapping[str, Sequence[str]]],
) -> list[str]:
    """Return the paths that the output of a call names, in order; of a file that was read, those
    that it imports too.

    `place` turns a path as the call wrote it into the stored form; `known` gives the paths there
    are by their last part, and is asked only if there is something to place.
    """
    folder = folder_of_call(tool, parameters)
    files = [f for f in files_of(tool, parameters, folder or None) if f.operation in _OPENING]
    names = named_in(output)
    if not names and not files:
        return []
    there = known()
    paths: list[str] = []
    if _is_listing(tool, parameters):
        # What a folder holds lies in it, whatever else is called so.
        for where, part in _folders_of(output, folder):
            paths += placed(named_in(part), place(where or "."), {})
    else:
        sibling_folder = posixpath.dirname(place(files[0].path)) if len(files) == 1 else ""
        paths += placed(names, place(folder or "."), there, sibling_folder=sibling_folder)
    for file in files:
        if file.operation is FileOperation.READ:
            paths += imported_in(output, place(file.path), there)
    return list(dict.fromkeys(map(place, paths)))[:MAX_PATHS]


def is_path(name: str) -> bool:
    """Whether a name ends as files do."""
    return name.rpartition(".")[2].lower() in _ENDINGS


def named_in(text: str) -> list[str]:
    """Return the paths that a text names, each once, in order, as they are written."""
    names: dict[str, None] = {}
    # With accents apart no word reaches beyond its first one.
    for token in _TOKEN.findall(nfc(text[:_MAX_CHARS])):
        name = token.strip("()[]~").removeprefix("./")
        if is_path(name) and not name.startswith("//"):
            names[name] = None
            if len(names) == MAX_PATHS:
                break
    return list(names)


def placed(
    names: Iterable[str],
    folder: str,
    known: Mapping[str, Sequence[str]],
    *,
    sibling_folder: str = "",
) -> list[str]:
    """Return where the named files lie: a known path that ends so, else below `folder`, or, if they
    are named without one, in the `sibling_folder`.

    `known` gives for the last part of a path the paths that end with it.
    """
    return list(
        dict.fromkeys(
            _placed(name, folder if "/" in name or not sibling_folder else sibling_folder, known)
            for name in names
        )
    )


def folder_of_call(tool: str, parameters: Mapping[str, Any]) -> str:
    """Return the folder from which the paths in a call's output count: what it lists or searches,
    else where it runs."""
    folder = next((parameters[k] for k in _FOLDERS if isinstance(parameters.get(k), str)), "")
    looked = [f for f in files_of(tool, parameters, folder) if f.operation is FileOperation.SEARCH]
    command = shell_command(tool, parameters)
    if looked and not is_path(looked[0].path) and _LISTING.search(command or "ls"):
        return looked[0].path
    moved = _MOVED.match(command or "")
    return posixpath.normpath(posixpath.join(folder, moved[1])) if moved else folder


_OPENING = (FileOperation.READ, FileOperation.WRITE, FileOperation.EDIT)
_LISTING = re.compile(r"(?:^|[;&]\s*)(?:ls|tree|dir)\b")
_LISTING_TOOLS = frozenset({"ls", "list_directory"})
_HEADING = re.compile(r"^(\S[^:\r\n]*):\r?$", re.M)
_MOVED = re.compile(r"\s*cd\s+['\"]?([^\s'\";&|$`]+)['\"]?\s*(?:&&|;)")
_FOLDERS = ("workdir", "cwd", "working_dir", "dir_path")


def _is_listing(tool: str, parameters: Mapping[str, Any]) -> bool:
    command = shell_command(tool, parameters)
    return tool.lower() in _LISTING_TOOLS if command is None else bool(_LISTING.search(command))


def _folders_of(text: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield each folder of a listing (`ls -R` names each before its files) with its part of it."""
    first, *rest = _HEADING.split(text)
    yield folder, first
    yield from zip(rest[::2], rest[1::2], strict=True)


def _placed(name: str, folder: str, known: Mapping[str, Sequence[str]]) -> str:
    below = posixpath.normpath(posixpath.join(folder, name))
    same = known.get(posixpath.basename(name), ())
    if below in same:
        return below
    fitting = [path for path in same if path == name or path.endswith("/" + name)]
    return fitting[-1] if len(fitting) == 1 else below
