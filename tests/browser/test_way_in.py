"""Opening a run shows a summary and goes to the most relevant step. At each step, the explanation begins with what matters
most.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit

DEFAULT = "/lessons/data-hides-the-write"

# Returns facts about the explanation pane: its first element, the number of visible sentences, and the folded sentences.
READ_STORY = """() => {
    const story = document.querySelector('.story');
    const pane = story.getBoundingClientRect();
    const isInSight = (element) => {
        const box = element.getBoundingClientRect();
        return box.top >= pane.top && box.bottom <= pane.bottom + 0.5 && box.height > 0;
    };
    const [first] = story.children;
    const fold = story.querySelector('.story-else');
    return {
        card: first.matches('.finding[open]'),
        isFirst: first.matches('.finding, p, .end') && isInSight(first.querySelector('summary') ?? first),
        sentences: [...story.children].filter((each) => each.matches('p:not([class])')).length,
        counted: fold === null ? 0 : Number(/[(]([0-9]+)[)]$/.exec(fold.querySelector('summary').textContent)[1]),
        folded: fold === null ? 0 : fold.querySelectorAll('p').length,
        isOpen: fold?.open ?? false,
        top: pane.top,
        scrolled: story.scrollTop,
    };
}"""


@pytest.mark.parametrize("lesson", [DEFAULT, "/lessons/detach-tells-on-the-write", "/lessons/exp-saves-its-output"])
def test_the_card_of_a_step_stands_first_or_else_up_to_three_sentences(visit: Visit, lesson: str) -> None:
    tutor = visit()
    tutor.open(f"{lesson}#step=1")
    tutor.wait()
    count = int(tutor.page.locator(".position span").first.inner_text().removeprefix("of "))
    tops, cards = set(), 0
    for number in range(1, count + 1):
        tutor.at_step(number)
        story = tutor.page.evaluate(READ_STORY)
        assert story["isFirst"] and story["scrolled"] == 0, f"step {number}: {story}"
        assert story["sentences"] <= (1 if story["card"] else 3) and story["counted"] == story["folded"], (
            f"step {number}: {story}"
        )
        assert not story["isOpen"]
        tops.add(story["top"])
        cards += story["card"]
        tutor.page.keyboard.press(".")
    assert cards > 0, "a lesson with a card"
    assert len(tops) == 1, "the summary above is as high at every step"


def test_a_run_is_summed_up_in_a_line_that_leads_to_what_it_names(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"{DEFAULT}#step=1")
    tutor.wait()
    page = tutor.page
    ended, found = page.locator(".summary-part.well"), page.locator(".summary-part.warned")
    expect(found).to_have_text("1 gradient is silently wrong: step 8")
    expect(page.get_by_role("status").filter(has_text="This run: Finished.")).to_have_count(1)
    found.click()
    tutor.at_step(8)
    expect(found).to_have_attribute("aria-current", "step")
    expect(page.locator(".story .finding[open]")).to_have_count(1)
    ended.press("Enter")
    tutor.at_step(15)
    page.keyboard.press("t")
    expect(page.locator(".stage.as-text")).to_have_count(1)
    expect(found).to_be_visible()
    page.keyboard.press("t")
    tutor.edit()
    tutor.write("import torch\nx = torch.ones(2, requires_grad=True)\ny = x.view(3)\n")
    tutor.run()
    page.locator("body").press("Home")
    tutor.at_step(1)
    raised = page.locator(".summary-part.badly")
    expect(raised).to_contain_text("RuntimeError at step 3, line 3: ")
    raised.click()
    tutor.at_step(3)


def test_the_summary_tells_nothing_while_the_page_asks_what_comes(visit: Visit) -> None:
    tutor = visit()
    tutor.page.add_init_script("localStorage.setItem('stepgrad.predict', 'on')")
    tutor.open(f"{DEFAULT}#step=1")
    tutor.wait()
    tutor.at_step(1)
    expect(tutor.page.locator(".summary")).to_have_count(0)
    expect(tutor.page.get_by_role("status").filter(has_text="This run")).to_have_count(0)


# Whether the card of a Node overlaps the Node.
COVERS = """(key) => {
    const card = document.querySelector('.node-card').getBoundingClientRect();
    const node = document.querySelector(`.graph [data-box="${key}"]`).getBoundingClientRect();
    return card.bottom > node.top && card.top < node.bottom && card.right > node.left && card.left < node.right;
}"""


def test_the_card_of_a_node_leaves_it_in_sight_and_goes_as_another_thing_is_chosen(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"{DEFAULT}#step=15")
    tutor.wait()
    page = tutor.page
    boxes = page.locator(".graph [data-box]")
    expect(boxes).to_have_count(4)
    card, said = page.locator(".node-card"), ""
    for number in range(4):
        box = boxes.nth(number)
        key = box.get_attribute("data-box")
        box.dispatch_event("click")  # dispatches an event, because a click could hit the previous Node's card
        expect(card).to_be_visible()
        expect(card).not_to_have_text(said)
        said = card.inner_text()
        page.wait_for_function(f"(key) => !({COVERS})(key)", arg=key)
    page.locator('.memory [data-name="w1"]').click()
    expect(page.locator(".changes-bar")).to_be_visible()
    expect(card).to_have_count(0)


def test_an_empty_graph_says_why_and_what_would_record_one(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write("import torch\nx = torch.ones(2)\ny = x + 1\n")
    tutor.run()
    tutor.page.keyboard.press("End")
    empty = tutor.page.locator(".graph-pane .picture .empty")
    expect(empty).to_contain_text("no tensor requires grad. Create one with requires_grad=True")
    tutor.page.get_by_role("button", name="中文").click()
    expect(empty).to_contain_text("没有张量需要梯度")


@pytest.mark.parametrize("touch", [False, True])
def test_the_first_run_of_a_browser_says_how_to_step_until_the_first_step(visit: Visit, touch: bool) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
    tutor = visit(**phone) if touch else visit()
    tutor.open(DEFAULT)
    tutor.run(stay=True)
    page, hint = tutor.page, tutor.page.locator(".hint-to-step")
    expect(hint).to_contain_text("Swipe left or right to step" if touch else "⇧→ line")
    expect(hint).to_be_in_viewport(ratio=1)
    assert violations(page) == []
    if not touch:
        ends = page.evaluate("['.story', '.hint-to-step'].map((of) => document.querySelector(of).getBoundingClientRect())")
        assert ends[0]["bottom"] <= ends[1]["top"], "it covers nothing"
    page.keyboard.press("g")  # choosing statements, Nodes or operators as steps keeps the current step
    tutor.at_step(3)
    expect(hint).to_be_visible()
    boxes = tutor.boxes()
    page.get_by_role("button", name="Next step").click()
    tutor.at_step(4)
    expect(hint).to_have_count(0)
    assert tutor.boxes().keys() == boxes.keys()
    assert {key: box[:2] for key, box in tutor.boxes().items()} == {key: box[:2] for key, box in boxes.items()}, "nothing moved"
    page.reload()
    tutor.wait()
    expect(hint).to_have_count(0)


def test_the_way_to_step_names_warnings_only_where_there_are_any(visit: Visit) -> None:
    tutor = visit()
    wrong = "import torch\nw = torch.ones(2, requires_grad=True)\ny = w.exp()\ny.mul_(2)\ny.sum().backward()\n"
    for source, has_warnings in (("import torch\nx = torch.ones(2)\ny = x * 2\n", False), (wrong, True)):
        tutor.open("/")
        tutor.write(source)
        tutor.run(stay=True)
        expect(tutor.page.locator(".hint-to-step kbd", has_text="?")).to_be_visible()
        expect(tutor.page.locator(".hint-to-step kbd", has_text="w")).to_have_count(int(has_warnings))


def test_an_empty_memory_says_where_its_first_tensor_is_and_leads_there(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open(f"{DEFAULT}#step=1")
    tutor.wait()
    begins = page.locator(".memory-begins")
    expect(begins).to_contain_text("No tensor has a name yet.")
    expect(page.locator(".memory-pane [data-row]")).to_have_count(0)
    assert violations(page) == []
    link = begins.get_by_role("button")
    number = int(link.inner_text().removeprefix("The first one: step "))
    link.focus()
    page.keyboard.press("Enter")
    tutor.at_step(number)
    expect(page.locator(".memory-pane [data-row]").first).to_be_visible()
    expect(begins).to_have_count(0)
    expect(page.locator(".memory-pane .picture")).to_be_focused()
    page.keyboard.press(",")
    tutor.at_step(number - 1)
    expect(page.locator(".memory-pane [data-row]")).to_have_count(0)
    expect(begins).to_be_visible()


def test_an_empty_graph_says_where_its_first_node_is_and_leads_there(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    tutor.open(f"{DEFAULT}#step=2")
    tutor.wait()
    begins = page.locator(".graph-begins")
    expect(begins).to_contain_text("No Node is recorded yet.")
    expect(page.locator("#graph [data-node]")).to_have_count(0)
    link = begins.get_by_role("button")
    number = int(link.inner_text().removeprefix("The first one: step "))
    link.focus()
    page.keyboard.press("Enter")
    tutor.at_step(number)
    expect(page.locator("#graph [data-node]").first).to_be_visible()
    expect(begins).to_have_count(0)
    expect(page.locator("#graph .picture")).to_be_focused()
    page.keyboard.press(",")
    tutor.at_step(number - 1)
    expect(begins).to_be_visible()


@pytest.mark.parametrize(
    ("source", "opens"),
    [
        ("import torch\nw = torch.ones(2, requires_grad=True)\n(w * w).sum().backward()\nprint(w.grad)\n", 6),
        ("import torch\nx = torch.ones(2)\nx.missing\nprint(x)\n", 3),
        ("import torch\nx = torch.ones(2)\ny = x + 1\n", 3),
    ],
    ids=["backward", "exception", "end"],
)
def test_a_run_opens_where_there_is_most_to_see(visit: Visit, source: str, opens: int) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(source)
    tutor.run(stay=True)
    tutor.at_step(opens)


def test_a_run_opens_at_its_first_finding_with_a_way_to_line_1(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.run(stay=True)
    page = tutor.page
    tutor.at_step(8)
    expect(page.locator(".story .finding[open]")).to_have_count(1)
    first = page.get_by_role("button", name="From line 1")
    boxes = tutor.boxes()
    first.click()
    tutor.at_step(1)
    expect(first).to_have_attribute("aria-disabled", "true")
    expect(first).to_be_focused()
    assert {key: box[:2] for key, box in tutor.boxes().items()} == {key: box[:2] for key, box in boxes.items()}, "nothing moved"
    link = tutor.share()
    other = visit(locale="zh-CN")
    other.open(link.removeprefix(tutor.url).partition("#")[0])
    other.wait()
    expect(other.page).to_have_url(re.compile("#step=8$"))
    other.page.get_by_role("button", name="从第 1 行看起").click()
    expect(other.page).to_have_url(re.compile("#step=1$"))


def test_where_the_page_asks_first_a_run_opens_before_any_answer(visit: Visit) -> None:
    tutor = visit()
    tutor.page.add_init_script("localStorage.setItem('stepgrad.predict', 'on')")
    tutor.open("/")
    tutor.run(stay=True)
    tutor.at_step(2)


def test_what_is_unfolded_stays_so_at_other_steps(visit: Visit) -> None:
    tutor = visit()
    tutor.open(f"{DEFAULT}#step=8")
    tutor.wait()
    fold, card = tutor.page.locator(".story-else"), tutor.page.locator(".story .finding[open]")
    place = card.evaluate("card => [card.offsetTop, card.offsetHeight]")
    expect(fold.locator("p").first).to_be_hidden()
    fold.locator("summary").press("Enter")
    expect(fold.locator("p")).to_have_count(5)
    expect(fold.locator("p").first).to_be_visible()
    assert card.evaluate("card => [card.offsetTop, card.offsetHeight]") == place
    assert violations(tutor.page) == []
    tutor.step_to(13)
    expect(fold.locator("p").last).to_be_visible()
    tutor.page.reload()
    tutor.wait()
    expect(fold.locator("p").last).to_be_hidden()


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_the_answer_and_its_fix_are_in_sight_as_a_run_opens(visit: Visit, locale: str) -> None:
    tutor = visit(locale=locale)
    tutor.open("/")
    tutor.page.locator(".code-pane .act.primary").click()
    tutor.wait()
    card = tutor.page.locator(".story .finding[open]")
    for part in ("summary", "p", ".comparison", ".finding-steps", ".fix.works"):
        expect(card.locator(part).first).to_be_in_viewport(ratio=1)
