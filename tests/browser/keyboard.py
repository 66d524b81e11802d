"""Press keys on a page, and check that the focused element is visible, has an accessible name, and has a focus ring."""

from playwright.sync_api import Error, Locator, expect

from tests.browser.page import Tutor

FAULTS = """() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (element === null || element === document.body) return ['nothing has the focus'];
    const root = element.getRootNode();
    const above = (each) => each.parentElement ?? each.getRootNode().host ?? null;
    const textOf = (ids) => (ids ?? '').split(' ').map((id) => root.getElementById(id)?.textContent ?? '').join('');
    const name = element.getAttribute('aria-label') || textOf(element.getAttribute('aria-labelledby')) || element.title ||
        [...(element.labels ?? [])].map((label) => label.textContent).join('') ||
        (element.matches('a, button, summary, [role=tab]') ? element.textContent.trim() : '');
    const seen = element.getBoundingClientRect().toJSON();
    for (let each = element, fixed = false; each !== null && !fixed; each = above(each)) {
        const {left, top, right, bottom} = each === document.documentElement
            ? {left: 0, top: 0, right: innerWidth, bottom: innerHeight} : each.getBoundingClientRect();
        const style = getComputedStyle(each);
        fixed = style.position === 'fixed' || each.matches(':popover-open, dialog:modal');
        if (each !== document.documentElement && style.overflow === 'visible') continue;
        seen.left = Math.max(seen.left, left);
        seen.top = Math.max(seen.top, top);
        seen.right = Math.min(seen.right, right);
        seen.bottom = Math.min(seen.bottom, bottom);
    }
    const places = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.2], [0.5, 0.8]].map(([x, y]) =>
        root.elementFromPoint(seen.left + (seen.right - seen.left) * x, seen.top + (seen.bottom - seen.top) * y));
    const around = element.closest('.track, label') ?? element;
    const isUncovered = places.some((hit) => hit !== null && (around.contains(hit) || hit.contains(element)));
    const isRing = (each, part) => {
        const {outlineStyle, outlineWidth, borderTopWidth} = getComputedStyle(each, part);
        return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || (part && borderTopWidth === '2px');
    };
    const carriers = [element, element.closest('.track, .choice, .search-box, .slider')].filter(Boolean);
    const editor = element.closest('.cm-editor');
    return [
        [seen.right - seen.left >= 1 && seen.bottom - seen.top >= 1, 'is out of sight'],
        [isUncovered, 'is covered'],
        [name.trim() !== '', 'has no name'],
        [carriers.some((each) => isRing(each)) || (editor && isRing(editor, '::after')), 'has no ring'],
    ].flatMap(([isSo, what]) => (isSo ? [] : [`${element.outerHTML.slice(0, 120)} ${what}`]));
}"""
LOOK = f"""(element) => [
    element.getRootNode().activeElement === element,
    document.activeElement === document.body,
    ({FAULTS})(),
]"""


class Keys:
    """Presses keys, and checks the focused element after each key."""

    def __init__(self, tutor: Tutor) -> None:
        self.page = tutor.page

    def stands(self) -> None:
        """Wait until the focused element is visible and has an accessible name and a focus ring."""
        try:
            self.page.wait_for_function(f"() => ({FAULTS})().length === 0")
        except Error:
            raise AssertionError(self.page.evaluate(FAULTS)) from None

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.stands()

    def to(self, wanted: Locator, key: str = "Tab") -> None:
        """Press a key repeatedly, by default Tab, until `wanted` has the focus."""
        expect(wanted).to_be_visible()
        is_there, is_at_end, faults = wanted.evaluate(LOOK)
        for _ in range(120):
            if is_there:
                return
            self.page.keyboard.press(key)
            is_there, is_at_end, faults = wanted.evaluate(LOOK)
            if faults and not is_at_end:  # at the end of the page, Tab moves the focus to the browser's own controls
                self.stands()
        raise AssertionError(f"{key} does not lead to {wanted}")
