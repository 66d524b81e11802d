"""Static files and catalogues.

The server reads these files into memory at start, so that all files of a page have the same version.
"""

import gzip
import hashlib
import json
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

import app
from app.errors import CommandError
from app.words import LANGUAGES, page_words, room_words, run_words

FOLDER = Path(app.__file__).parent.parent
STATIC = FOLDER / "static"
TEMPLATES = FOLDER / "templates"

CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".ftl": "text/plain; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
PACKED = frozenset({".ico", ".png", ".woff2"})
"""Suffixes of file formats that are already compressed, so that gzip would not make the files smaller."""

SERVED = ("bundle", "img", "vendor")
"""The folders of `static/` that browsers may request. The other folders are sources of the bundle."""


class Asset:
    """One file: the bytes, the content type, and the gzipped bytes, which are computed at the first request."""

    def __init__(self, name: str, content: bytes) -> None:
        suffix = Path(name).suffix
        self.name = name
        self.content = content
        self.content_type = CONTENT_TYPES.get(suffix, "application/octet-stream")
        self.etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        self.is_text = suffix not in PACKED
        """Whether clients that accept compression get the file compressed."""

    @cached_property
    def gzipped(self) -> bytes | None:
        """The gzipped bytes; None if they are not smaller."""
        if not self.is_text:
            return None
        packed = gzip.compress(self.content, 9, mtime=0)
        return packed if len(packed) < len(self.content) else None


class Assets:
    """Every static file by its path below `static/`, and the catalogues by name."""

    def __init__(self, files: dict[str, Asset], words: dict[str, Asset], manifest: dict[str, Any]) -> None:
        self.files = files
        self.words = words
        self.workers = frozenset(f"bundle/{name}" for name in manifest["workers"])
        """The paths of the scripts that browsers run as web workers."""
        self._imports: dict[str, list[str]] = manifest["imports"]
        digest = hashlib.sha256()
        for path in sorted(files):
            digest.update(f"{path}\0{files[path].etag}\n".encode())
        self.build = digest.hexdigest()[:12]

    @classmethod
    def read(cls, static: Path = STATIC) -> "Assets":
        """Read the folder. Raises CommandError if the bundle does not match its sources."""
        manifest = json.loads((static / "bundle" / "manifest.json").read_bytes())
        if (static / "js").is_dir() and manifest["sources"] != sources_digest(static):
            raise CommandError("static/bundle does not match static/js and static/css: run `make bundle`.")
        paths = _files(path for folder in SERVED for path in (static / folder).rglob("*"))
        return cls(
            {name: Asset(name, path.read_bytes()) for path in paths if (name := path.relative_to(static).as_posix())},
            {asset.name: asset for language in LANGUAGES for asset in _words(language)},
            manifest,
        )

    @property
    def prefix(self) -> str:
        """The base URL of this build's static files, e.g. /static/0123456789ab."""
        return f"/static/{self.build}"

    def modules(self, *scripts: str) -> list[str]:
        """The URLs of `scripts` of the bundle and of all their imports, for modulepreload."""
        paths = dict.fromkeys(path for script in scripts for path in self._imports[script])
        return [f"{self.prefix}/{path}" for path in paths]


def sources_digest(static: Path) -> str:
    """The hash of the bundle's sources, by the algorithm of tests/js/bundle.mjs."""
    digest = hashlib.sha256()
    paths = _files(path for folder in ("js", "css") for path in (static / folder).rglob("*") if path.suffix in (".js", ".css"))
    for name, path in sorted((path.relative_to(static).as_posix(), path) for path in paths):
        digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _words(language: str) -> list[Asset]:
    parts = {"": page_words(language), ".run": run_words(language), ".room": room_words(language)}
    return [Asset(f"{language}{part}.ftl", text.encode()) for part, text in parts.items()]


def _files(paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if path.is_file() and not path.name.startswith("."))
