"""The server returns the same response for each link of commit 1becf7c, except for additions."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.compat.held import LINKS, SERVED, running_on_store


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with running_on_store() as server, server.client() as opened:
        yield opened


NEW_KINDS = {"matmul_mismatch"}
"""Kinds of findings that were added after that commit, and that its recordings have."""


@pytest.mark.parametrize("name", LINKS)
def test_a_link_answers_what_it_answered(client: httpx.Client, name: str) -> None:
    then = SERVED["served"][name]
    answer = client.get(f"/api/v1/snippets/{LINKS[name]}")
    assert answer.status_code == 200
    now: dict[str, Any] = answer.json()
    assert now["document"]["trace"] == then["document"]["trace"], "a recording is served as it was kept"
    assert [finding for finding in told(now) if finding["kind"] not in NEW_KINDS] == told(then)
    assert {**now, "document": None} == {**then, "document": None}
    assert client.get(f"/s/{LINKS[name]}").status_code == 200


def told(served: dict[str, Any]) -> list[Any]:
    """Return the findings without their arguments and the contents of their fixes, which may change."""
    findings = served["document"]["findings"]
    return [{**finding, "arguments": None, "fixes": bool(finding.get("fixes"))} for finding in findings]


def test_the_links_are_of_every_sort() -> None:
    """Verifies that the links differ enough for the tests above to be useful."""
    served = SERVED["served"]
    assert {document["document"]["trace"]["ended"]["kind"] for document in served.values()} == {"finished", "raised"}
    assert [name for name in served if served[name].get("stand_in")] == ["stand-in"]
    kinds = [finding["kind"] for document in served.values() for finding in document["document"]["findings"]]
    assert sorted(kinds) == ["silently_wrong_gradient", "stale_saved_tensor"]


def test_the_corrected_gradients_of_a_link_are_the_same(client: httpx.Client) -> None:
    answer = client.get(f"/api/v1/snippets/{LINKS['wrong']}/right").json()
    assert answer.pop("sent"), "later than these links"
    assert answer == SERVED["right"]
