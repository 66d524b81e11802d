"""Builds a single HTML file that replays a document, or shows a lecture, without a server or a network."""

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

import app
from app.words import LANGUAGES, page_words, run_words, sentence
from app.words.printable import printable

STATIC: Final = Path(app.__file__).parent.parent / "static"

LEFT_OUT: Final = (
    "compare",
    "course",
    "differs",
    "embed",
    "error-",
    "export",
    "finding-",
    "fix-",
    "lesson",
    "notice-",
    "report",
    "share",
    "start-",
    "trial",
)
"""Prefixes of messages that the file does not need.

Only a server's page uses messages about lessons, links, comparisons, tested fixes and errors. Each file gets the messages
about its own findings (`_words_of_findings`).
"""

_URL: Final = re.compile(r'url\("?\.\./(vendor/fonts/[\w.-]+\.woff2)"?\)')
_FONT_FACE: Final = re.compile(r"@font-face\s*\{[^}]*\}")
_SAFE: Final = str.maketrans("<&", ",.")
"""The two characters of base 85 with a meaning in HTML, and their replacements (static/js/pages/unpack.js)."""

_PAGE: Final = """<!doctype html>
<html lang="{language}" data-keeps="nothing" data-asked-language="{language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Stepgrad {version}">
<title>{title}</title>
<script type="application/json" id="boot">{boot}</script>
{held}
<script type="text/plain" id="packed">{packed}</script>
</head>
<body{look}>
<div id="app"><p class="loading">Stepgrad</p></div>
<noscript><p>{needs_script}</p></noscript>
<script>{unpack}</script>
</body>
</html>
"""


class _Header(msgspec.Struct):
    stepgrad: str
    python: str
    torch: str


class _Trace(msgspec.Struct):
    header: _Header


class _Finding(msgspec.Struct):
    kind: str


class _Document(msgspec.Struct):
    trace: _Trace
    findings: list[_Finding] = []


def standalone(document: bytes, title: str, language: str, *, has_fonts: bool = True) -> bytes:
    """The HTML file with `document`, the JSON of an `app.explain.Document`.

    The page starts in `language` and cannot run a snippet.

    The same arguments give the same bytes. `title` is plain text. Without fonts the file is 115 KB smaller and uses the
    reader's fonts. A notebook, which stores one file per cell, uses this option.
    """
    return _page(_PLAYER, title, language, [("document", document)], [document], has_fonts=has_fonts)


def standalone_lecture(lecture: bytes, documents: dict[str, bytes], title: str, language: str) -> bytes:
    """The HTML file with `lecture`, the JSON of a lecture's page, and with the lecture's `documents` by URL.

    The page cannot run a snippet.
    """
    held = [("lecture", lecture), *((f"document {address}", each) for address, each in documents.items())]
    return _page(_LECTURE, title, language, held, list(documents.values()))


class _Kind(NamedTuple):
    """The script and the style sheets of one kind of HTML file: a player or a lecture."""

    script: str
    sheets: tuple[str, ...]
    look: str = ""


_PLAYER: Final = _Kind("file.js", ("main.css", "presenting.css"))
_LECTURE: Final = _Kind("lecture-file.js", ("main.css", "lecture.css"), ' class="reading"')


