"""Leaves without a gradient: how the graph and the text show them, and the operation that detached them."""

from collections import defaultdict

from playwright.sync_api import expect

from tests.browser.conftest import Visit

WITHOUT_NODES = """\
import torch
from torch import nn

enc = nn.Linear(4, 3)
dec = nn.Linear(3, 1)
x = torch.randn(8, 4)
opt = torch.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
for i in range(2):
    opt.zero_grad()
    h = torch.tensor(enc(x).tolist())
    loss = dec(h).pow(2).mean()
    loss.backward()
    opt.step()
"""
WITH_NODES = WITHOUT_NODES.replace("torch.tensor(enc(x).tolist())", "enc(x).relu()").replace("dec(h)", "dec(h.detach())")

PLACES = """() => [...document.querySelectorAll('.graph [data-box] .node-box')].map((shape) => {
    const box = shape.getBBox();
    return [shape.parentElement.dataset.box, `${box.x} ${box.y} ${box.width} ${box.height}`];
})"""
IN_SIGHT = """(element) => {
    const [one, pane] = [element, element.closest('.picture')].map((each) => each.getBoundingClientRect());
    return one.top >= pane.top && one.bottom <= pane.bottom && one.left < pane.right && one.right > pane.left;
}"""


def test_a_leaf_without_a_node_stands_beside_the_graph_from_the_first_backward_on(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1440, "height": 900})
    tutor.open("/")
    tutor.write(WITHOUT_NODES)
    tutor.run(stay=True)
    page = tutor.page
    left = page.locator(".graph .unreached")
    expect(left).to_have_count(2)
    assert left.locator(".bucket-grad").all_text_contents() == ["enc.weight", ".grad: None", "enc.bias", ".grad: None"]
    assert left.locator(".bucket-name").all_text_contents() == ["no gradient"] * 2
    assert left.locator(".cut-word").all_text_contents() == ["cut: line 10"] * 2
    assert all(each.evaluate(IN_SIGHT) for each in left.locator(".cut").all())
    assert left.first.locator(".node-box").evaluate("(box) => getComputedStyle(box).strokeDasharray") != "none"

    counts, places = [], defaultdict(set)
    page.keyboard.press("Home")
    for number in range(1, int(page.locator(".slider").get_attribute("max") or 0) + 1):
        tutor.at_step(number)
        counts.append((page.locator(".position").text_content() or "", left.count()))
        for key, place in page.evaluate(PLACES):
            places[key].add(place)
        page.keyboard.press(".")
    shown = [count for _, count in counts]
    assert shown == sorted(shown) and {*shown} == {0, 2}
    first, before = counts[shown.index(2)][0], counts[shown.index(2) - 1][0]
    assert "line 12" in first and "line 12" in before  # the statement ends after its last Node ran
    assert {key: len(found) for key, found in places.items() if len(found) > 1} == {}

    page.keyboard.press("End")
    left.first.locator(".bucket-name").click()
    said = "No gradient reaches enc.weight, which has no Node. Line 10 cuts the graph here."
    expect(page.locator(".node-card")).to_contain_text(said)
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    expect(page.locator(".graph-pane .outline")).to_contain_text(said)


def test_a_leaf_with_a_node_keeps_its_place_and_the_node_that_is_cut_says_the_line(visit: Visit) -> None:
    tutor = visit(viewport={"width": 1440, "height": 900})
    tutor.open("/")
    tutor.write(WITH_NODES)
    tutor.run(stay=True)
    page = tutor.page
    left = page.locator(".graph .unreached")
    expect(left.first).to_be_visible()
    assert {*left.locator(".bucket-name").all_text_contents()} == {"no gradient"}
    cut = page.locator(".graph .cut")
    expect(cut).to_have_count(1)
    expect(cut).to_have_text("cut: line 11")
    assert cut.evaluate(IN_SIGHT)
    expect(page.locator(".graph .node:has(> .cut) .node-name")).to_have_text("ReluBackward0")


def test_a_gradient_that_arrives_is_drawn_as_ever(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(WITH_NODES.replace(".detach()", ""))
    tutor.run(stay=True)
    tutor.page.keyboard.press("End")
    expect(tutor.page.locator(".graph .bucket").first).to_be_attached()
    expect(tutor.page.locator(".graph :is(.unreached, .cut)")).to_have_count(0)
