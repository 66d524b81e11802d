"""Determines which files of a program are followed statement by statement, and their names in a trace."""

import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import torch

from app.tracer.statements import program

_INSTALLED: Final = ("site-packages", "dist-packages")
"""Names of folders with installed packages, also in an environment within the program's own folder."""
_LIBRARY: Final = tuple({os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")})
_ROOT: Final = os.path.dirname(os.path.dirname(os.path.realpath(program.RECORDER)))
_OURS: Final = tuple(os.path.join(_ROOT, *parts) for parts in (("app",), ("stepgrad",)))
_TORCH: Final = os.path.dirname(os.path.realpath(torch.__file__))
_INNER: Final = (_TORCH, os.path.join(os.path.dirname(_TORCH), "functorch"), *_OURS)
"""Folders whose lines are skipped for `Write.place`: torch's and the recorder's."""

Followed = str | os.PathLike[str] | ModuleType


class Following:
    """Follows the files of these folders, these single files, and cells of a notebook.

    Installed packages, the standard library and Stepgrad are never followed.
    """

    def __init__(
        self, folders: Iterable[tuple[str, str]], files: Iterable[str] = (), cells: Mapping[str, int] | None = None
    ) -> None:
        self._folders = [(os.path.realpath(folder), os.path.realpath(base)) for folder, base in folders]
        """Pairs of a folder and the folder to which the paths of its files are relative."""
        self._files = {os.path.realpath(file) for file in files}
        self._cells = cells or {}
        """The numbers of cells by the file names of their code."""

    def path_of(self, filename: str) -> str | None:
        """Return the path of a followed file in the trace; None for other files."""
        if filename in self._cells:
            return f"cell {self._cells[filename]}"
        path = _real(filename)
        if path is None or is_inner(path) or _installed_in(path) is not None:
            return None
        bases = [base for folder, base in self._folders if _is_in(path, folder)]
        if bases:
            return os.path.relpath(path, bases[0]).replace(os.sep, "/")
        return os.path.basename(path) if path in self._files else None


def path_for_user(filename: str) -> str:
    """Return the name of a file for messages to the user: the number of a cell, a path relative to the working folder, or a
    file name."""
    if filename in (cells := _cells()):
        return f"cell {cells[filename]}"
    path, folder = _real(filename), os.path.realpath(os.getcwd())
    if path is None:
        return filename
    return os.path.relpath(path, folder) if _is_in(path, folder) else os.path.basename(path)


def name_of(filename: str) -> str | None:
    """Return the path of a file that is not followed; None for files of torch, Python and Stepgrad."""
    path = _real(filename)
    if path is None or is_inner(path):
        return None
    folder = _installed_in(path)
    return os.path.basename(path) if folder is None else os.path.relpath(path, folder).replace(os.sep, "/")


def is_inner(path: str) -> bool:
    """Whether a file belongs to torch, Stepgrad or the standard library."""
    if any(_is_in(path, folder) for folder in _INNER):
        return True
    return _installed_in(path) is None and any(_is_in(path, folder) for folder in _LIBRARY)


def around(variables: Mapping[str, Any], filename: str) -> Following:
    """Return the default for `follow`: the top-level package of a module with these variables, else the module's folder."""
    package = variables.get("__package__")
    top = sys.modules.get(package.partition(".")[0]) if type(package) is str and package else None
    folders = _folders_of(top) if top is not None else []
    if folders:
        return Following([(folder, os.path.dirname(folder)) for folder in folders])
    path = _real(filename)
    # The cells of a notebook have no file or a temporary file; therefore use the working folder.
    is_cell = path is None or "__file__" not in variables
    folder = os.getcwd() if is_cell or path is None else os.path.dirname(path)
    return Following([(folder, folder)], cells=_cells() if is_cell else None)


def _cells() -> Mapping[str, int]:
    """Return the cells that IPython ran in this process, with their numbers (IPYTHON 9: core/compilerop.py)."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    found = getattr(getattr(shell, "compile", None), "_filename_map", {})
    return found if isinstance(found, dict) else {}


def named(follow: Iterable[Followed]) -> Following:
    """Follow these modules (names or objects) and folders. Raises ValueError for a module or folder that does not exist or is
    installed."""
    folders: list[tuple[str, str]] = []
    files: list[str] = []
    for each in follow:
        found = _place_of(each)
        if _installed_in(os.path.realpath(found)) is not None or is_inner(os.path.realpath(found)):
            raise ValueError(f"{each!r} is installed. Statements of installed code are not recorded, only torch's operations.")
        if os.path.isdir(found):
            is_package = os.path.exists(os.path.join(found, "__init__.py"))
            folders.append((found, os.path.dirname(os.path.abspath(found)) if is_package else found))
        else:
            files.append(found)
    return Following(folders, files)


def _place_of(named: Followed) -> str:
    """Return the folder or file of a module or path."""
    if isinstance(named, ModuleType):
        places = [*_folders_of(named), getattr(named, "__file__", None)]
    elif isinstance(named, str) and not os.path.exists(named):
        module = sys.modules.get(named)
        places = [_place_of(module)] if module is not None else _places_of_spec(named)
    else:
        places = [os.fspath(named) if os.path.exists(named) else None]
    place = next((place for place in places if place), None)
    if place is None:
        raise ValueError(f"{named!r} is neither an existing module nor an existing folder.")
    return place


def _places_of_spec(name: str) -> list[str | None]:
    """Return the files that may define a module which is not imported yet. Nothing is imported; for `a.b`, only `a` is looked
    up."""
    top, *parts = name.split(".")
    spec = importlib.util.find_spec(top) if top else None
    if spec is None or not parts:
        return [] if spec is None else [*(spec.submodule_search_locations or ()), spec.origin]
    within = [Path(folder, *parts) for folder in spec.submodule_search_locations or ()]
    return [str(place) for path in within for place in (path, path.with_suffix(".py")) if place.exists()]


def _folders_of(module: ModuleType) -> list[str]:
    return [str(folder) for folder in getattr(module, "__path__", ())]


def _real(filename: str) -> str | None:
    """Return the real path of a file; None for other names, such as "<string>"."""
    return None if filename.startswith("<") or not os.path.isfile(filename) else os.path.realpath(filename)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _installed_in(path: str) -> str | None:
    """Return the folder of installed packages on a path; None if there is none."""
    parts = path.split(os.sep)
    places = [place for place, part in enumerate(parts) if part in _INSTALLED]
    return os.sep.join(parts[: places[-1] + 1]) if places else None
