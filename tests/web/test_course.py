"""The pages of the course: each lesson has an address, and the gallery links to all lessons."""

import json
import re
from typing import Any

import httpx
import pytest

from app.lessons import Words, by_name, lesson_of, lessons
from app.words import LANGUAGES, sentence

CHINESE = {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}
PAGE = {"Accept": "text/html"}


def boot(client: httpx.Client, path: str) -> Any:
    found = re.search(r'<script[^>]*id="boot"[^>]*>(.*?)</script>', client.get(path).text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_every_lesson_has_a_page(client: httpx.Client) -> None:
    for lesson in lessons():
        response = client.get(f"/lessons/{lesson.slug}")
        assert response.status_code == 200
        assert f'<link rel="canonical" href="/lessons/{lesson.slug}">' in response.text
        known = boot(client, f"/lessons/{lesson.slug}")
        assert known["program"] == lesson.slug
        assert [shown["snippet"]["source"] for shown in known["whole"]] == [lesson.snippet.source]


def test_a_lesson_is_found_by_what_it_says(client: httpx.Client) -> None:
    lesson = lessons()[0]
    for language, headers in zip(LANGUAGES, ({}, CHINESE), strict=True):
        text = client.get(f"/lessons/{lesson.slug}", headers=headers).text
        words = {"en": lesson.title.en, "zh-CN": lesson.title.zh_cn}[language].replace("`", "")
        assert f'<html lang="{language}"' in text
        assert f"<title>{words} · Stepgrad</title>" in text
        assert re.search('<meta name="description" content="[^"`]{20,}">', text)


def test_how_it_is_done_rightly_has_an_address_where_there_is_one(client: httpx.Client) -> None:
    for lesson in lessons():
        response = client.get(f"/lessons/{lesson.slug}/fixed", headers=PAGE)
        assert response.status_code == (404 if lesson.fixed is None else 200), lesson.slug
        if lesson.fixed is not None:
            assert f'<link rel="canonical" href="/lessons/{lesson.slug}">' in response.text
            assert lesson_of(lesson.fixed.source) == lesson == by_name(f"{lesson.slug}/fixed")


@pytest.mark.parametrize("path", ["/lessons/nope", "/lessons/nope/fixed", "/lessons/%3Cscript%3E"])
def test_an_unknown_lesson_is_one_clear_sentence(client: httpx.Client, path: str) -> None:
    response = client.get(path, headers=PAGE)
    assert response.status_code == 404
    if "nope" in path:
        assert "<h1>There is no lesson with this address</h1>" in response.text and 'href="/lessons"' in response.text
        assert "<h1>没有这个地址的课程</h1>" in client.get(path, headers={**PAGE, **CHINESE}).text
        assert client.get(f"/api/v1{path}").status_code == 404


def test_a_page_brings_along_the_heads_of_all_lessons_and_the_whole_of_its_own(client: httpx.Client) -> None:
    snippet_id = client.post("/api/v1/snippets", json={"source": lessons()[1].snippet.source}).json()["id"]
    pair = ",".join(lesson.slug for lesson in lessons()[:2])
    expected = {f"/lessons/{lessons()[0].slug}": 1, f"/s/{snippet_id}": 1, f"/?compare={pair}": 2, "/": 1}
    for path, whole in expected.items():
        known = boot(client, path)
        assert len(known["whole"]) == whole, path
        assert [head["slug"] for head in known["lessons"]] == [lesson.slug for lesson in lessons()]
        assert all(head.keys() == {"slug", "group", "order", "title"} for head in known["lessons"])


def test_what_a_page_of_the_course_weighs(client: httpx.Client) -> None:
    for path in ["/", "/lessons", *(f"/lessons/{lesson.slug}" for lesson in lessons())]:
        with client.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as response:
            assert response.headers["content-encoding"] == "gzip"
            assert sum(len(piece) for piece in response.iter_raw()) <= 12 * 1024, path


def test_one_lesson_as_data(client: httpx.Client) -> None:
    for lesson in client.get("/api/v1/lessons").json():
        assert client.get(f"/api/v1/lessons/{lesson['slug']}").json() == lesson


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gallery_is_a_list_of_links_before_any_script(client: httpx.Client, language: str) -> None:
    response = client.get("/lessons", headers=CHINESE if language == "zh-CN" else {})
    assert "Accept-Language" in response.headers["vary"]
    text = response.text
    assert f'<html lang="{language}">' in text and '<link rel="canonical" href="/lessons">' in text
    assert re.findall(r'href="/lessons/([^"]+)"', text) == [lesson.slug for lesson in lessons()]
    for lesson in lessons():
        assert shown(lesson.title, language) in text
        claim = f"“{shown(lesson.claim, language)}” <b>{sentence(language, 'lesson-true')}</b>"
        assert claim in text, f"{lesson.slug}: the claim is not asked about"
        assert sentence(language, f"lesson-group-{lesson.group}") in text


def shown(words: Words, language: str) -> str:
    """Return a text as it appears in the page's HTML."""
    text = words.en if language == "en" else words.zh_cn
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("'", "&#39;").replace('"', "&#34;")
    return re.sub("`([^`]*)`", r"<code>\1</code>", escaped)
