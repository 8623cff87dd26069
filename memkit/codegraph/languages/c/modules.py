"""Include resolution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..modules import joined

_PREFIX = "m:c:"


class Linker:
    """Looks includes up among the C and C++ files of one tree; every file is its own namespace."""

    def __init__(self, files: Sequence[tuple[str, str, str]], texts: Mapping[str, str]) -> None:
        """Take the files; no settings are read."""
        self._paths = frozenset(path for path, _, _ in files)
        self._named: dict[str, list[str]] = {}
        for path, _, _ in files:
            self._named.setdefault(path.rpartition("/")[2], []).append(path)

    def own(self, path: str) -> str:
        """Return the path itself."""
        return path

    def members(self, key: str) -> tuple[str, ...]:
        """Return the one file."""
        return (key,) if key in self._paths else ()

    @lru_cache(maxsize=20_000)  # noqa: B019 - lives as long as one run
    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the file of an include; level 1: in angle brackets, not looked for beside."""
        if level not in (0, 1):
            return ()
        folder = path.rpartition("/")[0]
        if not level and (place := joined(folder, module)) in self._paths:
            return (place,)
        wanted = "/" + joined("", module)
        fitting = [one for one in self._near(module) if f"/{one}".endswith(wanted)]
        if len(fitting) > 1:
            fitting = _nearest(fitting, folder)
        # A lone name in angle brackets is more likely a system's header.
        if level and "/" not in module and len(self._near(module)) != 1:
            return ()
        return tuple(fitting) if len(fitting) == 1 else ()

    def inside(self, key: str, name: str) -> tuple[str, ...]:
        """Return nothing: files have no files as members."""
        return ()

    def asked(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the key of all files of that name."""
        return (_PREFIX + module.rpartition("/")[2],) if level in (0, 1) else ()

    def _near(self, module: str) -> list[str]:
        return self._named.get(module.rpartition("/")[2], [])


def contributes(path: str, language: str, namespace: str) -> tuple[str, ...]:
    """Return the key of all files of that name."""
    return (_PREFIX + path.rpartition("/")[2],)


def _nearest(paths: Sequence[str], folder: str) -> list[str]:
    """Return the paths that share most folders with a folder."""
    parts = folder.split("/")

    def shared(path: str) -> int:
        count = 0
        for one, other in zip(path.split("/"), parts, strict=False):
            if one != other:
                break
            count += 1
        return count

    most = max(shared(path) for path in paths)
    return [path for path in paths if shared(path) == most]
