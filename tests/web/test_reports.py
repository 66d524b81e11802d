"""Visitors report links. Reports are limited, counted once per visitor, and anonymous."""

from collections.abc import Iterator

import httpx
import pytest

from app.store.quotas import REPORTS_OF_ADDRESS
from tests.web.server import Hosted, hosted


@pytest.fixture(scope="module")
def behind_a_proxy() -> Iterator[Hosted]:
    """Start a separate server, because the tests use up the number of reports that an address may send."""
    with hosted(proxies="127.0.0.1") as up:
        yield up


def made(client: httpx.Client) -> str:
    return str(client.post("/api/v1/snippets", json={"source": "x = 1\n"}).raise_for_status().json()["id"])


def report(client: httpx.Client, snippet_id: str, address: str = "192.0.2.9", body: object = None) -> httpx.Response:
    return client.post(f"/api/v1/snippets/{snippet_id}/reports", json=body or {}, headers={"X-Forwarded-For": address})


def test_a_report_is_taken_again_and_again_with_the_same_answer(client: httpx.Client) -> None:
    snippet_id = made(client)
    for body in ({"reason": "It is rude."}, {"reason": ""}, {}):
        answer = report(client, snippet_id, body=body)
        assert (answer.status_code, answer.content) == (204, b"")
    assert "rude" not in client.get(f"/api/v1/snippets/{snippet_id}").text


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"reason": "x" * 201}, 422),
        ({"reason": 7}, 422),
        ({"reason": "a", "more": 1}, 422),
        ({"reason": "a\0b"}, 422),
        ({"reason": "<script>\u202e" + "e\u0301" * 90}, 204),
        ({"reason": "two\r\nlines"}, 204),
    ],
)
def test_the_reason_is_one_short_line(client: httpx.Client, body: dict[str, object], status: int) -> None:
    assert report(client, made(client), body=body).status_code == status


def test_what_is_not_there_or_not_asked_for_by_the_page_is_refused(client: httpx.Client) -> None:
    assert report(client, "AAAAAAAAAAA").status_code == 404
    assert report(client, "..%2f..").status_code == 404
    path = f"/api/v1/snippets/{made(client)}/reports"
    assert client.get(path).status_code == 405
    assert client.post(path, json={}, headers={"Origin": "https://elsewhere.example"}).status_code == 403
    assert client.post(path, content="reason=a", headers={"Content-Type": "text/plain"}).status_code == 415


def test_an_address_reports_so_many_links_in_a_day_and_one_without_cookies_counts_once(behind_a_proxy: Hosted) -> None:
    with behind_a_proxy.client() as client:
        snippet_id = made(client)
    for _ in range(3):
        with behind_a_proxy.client() as new:
            assert report(new, snippet_id, "192.0.2.1").status_code == 204
    answers = []
    for _ in range(REPORTS_OF_ADDRESS):
        with behind_a_proxy.client() as visitor:
            visitor.get("/", headers={"X-Forwarded-For": "192.0.2.1"}).raise_for_status()
            answers.append(report(visitor, snippet_id, "192.0.2.1"))
    assert [answer.status_code for answer in answers] == [204] * (REPORTS_OF_ADDRESS - 1) + [429]
    assert answers[-1].json()["error"] == "quota_of_reports" and int(answers[-1].headers["retry-after"]) > 0
    with behind_a_proxy.client() as client:
        assert report(client, snippet_id, "192.0.2.2").status_code == 204
