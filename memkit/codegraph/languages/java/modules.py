"""Module resolver of declared packages: Java and C#, and languages that share Java's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from .. import REGISTRY
from ..modules import ListedFile, ModuleResolver

# Namespace and module of what files use everywhere in their project.
_EVERYWHERE = "*"


class Resolver(ModuleResolver):
    """Looks packages and namespaces up; each language keeps to its own files.

    A language may share the packages of another, as Kotlin does with Java.

    A key is the language, a colon and the dotted name. Java files without a package belong
    together only within one folder; C# files without a namespace are seen by all others.
    C# namespace "*" is that of a file with `global using`, whose names all files in and below its
    folder use: each such file is a namespace of its own, and module "*" means those near a file.
    """

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take path, language and namespace of each file; settings do not matter."""
        self._own: dict[str, str] = {}
        self._members: dict[str, list[str]] = {}
        self._everywhere: dict[str, list[str]] = {}
        for path, language, namespace in files:
            key = _key(path, language, namespace)
            if namespace == _EVERYWHERE:
                self._everywhere.setdefault(_project(path), []).append(key)
            self._own[path] = key
            for outer in _outward(key)[1:]:
                self._members.setdefault(outer, [])
            self._members.setdefault(key, []).append(path)

    def namespace(self, path: str) -> str:
        """Return the key of a file's package or namespace."""
        return self._own[path]

    def members(self, key: str) -> tuple[str, ...]:
        """Return the files of a package, in order."""
        return tuple(self._members.get(key, ()))

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the package of a name, nothing for one that no file declares."""
        if module == _EVERYWHERE:
            return tuple(self._used_everywhere(path))
        key = self._named(path, module)
        return (key,) if key in self._members else ()

    def nested(self, key: str, name: str) -> tuple[str, ...]:
        """Return the namespace of that name in another."""
        inner = f"{key}.{name}"
        return (inner,) if inner in self._members else ()

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the key of the package that is asked for, which every file in it contributes."""
        return (f"m:{self._named(path, module)}",)

    @staticmethod
    def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
        """Return the keys of a file's package and of those around it."""
        keys = tuple(f"m:{key}" for key in _outward(_key(path, language, namespace)))
        return (*keys, f"m:{language}:{_EVERYWHERE}") if namespace == _EVERYWHERE else keys

    def _used_everywhere(self, path: str) -> Iterator[str]:
        """Yield keys of the files whose names a file uses without saying so, the nearest first."""
        if not self._everywhere:
            return
        folder = path
        while folder:
            folder = folder.rpartition("/")[0]
            yield from self._everywhere.get(folder, ())

    def _named(self, path: str, module: str) -> str:
        if path not in self._own:  # inside of a namespace
            return f"{path}.{module}"
        language = self._own[path].partition(":")[0]
        return f"{language}:{module}"


def _project(path: str) -> str:
    """Return the folder of a project by one of its files."""
    return path.rpartition("/")[0].removesuffix("Properties").removesuffix("/")


def _key(path: str, language: str, namespace: str) -> str:
    language = REGISTRY[language].packages or language
    if language == "java" and not namespace:
        return f"java:/{path.rpartition('/')[0]}"
    return f"{language}:{namespace}" if namespace != _EVERYWHERE else f"{language}:/{path}"


def _outward(key: str) -> list[str]:
    """Return a key and those of the namespaces around it."""
    language, _, name = key.partition(":")
    if name.startswith("/"):
        return [key]
    parts = name.split(".")
    return [f"{language}:{'.'.join(parts[:size])}" for size in range(len(parts), 0, -1)]
