"""Explore large autograd graphs: fold groups of Nodes, zoom, pan, and select Nodes with the keyboard."""

from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.page import TWO_FRAMES, Tutor

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

READ_PLACES = """() => Object.fromEntries([...document.querySelectorAll('.graph [data-group]')].map((element) => {
    const box = element.querySelector('rect').getBBox();
    return [element.dataset.group, [box.x, box.y, box.width, box.height].map(Math.round)];
}))"""


def open_rounds(visit: Visit) -> Tutor:
    tutor = visit(viewport={"width": 1920, "height": 1080})  # in this width, the fold buttons are in the header
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
    expect(page.locator(".node.group")).to_have_count(16)
    page.locator(".graph-pane").get_by_role("button", name="Open one level").click()
    expect(page.locator(".group-frame")).to_have_count(16)
    page.locator(".graph-pane").get_by_role("button", name="Fold one level").click()
    expect(page.locator(".group-frame")).to_have_count(0)
    folded, nodes = page.locator(".node.group"), page.locator(".graph [data-node]")
    expect(folded).to_have_count(16)
    outside = nodes.count()
    expect(folded.nth(4)).to_contain_text("4 Nodes · 4 ran")
    fifth = folded.nth(4)
    key = fifth.get_attribute("data-group")
    fifth.scroll_into_view_if_needed()
    before = fifth.locator("rect.node-box").bounding_box()
    fifth.click()
    frame = page.locator(f'.group-frame[data-group="{key}"]')
    expect(frame).to_be_visible()
    expect(nodes).to_have_count(outside + 4)
    after = frame.locator(".frame-back").bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) < 40, "what was pressed stays where it is"
    tutor.shoot("graph-folded")
    tutor.turn_groups("Unfold every group")
    expect(page.locator(".node.group")).to_have_count(0)


def test_a_folded_group_shows_what_happens_inside(visit: Visit) -> None:
    tutor = open_rounds(visit)
    page = tutor.page
    tutor.turn_groups("Fold every group")
    page.keyboard.press("End")
    expect(page.locator(".node.group")).to_have_count(16)
    ends = places(tutor)
    seen = set()
    last = int(page.locator(".slider").get_attribute("max") or 0)
    for number in range(last - 1, last - 13, -1):
        page.keyboard.press(",")
        tutor.at_step(number)
        for group in page.locator(".node.group.active").all():
            seen.add(group.get_attribute("data-group"))
        now = places(tutor)
        assert all(ends[key] == place for key, place in now.items()), "nothing moves between steps"
    assert len(seen) > 2
    expect(page.locator(".node.group.active")).to_be_in_viewport()
    page.keyboard.press("t")
    expect(page.locator(".graph-pane .outline")).to_contain_text("One of them runs in this step.")
    expect(page.locator(".graph-pane .outline")).to_contain_text("Call of block.")


READ_CAMERA = """() => {
    const host = document.querySelector('.graph-pane .picture');
    const svg = host.querySelector('svg');
    const box = svg.getBoundingClientRect();
    return { scale: box.width / svg.viewBox.baseVal.width, left: box.left, top: box.top, scrolled: host.scrollTop };
}"""


IS_AT_THE_FOOT = """() => {
    const host = document.querySelector('.graph-pane .picture');
    return host.scrollTop + host.clientHeight > host.scrollHeight - 4;
}"""


def camera(tutor: Tutor) -> dict[str, float]:
    found: dict[str, float] = tutor.page.evaluate(READ_CAMERA)
    return found


def test_the_graph_is_dragged_and_zoomed_where_the_pointer_is(visit: Visit) -> None:
    tutor = open_rounds(visit)
    page = tutor.page
    page.keyboard.press("End")
    tutor.turn_groups("Unfold every group")
    expect(page.locator(".node.group")).to_have_count(0)
    pane = page.locator(".graph-pane .picture")
    pane.evaluate("(host) => host.scrollTo(0, 1000)")
    box = pane.bounding_box()
    assert box is not None
    x, y = box["x"] + 100, box["y"] + 300
    before = camera(tutor)
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    page.mouse.wheel(0, 120)
    page.keyboard.up("Control")
    page.wait_for_function(f"(old) => Math.abs(({READ_CAMERA})().scale - old) > 0.01", arg=before["scale"])
    after = camera(tutor)
    assert after["scale"] < before["scale"]
    assert abs((y - before["top"]) / before["scale"] - (y - after["top"]) / after["scale"]) < 4, (
        "the point stays under the pointer"
    )
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 40)
    page.mouse.move(x, y - 100)
    page.mouse.up()
    page.wait_for_function(f"(old) => Math.abs(({READ_CAMERA})().scrolled - old - 100) < 2", arg=after["scrolled"])
    expect(page.locator(".node.group")).to_have_count(0)


def test_all_of_the_graph_at_once_and_the_small_picture_beside_it(visit: Visit) -> None:
    tutor = open_rounds(visit)
    page = tutor.page
    page.keyboard.press("End")
    tutor.turn_groups("Unfold every group")
    expect(page.locator(".node.group")).to_have_count(0)
    small = page.locator(".minimap canvas")
    place = small.bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + 20, place["y"] + place["height"] - 4)
    expect(page.locator(".minimap-view")).to_be_visible()
    page.wait_for_function(IS_AT_THE_FOOT)
    fit = page.get_by_role("button", name="Fit to the pane; press again for the whole graph (0)")
    fit.click()
    expect(small).to_have_count(0)
    expect(page.locator(".zoomed-out-box")).not_to_have_count(0)
    expect(page.locator(".zoomed-out-label").first).to_be_visible()
    tutor.shoot("graph-from-afar")
    fit.click()
    expect(page.locator(".node-box").first).to_be_visible()


