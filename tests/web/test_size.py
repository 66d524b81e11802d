"""The compressed size of everything that a first visit loads: page, scripts, styles, translations and fonts."""

import re
from html.parser import HTMLParser

import httpx

BUDGET = {"before fonts": 250 * 1024, "fonts": 95 * 1024}


class Links(HTMLParser):
    """The addresses of scripts, styles and fonts in a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        address = named.get("src") if tag == "script" else named.get("href") if tag == "link" else None
        if address is not None and not address.endswith(".svg"):
            self.found.add(address)


def weigh(client: httpx.Client, address: str) -> int:
    """Return the number of compressed bytes of a response."""
    with client.stream("GET", address, headers={"Accept-Encoding": "gzip"}) as response:
        assert response.status_code == 200, address
        return sum(len(piece) for piece in response.iter_raw())


def imported(client: httpx.Client, address: str) -> set[str]:
    """Return the modules that a script imports statically."""
    text = client.get(address).text
    names = re.findall(r'\b(?:from|import)"(\.[^"]+)"', text)
    return {str(httpx.URL(f"http://x{address}").join(name).path) for name in names}


def test_a_first_visit_stays_within_its_budget(client: httpx.Client) -> None:
    page = Links()
    page.feed(client.get("/", headers={"Accept": "text/html"}).text)
    waiting = {address for address in page.found if address.endswith(".js")}
    scripts: set[str] = set()
    while waiting:
        address = waiting.pop()
        scripts.add(address)
        waiting |= imported(client, address) - scripts
    [sheet] = [address for address in page.found if address.endswith(".css")]
    fonts = {
        str(httpx.URL(f"http://x{sheet}").join(name).path)
        for name in re.findall(r"url\(([^)]+\.woff2)\)", client.get(sheet).text)
    }
    assert len(fonts) == 2 and any(address.endswith("codemirror.js") for address in scripts)
    later = ("layout-engine", "stage", "words-steps")
    assert not any(part in address for address in scripts for part in later) and not fonts & page.found, "they come later"
    assert scripts <= page.found, "what is imported is named by the page, so that it is fetched at once"
    first = {"/", sheet, "/words/en.ftl", "/words/zh-CN.ftl"} | scripts
    sizes = {address: weigh(client, address) for address in first | fonts}
    words = min(
        sizes[f"/words/{language}.ftl"] for language in ("en", "zh-CN")
    )  # a page loads the translations of one language
    loaded = {"before fonts": sum(sizes[each] for each in first) - words, "fonts": sum(sizes[each] for each in fonts)}
    largest = sorted(sizes, key=lambda each: -sizes[each])[:12]
    assert all(loaded[what] <= most for what, most in BUDGET.items()), (loaded, [(each, sizes[each]) for each in largest])
