"""Identify clients: signed cookies for visitors, addresses from trusted proxies, and rate limits."""

import json
import re
import sqlite3
import stat
from base64 import b64encode
from contextlib import closing
from functools import partial
from ipaddress import ip_network
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.compose.settings import Settings
from app.errors import CommandError
from app.store.keys import KEY_BYTES
from app.web.edge.addresses import address_of, is_from
from app.web.edge.clients import FILE_BURST, Clients
from app.web.edge.rates import MOST_CLIENTS, Rates
from app.web.edge.visitors import Visitors, key_of_before
from tests.web.server import Hosted, hosted
from tests.web.test_bugs import client_of

PROXIES = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"), ip_network("127.0.0.1"))
COOKIE = re.compile(r"stepgrad_visitor=[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}; HttpOnly; SameSite=Lax; Path=/(; Secure)?")
SOURCE = {"source": "x = 1\n"}

# without a cookie, and without TLS settings, which take long to load
get = partial(httpx.get, verify=False)
post = partial(httpx.post, verify=False)


# --- visitors -----------------------------------------------------------------------------------------------------------


def test_a_new_visitor_gets_a_cookie_once(server: Hosted) -> None:
    with server.client() as client:
        first = client.get("/")
        assert COOKIE.fullmatch(first.headers["set-cookie"])
        assert first.headers["cache-control"] == "private, no-cache"
        for path in ("/", "/api/v1/health"):
            assert "set-cookie" not in client.get(path).headers
    for path in ("/api/v1/health", "/api/v1/lessons"):
        assert COOKIE.fullmatch(get(server.url + path).headers["set-cookie"])


def test_files_that_anybody_may_keep_bring_no_cookie(server: Hosted) -> None:
    static = re.search(r"/static/[0-9a-f]{12}/bundle/player\.js", get(server.url).text)
    assert static is not None
    for path in (static[0], "/words/en.ftl"):
        assert "set-cookie" not in get(server.url + path).headers


def test_a_page_stays_the_same_for_its_visitor(server: Hosted) -> None:
    with server.client() as client:
        client.get("/")
        page = client.get("/")
        assert client.get("/", headers={"If-None-Match": page.headers["etag"]}).status_code == 304


def page_token(client: httpx.Client) -> str:
    found = re.search(r'<meta name="page-token" content="([^"]+)">', client.get("/").text)
    assert found is not None
    return found[1]


def test_the_page_token_is_the_visitor_where_there_is_no_cookie(server: Hosted) -> None:
    with server.client() as client:
        token = page_token(client)
        assert page_token(client) == token
        known = get(f"{server.url}/api/v1/health", headers={"X-Page-Token": token})
        assert "set-cookie" not in known.headers
        swapped = client.cookies["stepgrad_visitor"]
    assert "set-cookie" in get(f"{server.url}/api/v1/health", headers={"X-Page-Token": swapped}).headers
    assert "set-cookie" in get(f"{server.url}/api/v1/health", headers={"Cookie": f"stepgrad_visitor={token}"}).headers


FORGED = ["", "x", "a.b", "." * 50, "a" * 22 + "." + "A" * 43, "x" * 60_000, "ü.ü", '"']


@pytest.mark.parametrize("forged", FORGED, ids=[form[:8] for form in FORGED])
def test_a_forged_cookie_is_no_cookie(server: Hosted, forged: str) -> None:
    for header in ("Cookie", "X-Page-Token"):
        value = f"stepgrad_visitor={forged}" if header == "Cookie" else forged
        answer = get(f"{server.url}/api/v1/health", headers=[(header.encode(), value.encode())])
        assert answer.status_code == 200
        assert COOKIE.fullmatch(answer.headers["set-cookie"])


def test_a_cookie_is_found_among_others(server: Hosted) -> None:
    with server.client() as client:
        client.get("/")
        ours = client.cookies["stepgrad_visitor"]
    for cookies in (f"a=b; stepgrad_visitor={ours}", f"stepgrad_visitor=forged.x; stepgrad_visitor={ours}; =; ;;c"):
        assert "set-cookie" not in get(f"{server.url}/api/v1/health", headers={"Cookie": cookies}).headers


