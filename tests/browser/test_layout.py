"""The main thread lays out small graphs. If the browser has no workers, the main thread also lays out large graphs."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.test_large import MANY_ROUNDS

NO_WORKERS = "delete window.Worker"


def test_a_small_graph_starts_no_worker(visit: Visit) -> None:
    tutor = visit()
    tutor.open()
    tutor.run()
    tutor.page.keyboard.press("End")
    expect(tutor.page.locator(".graph [data-box]").first).to_be_visible()
    assert tutor.page.workers == []


def test_without_workers_a_large_graph_is_laid_out_and_unfolds(visit: Visit) -> None:
    tutor = visit()
    page = tutor.page
    page.add_init_script(NO_WORKERS)
    tutor.open()
    tutor.write(MANY_ROUNDS)
    tutor.run()
    page.keyboard.press("End")
    expect(page.locator(".graph [data-box]").first).to_be_visible()
    expect(tutor.turn_groups("Unfold every group")).to_be_disabled()
    expect(tutor.turn_groups("Fold every group")).to_be_disabled()
    assert tutor.complaints == []
