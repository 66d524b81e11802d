"""Publish, read, edit and delete lectures over HTTP. Invalid requests are refused with a message."""

import json
import re
from typing import Any

import httpx
import pytest

from app.lectures import plans
from app.lectures.lecture import MOST_LINKS, MOST_NOTES, MOST_PARTS, MOST_TALLY
from app.trace.codec import decode_trace
from app.trace.index import Index
from tests.web.server import Hosted, hosted

SOURCE = "import torch\n\nx = torch.tensor([2.0, 3.0], requires_grad=True)\ny = x * 3\ny.sum().backward()\nprint(x.grad)\n"


def shared(client: httpx.Client, source: str = SOURCE) -> dict[str, str]:
    link: dict[str, str] = client.post("/api/v1/snippets", json={"source": source}).raise_for_status().json()
    return link


def published(client: httpx.Client, parts: list[dict[str, Any]], **heading: str) -> dict[str, str]:
    answer = client.post("/api/v1/lectures", json={"title": "A lecture", **heading, "parts": parts})
    assert answer.status_code == 201, answer.text
    made: dict[str, str] = answer.json()
    return made


def asked(client: httpx.Client, link: str) -> dict[str, Any]:
    """Return a question about the first element of `x.grad`, in the page's format."""
    document = client.get(f"/api/v1/snippets/{link}").json()["document"]
    index = Index(decode_trace(json.dumps(document["trace"]).encode()))
    after, until = (step.ended for step in index.statements[2:4])
    [leaf] = (name.tensor[0][1] for name in index.trace.names if name.path == "x")
    return {"kind": "grad", "after": after, "until": until, "tensor": leaf}


def number(value: float) -> dict[str, Any]:
    return {"kind": "number", "number": value}


@pytest.fixture(scope="module")
def link(client: httpx.Client) -> str:
    return shared(client)["id"]


def test_a_lecture_is_published_and_read(client: httpx.Client, link: str) -> None:
    question = asked(client, link)
    part = {
        "snippet": link,
        "at": "step=3&by=operator",
        "view": "folds=round&open=r1",
        "marked": {"kind": "tensor", "id": 0},
        "note": {"en": "Look <here>.\n\nAnd there.", "zh-CN": "看这里。"},
        "question": question,
        "tally": [[number(3.0), 12], [{"kind": "none"}, 3]],
    }
    made = published(client, [part, {"lesson": "a-first-gradient", "at": "step=2"}], title="  Week\n 3 ", author="Me")
    assert made["url"] == f"/l/{made['id']}"
    shown = client.get(f"/api/v1/lectures/{made['id']}").json()
    assert (shown["title"], shown["author"]) == ("Week 3", "Me")
    assert shown["parts"][0] == {**part, "document": f"/api/v1/snippets/{link}"}
    assert shown["parts"][1]["document"] == "/api/v1/lessons/a-first-gradient/document"
    for each in shown["parts"]:
        assert "trace" in json.dumps(client.get(each["document"]).raise_for_status().json())
    page = client.get(made["url"], headers={"Accept": "text/html"})
    assert page.headers["X-Robots-Tag"] == "noindex"
    assert "<title>Week 3 · Stepgrad</title>" in page.text
    assert "Look <here>" not in page.text, "it lies in the page as JSON that ends no element"


def test_a_lecture_needs_no_title(client: httpx.Client, link: str) -> None:
    made = published(client, [{"snippet": link, "at": "step=1"}], title="")
    page = client.get(made["url"], headers={"Accept": "text/html"})
    assert page.status_code == 200 and "<title>Stepgrad</title>" in page.text
    assert client.get(f"/api/v1/lectures/{made['id']}/lecture.html").status_code == 200


