"""Link previews contain the title, the author and a picture of the step. Deleting the link deletes the picture."""

import re
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from html.parser import HTMLParser

import httpx
import pytest

from app.commands.cli import main
from app.web.links.headline import headline
from tests.web.server import Hosted, hosted

SOURCE = "import torch\nx = torch.ones(2, 3, requires_grad=True)\ny = (x * 2).sum()\ny.backward()\n"
EVIL = '"><script>window.owned = 1</script>\u202egnp'
PUBLIC = "https://torch.example"


@pytest.fixture(scope="module")
def public() -> Iterator[Hosted]:
    """Start a server with a public URL."""
    with hosted(public_address=PUBLIC, accept_tier="B") as up:
        yield up


@pytest.fixture(scope="module")
def client(public: Hosted) -> Iterator[httpx.Client]:
    with public.client() as client:
        yield client


class Tags(HTMLParser):
    """The meta tags of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = dict(attrs)
        name = said.get("property") or said.get("name")
        if tag == "meta" and name:
            self.found[name] = unescape(said.get("content") or "")


def made(client: httpx.Client, **more: str) -> dict[str, str]:
    link: dict[str, str] = client.post("/api/v1/snippets", json={"source": SOURCE, **more}).raise_for_status().json()
    return link


def tags(client: httpx.Client, link: dict[str, str], language: str = "en") -> dict[str, str]:
    return Tags(client.get(link["url"], headers={"Accept-Language": language}).raise_for_status().text).found


def drawn(client: httpx.Client, address: str) -> bytes:
    answer = client.get(address.removeprefix(PUBLIC))
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png"), answer.text
    assert answer.content.startswith(b"\x89PNG") and struct.unpack(">II", answer.content[16:24]) == (1200, 630)
    return answer.content


def test_the_page_of_a_link_names_its_picture(client: httpx.Client) -> None:
    link = made(client, title="What ones() makes", author="Week 3", shown="step=4")
    said = tags(client, link)
    assert said["og:title"] == "What ones() makes" and said["og:url"] == PUBLIC + link["url"]
    assert said["og:description"].startswith("Shared by “Week 3”.")
    assert said["og:image"] == f"{PUBLIC}{link['url']}/picture.png" and said["twitter:card"] == "summary_large_image"
    picture = drawn(client, said["og:image"])
    assert drawn(client, said["og:image"]) == picture
    again = client.get(f"{link['url']}/picture.png")
    tag = {"If-None-Match": again.headers["etag"]}
    assert client.get(f"{link['url']}/picture.png", headers=tag).status_code == 304
    assert "og:title" not in Tags(client.get("/").text).found


def test_the_picture_shows_the_step_that_the_link_was_made_at(client: httpx.Client) -> None:
    first, later, lines = (made(client, shown=shown) for shown in ("step=2", "step=4", "step=2&by=line"))
    pictures = [drawn(client, f"{link['url']}/picture.png") for link in (first, later, lines)]
    assert len({*pictures[:2]}) == 2


def test_hostile_words_stay_words(client: httpx.Client) -> None:
    link = made(client, title=EVIL, author=EVIL)
    for language in ("en", "zh-CN"):
        page = client.get(link["url"], headers={"Accept-Language": language}).text
        assert "<script>window" not in page and "\u202e" not in page
        assert tags(client, link, language)["og:title"] == EVIL.replace("\u202e", r"\u202e")
    assert tags(client, made(client), "zh-CN")["og:title"] == headline(SOURCE)


@pytest.mark.parametrize("shown", ["step=0", "step=1#", 'step=1"><svg>', "step=1&by=gpu", "step=" + "9" * 50, "step=1\n"])
def test_a_step_is_a_step(client: httpx.Client, shown: str) -> None:
    assert client.post("/api/v1/snippets", json={"source": SOURCE, "shown": shown}).status_code == 422


def test_where_it_cannot_be_drawn_there_is_no_picture_and_none_is_named(client: httpx.Client) -> None:
    link = made(client, shown="step=999999")
    for _ in range(2):
        refused = client.get(f"{link['url']}/picture.png")
        assert (refused.status_code, refused.json()["error"]) == (404, "no_picture")
    said = tags(client, link)
    assert "og:image" not in said and said["twitter:card"] == "summary"
    assert client.get("/s/AAAAAAAAAAA/picture.png").status_code == 404


def test_the_picture_goes_with_its_link(
    client: httpx.Client, public: Hosted, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STEPGRAD_DATA", str(public.data))
    link, other = made(client, shown="step=3"), made(client, shown="step=3")
    path, others = f"{link['url']}/picture.png", f"{other['url']}/picture.png"
    assert drawn(client, path) == drawn(client, others)
    assert main(["links", "hold", link["id"]]) == 0 and client.get(path).status_code == 410
    assert main(["links", "release", link["id"]]) == 0 and drawn(client, path)
    token = {"X-Deletion-Token": link["deletion_token"]}
    assert client.delete(f"/api/v1/snippets/{link['id']}", headers=token).status_code == 204
    assert client.get(path).status_code == 404
    assert drawn(client, others), "another link to the same recording has its own still"
    assert re.search("Held back", capsys.readouterr().out)


def test_an_address_has_so_many_drawn_at_once(client: httpx.Client) -> None:
    paths = [f"{made(client, shown=f'step={9000 + number}')['url']}/picture.png" for number in range(24)]
    with ThreadPoolExecutor(len(paths)) as visitors:
        answers = list(visitors.map(client.get, paths))
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused and refused[0].json()["error"] == "too_often" and int(refused[0].headers["retry-after"]) > 0


def test_a_server_of_this_machine_alone_names_none(server: Hosted) -> None:
    with server.client() as here:
        assert not any(name.startswith(("og:", "twitter:")) for name in tags(here, made(here)))
