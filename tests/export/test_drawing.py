"""Draw pictures with both layout engines. Errors if no engine is installed, for timeouts and for steps that do not exist."""

import asyncio
import dataclasses
import os
import re
import shutil
import struct
import subprocess
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest

from app.explain import Document
from app.export import ExportUnavailable, NoSuchStep, PictureTooLarge, Wanted, draw, jail, picture
from tests.recordings import chunks, folded
from tests.sandbox.processes import PATIENCE

DOCUMENT = (Path(__file__).parents[1] / "js/fixtures/data.json").read_bytes()
ENGINES = pytest.mark.parametrize("engine", ["dot", "pygraphviz"])


@pytest.fixture(autouse=True)
def chosen(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Select the layout engine that a test names."""
    engine = request.node.callspec.params.get("engine") if hasattr(request.node, "callspec") else None
    if engine == "pygraphviz":
        monkeypatch.setattr(jail, "program", lambda: None)
    elif engine == "dot" and shutil.which("dot") is None:
        pytest.skip("Graphviz's program is not installed")


def words_of(pdf: bytes) -> str:
    """Return the text in a PDF file."""
    return subprocess.run(["pdftotext", "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()


@ENGINES
async def test_each_format_is_what_its_name_says(engine: str) -> None:
    drawn = {kind: await picture(DOCUMENT, "last", "both", kind) for kind in ("svg", "pdf", "png", "dot")}
    assert b"<svg " in drawn["svg"][:500] and b"MmBackward0" in drawn["svg"] and b"font/woff2" in drawn["svg"]
    assert drawn["pdf"].startswith(b"%PDF-") and drawn["png"].startswith(b"\x89PNG") and drawn["dot"].startswith(b"digraph")
    assert {"MmBackward0", "AccumulateGrad", "w1.grad: [[3.], [6.]]", "stride (2, 1) +0"} <= set(
        words_of(drawn["pdf"]).splitlines()
    )


@ENGINES
async def test_a_canvas_is_filled_to_its_size(engine: str) -> None:
    drawn = await draw(DOCUMENT, Wanted(which="both", format="png", canvas=(1200, 630)))
    assert struct.unpack(">II", drawn.content[16:24]) == (1200, 630)


async def test_a_step_shows_what_is_there_by_then() -> None:
    first = await draw(DOCUMENT, Wanted(step=1, which="graph", format="dot"))
    last = await draw(DOCUMENT, Wanted(step="last", which="graph", format="dot"))
    assert (first.step, last.step) == (1, last.steps)
    assert b"MmBackward0" not in first.content and b"MmBackward0" in last.content


STALE_STEP = 8
STRIPE, TO_STORAGE = "#e4bbbb", "#8a2f75"


@ENGINES
async def test_a_stale_saved_tensor_has_stripes_that_no_box_covers(engine: str) -> None:
    drawn = [await draw(DOCUMENT, Wanted(step=step, format="pdf")) for step in (STALE_STEP - 1, STALE_STEP, "last")]
    before, stale, freed = [_pixels_like(each.content, STRIPE) for each in drawn]
    assert before == 0 and min(stale, freed) > 300


def _pixels_like(pdf: bytes, colour: str) -> int:
    """Return the number of pixels of a rendered PDF that have roughly this colour."""
    drawn = subprocess.run(["pdftoppm", "-r", "192", "-"], input=pdf, capture_output=True, check=True).stdout
    pixels = np.frombuffer(drawn.split(b"\n255\n", 1)[1], np.uint8).reshape(-1, 3).astype(int)
    return int((abs(pixels - [*bytes.fromhex(colour[1:])]).max(axis=1) < 8).sum())


async def test_the_line_from_a_stale_saved_tensor_passes_the_tensors() -> None:
    drawn = (await draw(DOCUMENT, Wanted(step=STALE_STEP, which="both", format="dot"))).content.decode()
    (line,) = re.findall(rf'ink -> ink \[[^\]]*color="{TO_STORAGE}"[^\]]*pos="e,\S+ ([^"]+)"', drawn)
    points = [tuple(map(float, point.split(","))) for point in line.split()]
    boxes = re.findall(r"\ttensor\d+ \[.*? height=([\d.]+) .*?pos=\"([\d.]+),([\d.]+)\" .*?width=([\d.]+)", drawn)
    assert len(boxes) >= 5
    for high, x, y, wide in boxes:
        half = 36 * float(wide), 36 * float(high)
        for (left, low), (right, top) in pairwise(points):
            across = max(left, right) > float(x) - half[0] and min(left, right) < float(x) + half[0]
            assert not (across and max(low, top) > float(y) - half[1] and min(low, top) < float(y) + half[1])


async def test_the_answer_to_why_is_marked_with_its_numbers() -> None:
    plain, asked, foreign = [
        words_of((await draw(DOCUMENT, Wanted(which="both", format="pdf", why=why))).content).splitlines()
        for why in (None, "tensor.2.13", "tensor.99.13")
    ]
    assert plain == foreign and "2–3" not in plain
    assert "2–3" in asked and asked.count("1") == plain.count("1") + 2, "of w2.grad: its AccumulateGrad, and the Tensor"


async def test_a_step_that_the_run_has_not_is_refused() -> None:
    with pytest.raises(NoSuchStep):
        await draw(DOCUMENT, Wanted(step=1000, format="dot"))


async def test_what_is_no_document_ends_its_child_and_nothing_else() -> None:
    with pytest.raises(PictureTooLarge):
        await draw(b"{}", Wanted(format="dot"))


async def test_a_child_that_takes_too_long_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.export.drawing.command", lambda _: ["/bin/sh", "-c", "exec sleep 600"])
    with pytest.raises(PictureTooLarge, match=r"within 0\.2 s"):
        await draw(DOCUMENT, Wanted(format="dot"), wall_seconds=0.2)


async def test_a_child_that_says_too_much_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.export.drawing.command", lambda _: ["/bin/sh", "-c", "exec cat /dev/zero"])
    with pytest.raises(PictureTooLarge, match="more than 32 MB"):
        await draw(DOCUMENT, Wanted(format="dot"))


async def test_what_a_killed_child_has_said_keeps_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.export.drawing.command", lambda _: ["/bin/sh", "-c", "exec yes"])
    for _ in range(30):  # some output may remain unread when the process is killed
        with pytest.raises(PictureTooLarge):
            await asyncio.wait_for(draw(DOCUMENT, Wanted(format="dot"), wall_seconds=0.02), PATIENCE)


async def test_whoever_goes_ends_the_child(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    told = tmp_path / "pid"
    os.mkfifo(told)
    monkeypatch.setattr("app.export.drawing.command", lambda _: ["/bin/sh", "-c", f"echo $$ > {told}; exec sleep 600"])
    asked = asyncio.ensure_future(draw(DOCUMENT, Wanted(format="dot")))
    pid = int(await asyncio.to_thread(told.read_text))
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_without_an_engine_there_is_still_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jail, "program", lambda: None)
    monkeypatch.setattr(jail, "find_spec", lambda _: None)
    with pytest.raises(ExportUnavailable, match="Graphviz, which draws the picture, is not installed"):
        await draw(DOCUMENT, Wanted(format="svg"))
    assert (await draw(DOCUMENT, Wanted(format="dot"))).content.startswith(b"digraph")


async def test_without_bubblewrap_nothing_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ExportUnavailable, match="bubblewrap is not installed"):
        await draw(DOCUMENT, Wanted(format="dot"))


async def test_three_thousand_nodes_are_drawn_within_the_limits() -> None:
    loop = "y = x\nfor _ in range(1000):\n    y = y * 1.001 + x\ny.sum().backward()\n"
    source = f"import torch\nx = torch.ones(3, requires_grad=True)\n{loop}"
    document = msgspec.json.encode(Document(trace=folded(source, chunks(source))))
    rounds = [f"round0.{number}" for number in range(1000)]
    tens = [f"rounds0.{first}.10" for first in range(0, 1000, 10)]
    hundreds = [f"rounds0.{first}.100" for first in range(0, 1000, 100)]
    wanted = Wanted(which="graph", format="dot", open=(*rounds, *tens, *hundreds))
    drawn = (await draw(document, wanted)).content
    assert drawn.count(b"AddBackward0") == drawn.count(b"MulBackward0") == 1000
    assert (await draw(document, dataclasses.replace(wanted, format="pdf"))).content.startswith(b"%PDF-")


@ENGINES
async def test_chinese_is_whole(engine: str) -> None:
    drawn = await draw(DOCUMENT, Wanted(which="graph", format="pdf", language="zh-CN"))
    assert {"第5行", "已释放"} <= set(words_of(drawn.content).replace(" ", "").splitlines())


async def test_letters_without_a_font_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.export.drawing.has_chinese", lambda: False)
    chinese = Wanted(which="graph", format="pdf", language="zh-CN")
    with pytest.raises(ExportUnavailable, match="install fonts-noto-cjk"):
        await draw(DOCUMENT, chinese)
    assert (await draw(DOCUMENT, dataclasses.replace(chinese, format="svg"))).content
    assert (await draw(DOCUMENT, dataclasses.replace(chinese, language="en"))).content
