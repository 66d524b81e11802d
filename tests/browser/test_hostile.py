"""HTML and control characters in a snippet's names, output and exceptions are displayed as text and do not affect the page."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit

BIDI = "[\u061c\u200e\u200f\u202a-\u202e\u2066\u2067]"
"""Unicode characters that would reverse the direction of the surrounding text."""

HOSTILE = '''\
import torch, warnings
שלום = torch.ones(2, requires_grad=True)
名字很长很长很长很长很长很长很长很长 = שלום * 2
names = ["<img src=x onerror='window.broken=1'>", "`S9`" * 20, "\\u202egnitirw", "zero\\u200bwidth\\u2066", "e" + "\\u0301" * 200,
         "\\x1b[31m\\x00", "\\U0001f600" * 30, "{ $name }", "</script></text></svg>", "x" * 10000,
         "\\u05e9\\u05dc\\u05d5\\u05dd 123 -> 7",
         "\\ufdfd" * 10, "\\u0301mark", "\\n\\nlines\\r", "\\U000e0041tag", "-" * 70 + "`v1`"]
for number, name in enumerate(names):
    globals()[name] = torch.full((2,), float(number))
kind = type("<b>`S1`\\u202e" + "N" * 300, (torch.autograd.Function,), {
    "forward": staticmethod(lambda ctx, x: (ctx.save_for_backward(x), x * 2)[1]),
    "backward": staticmethod(lambda ctx, grad: grad * 2),
})
out = kind.apply(名字很长很长很长很长很长很长很长很长)
out.sum().backward()
warnings.warn("<b>warned</b>\\u202e\\u05e9 1 2")
print("<b>bold</b>", "\\u202eevil", '<svg onload="window.broken=1">',
      "\\u05e9\\u05dc\\u05d5\\u05dd 1 2", "\\x1b[2J", "e" + "\\u0301" * 300)
print("y" * 50000)
text = "LONG"
def f(x):
    """<script>window.broken = 1</script>"""
    return x
f(out)
Raised = type("</p><i>`v3`\\u202e", (RuntimeError,), {})
raise Raised("<script>window.broken = 1</script> `S4` { $line } \\u202eturned " + "z" * 10**6)
'''.replace("LONG", "long " * 30000)

OVERFLOWS = """() => {
    const PANES = '.story, .output, .outline:not(.visually-hidden), .changes-bar, .picture-pane, .timeline, .header';
    const margin = 3;
    const found = [];
    for (const pane of document.querySelectorAll(PANES)) {
        if (pane.scrollWidth > pane.clientWidth + 1) found.push(`${pane.className} is ${pane.scrollWidth} of ${pane.clientWidth}`);
    }
    const within = {'.name-tag text': '.name-tag', '.node-name, .node-line': '.node:not(.bucket)', '.bucket text': '.bucket',
        '.pocket text': '.pocket', '.cell text': '.cell', '.chip text': '.chip', '.pill text': '.pill',
        '.tensor-shape, .tensor-stride': '.tensor'};
    for (const [texts, group] of Object.entries(within)) {
        for (const text of document.querySelectorAll(`.picture :is(${texts})`)) {
            const shape = text.closest(group)?.querySelector('rect, path');
            if (!shape) continue;
            const [ink, box] = [text.getBoundingClientRect(), shape.getBoundingClientRect()];
            const isOut = ink.left < box.left - margin || ink.right > box.right + margin || ink.height > 40 * text.getScreenCTM().a;
            if (isOut) found.push([text.textContent.slice(0, 60), group, ink.left, ink.right, box.left, box.right].join(' '));
        }
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls to the side');
    return found;
}"""
SAID = "() => document.querySelector('.app').textContent"


@pytest.mark.parametrize(("size", "locale"), [((1440, 900), "en-US"), ((390, 844), "zh-CN")])
def test_hostile_text_is_only_text(visit: Visit, size: tuple[int, int], locale: str) -> None:
    tutor = visit(viewport={"width": size[0], "height": size[1]}, locale=locale)
    tutor.open("/")
    page = tutor.page
    tutor.write(HOSTILE)
    page.keyboard.press("Control+Enter")
    tutor.wait()
    count = int(page.locator(".slider").get_attribute("max") or 0)
    assert count > 40
    for number in range(1, count + 1):
        page.keyboard.press("Home" if number == 1 else ".")
        expect(page.locator(".position b")).to_contain_text(str(number))
        if number % 6 == 0 or number > count - 14:
            for pane in ("story", "graph", "memory", "output"):
                tutor.show(pane)
                assert page.evaluate(OVERFLOWS) == [], f"step {number}"
            said = page.evaluate(SAID)
            assert not re.search(BIDI, said)
            assert len(said) < 80_000, "what is as long as a book is not on the page"
    assert page.evaluate("() => window.broken") is None
    assert page.evaluate("() => document.querySelectorAll('.app :is(img, script, i), svg svg').length") == 0
    tutor.show("story")
    story = page.locator(".story")
    expect(story.locator(".end.badly")).to_contain_text("<script>window.broken = 1</script> `S4`")
    expect(story.locator(".end.badly")).to_contain_text("{ $line } \\u202eturned")
    assert story.locator(".storage-chip, .version-chip").filter(has_text=re.compile("^(S4|S9|v3)$")).count() == 0
    tutor.shoot(f"hostile-{size[0]}")
    tutor.show("output")
    output = page.locator(".output")
    expect(output).to_contain_text("yyyyy")
    page.locator(".earlier").click()
    expect(output).to_contain_text('<svg onload="window.broken=1">')
    expect(output).to_contain_text("\\u202eevil")
