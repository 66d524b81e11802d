"""A disk cache of large recordings as compressed pieces, the form of the response. The files are immutable."""

import asyncio
import os
import shutil
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Final

SUFFIX: Final = ".ndjson.gz"


class PackedFiles:
    """A cache of files in one folder, limited in bytes, that evicts the least recently used file.

    The folder may be deleted at any time, because the server creates missing files again. Files of another `version` are
    deleted at the start.
    """

    def __init__(self, folder: Path, version: str, max_bytes: int) -> None:
        self._folder = folder / version
        self._max_bytes = max_bytes
        self._sizes: OrderedDict[str, int] = OrderedDict()
        for other in folder.iterdir() if folder.is_dir() else ():
            if other != self._folder:
                shutil.rmtree(other, ignore_errors=True)
        self._folder.mkdir(parents=True, exist_ok=True)
        found = [(path.stat(), path) for path in self._folder.iterdir()]
        for state, path in sorted(found, key=lambda each: each[0].st_mtime):
            if path.name.endswith(SUFFIX):
                self._sizes[path.name.removesuffix(SUFFIX)] = state.st_size
            else:  # left by a server that was killed while it wrote the file
                path.unlink()
        self._make_room()

    def find(self, recording_hash: str) -> Path | None:
        """The file of a recording; None if the cache does not have it."""
        if recording_hash not in self._sizes:
            return None
        path = self._path(recording_hash)
        if not path.is_file():
            del self._sizes[recording_hash]
            return None
        self._sizes.move_to_end(recording_hash)
        return path

    async def add(self, recording_hash: str, content: bytes) -> Path:
        """Create the file of a recording atomically. Raises OSError."""
        path = self._path(recording_hash)
        await asyncio.to_thread(_write, path, content)
        self._sizes[recording_hash] = len(content)
        self._sizes.move_to_end(recording_hash)
        self._make_room()
        return path

    def hashes(self) -> list[str]:
        """The hashes of the recordings in the cache."""
        return list(self._sizes)

    def remove(self, recording_hash: str) -> None:
        """Delete the file of a recording. Open readers can finish."""
        if self._sizes.pop(recording_hash, None) is not None:
            self._path(recording_hash).unlink(missing_ok=True)

    def _path(self, recording_hash: str) -> Path:
        return self._folder / f"{recording_hash}{SUFFIX}"

    def _make_room(self) -> None:
        """Delete the oldest files, but never the latest file. Open readers can finish."""
        while len(self._sizes) > 1 and sum(self._sizes.values()) > self._max_bytes:
            oldest, _ = self._sizes.popitem(last=False)
            self._path(oldest).unlink(missing_ok=True)


def _write(path: Path, content: bytes) -> None:
    part = path.with_suffix(".part")
    try:
        part.write_bytes(content)
        os.replace(part, path)
    except OSError:
        with suppress(OSError):
            part.unlink()
        raise
