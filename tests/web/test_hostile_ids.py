"""An invalid id of a link has an error response for its kind of page, in which it is escaped."""

from urllib.parse import quote

import httpx
import pytest

IDS = [
    "<script>window.owned=1</script>",
    '"><img src=x onerror=window.owned=1>',
    "../../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "' OR '1'='1",
    "\u202egnp",
    "AAAAAAAAAAA",
    "A" * 5000,
    "{{ 7 * 7 }}",
]
PLACES = ["/s/{}", "/embed/{}", "/api/v1/snippets/{}", "/api/v1/snippets/{}/file", "/s/{}?step=1", "/lessons/{}"]


@pytest.mark.parametrize("place", PLACES)
def test_an_id_that_is_none_opens_nothing(client: httpx.Client, place: str) -> None:
    for each in IDS:
        answer = client.get(place.format(quote(each, safe="%")))
        assert answer.status_code in (400, 404, 405, 410, 422), (each, answer.status_code)
        assert not any(scar in answer.text for scar in ("<script>window", "<img src=x", "root:", "\u202e")), each
        if "text/html" in answer.headers["content-type"]:
            assert "{{" not in answer.text and "49" not in answer.text.partition("<body")[2].partition("<script")[0]


def test_other_sites_are_told_of_none_either(client: httpx.Client) -> None:
    for each in IDS:
        answer = client.get("/oembed", params={"url": f"{client.base_url}/s/{each}"})
        assert answer.status_code in (400, 404, 422), (each, answer.status_code)
        assert "<script" not in answer.text and "<img" not in answer.text