@given(st.text(), st.binary(min_size=1))
def test_no_text_is_a_visitor_but_what_was_signed(text: str, key: bytes) -> None:
    visitors = Visitors(lambda: (key,))
    visitor = visitors.new()
    cookie, token = visitors.cookie(visitor), visitors.token(visitor)
    assert (visitors.of_cookie(cookie), visitors.of_token(token)) == (visitor, visitor)
    assert visitors.of_cookie(token) is None and visitors.of_token(cookie) is None
    assert visitors.of_cookie(text) is None
    assert not text or (visitors.of_cookie(cookie + text) is None and visitors.of_cookie(text + cookie) is None)
    assert Visitors(lambda: (key + b"x",)).of_cookie(cookie) is None


# --- the signing keys ---------------------------------------------------------------------------------------------------


def test_two_keys_are_valid_and_the_first_signs() -> None:
    keys: tuple[bytes, ...] = (b"1",)
    visitors = Visitors(lambda: keys)
    visitor = visitors.new()
    cookie, token = visitors.cookie(visitor), visitors.token(visitor)
    keys = (b"2", b"1")
    assert (visitors.of_cookie(cookie), visitors.of_token(token)) == (visitor, visitor)
    later = visitors.cookie(visitor)
    keys = (b"3", b"2")
    assert visitors.of_cookie(later) == visitor
    assert visitors.of_cookie(cookie) is None and visitors.of_token(token) is None


def test_the_key_of_before_goes_into_the_store_and_a_new_one_follows_it(tmp_path: Path) -> None:
    """The store takes over the old key, so old cookies stay valid. A cookie signed with an old key is replaced."""
    earlier, newer = b"k" * KEY_BYTES, b"n" * KEY_BYTES
    before, after = Visitors(lambda: (earlier,)), Visitors(lambda: (newer,))
    visitor = before.new()
    cookie = {"Cookie": f"stepgrad_visitor={before.cookie(visitor)}"}
    (tmp_path / "signing-key").write_bytes(earlier)
    tmp_path.chmod(0o777)
    with hosted(data=str(tmp_path)) as server:
        assert "set-cookie" not in get(f"{server.url}/api/v1/health", headers=cookie).headers
    (tmp_path / "signing-key").unlink()
    with hosted(data=str(tmp_path)) as server:
        assert "set-cookie" not in get(f"{server.url}/api/v1/health", headers=cookie).headers
    with hosted(data=str(tmp_path), signing_keys=f"{newer.hex()}, {b64encode(earlier).decode()}") as server:
        answer = get(f"{server.url}/api/v1/health", headers=cookie)
        found = COOKIE.fullmatch(answer.headers["set-cookie"])
        assert (
            found is not None and after.of_cookie(answer.headers["set-cookie"].partition(";")[0].partition("=")[2]) == visitor
        )


def test_a_damaged_key_is_said_so(tmp_path: Path) -> None:
    assert key_of_before(tmp_path) is None
    (tmp_path / "signing-key").write_bytes(b"half")
    with pytest.raises(CommandError, match=r"is damaged\. Remove the file"):
        key_of_before(tmp_path)


# --- addresses ----------------------------------------------------------------------------------------------------------


