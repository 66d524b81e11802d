"""The memory picture of a model: few rows, and what only the graph keeps counted, opened and said."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visit

LSTM = """
import torch
from torch import nn

cell = nn.LSTMCell(3, 4)
h, c = torch.zeros(2, 4), torch.zeros(2, 4)
for t in range(50):
    h, c = cell(torch.randn(2, 3), (h, c))
h.sum().backward()
"""
MOST_ROWS = 30


def test_a_recurrent_net_opens_with_few_rows_and_shows_what_is_folded_when_asked(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(LSTM)
    tutor.run()
    page = tutor.page
    rows, folds = page.locator(".memory [data-row]"), page.locator(".memory .storages")
    last = int(page.locator(".slider").get_attribute("max") or 0)
    for step in (last // 10, last):
        page.locator(".slider").fill(str(step))
        tutor.at_step(step)
        expect(folds.first).to_be_attached()
        assert rows.count() <= MOST_ROWS
    page.locator(".slider").fill("100")
    tutor.at_step(100)
    expect(folds).to_have_count(1)
    count = int(folds.get_attribute("data-folded") or 0)
    assert count > 200
    expect(page.locator(".memory-pane .outline")).to_contain_text(
        re.compile(rf"Rounds 1 to 50 of the loop on line 7\. ?{count} storages without a name, .* kept alive only by the graph")
    )
    before = rows.count()
    unfold = page.get_by_role("button", name="Show every storage", exact=True)
    unfold.click()
    expect(unfold).to_be_disabled()
    expect(folds).to_have_count(0)
    page.get_by_role("button", name="Fold the storages that only the graph keeps", exact=True).click()
    expect(folds).to_have_attribute("data-folded", str(count))
    assert rows.count() == before
    folds.dispatch_event("click")
    expect(page.locator(".memory [data-fold]").nth(1)).to_be_attached()
    parts = [int(each) for each in folds.evaluate_all("(all) => all.map((fold) => fold.dataset.folded)")]
    assert len(parts) > 1
    assert sum(parts) == count
