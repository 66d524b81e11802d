"""Static files and words, read into memory at start: nothing outside them can be asked for, nothing changes under a page."""

import gzip
import hashlib
import re
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import app
from app.words import LANGUAGES, catalogue

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
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
PACKED = frozenset({".ico", ".png", ".woff2"})
"""What is compressed already."""


_DOCS = re.compile(rb"/\*\*(?:[^*]|\*(?!/))*\*/ ?")
_COMMENT = re.compile(rb"/\*.*?\*/\n?", re.DOTALL)
_ASIDE = re.compile(rb"^[ \t]+(?://.*$)?|^//.*$", re.MULTILINE)
"""What explains our modules to whoever changes them: types, reasons, indentation; nearly a third of their weight."""


SHEETS = ("tokens", "page", "panes", "timeline", "stage", "steps", "text", "small", "hall")
"""The style sheets of every visit, in the order in which they apply: served as one, which weighs a quarter less."""


def lean(module: bytes) -> bytes:
    """`module` without its comments and its indentation; every line keeps its number. (Ours have neither within a string.)"""
    return _ASIDE.sub(b"", _DOCS.sub(lambda found: b"\n" * found[0].count(b"\n"), module))


class Asset:
    """One file: its bytes, content type, and the bytes packed by gzip, made when first asked for."""

    def __init__(self, name: str, content: bytes) -> None:
        suffix = Path(name).suffix
        self.name = name
        self.content = content
        self.content_type = CONTENT_TYPES.get(suffix, "application/octet-stream")
        self.etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
        self._is_packed = suffix in PACKED

    @cached_property
    def gzipped(self) -> bytes | None:
        """None where packing does not pay."""
        if self._is_packed or len(self.content) < 512:
            return None
        return gzip.compress(self.content, 9, mtime=0)


class Assets:
    """Every static file by its path below `static/`, and the word catalogues by language."""

    def __init__(self, files: dict[str, Asset], words: dict[str, Asset]) -> None:
        self.files = files
        self.words = words
        digest = hashlib.sha256()
        for path in sorted(files):
            digest.update(f"{path}\0{files[path].etag}\n".encode())
        self.build = digest.hexdigest()[:12]

    @classmethod
    def read(cls, static: Path = STATIC) -> "Assets":
        """What stands in the folder now."""
        files = {path.relative_to(static).as_posix(): path.read_bytes() for path in _files(static.rglob("*"))}
        files["css/sheets.css"] = b"".join(_COMMENT.sub(b"", files[f"css/{sheet}.css"]) for sheet in SHEETS)
        return cls(
            {name: Asset(name, lean(content) if name.startswith("js/") else content) for name, content in files.items()},
            {language: Asset(f"{language}.ftl", catalogue(language).encode()) for language in LANGUAGES},
        )

    @property
    def prefix(self) -> str:
        """Where this build of the static files stands, e.g. /static/0123456789ab."""
        return f"/static/{self.build}"

    def modules(self) -> list[str]:
        """The addresses of the player's own modules, for modulepreload."""
        return [f"{self.prefix}/{path}" for path in sorted(self.files) if path.startswith("js/") and path.endswith(".js")]


def _files(paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if path.is_file() and not path.name.startswith("."))
