"""Long programs in the code pane: many lines fit, and wrapped lines keep their indentation and break between words."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.test_panes import width

HEAD = """\
import torch
import torch.nn as nn


def attention(queries, keys, values, softening=2.0):
    for round_number in range(1):
        if softening > 1:
            scores = torch.nn.functional.softmax(queries.matmul(keys.transpose(0, 1)) / softening, dim=-1)
            weighted = torch.nn.functional.dropout(scores.matmul(values), p=0.0).reshape(values.shape)
    return weighted


queries, keys, values = torch.ones(3, 2), torch.ones(3, 2), torch.ones(3, 2, requires_grad=True)
attention(queries, keys, values).sum().backward()
"""
LONG = HEAD + "".join(f"x{number} = torch.tensor({number}.)\n" for number in range(66))
LINES_IN_SIGHT = """() => {
    const root = document.querySelector('.code-pane .editor').shadowRoot;
    const {top, bottom} = root.querySelector('.cm-scroller').getBoundingClientRect();
    return [...root.querySelectorAll('.cm-line')].filter((line) => {
        const box = line.getBoundingClientRect();
        return box.top >= top - 1 && box.bottom <= bottom + 1;
    }).length;
}"""
ROWS = """() => {
    const root = document.querySelector('.code-pane .editor').shadowRoot;
    const rectsOf = (line, from, to) => {
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        const range = document.createRange();
        for (let node = walker.nextNode(), at = 0; node; at += node.length, node = walker.nextNode()) {
            if (at <= from && from < at + node.length) range.setStart(node, from - at);
            if (at < to && to <= at + node.length) range.setEnd(node, to - at);
        }
        return [...range.getClientRects()].filter(({width}) => width > 1);
    };
    return [...root.querySelectorAll('.cm-line')].filter((line) => line.textContent.trim() !== '').map((line) => {
        const text = line.textContent;
        const words = [...text.matchAll(/\\w+/g)].map(({0: word, index}) => [word, rectsOf(line, index, index + word.length)]);
        const tops = (rects) => new Set(rects.map(({top}) => Math.round(top / 4)));
        return {
            text,
            rows: tops(words.flatMap(([, rects]) => rects)).size,
            left: words[0][1][0].left,
            further: Math.min(...words.flatMap(([, rects]) => rects)
                .filter(({top}) => top > words[0][1][0].top + 8).map(({left}) => left)),
            broken: words.filter(([, rects]) => tops(rects).size > 1).map(([word]) => word),
        };
    });
}"""


def opened(visit: Visit, size: tuple[int, int], source: str = LONG) -> Page:
    tutor = visit(viewport={"width": size[0], "height": size[1]})
    tutor.open()
    tutor.write(source)
    tutor.run()
    if size[0] < 500:
        tutor.page.get_by_role("tab", name="Code").click()
    expect(tutor.page.locator(".code-pane.replay .line-now").first).to_be_visible()
    return tutor.page


def test_twenty_lines_of_a_long_program_are_in_sight(visit: Visit) -> None:
    page = opened(visit, (1440, 900))
    page.locator("body").press("End")
    expect(page.locator(".position-line")).to_contain_text("line 80")
    assert page.evaluate(LINES_IN_SIGHT) >= 20


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (1920, 1080), (390, 844)])
def test_wrapped_lines_keep_their_indentation_and_their_words(visit: Visit, size: tuple[int, int]) -> None:
    page = opened(visit, size)
    page.locator("body").press("Home")
    expect(page.locator(".position b")).to_contain_text("Step 1")
    rows = page.evaluate(ROWS)
    wrapped = [row for row in rows if row["rows"] > 1]
    assert len(wrapped) >= 2 or size[0] > 1900
    assert [row["text"] for row in wrapped if row["further"] <= row["left"]] == []
    assert [row["broken"] for row in rows if row["broken"]] == []


def test_the_code_has_the_room_that_the_pictures_do_not_need(visit: Visit) -> None:
    short = "import torch\nx = torch.ones(2)\ny = x + 1\n"
    usual = width(opened(visit, (1440, 900), short), ".code-pane")
    line = "z = x + y + " + " + ".join(str(number) for number in range(10, 24)) + "\n"
    assert 75 < len(line) <= 81
    page = opened(visit, (1440, 900), short + line)
    assert width(page, ".code-pane") > usual + 150
    assert [row["text"] for row in page.evaluate(ROWS) if row["rows"] > 1] == []
