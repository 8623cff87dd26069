"""What a tool does to files, told from the words of its name.

    replace_string_in_file    editFiles    search_replace    mcp__fs__write_file

Every agent has names of its own, but they are made of the same words. A name is understood only if
each of its words is: of `create_commit`, whatever files it lists, nothing is known.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ...words.identifiers import parts
from ..kinds import Operation

# Verbs, the strongest first: `search_replace` edits, `search_file_content` searches.
_VERBS = {
    Operation.DELETE: "delete remove",
    Operation.RENAME: "move rename",
    Operation.EDIT: "edit multiedit notebookedit replace insert patch update modify append diff",
    Operation.WRITE: "write create save overwrite",
    Operation.SEARCH: "search grep glob find list ls",
    Operation.READ: "read view open cat notebookread",
}
_BY_WORD = {word: deed for deed, words in _VERBS.items() for word in words.split()}
_STRENGTH = list(_VERBS)
_FILES = frozenset("file files path paths notebook".split())
# What an edit takes out of a file: to delete this deletes no file.
_PARTS = frozenset("line lines cell cells block blocks symbol text string content".split())
_FOLDERS = frozenset("directory directories dir dirs folder folders tree".split())
_BETWEEN = frozenset(
    "an and or to in into of from for with by the new all many multi multiple apply undo based"
    " tool editor fs str strings contents code symbols body regex pattern after before".split()
)
# Tools that do one of several things, and say which in their parameters.
_MANIFOLD = frozenset({"editor", "tool"})
_SHELLS = frozenset("bash zsh sh shell terminal command cmd container powershell pwsh".split())
_RUNNING = frozenset("run execute exec local in".split())


@lru_cache(maxsize=1024)
def operation_of(tool: str) -> Operation | None:
    """Return what a tool of this name does to the files it is given, or None if the name does not
    tell."""
    words = _words(tool)
    deeds = {_BY_WORD[word] for word in words if word in _BY_WORD}
    found = next((deed for deed in _STRENGTH if deed in deeds), None)
    known = _BY_WORD.keys() | _FILES | _PARTS | _BETWEEN
    if found is Operation.SEARCH:
        known |= _FOLDERS
    if found is None or not known.issuperset(words):
        return None
    return Operation.EDIT if found is Operation.DELETE and _PARTS & set(words) else found


@lru_cache(maxsize=1024)
def is_shell(tool: str) -> bool:
    """Whether a tool of this name runs the command that it is given, here."""
    words = set(_words(tool))
    is_one = words == {"run"} or bool(words & _SHELLS)
    return is_one and words <= _SHELLS | _RUNNING and not is_foreign(tool)


def is_manifold(tool: str) -> bool:
    """Whether the name of a tool leaves open what it does: a parameter tells."""
    return not _MANIFOLD.isdisjoint(_words(tool))


def is_foreign(tool: str) -> bool:
    """Whether a tool is one of a server's: its paths need not be those of files here."""
    return tool[:3].lower() == "mcp"


def names_files(tool: str) -> bool:
    """Whether the name says that it is files that the tool works on."""
    return not (_FILES | _FOLDERS).isdisjoint(_words(tool))


# -- inside


def _words(tool: str) -> list[str]:
    """Return the words of a name in small letters, without those of the server it comes from."""
    bare = re.split(r"__|:", tool)[-1]
    words = [word.lower() for word in parts(bare)]
    if words[:1] == ["mcp"]:  # `mcp_server_tool`: a server's name holds no verb, as a rule
        first = next((n for n, word in enumerate(words) if word in _BY_WORD), len(words))
        return words[first:]
    return words