def test_who_has_the_token_mends_it(client: httpx.Client, link: str) -> None:
    made = published(client, [{"snippet": link, "at": "step=1", "note": {"en": "a tpyo"}}], author="Me")
    address, token = f"/api/v1/lectures/{made['id']}", {"X-Deletion-Token": made["deletion_token"]}
    parts = [{"snippet": link, "at": "step=1", "note": {"en": "a typo"}}]
    assert client.patch(address, json={"parts": parts}).json()["error"] == "wrong_token"
    assert client.patch(address, json={"parts": parts}, headers=token).status_code == 204
    shown = client.get(address).json()
    assert shown["parts"][0]["note"] == {"en": "a typo"}
    assert (shown["title"], shown["author"]) == ("A lecture", "Me"), "what is not sent stays"
    assert "changed" in shown
    assert client.patch(address, json={"title": "Other"}, headers=token).status_code == 204
    assert client.get(address).json()["title"] == "Other"
    assert client.patch(address, json={"parts": []}, headers=token).json()["error"] == "invalid"
    assert client.delete(address).status_code == 403
    assert client.delete(address, headers=token).status_code == 204
    assert client.get(address).json()["error"] == "unknown_lecture"
    assert client.delete(address, headers=token).status_code == 404
    assert client.get(f"/api/v1/snippets/{link}").status_code == 200, "the link stays"


def test_a_part_whose_link_is_deleted_says_so_and_the_rest_can_be_mended(client: httpx.Client, link: str) -> None:
    gone = shared(client, SOURCE + "# again\n")
    question = asked(client, gone["id"])
    parts: list[dict[str, Any]] = [
        {"snippet": gone["id"], "at": "step=3", "question": question, "tally": [[number(3.0), 2]]},
        {"snippet": link, "at": "step=1"},
    ]
    made = published(client, parts)
    address, token = f"/api/v1/lectures/{made['id']}", {"X-Deletion-Token": made["deletion_token"]}
    of_link = {"X-Deletion-Token": gone["deletion_token"]}
    assert client.delete(f"/api/v1/snippets/{gone['id']}", headers=of_link).status_code == 204
    shown = client.get(address).json()["parts"]
    assert "document" not in shown[0] and shown[1]["document"] == f"/api/v1/snippets/{link}"
    parts[0]["note"] = {"en": "It was here."}
    assert client.patch(address, json={"parts": parts}, headers=token).status_code == 204
    parts[0]["tally"] = [[number(3.0), 99]]
    assert client.patch(address, json={"parts": parts}, headers=token).status_code == 404, "what cannot be checked is not taken"
    assert client.post("/api/v1/lectures", json={"parts": parts}).json()["error"] == "unknown_part"
    assert client.get(f"{address}/lecture.html").status_code == 200


