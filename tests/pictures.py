"""Take the screenshots in README.md and docs: `python -m tests.pictures` writes them to docs/pictures."""

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Browser, Page, expect

from tests.apng import Pixels, animated, still
from tests.browser.page import TWO_FRAMES, Tutor, launched
from tests.browser.test_polls import WRITTEN, answer, ask
from tests.browser.test_polls import lesson as taught
from tests.browser.test_rooms import join
from tests.web.server import running

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
THEMES = {"light": "", "dark": "-dark"}
"""The suffix of file names by theme."""

LESSON = "/lessons/data-hides-the-write"
SIZE = {"width": 1280, "height": 800}
FIRST, WRITE, LAST = 4, 8, 13
"""The steps in the animation: the first product, the write, and the end of backward, where the finding is shown."""
SHORT_MS, LONG_MS = 1000, 3000

COMPARED = "/?compare=data-hides-the-write,detach-tells-on-the-write#step=9"

MODEL = """import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x):
        return (x + self.norm(self.conv(x))).relu()


torch.manual_seed(0)
blocks = [Block() for _ in range(4)]
model = nn.Sequential(*blocks, nn.Flatten(), nn.Linear(64, 1))
loss = model(torch.randn(8, 4, 4, 4)).square().mean()
loss.backward()
"""

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
JUPYTER = Path(__file__).parents[1] / "build" / "jupyter" / "bin" / "jupyter"
"""JupyterLab in a virtual environment that `make pictures` creates."""
CELLS = (
    "%load_ext stepgrad\nimport torch",
    "%%stepgrad\nw = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\nloss = (w * w).sum()\nw.data.mul_(10)\nloss.backward()",
)

ANSWERS = (1, 1, 0)
"""The cells that students choose in the picture of a room."""

HAS_STEPPED = "localStorage.setItem('stepgrad.hint', 'seen')"
READ_PIXELS = """async (png) => {
    const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context.drawImage(bitmap, 0, 0);
    const {data} = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let text = '';
    for (let at = 0; at < data.length; at += 32768) text += String.fromCharCode(...data.subarray(at, at + 32768));
    return [bitmap.height, bitmap.width, btoa(text)];
}"""


def pixels(reader: Page, png: bytes) -> Pixels:
    """Decode a PNG file with Chromium."""
    height, width, data = reader.evaluate(READ_PIXELS, base64.b64encode(png).decode())
    return np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4)


class Camera:
    """A browser context with one theme, for a visitor who has used the page before."""

    def __init__(self, browser: Browser, url: str, theme: str) -> None:
        self.tutor = Tutor(browser, url, viewport=SIZE, color_scheme=theme)
        self.tutor.context.add_init_script(HAS_STEPPED)

    def open(self, address: str) -> None:
        """Show a run, and wait until the fonts are loaded."""
        self.tutor.open(address)
        self.tutor.wait()

    def shoot(self) -> Pixels:
        """Take a screenshot without a focus ring."""
        page = self.tutor.page
        page.evaluate("() => document.activeElement.blur()")
        page.evaluate(f"() => new Promise({TWO_FRAMES}).then(() => document.fonts.ready)")
        return pixels(page, page.screenshot(animations="disabled"))

    def close(self) -> None:
        """Close the page, and assert that it logged no error."""
        assert self.tutor.complaints == []
        self.tutor.context.close()


def lesson(camera: Camera) -> Iterator[Pixels]:
    """Yield the steps of the lesson, from the forward pass to the wrong gradient, and then the card of the finding."""
    camera.open(f"{LESSON}#step={FIRST}")
    expect(camera.tutor.page.locator(".summary")).to_contain_text("1 gradient is silently wrong")
    for number in range(FIRST, LAST + 1):
        if number > FIRST:
            camera.tutor.page.keyboard.press(".")
        camera.tutor.at_step(number)
        expect(camera.tutor.page.locator(".fix.pending")).to_have_count(0)
        yield camera.shoot()
    camera.tutor.page.locator(".finding").evaluate("(card) => card.scrollIntoView({block: 'start'})")
    yield camera.shoot()


def compared(camera: Camera) -> Pixels:
    """Show two snippets at the same step, with their differences."""
    camera.open(COMPARED)
    camera.tutor.at_step(9)
    expect(camera.tutor.page.locator(".memory [data-differs]").first).to_be_visible()
    return camera.shoot()


