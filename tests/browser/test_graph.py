"""The autograd graph on the page where it is large: groups that fold."""

from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor

ROUNDS = """\
import torch

w = torch.ones(2, requires_grad=True)


def block(x):
    y = x * w
    y = y.tanh()
    return y + x


h = torch.zeros(2)
for turn in range(16):
    h = block(h)
loss = h.sum()
loss.backward()
"""

READ_PLACES = """() => Object.fromEntries([...document.querySelectorAll('.graph [data-group]')].map((own) => {
    const box = own.querySelector('rect').getBBox();
    return [own.dataset.group, [box.x, box.y, box.width, box.height].map(Math.round)];
}))"""


def open_rounds(visit: Visit) -> Tutor:
    tutor = visit()
    tutor.open("/")
    tutor.write(ROUNDS)
    tutor.run()
    return tutor


def places(tutor: Tutor) -> dict[str, Any]:
    found: dict[str, Any] = tutor.page.evaluate(READ_PLACES)
    return found


def test_rounds_fold_and_unfold_where_they_stand(visit: Visit) -> None:
    tutor = open_rounds(visit)
    page = tutor.page
    page.keyboard.press("End")
    expect(page.locator(".group-frame")).to_have_count(16)
    page.get_by_role("button", name="Fold every group", exact=True).click()
    folded = page.locator(".node.group")
    expect(folded).to_have_count(16)
    expect(folded.nth(4)).to_contain_text("4 Nodes · 4 ran")
    fifth = folded.nth(4)
    key = fifth.get_attribute("data-group")
    fifth.scroll_into_view_if_needed()
    before = fifth.locator("rect.node-box").bounding_box()
    fifth.click()
    frame = page.locator(f'.group-frame[data-group="{key}"]')
    expect(frame).to_be_visible()
    after = frame.locator(".frame-back").bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 40, "what was pressed stays where it is"
    expect(page.locator(".graph [data-node]")).not_to_have_count(0)
    tutor.shoot("graph-folded")
    page.get_by_role("button", name="Unfold every group").click()
    expect(page.locator(".node.group")).to_have_count(0)


def test_a_folded_group_shows_what_happens_inside(visit: Visit) -> None:
    tutor = open_rounds(visit)
    page = tutor.page
    page.get_by_role("button", name="Fold every group", exact=True).click()
    page.keyboard.press("End")
    expect(page.locator(".node.group")).to_have_count(16)
    ends = places(tutor)
    seen = set()
    for _ in range(12):
        page.keyboard.press(",")
        for own in page.locator(".node.group.active").all():
            seen.add(own.get_attribute("data-group"))
        now = places(tutor)
        assert all(ends[key] == place for key, place in now.items()), "nothing moves between steps"
    assert len(seen) > 2
    expect(page.locator(".node.group.active")).to_be_in_viewport()
    page.keyboard.press("t")
    expect(page.locator(".graph-pane .outline")).to_contain_text("One of them runs in this step.")
    expect(page.locator(".graph-pane .outline")).to_contain_text("Call of block.")