@pytest.mark.parametrize(
    ("part", "error", "says"),
    [
        ({}, "invalid", "missing required field `at`"),
        ({"at": "step=0"}, "invalid", "matching regex"),
        ({"at": "step=1\n"}, "invalid", "matching regex"),
        ({"at": "step=1"}, "invalid", "Part 1 needs either a link or a lesson"),
        ({"at": "step=1", "snippet": "LINK", "lesson": "a-first-gradient"}, "invalid", "either a link or a lesson"),
        ({"at": "step=1", "snippet": "../../etc/passwd"}, "invalid", "matching regex"),
        ({"at": "step=1", "snippet": "notHere"}, "unknown_part", "Part 1 shows a link that does not exist on this server"),
        ({"at": "step=1", "lesson": "no-such-lesson"}, "unknown_part", "a lesson that does not exist"),
        ({"at": "step=1", "snippet": "LINK", "view": "open=<script>"}, "invalid", "matching regex"),
        ({"at": "step=1", "snippet": "LINK", "note": {"en": "a\0b"}}, "invalid", "NUL"),
        ({"at": "step=1", "snippet": "LINK", "note": {"fr": "a"}}, "invalid", "unknown field"),
        ({"at": "step=1", "snippet": "LINK", "note": {"en": "x" * 2001}}, "invalid", "2000"),
        ({"at": "step=1", "snippet": "LINK", "marked": {"kind": "tensor", "id": -1}}, "invalid", ">= 0"),
        ({"at": "step=1", "snippet": "LINK", "marked": {"kind": "script", "id": 1}}, "invalid", "enum"),
        ({"at": "step=1", "snippet": "LINK", "tally": [[number(1), 1]]}, "invalid", "no question"),
        (
            {"at": "step=1", "snippet": "LINK", "asks": {"kind": "grad", "until": "step=2"}},
            "invalid",
            "has a question about a lesson",
        ),
    ],
)
def test_a_part_that_is_none_is_refused(client: httpx.Client, link: str, part: Any, error: str, says: str) -> None:
    text = json.dumps({"parts": [part]}).replace("LINK", link)
    answer = client.post("/api/v1/lectures", content=text, headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert answer.json()["error"] == error
    assert says in answer.json()["message"]
    assert len(answer.json()["message"]) <= 420


@pytest.mark.parametrize(
    "tally",
    [
        [[{"kind": "number", "number": "<b>"}, 1]],
        [[{"kind": "line", "line": 1}, 1]],
        [[{"kind": "name", "name": "<script>"}, 1]],
        [[{"kind": "number", "number": 1.0, "line": 3}, 1]],
    ],
)
def test_a_tally_counts_answers_that_can_be_given(client: httpx.Client, link: str, tally: Any) -> None:
    part = {"snippet": link, "at": "step=1", "question": asked(client, link), "tally": tally}
    answer = client.post("/api/v1/lectures", json={"parts": [part]})
    assert (answer.status_code, answer.json()["error"]) == (422, "no_answer")


@pytest.mark.parametrize(
    "tally",
    [
        [[number(1.0), 0]],
        [[number(1.0), -3]],
        [[number(1.0), 1.5]],
        [[number(1.0), 10**9]],
        [[number(1.0), 1], [number(1.0), 2]],
        [[number(float(value)), 1] for value in range(MOST_TALLY + 1)],
        [[number(1.0)]],
        [[number(1.0), 1, 1]],
    ],
)
def test_counts_are_counts(client: httpx.Client, link: str, tally: Any) -> None:
    part = {"snippet": link, "at": "step=1", "question": asked(client, link), "tally": tally}
    answer = client.post("/api/v1/lectures", json={"parts": [part]})
    assert (answer.status_code, answer.json()["error"]) == (422, "invalid")


@pytest.mark.parametrize(
    "question",
    [
        {"kind": "grad", "after": 0, "until": 1, "tensor": 10**9},
        {"kind": "cell", "after": -5, "until": 2**62},
        {"kind": "value", "after": 1, "until": 2, "storage": -1, "cell": -1},
        {"kind": "sends", "after": 1, "until": 2, "node": 99, "edge": 0},
    ],
)
def test_a_question_about_what_is_not_there_breaks_nothing(client: httpx.Client, link: str, question: Any) -> None:
    answer = client.post("/api/v1/lectures", json={"parts": [{"snippet": link, "at": "step=1", "question": question}]})
    assert answer.status_code in (201, 422), answer.text


def test_all_of_it_is_bounded(client: httpx.Client, link: str) -> None:
    part = {"snippet": link, "at": "step=1"}
    for parts in (
        [part] * (MOST_PARTS + 1),
        [{**part, "note": {"en": "x" * 2000}}] * (MOST_NOTES // 2000 + 1),
        [{"snippet": f"link{number}", "at": "step=1"} for number in range(MOST_LINKS + 1)],
    ):
        answer = client.post("/api/v1/lectures", json={"parts": parts})
        assert (answer.status_code, answer.json()["error"]) == (422, "invalid")
    for heading in ({"title": "x" * 121}, {"author": "x" * 81}, {"title": 3}, {"colour": "red"}):
        assert client.post("/api/v1/lectures", json={**heading, "parts": [part]}).json()["error"] == "invalid"
    for text in ("[" * 100_000, "{", '{"parts":[{"snippet":"abc","at":"step=1","note":{"en":"\\ud800"}}]}', "null", "\ufeff{}"):
        answer = client.post("/api/v1/lectures", content=text.encode(), headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()["error"]) == (422, "invalid")


def test_a_title_is_legible_in_the_head_of_the_page(client: httpx.Client, link: str) -> None:
    title = "</title><script>alert(1)</script>\u202egnp.exe"
    made = published(client, [{"snippet": link, "at": "step=1"}], title=title)
    page = client.get(made["url"], headers={"Accept": "text/html"}).text
    assert "<script>alert" not in page
    assert "\\u202egnp.exe" in re.findall(r"<title>(.*?)</title>", page)[0]


def test_it_is_reported_once_by_a_visitor(client: httpx.Client, link: str) -> None:
    made = published(client, [{"snippet": link, "at": "step=1"}])
    address = f"/api/v1/lectures/{made['id']}/reports"
    assert client.post(address, json={"reason": "rude"}).status_code == 204
    assert client.post(address, json={"reason": "rude"}).status_code == 204
    assert client.post("/api/v1/lectures/nothing/reports", json={"reason": ""}).json()["error"] == "unknown_lecture"
    assert client.post(address, json={"reason": "x" * 201}).status_code == 422


def test_its_link_has_a_qr_code_where_others_reach_this_server(client: httpx.Client, link: str) -> None:
    made = published(client, [{"snippet": link, "at": "step=1"}])
    answer = client.get(f"/api/v1/lectures/{made['id']}/qr.svg")
    assert (answer.status_code, answer.json()["error"]) == (409, "no_public_address")
    assert client.get("/api/v1/lectures/nothing/qr.svg").status_code == 404
    with hosted(public_address="https://stepgrad.example") as up, up.client() as other:
        elsewhere = published(other, [{"lesson": "a-first-gradient", "at": "step=1"}])
        code = other.get(f"/api/v1/lectures/{elsewhere['id']}/qr.svg")
        assert code.headers["content-type"].startswith("image/svg+xml") and "<path" in code.text


def test_the_plans_are_told_and_have_pages_for_ever(client: httpx.Client) -> None:
    told = client.get("/api/v1/plans").json()
    assert [plan["slug"] for plan in told] == [plan.slug for plan in plans()]
    listed = client.get("/lectures", headers={"Accept": "text/html"}).text
    for plan in told:
        assert client.get(f"/api/v1/plans/{plan['slug']}").json() == plan
        page = client.get(f"/lectures/{plan['slug']}", headers={"Accept": "text/html"})
        assert "X-Robots-Tag" not in page.headers
        assert f'<link rel="canonical" href="/lectures/{plan["slug"]}">' in page.text
        assert f'href="/lectures/{plan["slug"]}"' in listed
    assert client.get("/api/v1/plans/nothing").json()["error"] == "unknown_lecture"
    missing = client.get("/lectures/nothing", headers={"Accept": "text/html"})
    assert missing.status_code == 404 and "no such lecture" in missing.text


def test_a_lesson_is_recorded_once_for_all_who_read(server: Hosted, client: httpx.Client) -> None:
    address = "/api/v1/lessons/doubling-saves-no-tensor/document"
    first = client.get(address).raise_for_status()
    runs = server.log.read_text().count('"event": "run"')
    assert client.get(address).content == first.content
    assert server.log.read_text().count('"event": "run"') == runs
    assert client.get("/api/v1/lessons/exp-saves-its-output/fixed/document").status_code == 200
    assert client.get("/api/v1/lessons/nothing/document").json()["error"] == "unknown_lesson"
    assert client.get("/api/v1/lessons/a-first-gradient/fixed/document").json()["error"] == "unknown_lesson"


def test_a_lecture_is_one_file_with_its_recordings(client: httpx.Client, link: str) -> None:
    parts = [
        {"snippet": link, "at": "step=1"},
        {"snippet": link, "at": "step=2"},
        {"lesson": "a-first-gradient", "at": "step=2"},
    ]
    made = published(client, parts, title="</script><b>Week 3")
    answer = client.get(f"/api/v1/lectures/{made['id']}/lecture.html?language=zh-CN")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="stepgrad-{made["id"]}.html"'
    assert answer.text.count('id="document ') == 2, "each recording once"
    assert 'lang="zh-CN"' in answer.text and "</script><b>" not in answer.text
    assert len(answer.content) < 1 << 20
    assert client.get("/api/v1/plans/views-versions-in-place/lecture.html").status_code == 200
    assert client.get(f"/api/v1/lectures/{made['id']}/lecture.html?language=fr").status_code == 422


def test_recordings_that_are_too_large_for_a_file_are_refused(client: httpx.Client) -> None:
    lines = "import torch\nxs = []\nfor i in range(1500):\n    xs.append(torch.arange(200.) + i)\n"
    links = [shared(client, f"{lines}# {number}\n")["id"] for number in range(2)]
    made = published(client, [{"snippet": each, "at": "step=1"} for each in links])
    answer = client.get(f"/api/v1/lectures/{made['id']}/lecture.html")
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large_for_lecture_file")


def test_lectures_count_as_links(client: httpx.Client) -> None:
    with hosted(address_links_per_day="2") as up, up.client() as other:
        part = {"lesson": "a-first-gradient", "at": "step=1"}
        for _ in range(2):
            published(other, [part])
        refused = other.post("/api/v1/lectures", json={"parts": [part]})
        assert (refused.status_code, refused.json()["error"]) == (429, "quota_of_address")