GARBAGE = [
    "unknown",
    "_hidden",
    "unix:",
    "198.51.100.1:",
    "198.51.100.1:x",
    "198.51.100.1:٣",
    "[::1",
    "[::1]x",
    "1.2.3",
    '"1.2.3.4"',
]
"""Invalid addresses in X-Forwarded-For."""


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"),
    [
        ("192.0.2.7", [], "192.0.2.7"),
        ("192.0.2.7", ["198.51.100.1"], "192.0.2.7"),
        ("10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, 198.51.100.1"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6, 198.51.100.1, 10.2.3.4"], "198.51.100.1"),
        ("10.0.0.1", ["6.6.6.6", "198.51.100.1", "10.2.3.4"], "198.51.100.1"),
        ("10.0.0.1", ["198.51.100.1, nonsense"], "10.0.0.1"),
        ("10.0.0.1", ["198.51.100.1, nonsense, 10.2.3.4"], "10.2.3.4"),
        ("10.0.0.1", [""], "10.0.0.1"),
        ("10.0.0.1", [",,,"], "10.0.0.1"),
        ("10.0.0.1", ["10.9.9.9, 10.8.8.8"], "10.9.9.9"),
        ("10.0.0.1", ["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::/64"),
        ("10.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("fd00::1", ["198.51.100.1:80"], "198.51.100.1"),
        ("10.0.0.1", ["[2001:db8:1:2::5]:443"], "2001:db8:1:2::/64"),
        ("10.0.0.1", ["[2001:db8:1:2::5]"], "2001:db8:1:2::/64"),
        ("10.0.0.1", ["[::ffff:198.51.100.1]:1"], "198.51.100.1"),
        ("10.0.0.1", ["fe80::1%eth0"], "fe80::/64"),
        ("fe80::1%eth0", [], "fe80::/64"),
        *(("10.0.0.1", ["6.6.6.6, " + hop], "10.0.0.1") for hop in GARBAGE),
        ("2001:db8::1", [], "2001:db8::/64"),
        ("::1", ["198.51.100.1"], "::/64"),
        ("", ["198.51.100.1"], ""),
    ],
)
def test_whose_address_it_is(peer: str, forwarded: list[str], expected: str) -> None:
    assert address_of(peer, forwarded, PROXIES) == expected


@given(st.lists(st.text()), st.ip_addresses().map(str))
def test_nobody_but_a_proxy_says_whose_address_it_is(forwarded: list[str], peer: str) -> None:
    assert address_of(peer, forwarded, ()) == address_of(peer, [], ())
    if not any(address_of(peer, [], ()) == address_of(str(proxy[0]), [], ()) for proxy in PROXIES):
        address_of(peer, forwarded, PROXIES)


OPERATORS = (ip_network("127.0.0.0/8"), ip_network("192.0.2.0/24"), ip_network("2001:db8::7"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "is_operator"),
    [
        ("127.0.0.1", [], True),
        ("192.0.2.9", [], True),
        ("198.51.100.1", [], False),
        ("2001:db8::7", [], True),
        ("2001:db8::8", [], False),
        ("10.0.0.1", ["192.0.2.9"], True),
        ("10.0.0.1", ["127.0.0.1, 198.51.100.1"], False),
        ("10.0.0.1", ["unknown"], False),
        ("10.0.0.1", [], False),
        ("", [], False),
    ],
)
def test_who_is_an_operator(peer: str, forwarded: list[str], is_operator: bool) -> None:
    assert is_from(peer, forwarded, PROXIES, OPERATORS) == is_operator


@pytest.mark.parametrize("forwarded", ["198.51.100.1", "127.0.0.1", "unknown", ""])
def test_a_proxy_on_this_machine_makes_no_operators(forwarded: str) -> None:
    """The settings do not mention the proxy, or they do and the proxy sends no X-Forwarded-For."""
    assert not is_from("127.0.0.1", [forwarded], (), OPERATORS)
    assert is_from("127.0.0.1", [forwarded], PROXIES, OPERATORS) == (forwarded == "127.0.0.1")


def test_only_operators_see_what_is_measured(server: Hosted) -> None:
    details = {"running", "waiting", "tier", "layers", "canary_age_seconds", "refusal", "notice"}
    stranger = {"X-Forwarded-For": "198.51.100.1"}
    mine, theirs = get(f"{server.url}/api/v1/health").json(), get(f"{server.url}/api/v1/health", headers=stranger).json()
    assert mine.keys() - theirs.keys() == details
    assert theirs == {key: mine[key] for key in ("status", "stepgrad", "torch", "python", "format")}
    for path in ("/metrics", "/api/v1/health/deep"):
        assert get(server.url + path).status_code == 200
        refused = get(server.url + path, headers=stranger)
        assert (refused.status_code, refused.json()["error"]) == (403, "operators_only")


@pytest.mark.parametrize("proxies", ["", "127.0.0.1"])
def test_a_proxy_that_does_not_say_for_whom_it_asks_is_no_operator(proxies: str) -> None:
    """A request with any header of a proxy does not come from an operator, unless a trusted proxy sends X-Forwarded-For."""
    with hosted(proxies=proxies, address_burst="1e6") as up:
        for header in (
            {"Forwarded": "for=198.51.100.1"},
            {"Via": "1.1 proxy"},
            {"X-Real-IP": "127.0.0.1"},
            {"X-Forwarded-Host": "stepgrad.example"},
            {"X-Forwarded-Proto": "https"},
            {"X-Client-IP": ""},
            {"CF-Connecting-IP": "198.51.100.1"},
        ):
            assert get(f"{up.url}/metrics", headers=header).status_code == 403, header
            assert "tier" not in get(f"{up.url}/api/v1/health", headers=header).json()
        assert get(f"{up.url}/metrics").status_code == 200
        told = get(f"{up.url}/metrics", headers={"X-Real-IP": "127.0.0.1", "X-Forwarded-For": "127.0.0.1"})
        assert told.status_code == (200 if proxies else 403)


def test_the_address_in_the_log_is_what_the_proxy_says() -> None:
    with hosted(proxies="127.0.0.1, 10.0.0.0/8") as up, up.client() as client:
        headers = {"X-Forwarded-For": "6.6.6.6, 198.51.100.1, 10.1.1.1", "X-Forwarded-Proto": "https"}
        answer = client.post("/api/v1/traces", json=SOURCE, headers=headers)
        assert answer.headers["set-cookie"].endswith("; Secure")
        log = up.log.read_text()
        assert '"address": "198.51.100.1"' in log
        visitor = answer.headers["set-cookie"].partition("=")[2].partition(".")[0]
        assert visitor not in log, "whoever reads the log cannot be the visitor"


def test_a_proxy_that_is_none_is_not_believed(server: Hosted) -> None:
    before = len(server.log.read_text())
    headers = {"X-Forwarded-For": "198.51.100.1", "X-Forwarded-Proto": "https"}
    answer = post(f"{server.url}/api/v1/traces", json=SOURCE, headers=headers)
    assert "Secure" not in answer.headers["set-cookie"]
    assert '"address": "127.0.0.1"' in server.log.read_text()[before:]


def test_a_server_that_others_reach_says_what_they_lack() -> None:
    with hosted(host="0.0.0.0", hosts="stepgrad.example", proxies="127.0.0.1") as up:
        before = len(up.log.read_text())
        with hosted(host="0.0.0.0", hosts="stepgrad.example"), hosted(host="0.0.0.0"):
            told = [json.loads(line) for line in up.log.read_text()[before:].splitlines()]
        assert '"open to others"' not in up.log.read_text()[:before]
    missing = [each["missing"] for each in told if each["event"] == "open to others"]
    assert [[re.findall("STEPGRAD_[A-Z]+|TLS", sentence) for sentence in each] for each in missing] == [
        [["TLS", "TLS", "STEPGRAD_PROXIES"]],
        [["STEPGRAD_HOSTS"], ["TLS", "TLS", "STEPGRAD_PROXIES"]],
    ]


# --- rates --------------------------------------------------------------------------------------------------------------


def test_a_bucket_empties_and_fills() -> None:
    now = 0.0
    rates = Rates(per_second=2, burst=3, clock=lambda: now)
    assert [rates.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    assert rates.take("b") == 0
    now = 0.25
    assert rates.take("a") == pytest.approx(0.25), "asking did not put it off"
    now = 0.5
    assert [rates.take("a"), rates.take("a")] == [0, pytest.approx(0.5)]
    now = 1e9
    assert [rates.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


def test_only_so_many_buckets_are_kept() -> None:
    rates = Rates(per_second=1e-9, burst=1, clock=lambda: 0)
    assert rates.take("first") == 0
    assert rates.take("first") > 0
    for number in range(MOST_CLIENTS):
        rates.take(str(number))
    assert rates.take("first") == 0, "forgotten"
    assert len(rates._buckets) == MOST_CLIENTS


def test_who_asks_too_often_is_told_so() -> None:
    with hosted(visitor_per_second="0.01", visitor_burst="3", address_per_second="0.01", address_burst="10") as up:
        with up.client() as client:
            assert [client.get("/api/v1/health").status_code for _ in range(5)] == [200, 200, 200, 200, 429]
            refused = client.post("/api/v1/traces", json=SOURCE)
            assert (refused.status_code, refused.json()["error"]) == (429, "too_often")
            assert 50 <= int(refused.headers["retry-after"]) <= 100
            for file in ("/words/en.ftl", "/robots.txt"):
                assert client.get(file).status_code == 200, "files are counted apart"
            page = client.get("/", headers={"Accept": "text/html", "Accept-Language": "zh"})
            assert (page.status_code, page.headers["retry-after"]) == (429, refused.headers["retry-after"])
            assert "你在短时间内发来的请求太多了" in page.text
        codes = [get(f"{up.url}/api/v1/health").status_code for _ in range(8)]
        assert codes == [200] * 6 + [429] * 2, "without cookies it is the address that counts"


def test_the_default_rates_let_a_class_press_run(tmp_path: Path) -> None:
    """Three hundred students at one address open the page, and then run a program every three seconds."""
    settings, now = Settings(data=tmp_path), 0.0
    rates = Rates(settings.address_per_second, settings.address_burst, clock=lambda: now)
    for _ in range(3 * 300):
        assert rates.take("school") == 0
    for _ in range(100):
        now += 3
        assert all(rates.take("school") == 0 for _ in range(300))


@pytest.mark.asyncio
async def test_files_are_counted_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class of 300 students at one address can load all files of a first visit. The server refuses many more requests than
    a class needs.
    """
    assert FILE_BURST > 300 * 21
    monkeypatch.setattr("app.web.edge.clients.FILES_PER_SECOND", 0.01)
    async with client_of(RuntimeError()) as client:
        counting: Clients = client._transport.app.state.services.clients  # type: ignore[attr-defined]
        asked = 0
        while counting.wait_for_file({"type": "http", "client": ("127.0.0.1", 1), "headers": []}) == 0:
            asked += 1
        assert asked >= FILE_BURST
        for path in ("/static/img/none.svg", "/words/en.ftl", "/robots.txt"):
            refused = await client.get(path)
            assert refused.status_code == 429 and 50 <= int(refused.headers["retry-after"]) <= 100, path
        assert (await client.get("/api/v1/health")).status_code == 200, "others count apart"
        assert counting.wait_for_file({"type": "http", "client": ("192.0.2.1", 1), "headers": []}) == 0, "another address"
        home = [f"2001:db8:0:1{number:02x}::1" for number in range(256)]
        asked = 0
        while counting.wait_for_file({"type": "http", "client": (home[asked % 256], 1), "headers": []}) == 0:
            asked += 1
        assert asked == pytest.approx(4 * FILE_BURST, rel=0.01), "a /56 of IPv6 is one household"


def test_the_environment_of_a_run_is_empty_of_secrets(server: Hosted, client: httpx.Client) -> None:
    kept = server.data / "stepgrad.sqlite"
    assert stat.S_IMODE(kept.stat().st_mode) & stat.S_IRWXO == 0
    with closing(sqlite3.connect(kept)) as connection:
        ((key,),) = connection.execute("SELECT key FROM signing_keys").fetchall()
    source = f"import os\nprint(dict(os.environ))\nprint(os.path.exists({str(server.data)!r}))\n"
    document = client.post("/api/v1/traces", json={"source": source}).json()
    printed = "".join(output["text"] for output in document["trace"]["outputs"])
    assert key not in printed and "STEPGRAD" not in printed
    assert printed.endswith("False\n")
