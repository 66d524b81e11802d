"""Every keyboard shortcut in the help works, no other key has an effect, and single-character shortcuts can be disabled."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.page import Tutor

LESSON = "/lessons/data-hides-the-write#step=8"
HANDLED = """(selector) => {
    const printable = Array.from({length: 95}, (_, number) => String.fromCharCode(32 + number));
    const named = ['Enter', 'Escape', 'Tab', 'Backspace', 'Delete', 'Insert', 'Home', 'End', 'PageUp', 'PageDown',
        'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', ...Array.from({length: 12}, (_, number) => `F${number + 1}`)];
    const modified = [['Ctrl+', {ctrlKey: true}], ['Shift+', {shiftKey: true}], ['Alt+', {altKey: true}]];
    const pressed = (key, name, more) => {
        const target = document.querySelector(selector);
        const event = new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true, composed: true, ...more});
        target.dispatchEvent(event);
        return event.defaultPrevented ? [name] : [];
    };
    return [
        ...[...printable, ...named].flatMap((key) => pressed(key, key, {})),
        ...named.flatMap((key) => modified.flatMap(([name, more]) => pressed(key, `${name}${key}`, more))),
        ...printable.flatMap((key) => pressed(key, `Ctrl+${key}`, {ctrlKey: true})),
    ];
}"""
SAME_WITH_SHIFT = {
    "Shift+Home",
    "Shift+End",
    "Shift+PageUp",
    "Shift+PageDown",
    "Shift+Escape",
}
ALIASES = {"="}
"""`=` is `+` without Shift on some keyboards."""


def listed(page: Page) -> list[str]:
    """Return the shortcuts that the help dialog lists."""
    page.keyboard.press("?")
    expect(page.locator("dialog.help")).to_be_visible()
    keys: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('dialog.help [data-key]')].map((element) => element.dataset.key)"
    )
    page.keyboard.press("Escape")
    expect(page.locator("dialog.help")).to_be_hidden()
    return keys


def opened(visit: Visit) -> Tutor:
    tutor = visit()
    tutor.open(LESSON)
    tutor.wait()
    return tutor


def test_no_key_does_anything_that_the_help_does_not_list(visit: Visit) -> None:
    tutor = opened(visit)
    keys = set(listed(tutor.page))
    for selector in ("body", ".graph-pane .picture", ".memory-pane .picture"):
        tutor.page.reload()
        tutor.wait()
        found = set(tutor.page.evaluate(HANDLED, selector)) - SAME_WITH_SHIFT - ALIASES
        assert found <= keys, f"{selector}: {found - keys}"
        if selector == "body":
            assert {".", ",", "w", "F6", "?", "l", "Ctrl+Enter"} <= found


def at_step(tutor: Tutor, number: int) -> None:
    expect(tutor.page.locator(".position b")).to_have_text(f"Step {number}")


STEPS = [
    (".", 9), (",", 8), ("ArrowRight", 9), ("ArrowLeft", 8), (">", 13), ("<", 8),
    ("Shift+ArrowRight", 13), ("Shift+ArrowLeft", 8), ("Home", 1), ("PageDown", 11), ("PageUp", 1),
    ("w", 8), ("End", 15), ("W", 8), ("]", 8), ("[", 5),
    ("x", 5), ("Home", 1), ("c", 5), ("End", 15), ("C", 5), ("n", 5), ("N", 5),
]  # fmt: skip
"""Keys to press in this order, and the step after each."""
NO_DIALOG = ".app:not(:has(dialog[open]))"
SHOWN = [
    ("l", "#help-legend"), ("Escape", NO_DIALOG), ("?", "dialog.help[open]"), ("Escape", NO_DIALOG),
    ("g", ".switch.granularity button:nth-child(3)[aria-pressed=true]"),
    (" ", ".play[aria-label=Pause]"), (" ", ".play[aria-label=Play]"),
    ("t", ".memory-pane .outline:not(.visually-hidden)"), ("t", ".memory-pane svg"),
    ("m", ".main[data-only]"), ("m", ".main:not([data-only])"), ("m", ".main[data-only]"), ("Escape", ".main:not([data-only])"),
    ("o", ".note textarea:focus"), ("Escape", ".note textarea:not(:focus)"), ("o", ".app:not(:has(.note))"),
    ("p", ".leave"), ("b", "html[data-blank]"), ("b", "html:not([data-blank])"),
    (".", "html[data-blank]"), (",", "html:not([data-blank])"),
    ("d", ".app:has(.dot)"), ("d", ".app:not(:has(.dot))"), ("Escape", ".app:not(:has(.leave))"),
    ("F2", ".code-pane:focus-within .primary"), ("F6", ".story-pane:focus-within"),
    ("Ctrl+Enter", ".code-pane .act:not(.primary)"),
]  # fmt: skip
"""Keys to press in this order, and a selector that matches an element after each."""
ROUNDS = {"i", "I"}
"""Tested in test_steps, because they need a loop."""
IN_GRAPH = {"/", "Enter", "e"}
"""Tested in test_graph, because they need a large graph."""
CONSTRUCTION = {"u"}
"""Tested in test_steps. Shows or hides the construction of a module."""
IN_CODE = {"ArrowUp", "ArrowDown", "Enter"}
"""Tested in test_code, because the code must have the focus."""
IN_MEMORY = [
    ("ArrowDown", "name x"), ("ArrowRight", "tensor x"), ("ArrowRight", "storage S0"), ("ArrowRight", "cell S0[0]"),
    ("ArrowLeft", "storage S0"), ("ArrowLeft", "tensor x"),
    ("ArrowDown", "tensor w1"), ("ArrowUp", "tensor x"), ("k", "tensor x"), ("Y", "tensor x"),
]  # fmt: skip
"""Keys to press in this order in the memory picture, and the selected item after each."""
PRESSED = {" ": "Space", ">": "Shift+Period", "<": "Shift+Comma", "Ctrl+Enter": "Control+Enter"}


def test_every_key_in_the_help_does_what_it_says(visit: Visit) -> None:
    tutor = opened(visit)
    page = tutor.page
    keys = [key for key, _ in [*STEPS, *SHOWN, *IN_MEMORY]]
    assert set(listed(page)) == {*keys, "h", "+", "-", "0", "Shift+F6", *ROUNDS, *CONSTRUCTION, *IN_GRAPH, *IN_CODE}
    for key, number in STEPS:
        page.keyboard.press(PRESSED.get(key, key))
        at_step(tutor, number)
    for key, selector in SHOWN:
        page.keyboard.press(PRESSED.get(key, key))
        expect(page.locator(selector).first).to_be_visible()
    expect(page.locator(".cm-content")).to_have_attribute(
        "contenteditable", "false"
    )  # while the code can be edited, the editor handles keys
    page.keyboard.press("End")
    at_step(tutor, 31)
    page.locator(".memory-pane .picture").focus()
    for key, subject in IN_MEMORY:
        page.keyboard.press(key)
        kind, name = subject.split()
        expect(page.locator(f".changes-bar .subject.{kind}")).to_have_text(name)
    page.keyboard.press("Enter")
    expect(page.locator(".graph-pane .picture")).to_be_focused()
    expect(page.locator(".story")).to_contain_text("MmBackward0")
    page.keyboard.press("End")
    page.locator(".memory-pane .picture").focus()
    expect(page.locator(".pins-button")).to_have_accessible_name("1 Pinned")
    page.keyboard.press("h")
    expect(page.locator(".pins-button")).to_have_accessible_name("1 Hidden")
    page.locator(".graph-pane .picture").focus()
    picture = page.locator(".graph-pane svg.graph")
    width = picture.get_attribute("width") or ""
    for back in "-0":
        page.keyboard.press("+")
        expect(picture).not_to_have_attribute("width", width)
        page.keyboard.press(back)
        expect(picture).to_have_attribute("width", width)


AS_SOON_AS_IT_IS_CLOSED = """(key) => {
    const dialog = document.querySelector('dialog.help');
    new MutationObserver((_, observer) => {
        if (dialog.open) return;
        observer.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
        setTimeout(() => requestAnimationFrame(() => setTimeout(() => (document.body.dataset.pressed = key))));
    }).observe(dialog, {attributes: true});
}"""


def test_the_help_opens_again_as_soon_as_it_is_closed(visit: Visit) -> None:
    page = opened(visit).page
    page.keyboard.press("l")
    expect(page.locator("dialog.help[open] #help-legend")).to_be_visible()
    page.evaluate(AS_SOON_AS_IT_IS_CLOSED, "?")
    page.keyboard.press("Escape")
    expect(page.locator("body[data-pressed]")).to_have_count(1)
    expect(page.locator("dialog.help")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("dialog.help")).to_be_hidden()


SPACE_AS_SOON_AS_IT_IS_CLOSED = """() => {
    const dialog = document.querySelector('dialog.help');
    new MutationObserver((_, observer) => {
        if (dialog.open) return;
        observer.disconnect();
        const focused = document.activeElement;
        document.body.dataset.focused = focused.closest('dialog')?.className ?? '';
        focused.dispatchEvent(new KeyboardEvent('keydown', {key: ' ', bubbles: true, cancelable: true}));
    }).observe(dialog, {attributes: true});
}"""


def test_what_a_closed_dialog_leaves_focused_takes_no_key(visit: Visit) -> None:
    """A button of the closed dialog keeps the focus until the next animation frame."""
    page = opened(visit).page
    page.keyboard.press("?")
    expect(page.locator("dialog.help")).to_be_visible()
    page.evaluate(SPACE_AS_SOON_AS_IT_IS_CLOSED)
    page.keyboard.press("Escape")
    expect(page.locator("body[data-focused='sheet help']")).to_have_count(1)
    expect(page.locator(".play[aria-label=Pause]")).to_be_visible()


BOTH = """(keys) => {
    for (const key of keys) document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
}"""


def test_the_code_keeps_the_focus_when_it_becomes_an_editor(visit: Visit) -> None:
    tutor = opened(visit)
    tutor.page.evaluate(BOTH, ["F6", "F2"])
    expect(tutor.page.locator(".cm-content")).to_have_attribute("contenteditable", "true")
    expect(tutor.page.locator(".code-pane:focus-within")).to_have_count(1)


WHEN_A_RUN_APPEARS = """(key) => {
    const pane = document.querySelector('.code-pane');
    new MutationObserver((_, observer) => {
        if (!pane.classList.contains('replay')) return;
        observer.disconnect();
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
    }).observe(pane, {attributes: true});
}"""


def test_the_code_keeps_the_focus_when_it_becomes_a_replay(visit: Visit) -> None:
    tutor = visit()
    tutor.open()
    page = tutor.page
    code = page.locator(".cm-content")
    tutor.write("import torch\nx = torch.ones(1)\ny = x + 1\nz = y + 1\n")
    page.keyboard.press("Control+Enter")
    tutor.wait_for_new()
    expect(code).to_have_attribute("contenteditable", "false")
    expect(code).to_be_focused()
    for key, number in (
        ("ArrowLeft", 3),
        ("End", 4),
        (",", 3),
        ("Home", 1),
    ):  # in the code pane, these keys change the step instead of moving a cursor
        page.keyboard.press(key)
        at_step(tutor, number)
    page.keyboard.press("F2")
    expect(code).to_have_attribute("contenteditable", "true")
    expect(code).to_be_focused()
    page.evaluate(WHEN_A_RUN_APPEARS, "F6")
    page.locator(".code-pane .act").click()
    expect(code).to_have_attribute("contenteditable", "false")
    expect(code).to_be_focused()


FOCUSED = """() => {
    let element = document.activeElement;
    const pane = element.closest('.pane');
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    const editor = element.closest('.cm-editor');
    const ring = editor
        ? getComputedStyle(editor, '::after').borderTopWidth === '2px'
        : [element, element.closest('.track')].some((each) => each && getComputedStyle(each).outlineStyle === 'solid');
    return `${pane.className.split(' ').findLast((name) => name.endsWith('-pane') || name === 'timeline')}${ring ? '' : ' unseen'}`;
}"""
IS_FOCUSED = f"(wanted) => ({FOCUSED})() === wanted"
PANES = ["code-pane", "story-pane", "graph-pane", "memory-pane", "output-pane", "timeline"]


def test_from_pane_to_pane(visit: Visit) -> None:
    tutor = opened(visit)
    page = tutor.page
    for key, order in (("F6", [*PANES, PANES[0]]), ("Shift+F6", PANES[::-1])):
        for wanted in order:
            page.keyboard.press(key)
            page.wait_for_function(IS_FOCUSED, arg=wanted)
    page.keyboard.press("F2")
    expect(page.locator(".cm-content")).to_have_attribute("contenteditable", "true")
    page.locator(".cm-content").focus()
    page.keyboard.press("F6")  # Escape also leaves a text field
    page.wait_for_function(IS_FOCUSED, arg="story-pane")


def test_single_characters_can_be_switched_off(visit: Visit) -> None:
    tutor = opened(visit)
    page = tutor.page
    page.keyboard.press("?")
    switch = page.locator("dialog.help").get_by_role("switch")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    page.keyboard.press("Escape")
    for _ in range(2):
        at_step(tutor, 8)
        for key in (".", "w", "g", "t", "p", "]", "?", "l"):
            page.keyboard.press(key)
        at_step(tutor, 8)
        expect(page.locator("dialog[open], .changes-bar, .leave, .outline:not(.visually-hidden)")).to_have_count(0)
        page.keyboard.press("ArrowRight")
        at_step(tutor, 9)
        page.keyboard.press("ArrowLeft")
        at_step(tutor, 8)
        expect(page).to_have_url(f"{tutor.url}{LESSON}")
        page.reload()
        tutor.wait()
