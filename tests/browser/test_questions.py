"""Answer typical questions about a run with at most five key presses after Run. The screen shows each key to press."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor

WRONG = """import torch

x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
y = torch.exp(x)
p = y.detach().numpy()
p /= y.sum().item()
loss = (y * y).sum()
loss.backward()
"""
VANISHING = """import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(*[module for _ in range(8) for module in (nn.Linear(4, 4), nn.Sigmoid())])
model(torch.randn(2, 4)).sum().backward()
"""
SHARED = """import torch

w = torch.ones(3, 4, requires_grad=True)
y = w * 2
for _ in range(40):
    y = y * 2
flat = y.view(-1)
n = y.detach().numpy()
same = y.contiguous()
copy = y.clone()
"""
NO_GRAPH = """import numpy as np
import torch

frames = np.zeros((6, 4), dtype=np.float32)
buffer = torch.from_numpy(frames)
y = buffer[:4].t()
first = y[0]
copies = [y.clone() for _ in range(9)]
"""
KEPT = """import torch
from torch import nn

model = nn.Sequential(nn.Linear(64, 2048), nn.ReLU(), nn.Linear(2048, 1))
total = 0
for _ in range(2):
    total = total + model(torch.ones(1024, 64)).mean()
"""


def ran(visit: Visit, source: str) -> Tutor:
    tutor = visit()
    tutor.open("/")
    tutor.write(source)
    tutor.run()
    return tutor


def test_which_line_made_the_gradient_wrong(visit: Visit) -> None:
    page = ran(visit, WRONG).page
    page.locator(".summary-part.warned").click()
    expect(page.locator(".position-line")).to_have_text("line 6")
    expect(page.locator(".story")).to_contain_text("torch did not detect this write")


def test_which_layer_s_gradient_vanishes_first(visit: Visit) -> None:
    page = ran(visit, VANISHING).page
    summary = page.locator(".summary-part.hinted")
    expect(summary).to_have_text(re.compile(r"Gradients vanish first at model\[\d+\]\.(weight|bias): step \d+"))
    name = re.search(r"model\S+(?=:)", summary.inner_text())
    assert name is not None
    summary.click()
    expect(page.locator(".story")).to_contain_text("less than 1/1000")
    expect(page.locator(".story")).to_contain_text(f"The AccumulateGrad of {name[0]} received")


def test_who_shares_memory_with_y(visit: Visit) -> None:
    tutor = ran(visit, SHARED)
    page = tutor.page
    page.locator(".transport .last").click()
    expect(page.locator(".transport .last")).to_be_disabled()
    page.locator(".search-button").click()
    page.locator(".graph-search input").fill("y")
    expect(page.locator(".search-count")).not_to_have_text("")
    page.locator(".graph-search input").press("Enter")
    told = page.locator(".about-selection")
    expect(told).to_contain_text("y and same are one tensor.")
    expect(told).to_contain_text(re.compile(r"It shares S\d+ with flat, the NumPy array n and a tensor without a name\."))
    assert "copy" not in told.inner_text()


def test_who_shares_memory_with_y_in_a_run_without_a_graph(visit: Visit) -> None:
    page = ran(visit, NO_GRAPH).page
    page.locator(".transport .last").click()
    expect(page.locator(".transport .last")).to_be_disabled()
    page.locator(".memory-pane .search-button").click()
    page.locator(".graph-search input").fill("y")
    expect(page.locator(".search-count")).not_to_have_text("")
    page.locator(".graph-search input").press("Enter")
    told = page.locator(".about-selection")
    expect(told).to_contain_text(re.compile(r"shares S\d+ with buffer, first"))
    expect(told).to_contain_text("the NumPy array frames")
    page.locator(".graph-search input").press("Escape")
    expect(page.locator(".memory-pane .picture")).to_be_focused()


def test_a_name_that_comes_later_is_found_from_the_first_step(visit: Visit) -> None:
    tutor = ran(visit, NO_GRAPH)
    page = tutor.page
    expect(page.locator(".memory-pane .search-button")).to_be_visible()
    page.keyboard.press("/")
    field = page.locator(".graph-search input")
    field.fill("first")
    expect(page.locator(".search-count")).to_have_text(re.compile(r"^Enter: step \d+$"))
    number = int(page.locator(".search-count").inner_text().split()[-1])
    bar, pane = page.locator(".graph-search").bounding_box(), page.locator(".memory-pane").bounding_box()
    assert bar and pane and pane["y"] < bar["y"] and bar["y"] + bar["height"] < pane["y"] + pane["height"]
    field.press("Enter")
    tutor.at_step(number)
    expect(page.locator(".about-selection")).to_contain_text(re.compile(r"shares S\d+ with buffer"))
    field.fill("no such name")
    expect(page.locator(".search-count")).to_have_text("none")


def test_what_keeps_eight_mebibytes_alive(visit: Visit) -> None:
    page = ran(visit, KEPT).page
    page.locator(".transport .last").click()
    expect(page.locator(".transport .last")).to_be_disabled()
    page.get_by_role("button", name="largest", exact=True).click()
    told = page.locator(".about-selection")
    expect(told).to_contain_text("has 8 MiB")
    expect(told).to_contain_text("saved it for backward, in the graph of total.")
    bar, box = page.locator(".changes-bar").bounding_box(), told.bounding_box()
    assert bar is not None and box is not None and box["y"] > bar["y"] + bar["height"], "the bar stays in sight"