def room(camera: Camera, browser: Browser, url: str) -> Pixels:
    """Show a teacher's page while a class predicts which cell changes next."""
    code = taught(camera.tutor, WRITTEN, 3)
    students = [Tutor(browser, url, viewport=SIZE) for _ in ANSWERS]
    for student in students:
        join(student, code)
    ask(camera.tutor, "Which cell will change its value?")
    for student, cell in zip(students, ANSWERS, strict=True):
        answer(student, 1, cell)
    camera.tutor.front().keyboard.press("v")
    expect(camera.tutor.page.locator(".poll-spot b")).to_have_text(["2", "1"])
    taken = camera.shoot()
    for student in students:
        student.context.close()
    return taken


def model(camera: Camera) -> Pixels:
    """Show a residual network during backward, with a group for each block."""
    camera.tutor.open()
    camera.tutor.write(MODEL)
    camera.tutor.run(stay=True)
    return camera.shoot()


@contextmanager
def lab(folder: Path) -> Iterator[str]:
    """Start JupyterLab in a folder, with a kernel that can import Stepgrad. Yield its address."""
    kernel = folder / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernel / "kernel.json").write_text(json.dumps({**KERNEL, "argv": command}))
    options = ["--no-browser", "--allow-root", "--port=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"]
    environment = {**os.environ, "JUPYTER_PATH": str(folder), "JUPYTER_CONFIG_DIR": str(folder / "config")}
    with subprocess.Popen([JUPYTER, "lab", *options], env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            yield next(line.split()[-1] for line in server.stderr if "http://127.0.0.1:" in line)
        finally:
            server.terminate()
            server.communicate()


def notebook(browser: Browser) -> Pixels:
    """Show a recording below a notebook cell in JupyterLab."""
    with TemporaryDirectory() as folder:
        cells: list[dict[str, object]] = [
            {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": cell} for cell in CELLS
        ]
        empty = {"nbformat": 4, "nbformat_minor": 4, "metadata": {"kernelspec": KERNEL}, "cells": cells}
        (Path(folder) / "gradient.ipynb").write_text(json.dumps(empty))
        with lab(Path(folder)) as url:
            page = Tutor(browser, "", viewport=SIZE).page
            page.goto(f"{url.removesuffix('/lab')}/doc/tree/gradient.ipynb")
            page.get_by_role("button", name="No", exact=True).click()  # closes the question about Jupyter news
            for number in range(len(CELLS)):
                expect(page.get_by_role("button", name="Python 3 | Idle")).to_be_visible()
                page.locator(".jp-Cell .cm-content").nth(number).click()
                page.keyboard.press("Shift+Enter")
                expect(page.locator(".jp-InputArea-prompt").nth(number)).to_have_text(f"[{number + 1}]:")
            player = page.frame_locator(".jp-OutputArea iframe")
            expect(player.locator(".summary")).to_contain_text("silently wrong", timeout=60_000)
            player.locator("body").evaluate("() => document.fonts.ready")
            return pixels(page, page.screenshot(animations="disabled"))


def take(browser: Browser, url: str, theme: str) -> dict[str, bytes]:
    """Take all pictures in one theme, and return the pictures by file name."""
    camera, suffix = Camera(browser, url, theme), THEMES[theme]
    steps = list(lesson(camera))
    lasts = [LONG_MS if number in (WRITE, LAST) else SHORT_MS for number in range(FIRST, LAST + 1)] + [LONG_MS]
    taken = {
        f"lesson{suffix}.png": animated(steps, lasts),
        f"write{suffix}.png": still(steps[WRITE - FIRST]),
    }
    if theme == "light":
        taken["comparison.png"] = still(compared(camera))
        taken["model.png"] = still(model(camera))
        taken["notebook.png"] = still(notebook(browser))
        taken["room.png"] = still(room(camera, browser, url))
    camera.close()
    return taken


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with running(visitor_burst="1e6", limits__wall_seconds="120", trial_seconds="120") as server, launched() as browser:
        for theme in THEMES:
            for name, png in take(browser, server.url, theme).items():
                (FOLDER / name).write_bytes(png)
                print(f"{name}: {len(png) / 1000:.0f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
