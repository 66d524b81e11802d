"""Check a page's accessibility with axe-core."""

from pathlib import Path

from playwright.sync_api import Page

AXE = Path(__file__).parents[1] / "js" / "node_modules" / "axe-core" / "axe.min.js"
FIND = """async (enhanced) => {
    const rules = {'target-size': {enabled: true}, 'color-contrast-enhanced': {enabled: enhanced}};
    const {violations} = await axe.run(document, {rules});
    return violations.flatMap(({id, nodes}) => nodes.map(({target, html, any, all, none}) =>
        `${id}: ${target} ${[...any, ...all, ...none].map((check) => check.message).join('; ')} ${html.slice(0, 160)}`));
}"""


def violations(page: Page, *, enhanced: bool = False) -> list[str]:
    """Return the elements that violate WCAG 2.2 A or AA or an axe best practice. `enhanced` also checks AAA contrast."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text())
    found: list[str] = page.evaluate(FIND, enhanced)
    return found
