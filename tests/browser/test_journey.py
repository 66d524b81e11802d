"""Step through the two lessons in which a saved tensor is written before backward."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit


def test_data_hides_the_write(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.shoot("start")
    tutor.open("/lessons/data-hides-the-write")
    tutor.run()

    tutor.step_at(11)
    shared = tutor.row("d")
    expect(shared).to_have_count(1)
    assert shared.get_attribute("data-row") == tutor.row("d_").get_attribute("data-row"), "d and d_ look at one Storage"
    assert (tutor.version("d"), tutor.version("d_")) == ("v0", "v1")
    assert tutor.cells("d") == ["1."]
    expect(shared.locator(".was-value")).to_have_text("4.")
    node = tutor.page.locator('.graph [data-node]:has(.node-name:text-is("MvBackward0"))')
    expect(node.locator('.pocket[data-look="stale"]')).to_have_count(1)
    expect(node.locator('.pocket[data-look="stale"] .pocket-name')).to_have_text("self = d")
    expect(tutor.page.locator('[data-finding="silently_wrong_gradient"]')).to_be_visible()
    expect(tutor.page.locator(".links .link")).to_have_count(1)
    tutor.shoot("data-write")

    tutor.step_at(12, "MvBackward0 of line")
    expect(tutor.page.locator(".chip.fresh")).to_have_count(3)
    expect(node.locator('.pocket[data-look="freed"]')).to_have_count(1)
    expect(node.locator('.pocket[data-look="stale-freed"]')).to_have_count(1)
    expect(node.locator('.pocket[data-look="stale-freed"] .pocket-hatch')).to_have_count(1)
    expect(tutor.named("w2.grad")).to_have_count(0)
    tutor.shoot("data-backward")
    tutor.step_at(12, "w2.grad was created")
    assert tutor.cells("w2.grad") == ["1."]
    expect(tutor.page.locator(".bucket.active .bucket-grad")).to_have_text("w2.grad: [1.] ≠ [4.]")
    tutor.page.keyboard.press("End")
    expect(tutor.page.locator(".output")).to_contain_text("tensor([1.])")
    expect(tutor.page.locator(".end.well")).to_be_visible()
    tutor.shoot("data-end")


def test_detach_tells_on_the_write(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/detach-tells-on-the-write")
    tutor.run()
    tutor.step_at(11)
    assert (tutor.version("d"), tutor.version("d_")) == ("v1", "v1")
    tutor.page.keyboard.press("End")
    expect(tutor.page.locator(".position-line")).to_have_text("line 12")
    expect(tutor.page.locator(".cm-line.line-now.raised")).to_contain_text("f.backward()")
    expect(tutor.page.locator(".end.badly")).to_contain_text("Line 12 raised RuntimeError")
    expect(tutor.page.locator('[data-finding="stale_saved_tensor"]')).to_be_visible()
    for name in ("x", "w1", "w2", "d", "d_", "f"):
        expect(tutor.named(name)).to_have_count(1)
    tutor.shoot("detach-raised")


def test_a_fix_is_one_click(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/detach-tells-on-the-write#step=10")
    tutor.wait()
    page = tutor.page
    before = page.locator(".cm-content").text_content() or ""
    step = page.locator(".position b").inner_text()
    with page.expect_response("**/api/v1/traces"):
        page.locator(".finding-fixes button").first.press("Enter")
    expect(page.locator(".timeline.pair")).to_be_visible()
    expect(page.locator(".keep-fix")).to_be_focused()
    expect(page.locator(".differences li").first).to_be_visible()
    here = page.locator(".position b").inner_text()
    page.keyboard.press(",")
    expect(page.locator(".first-difference")).to_have_text(f"First difference: {here.lower()}")
    page.keyboard.press(".")
    expect(page.locator(".position b")).to_have_text(here)
    for side in ("left", "right"):
        expect(page.locator(f".of-{side} .sign.other:visible").first).to_be_in_viewport()
    expect(page.locator(".verdict.of-right .well")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator(".undo-fix").press("Enter")
    expect(page.locator(".position b")).to_have_text(step)
    expect(page.locator(".code-pane .cm-content")).to_have_text(before)
    expect(page.locator(".finding-fixes button").first).to_be_focused()
    assert not any(url.endswith("/api/v1/traces") for url in asked), "the run before is shown again, not made again"
    with page.expect_response("**/api/v1/traces"):
        page.keyboard.press("Enter")
    expect(page.locator(".keep-fix")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".code-pane .cm-content")).not_to_have_text(before)
    expect(page.locator(".finding")).to_have_count(0)
    page.keyboard.press("End")
    expect(page.locator(".end.well")).to_be_visible()
    tutor.edit()
    expect(page.locator(".code-pane .cm-content")).not_to_have_text(before)


def test_nothing_moves_between_steps(visit: Visit) -> None:
    tutor = visit()
    for lesson in ("data-hides-the-write", "data-detach-and-clone", "clone-adds-up"):
        tutor.open(f"/lessons/{lesson}#step=1")
        tutor.wait()
        count = int(tutor.page.locator(".slider").get_attribute("max") or 0)
        seen: dict[str, object] = {}
        for number in range(1, count + 1):
            tutor.page.keyboard.press("Home" if number == 1 else ".")
            tutor.at_step(number)
            for key, place in tutor.positions().items():
                assert seen.setdefault(key, place) == place, f"{lesson}: {key} moved at step {number}"
        assert len(seen) > 12


def test_jumping_shows_what_stepping_shows(visit: Visit) -> None:
    tutor = visit()
    with tutor.page.expect_response("**/right"):  # the corrected gradients are in the pictures
        tutor.open("/lessons/data-hides-the-write#step=1")
        tutor.wait()
    tutor.to_start()
    for number in range(2, 11):
        tutor.page.keyboard.press(".")
        tutor.at_step(number)
    stepped = tutor.picture()
    tutor.page.keyboard.press("End")
    tutor.at_step(15)
    tutor.page.keyboard.press("PageUp")
    expect(tutor.page.locator(".position b")).not_to_have_text("Step 15")
    tutor.page.locator(".slider").fill("10")
    expect(tutor.page.locator(".position b")).to_have_text("Step 10")
    assert tutor.picture() == stepped


def test_a_link_shows_the_same_picture_to_someone_else(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/lessons/data-hides-the-write")
    tutor.run()
    tutor.step_to(8)
    link = tutor.share()
    assert "/s/" in link and link.endswith("#step=8")
    other = visit()
    other.open(link.removeprefix(tutor.url))
    other.wait()
    expect(other.page.locator(".position b")).to_have_text("Step 8")
    assert other.picture() == tutor.picture()
