"""README.md and docs show the pictures that `make pictures` takes. Their files are small."""

import re
import struct
from pathlib import Path

from tests.apng import chunks_of
from tests.pictures import FOLDER, SIZE

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SHOWN = re.compile(r'(?:src|srcset)="(docs/pictures/[^"]+)"|!\[[^\]]+\]\((pictures/[^)]+)\)')


def chunks(name: str) -> list[tuple[bytes, bytes]]:
    """Return the name and the content of each chunk of a PNG file."""
    return list(chunks_of((FOLDER / name).read_bytes()))


def test_every_picture_is_shown_and_no_other() -> None:
    pages = [README, *(ROOT / "docs").glob("*.md")]
    shown = {Path(html or markdown).name for page in pages for html, markdown in SHOWN.findall(page.read_text("utf-8"))}
    assert shown == {path.name for path in FOLDER.iterdir()}
    assert [len(alt.split()) > 10 for alt in re.findall(r'<img[^>]*\balt="([^"]+)"', README.read_text("utf-8"))] == [True]


def test_all_are_of_one_size_and_weigh_little() -> None:
    for path in FOLDER.iterdir():
        [(name, head), *_] = chunks(path.name)
        assert (name, struct.unpack_from(">II", head)) == (b"IHDR", (SIZE["width"], SIZE["height"])), path.name
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) <= 2_300_000


def test_the_lesson_is_a_short_animation() -> None:
    for name in ("lesson.png", "lesson-dark.png"):
        controls = [content for kind, content in chunks(name) if kind == b"fcTL"]
        [counts] = [struct.unpack(">II", content) for kind, content in chunks(name) if kind == b"acTL"]
        assert counts == (len(controls), 0), "played again and again"
        assert 8 <= len(controls) <= 12
        seconds = [struct.unpack_from(">HH", control, 20) for control in controls]
        assert {unit for _, unit in seconds} == {1000}
        assert sum(lasts for lasts, _ in seconds) <= 20_000
        assert (FOLDER / name).stat().st_size <= 1_000_000
