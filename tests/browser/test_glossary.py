"""Terms in sentences open the glossary with the keyboard and the mouse. Findings link to the steps and objects they mention."""

from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit

SNIPPET = """\
import torch
storage = torch.ones(2, requires_grad=True)
h = storage * 1
y = (h * h).sum()
h.data.mul_(100)
print("a version counter of a storage")
y.backward()
"""


def test_a_term_says_what_it_means_and_text_of_the_snippet_is_none(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(SNIPPET)
    tutor.run()
    page = tutor.page
    tutor.step_at(2)
    story = page.locator(".story > p")
    expect(story.first).to_contain_text(
        "storage is a new tensor of shape (2,), a leaf that requires grad, with its own storage S0."
    )
    # A variable's name is not a term. Each term of the glossary is linked only at its first use.
    expect(story.locator(".term")).to_have_text(["leaf", "requires grad", "storage"])
    term = story.locator(".term", has_text="requires grad")
    term.focus()
    page.keyboard.press("Enter")
    card = page.get_by_role("dialog", name="Requires grad")
    expect(card).to_contain_text("Whether autograd records operations on a tensor.")
    expect(card).to_be_focused()
    assert violations(page) == []
    tutor.shoot("term")
    card.locator(".term", has_text="autograd").click()
    expect(page.get_by_role("dialog", name="Autograd")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".term-card")).to_be_hidden()
    expect(term).to_be_focused()
    tutor.step_at(6)
    expect(story.last).to_contain_text("It printed a version counter of a storage.")
    assert story.last.locator(".term").count() == 0


def test_all_terms_stand_in_the_help(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    page = tutor.page
    page.get_by_role("button", name="Help").click()
    page.get_by_role("button", name="All terms").click()
    expect(page.get_by_role("heading", name="Glossary")).to_be_in_viewport()
    assert page.locator(".glossary dt").count() >= 25


def test_a_finding_leads_to_its_steps_and_things(visit: Visit) -> None:
    tutor = visit()
    tutor.open("/")
    tutor.write(SNIPPET)
    tutor.run()
    page = tutor.page
    tutor.step_at(5)
    card = page.locator('[data-finding="silently_wrong_gradient"]')
    card.get_by_role("button", name="saved: line").click()
    expect(page.locator(".position-line")).to_have_text("line 4")
    tutor.step_at(5)
    page.mouse.move(1, 1)  # the card scrolls to the focused element, and moving an element under the pointer triggers hover
    card.get_by_role("button", name="h", exact=True).focus()
    expect(page.locator(".memory [data-tensor].highlighted, .memory [data-label].highlighted").first).to_be_visible()
    expect(page.locator(".timeline .flag.hint")).to_have_count(0)
