"""Answer typical questions of visitors within three key presses or clicks and without scrolling.

tasks.toml contains the tasks and describes its format.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.browser.conftest import Visit

TASKS: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("tasks.toml").read_text("utf-8"))["task"]
MOST_PRESSES = 3
LONGEST_MS = 5000
"""The timeout in ms of a press and of its effect."""
LEAST_ANSWERED = 23 / 25

READ = r"""() => {
    const seen = [];
    const isInside = (box, frame) => box.left >= frame.left - 2 && box.right <= frame.right + 2
        && box.top >= frame.top - 2 && box.bottom <= frame.bottom + 2;
    const clips = (element) => {
        const found = [document.documentElement.getBoundingClientRect(), {left: 0, top: 0, right: innerWidth, bottom: innerHeight}];
        for (let each = element; each; each = each.parentElement ?? each.getRootNode().host)
            if (/auto|scroll|hidden|clip/.test(getComputedStyle(each).overflow)) found.push(each.getBoundingClientRect());
        return found;
    };
    const isBlock = (element) => element instanceof SVGElement
        ? element.tagName === 'text' || element.tagName === 'g' && element.hasAttribute('data-node')
        : !/inline|contents/.test(getComputedStyle(element).display);
    const blocks = new Map();
    const roots = [document.querySelector('.app'), ...[...document.querySelectorAll('.editor')].map((each) => each.shadowRoot)];
    for (const root of roots.filter((each) => each !== null)) {
        const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
            const text = walk.currentNode;
            const parent = text.parentElement;
            if (text.data.trim() === '' || parent === null || parent.closest('.visually-hidden, [hidden], title, style')) continue;
            if (!parent.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
            const range = document.createRange();
            range.selectNodeContents(text);
            const box = range.getBoundingClientRect();
            if (box.width === 0 || !clips(parent).every((frame) => isInside(box, frame))) continue;
            let block = parent;
            while (!isBlock(block)) block = block.parentElement;
            blocks.set(block, (blocks.get(block) ?? '') + text.data);
        }
    }
    for (const words of blocks.values()) seen.push(words.replace(/\s+/g, ' '));
    return seen;
}"""
"""Returns the visible text of each block, without text that a scrolled pane or the window cuts off."""


def test_nearly_every_task_is_answered_within_three_presses() -> None:
    assert len(TASKS) >= 25
    assert all(len(task["press"]) <= MOST_PRESSES for task in TASKS)
    assert sum("missed" in task for task in TASKS) <= (1 - LEAST_ANSWERED) * len(TASKS)


@pytest.mark.parametrize("task", TASKS, ids=[task["name"] for task in TASKS])
def test_the_answer_is_in_sight(visit: Visit, task: dict[str, Any]) -> None:
    tutor = visit()
    tutor.open()
    tutor.write(task["program"].lstrip())
    tutor.run(stay=True)
    missing = [press for press in task["press"] if not is_done(tutor.page, press)]
    missing += [words for words in task["sees"] if not is_in_sight(tutor.page, words)]
    if missing:
        tutor.shoot(f"task-{task['name']}")
    assert bool(missing) == ("missed" in task), missing


def is_done(page: Page, press: str) -> bool:
    """Do what `press` describes, and return whether its target exists."""
    kind, _, what = press.partition(" ")
    if kind == "key":
        page.keyboard.press(what)
        return True
    target = {
        "memory": page.locator(".memory [data-label]").filter(has_text=re.compile(f"^{re.escape(what)}$")),
        "line": page.locator(f".code-pane .cm-line >> nth={int(what) - 1 if what.isdigit() else 0}"),
        "button": page.get_by_role("button", name=what).or_(page.get_by_role("link", name=what)),
    }[kind].first
    try:
        target.click(timeout=LONGEST_MS)
    except PlaywrightTimeout:
        return False
    return True


def is_in_sight(page: Page, words: str) -> bool:
    """Whether text becomes visible within LONGEST_MS."""
    expected = re.sub(r"\s+", " ", words)
    try:
        page.wait_for_function(f"(words) => ({READ})().some((each) => each.includes(words))", arg=expected, timeout=LONGEST_MS)
    except PlaywrightTimeout:
        return False
    return True
