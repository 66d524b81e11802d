"""Every error that a visitor can see is translated."""

import ast
from pathlib import Path

import httpx
import pytest

from app.engine.errors import SENTENCES
from app.web.edge import errors
from app.words import LANGUAGES, preferred, sentence

WEB = Path(errors.__file__).parents[1]
NOBODY_READS = {"gone", "not_http", "half_a_fix", "too_large_for_text"}
"""Errors that the page never shows: for disconnected clients, and for requests that only programs send."""


def kinds() -> set[str]:
    """Return the codes of all errors that the server can return."""
    # the code chooses these by the reason, so no call contains them literally
    found = {"busy", "visitor_busy", "address_busy", "quota_of_address", "quota_of_visitor", "quota_of_reports"}
    found |= set(SENTENCES)
    for path in WEB.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Problem":
                word = node.args[1]
                if isinstance(word, ast.Constant):
                    found.add(str(word.value))
    return found - NOBODY_READS


def test_every_refusal_has_words_in_every_language() -> None:
    found = kinds()
    assert {"too_often", "store_full", "not_found", "empty_snippet", "cross_site"} <= found
    for language in LANGUAGES:
        for kind in found - {"cancelled"}:
            assert sentence(language, f"error-{kind}")


@pytest.mark.parametrize(
    ("accepted", "language"),
    [("zh-CN,zh;q=0.9,en;q=0.8", "zh-CN"), ("zh", "zh-CN"), ("en-GB,zh;q=0.5", "en"), ("de", "en"), ("", "en"), ("*", "en")],
)
def test_a_browser_s_language(accepted: str, language: str) -> None:
    assert preferred(accepted) == language


def test_the_page_about_an_error_speaks_the_visitors_language(client: httpx.Client) -> None:
    for accepted, words in (("zh-CN,zh", "这个地址没有代码"), ("en", "There is no snippet at this address")):
        headers = {"Accept": "text/html", "Accept-Language": accepted}
        answer = client.get("/s/AAAAAAAAAA", headers=headers)
        assert answer.status_code == 404
        assert words in answer.text
        assert f'<html lang="{preferred(accepted)}">' in answer.text
