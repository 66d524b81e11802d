"""Post-processing of Graphviz's SVG: embedded fonts with fallback families, or a smaller file."""

import base64
import re
from pathlib import Path
from typing import Final

from app.export.labels import MONO, SANS

FALLBACKS: Final = {MONO: "'Noto Sans Mono CJK SC', 'DejaVu Sans Mono', monospace", SANS: "'Noto Sans CJK SC', sans-serif"}
FILES: Final = {MONO: "jetbrains-mono.woff2", SANS: "inter.woff2"}

_UNSEEN: Final = re.compile(
    r'<!--.*?-->|<title>.*?</title>|<\?xml.*?\?>|<!DOCTYPE.*?>| (?:id|class|xmlns:xlink)="[^"]*"| text-anchor="start"',
    re.DOTALL,
)
"""Matches parts of an SVG that are invisible. No text matches here and below, because `<`, `>` and `"` in text are entities."""
_LOOKS: Final = re.compile(r'((?: (?:fill|stroke|stroke-width|stroke-dasharray|text-anchor|font-[a-z]+)="[^"]*")+)')
_LOOK: Final = re.compile(r' ([a-z-]+)="([^"]*)"')


def finished(svg: bytes, fonts: Path) -> bytes:
    """The picture with the page's fonts embedded, so that the picture looks the same everywhere."""
    text = svg.decode()
    faces = ""
    for family, fallback in FALLBACKS.items():
        named = f'font-family="{family}"'  # text of the snippet cannot match, because quotes in text are entities
        if named not in text:
            continue
        text = text.replace(named, f'font-family="{family}, {fallback}"')
        packed = base64.b64encode((fonts / FILES[family]).read_bytes()).decode()
        faces += (
            f'@font-face{{font-family:"{family}";font-weight:100 900;src:url(data:font/woff2;base64,{packed}) format("woff2")}}'
        )
    end_of_tag = text.index(">", text.index("<svg ")) + 1
    return f"{text[:end_of_tag]}\n<style>{faces}</style>{text[end_of_tag:]}".encode()


def smallest(svg: bytes) -> bytes:
    """A smaller file of the picture, without fonts. Elements with the same style share a class."""
    text = re.sub(r"\s*\n\s*", " ", _UNSEEN.sub("", svg.decode()))
    text = re.sub(r"<g>|</g>(?= ?<)|(?<=>) (?=<)", "", text).strip()
    text = text.replace("</svg>", "</g></svg>")  # closes the group with an attribute, whose end tag was removed above
    classes: dict[str, str] = {}

    def classed(found: re.Match[str]) -> str:
        return f' class="{classes.setdefault(found[0], f"a{len(classes)}")}"'

    text = re.sub(r"(?<=\d)\.00(?=[\" ])", "", _LOOKS.sub(classed, text))
    style = f"text{{font-family:{MONO},{FALLBACKS[MONO]}}}"
    style += "".join(f".{name}{{{';'.join(map(_declared, _LOOK.findall(look)))}}}" for look, name in classes.items())
    end_of_tag = text.index(">") + 1
    return f"{text[:end_of_tag]}<style>{style}</style>{text[end_of_tag:]}".replace('"', "'").encode()


def _declared(attribute: tuple[str, str]) -> str:
    name, value = attribute
    if name == "font-family":
        return "" if value == MONO else f"font-family:{value},{FALLBACKS[SANS]}"
    return f"{name}:{value}px" if name in ("font-size", "stroke-width") else f"{name}:{value}"