def test_by_keys_from_node_to_node_and_each_is_told(visit: Visit) -> None:
    tutor = open_rounds(visit)
    page = tutor.page
    page.keyboard.press("End")
    tutor.turn_groups("Fold every group")
    pane = page.locator(".graph-pane .picture")
    pane.focus()
    told = page.locator(".graph-pane [role=status]").first
    pane.press("ArrowDown")
    expect(told).to_contain_text("SumBackward0, recorded on line 15.")
    pane.press("ArrowUp")
    expect(told).to_contain_text("Call of block. Folded: 4 Nodes.")
    expect(page.locator(".graph .chosen-frame")).to_have_count(1)
    pane.press("Enter")
    expect(page.locator(".group-frame")).to_have_count(1)
    expect(told).to_contain_text("recorded on line")
    pane.press("Enter")
    expect(page.locator(".node-card")).to_contain_text("recorded on line")
    tutor.shoot("graph-details")
    pane.press("e")
    expect(page.locator(".group-frame")).to_have_count(0)
    expect(told).to_contain_text("Folded: 4 Nodes.")
    pane.press("Escape")
    expect(told).to_have_text("")
    expect(page.locator(".position b")).to_have_text("Step 137")
    pane.press("ArrowLeft")
    expect(page.locator(".position b")).to_have_text("Step 136")


SMALL = """\
import torch
from torch import nn
model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
model(torch.ones(1, 2)).sum().backward()
"""


def test_a_small_graph_is_searched_by_key_and_by_mouse(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1024, "height": 768})
    tutor.open()
    tutor.write(SMALL)
    tutor.run()
    page = tutor.page
    page.keyboard.press("End")
    assert page.locator(".graph [data-box]").count() < 12
    field, count = page.get_by_role("searchbox"), page.locator(".search-count")
    button = page.get_by_role("button", name="Find a Node or a name (/)")
    page.keyboard.press("/")
    expect(field).to_be_focused()
    expect(page.locator(".graph-pane .graph-search")).to_have_count(1)
    field.press("Escape")
    expect(field).to_have_count(0)
    button.click()
    expect(field).to_be_focused()
    field.fill("relu")
    expect(count).to_have_text("1 · Enter: first")
    field.press("Enter")
    expect(page.locator(".graph .chosen-frame")).to_be_in_viewport()
    field.press("Escape")
    for pane in page.locator(".pane-head").all():
        assert pane.evaluate("head => head.scrollWidth <= head.clientWidth"), "every button is in the head of its pane"
    page.locator(".memory-pane .maximise").click()
    expect(page.locator(".main .pane:visible")).to_have_count(1)
    page.keyboard.press("/")
    expect(page.locator(".memory-pane .graph-search input")).to_be_focused()
    field.fill("model[0].weight")
    field.press("Enter")
    expect(page.locator(".memory .chosen-frame").first).to_be_in_viewport()


MANY = """\
import torch
weights = [torch.full((6,), float(i), requires_grad=True) for i in range(40)]
first, last = weights[0], weights[-1]
total = sum(weight.sum() for weight in weights)
total.backward()
"""


def test_what_was_found_stays_in_sight_while_its_pane_changes_its_size(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1440, "height": 900})
    tutor.open()
    tutor.write(MANY)
    tutor.run()
    page = tutor.page
    page.keyboard.press("End")
    page.locator(".memory-pane .maximise").click()
    expect(page.locator(".main .pane:visible")).to_have_count(1)
    page.keyboard.press("/")
    field = page.locator(".memory-pane .graph-search input")
    expect(field).to_be_focused()
    field.fill("first")
    field.press("Enter")
    found, picture = page.locator(".memory .chosen-frame").first, page.locator(".memory-pane .picture")
    expect(found).to_be_in_viewport()
    field.press("Escape")
    size = picture.evaluate("picture => picture.clientHeight")
    page.keyboard.press("p")
    page.wait_for_function("size => document.querySelector('.memory-pane .picture').clientHeight !== size", arg=size)
    page.evaluate(f"() => new Promise({TWO_FRAMES})")
    expect(found).to_be_in_viewport()


def test_a_word_finds_nodes_and_opens_what_holds_them(visit: Visit) -> None:
    tutor = open_rounds(visit)
    page = tutor.page
    page.keyboard.press("End")
    tutor.turn_groups("Fold every group")
    page.keyboard.press("/")
    field = page.get_by_role("searchbox")
    expect(field).to_be_focused()
    field.press_sequentially("tanh")
    expect(page.locator(".search-count")).to_have_text("16 · Enter: first")
    expect(page.locator(".hit-frame")).not_to_have_count(0)
    field.press("Enter")
    expect(page.locator(".search-count")).to_have_text("1 of 16")
    expect(page.locator(".group-frame")).to_have_count(1)
    expect(page.locator(".graph .chosen-frame")).to_be_in_viewport()
    tutor.shoot("graph-search")
    field.press("Shift+Enter")
    expect(page.locator(".search-count")).to_have_text("16 of 16")
    field.press("Escape")
    expect(page.locator(".hit-frame")).to_have_count(0)
    expect(page.locator(".graph-pane .picture")).to_be_focused()
