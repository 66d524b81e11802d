"""Restricts imports from a directory to listed packages, without listing the directory."""

import sys
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Final

SUFFIXES: Final = (*EXTENSION_SUFFIXES, *SOURCE_SUFFIXES)


class ListedFinder:
    """A path entry finder that finds only the listed modules and packages of `directory`, without reading the directory."""

    def __init__(self, directory: str, names: list[str]) -> None:
        self._directory = Path(directory)
        self._names = frozenset(names)
        """The names of the files and directories of these modules and packages."""

    def find_spec(self, name: str, target: object = None) -> ModuleSpec | None:
        """Find a module in `directory`. importlib calls this method for each entry of sys.path."""
        last = name.rpartition(".")[2]
        place = self._directory / last
        if last in self._names:
            if (place / "__init__.py").is_file():
                return spec_from_file_location(name, place / "__init__.py", submodule_search_locations=[str(place)])
            namespace = ModuleSpec(name, None, is_package=True)
            namespace.submodule_search_locations = [str(place)]
            return namespace
        file = next((last + suffix for suffix in SUFFIXES if last + suffix in self._names), None)
        return None if file is None else spec_from_file_location(name, self._directory / file)


def find_only(names: dict[str, list[str]]) -> None:
    """Restrict imports from each directory (the keys of `names`) to its listed names (the values)."""
    for directory, listed in names.items():
        sys.path_importer_cache[directory] = ListedFinder(directory, listed)