def _page(
    kind: _Kind,
    title: str,
    language: str,
    held: list[tuple[str, bytes]],
    documents: list[bytes],
    *,
    has_fonts: bool = True,
) -> bytes:
    """The page with the JSON texts in `held`, by id. The page shows the versions of the first document in `documents`."""
    style, script, packed = _player(kind, has_fonts)
    unpack = _script("unpack.js")
    read = [msgspec.json.decode(document, type=_Document) for document in documents]
    header = read[0].trace.header if read else _Header("", "", "")
    words = _words_of_findings({finding.kind for document in read for finding in document.findings})
    held = [*held, ("findings", json.dumps(words, ensure_ascii=False).encode())]
    boot: dict[str, Any] = {"version": header.stepgrad, "torch": header.torch, "python": header.python, "title": title}
    known: dict[str, Any] = {"imports": [], "gpu": False, "source_bytes": 0, "lessons": [], "whole": []}
    empty = dict.fromkeys(("program", "snippet_id", "compare"))
    page = _PAGE.format(
        language=html.escape(language),
        policy=_policy(style, unpack, script),
        version=html.escape(header.stepgrad),
        title=html.escape(f"{printable(title)} · Stepgrad" if title else "Stepgrad"),
        boot=_within_script(json.dumps({**boot, **known, **empty})),
        held="\n".join(
            f'<script type="application/json" id="{html.escape(name)}">{_within_script(content.decode())}</script>'
            for name, content in held
        ),
        look=kind.look,
        packed=packed,
        needs_script=html.escape(sentence(language, "needs-script")),
        unpack=unpack,
    )
    return page.encode()


def _within_script(text: str) -> str:
    """Escape JSON for a script element, so that the JSON cannot end the element, begin a comment or end a line."""
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _policy(style: str, *scripts: str) -> str:
    """A Content-Security-Policy that allows only this style sheet and these scripts, by their hashes."""
    allowed = " ".join(map(_hash, scripts))
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; font-src data:; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _player(kind: _Kind, has_fonts: bool) -> tuple[str, str, str]:
    """Return the style sheet and the script, from which the Content-Security-Policy is computed, and a compressed text that
    contains both and the messages."""
    sheet = "".join((STATIC / "bundle" / name).read_text("utf-8") for name in kind.sheets)
    style = _URL.sub(lambda found: f"url({_font(found[1])})", sheet) if has_fonts else _FONT_FACE.sub("", sheet)
    script = _script(kind.script)
    words = {
        address: _kept(text)
        for language in LANGUAGES
        for address, text in (
            (f"/words/{language}.ftl", page_words(language)),
            (_run_words_at(language), run_words(language)),
        )
    }
    content = json.dumps({"style": style, "script": script, "words": words}, ensure_ascii=False).encode()
    packer = zlib.compressobj(9, zlib.DEFLATED, 31, 9)
    return style, script, base64.b85encode(packer.compress(content) + packer.flush()).decode().translate(_SAFE)


def _script(name: str) -> str:
    text = (STATIC / "bundle" / name).read_text("utf-8")
    if re.search(r"</script|<!--", text, re.IGNORECASE):
        raise ValueError(f"{name} would end its script element")
    return text


def _font(path: str) -> str:
    return f"data:font/woff2;base64,{base64.b64encode((STATIC / path).read_bytes()).decode()}"


def _run_words_at(language: str) -> str:
    return f"/words/{language}.run.ftl"


def _kept(catalogue: str) -> str:
    """The messages that every file needs, without comments."""
    return "\n".join(text for name, text in _messages(catalogue) if not name.startswith(LEFT_OUT))


def _words_of_findings(kinds: set[str]) -> dict[str, str]:
    """The messages about findings of these kinds, by the URL of their catalogue."""
    return {
        _run_words_at(language): "\n".join(text for kind in sorted(kinds) for text in _finding_messages(language).get(kind, ()))
        for language in LANGUAGES
    }


@cache
def _finding_messages(language: str) -> dict[str, list[str]]:
    """The messages about findings of each kind: `finding-KIND` and `finding-KIND-title`."""
    found: dict[str, list[str]] = {}
    for name, text in _messages(run_words(language)):
        prefix, _, rest = name.partition("-")
        if prefix == "finding":
            found.setdefault(rest.partition("-")[0], []).append(text)
    return found


def _messages(catalogue: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each message, without comments and blank lines."""
    name, lines = "", list[str]()
    for line in (*catalogue.splitlines(), "."):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith((" ", "}")):
            if lines:
                yield name, "\n".join(lines)
            name, lines = line.partition("=")[0].strip(), []
        lines.append(line)
