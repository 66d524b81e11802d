"""What an SVG still needs when Graphviz has drawn it: its fonts inside, and families to fall back on."""

import base64
from pathlib import Path
from typing import Final

from app.export.labels import MONO, SANS

FALLBACKS: Final = {MONO: "'Noto Sans Mono CJK SC', 'DejaVu Sans Mono', monospace", SANS: "'Noto Sans CJK SC', sans-serif"}
FILES: Final = {MONO: "jetbrains-mono.woff2", SANS: "inter.woff2"}


def finished(svg: bytes, fonts: Path) -> bytes:
    """The same picture, read with the page's fonts wherever it is opened."""
    text = svg.decode()
    faces = ""
    for family, fallback in FALLBACKS.items():
        named = f'font-family="{family}"'  # no text has this: quotes in it are entities
        if named not in text:
            continue
        text = text.replace(named, f'font-family="{family}, {fallback}"')
        packed = base64.b64encode((fonts / FILES[family]).read_bytes()).decode()
        faces += (
            f'@font-face{{font-family:"{family}";font-weight:100 900;src:url(data:font/woff2;base64,{packed}) format("woff2")}}'
        )
    end_of_tag = text.index(">", text.index("<svg ")) + 1
    return f"{text[:end_of_tag]}\n<style>{faces}</style>{text[end_of_tag:]}".encode()
