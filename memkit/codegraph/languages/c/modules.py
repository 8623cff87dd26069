"""Module resolver of C and C++: includes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..modules import ListedFile, ModuleResolver, joined

_PREFIX = "m:c:"
# Headers of the standards of C and POSIX whose names files of other programs have as well.
_STANDARD = frozenset(
    f"{name}.h"
    for name in """
    assert complex ctype dirent dlfcn errno fcntl fenv float glob grp iconv inttypes limits locale
    math memory netdb poll pthread pwd regex sched search semaphore setjmp signal spawn stdarg
    stdatomic stdbool stddef stdint stdio stdlib string strings syslog tar termios threads time
    uchar unistd utime wchar wctype
    """.split()
)


class Resolver(ModuleResolver):
    """Looks includes up among the C and C++ files of one tree; every file is its own namespace."""

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take the files; no settings are read."""
        super().__init__(files, texts)
        self._named: dict[str, list[str]] = {}
        for path, _, _ in files:
            self._named.setdefault(path.rpartition("/")[2], []).append(path)

    @lru_cache(maxsize=20_000)  # noqa: B019 - lives as long as one run
    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the file of an include; level 1: in angle brackets, not looked for beside."""
        if level not in (0, 1):
            return ()
        folder = path.rpartition("/")[0]
        if not level and (relative := joined(folder, module)) in self._paths:
            return (relative,)
        suffix = "/" + joined("", module)
        fitting = [near for near in self._near(module) if f"/{near}".endswith(suffix)]
        if len(fitting) > 1:
            fitting = _nearest(fitting, folder)
        # A lone name in angle brackets is more likely a system's header.
        if level and "/" not in module and len(self._near(module)) != 1:
            return ()
        if level and module in _STANDARD:  # of the tree only if the tree has a library of its own
            fitting = [near for near in fitting if f"/{near}".endswith(f"/include/{module}")]
        return tuple(fitting) if len(fitting) == 1 else ()

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the key of all files of that name."""
        return (_PREFIX + module.rpartition("/")[2],) if level in (0, 1) else ()

    @staticmethod
    def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
        """Return the key of all files of that name."""
        return (_PREFIX + path.rpartition("/")[2],)

    def _near(self, module: str) -> list[str]:
        return self._named.get(module.rpartition("/")[2], [])


def _nearest(paths: Sequence[str], folder: str) -> list[str]:
    """Return the paths that share most folders with a folder."""
    parts = folder.split("/")

    def shared(path: str) -> int:
        count = 0
        for part, other in zip(path.split("/"), parts, strict=False):
            if part != other:
                break
            count += 1
        return count

    max_shared = max(shared(path) for path in paths)
    return [path for path in paths if shared(path) == max_shared]
