"""The files that a recording follows: its own source, and other files, which are read when their first function is called."""

import linecache
from types import FrameType

from app.trace.clipping import clip
from app.trace.records import MOST_FILES, FileId, Place
from app.tracer.statements.following import Following, name_of
from app.tracer.statements.source import Source
from app.tracer.trace_writer import Tables


class Sources:
    """The Source of each file, by the file name in its code objects; None for a file that is not followed."""

    def __init__(self, main: Source, tables: Tables, following: Following | None = None) -> None:
        self.main = main
        self.known: dict[str, Source | None] = {main.filename: main}
        self._tables = tables
        self._following = following
        self._places: dict[str, FileId | None] = {}
        """The record of each file that is not followed; None if it has no record."""

    def of(self, filename: str) -> Source | None:
        """Return the Source of a followed file, which is read on first use; None for other files."""
        if filename not in self.known:
            self.known[filename] = self._read(filename)
        return self.known[filename]

    def place(self, frame: FrameType | None) -> Place | None:
        """Return the innermost line that belongs to the program, from this frame outwards; None if that line is in a followed
        file."""
        if self._following is None:
            return None
        while frame is not None:
            filename = frame.f_code.co_filename
            if self.of(filename) is not None:
                return None
            if (file := self._place(filename)) is not None:
                return Place(line=max(1, frame.f_lineno or 1), file=file)
            frame = frame.f_back
        return None

    def _read(self, filename: str) -> Source | None:
        path = None if self._following is None else self._following.path_of(filename)
        if path is None or self._tables.files.count >= MOST_FILES:
            return None
        source = Source("".join(linecache.getlines(filename)), filename)
        # `kept_program.py` adds its text at the end.
        source.file = FileId(self._tables.files.add(path=_printable(path), is_followed=True))
        source.read()
        return source

    def _place(self, filename: str) -> FileId | None:
        if filename not in self._places:
            name = name_of(filename) if self._tables.files.count < MOST_FILES else None
            self._places[filename] = None if name is None else FileId(self._tables.files.add(path=_printable(name)))
        return self._places[filename]


def _printable(path: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in clip(path))
