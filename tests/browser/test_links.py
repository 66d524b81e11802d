"""A link that a browser made can be deleted in it, then and later; the code stays."""

import json

from playwright.sync_api import expect

from tests.browser.conftest import Visit


def test_whoever_made_a_link_deletes_it(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write("import torch\nx = torch.ones(2)  # mine\n")
    tutor.run()
    share, delete = tutor.page.get_by_role("button", name="Share"), tutor.page.get_by_role("button", name="Delete this link")
    share.click()
    link = tutor.page.get_by_label("Link", exact=True).input_value()
    expect(delete).to_be_visible()
    tutor.page.get_by_role("button", name="Close").click()
    share.click()
    expect(tutor.page.get_by_label("Link", exact=True)).to_have_value(link)  # a run is stored once

    other = visit()
    other.open(link.removeprefix(tutor.url))
    other.wait()
    other.page.get_by_role("button", name="Share").click()
    expect(other.page.get_by_label("Link", exact=True)).to_have_value(link)
    expect(other.page.get_by_role("button", name="Delete this link")).to_have_count(0)

    later = tutor.another_tab()
    later.open(link.removeprefix(tutor.url))
    later.wait()
    later.page.get_by_role("button", name="Share").click()
    later.page.get_by_role("button", name="Delete this link").click()
    expect(later.page.locator(".toast")).to_contain_text("The link is deleted.")
    expect(later.page).to_have_url(f"{tutor.url}/#step=2")  # the step that was sent
    expect(later.page.locator(".cm-content")).to_contain_text("# mine")
    assert json.loads(later.page.evaluate("localStorage.getItem('stepgrad.links')")) == []
    later.page.reload()
    expect(later.page.locator(".cm-content")).to_contain_text("# mine")
    gone = other.page.request.get(link)
    assert gone.status == 404 and "or not any more" in gone.text()
