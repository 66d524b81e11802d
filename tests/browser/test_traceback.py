"""The page shows the traceback of an exception as Python prints it, without frames of libraries."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.standalone import standalone
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.page import Tutor
from tests.browser.test_standalone import OnDisk, document_of
from tests.sandbox.processes import PATIENCE

IN_METHOD = """import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return check(x * 2)


def check(x):
    raise ValueError(f"no scalar:\\n  {tuple(x.shape)}")


w = torch.ones(3)
Net()(w)
"""
PROGRAMS = {
    "a plain raise": "import torch\n\nx = torch.ones(2)\nraise RuntimeError('no `gradient` of <b>x</b>')\n",
    "without a message": "import torch\nassert torch.zeros(1)\n",
    "its type of a module": "import json\nimport torch\nx = torch.ones(2)\njson.loads('{')\n",
    "a class of the program": "import torch\n\n\nclass Lost(KeyError):\n    pass\n\n\nx = {}\nraise Lost('w')\n",
    "in a method": IN_METHOD,
    "in torch": "import torch\n\nw = torch.ones(3, requires_grad=True)\ny = w.exp()\ny += 1\ny.sum().backward()\n",
    "chained": "import torch\ntry:\n    torch.ones(2)[5]\nexcept IndexError as error:\n    raise ValueError('out') from error\n",
    "handled": (
        "import torch\n\n\ndef read(k):\n    try:\n        return {}[k]\n    except KeyError:\n"
        "        return torch.ones(2)[k]\n\n\n"
        "try:\n    read(7)\nexcept IndexError as error:\n    raise RuntimeError('no data') from error\n"
    ),
    "suppressed": "import torch\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError('none') from None\n",
    "recursion": "import torch\n\n\ndef down(n):\n    return down(n - 1) if n else 1 / n\n\n\ndown(9)\n",
}
MARKS = re.compile(r"^\s*[~^]+\s*$")


def plain(source: str, folder: Path) -> str:
    """Run the program with Python, and return the printed tracebacks without frames of libraries and `~~^~~` marks."""
    script = folder / "snippet.py"
    script.write_text(source)
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=PATIENCE)
    assert ran.returncode == 1
    kept, is_snippet = [], True
    for line in ran.stderr.rstrip("\n").split("\n"):
        if line.startswith('  File "'):
            is_snippet = line.startswith(f'  File "{script}"')
        elif not line.startswith("  "):
            is_snippet = True
        if is_snippet and not MARKS.match(line):
            kept.append(line.replace(str(script), "snippet.py"))
    return "\n".join(kept)


def unfolded(tutor: Tutor) -> str:
    """Open the traceback, and return its text."""
    tutor.show("story")
    tutor.page.locator(".python-traceback summary").click()
    printed = tutor.page.locator(".traceback")
    expect(printed).to_be_visible()
    return printed.inner_text()


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_what_plain_python_prints(visit: Visit, tmp_path: Path, name: str) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(PROGRAMS[name])
    tutor.run(stay=True)
    assert unfolded(tutor) == plain(PROGRAMS[name], tmp_path)
    assert violations(tutor.page) == []


def test_each_of_its_calls_leads_to_its_step(visit: Visit) -> None:
    tutor = visit(locale="zh-CN")
    tutor.open("/")
    tutor.write(IN_METHOD)
    tutor.page.keyboard.press("Control+Enter")
    tutor.wait_for_new()
    unfolded(tutor)
    place = tutor.page.locator(".position-line")
    calls = tutor.page.locator(".traceback-line")
    expect(calls).to_have_count(3)
    before = place.inner_text()
    calls.nth(0).click()
    expect(place).to_have_text("第 14 行")
    assert before == "第 10 行"
    expect(tutor.page.locator(".python-traceback")).to_have_count(1)
    tutor.page.keyboard.press("Home")
    expect(tutor.page.locator(".python-traceback")).to_have_count(0)


def test_it_comes_into_sight_where_a_card_stands_above_it(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1024, "height": 768})
    tutor.open("/")
    tutor.write(PROGRAMS["in torch"])
    tutor.run(stay=True)
    expect(tutor.page.locator(".finding[open]")).to_be_visible()
    unfolded(tutor)
    expect(tutor.page.locator(".traceback")).to_be_in_viewport(ratio=0.9)


def test_a_run_that_raised_nothing_has_none(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.run(stay=True)
    tutor.page.keyboard.press("End")
    expect(tutor.page.locator(".end.well")).to_be_visible()
    expect(tutor.page.locator(".python-traceback")).to_have_count(0)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_a_file_has_it_too(browser: object, tmp_path: Path, language: str) -> None:
    path = tmp_path / "run.html"
    path.write_bytes(standalone(document_of(IN_METHOD, tmp_path), "", language))
    filed = OnDisk(browser, path)  # type: ignore[arg-type]
    filed.open("")
    filed.wait()
    assert unfolded(filed) == plain(IN_METHOD, tmp_path)
    assert len(filed.page.locator(".traceback-part").inner_text()) > 20
    filed.expect_alone()
    filed.context.close()
