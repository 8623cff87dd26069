"""PHP: module resolver of namespaces that files declare, and of files that are included."""

from __future__ import annotations

from ..java.modules import Resolver as PackageResolver
from ..modules import joined


class Resolver(PackageResolver):
    """Looks namespaces up as packages are; at level 1 a module is a path from the file's folder.

    Autoloading needs no rules: whatever file declares a class of a namespace has it.
    """

    def members(self, key: str) -> tuple[str, ...]:
        """Return the files of a namespace, in order; a file that is included is one by itself."""
        return (key,) if key in self._own else super().members(key)

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the namespace of a name, or the file that is included."""
        if not level:
            return super().find(path, module, level)
        included = joined(path.rpartition("/")[0], module)
        return (included,) if included in self._own else ()

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the key of the namespace or the file that is asked for."""
        if not level or path not in self._own:
            return super().dependency_keys(path, module, level)
        return (f"m:php:/{joined(path.rpartition('/')[0], module)}",)

    @staticmethod
    def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
        """Return the keys of a file's namespace and of those around it, and of the file."""
        return (*PackageResolver.provided_keys(path, language, namespace), f"m:php:/{path}")
