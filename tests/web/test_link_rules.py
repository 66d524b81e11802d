"""Links: quotas, deletion tokens, and error responses for deleted, blocked and damaged links."""

import json
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.commands.cli import main
from tests.web.server import Hosted, Running, hosted

BROWSER = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def strict() -> Iterator[Hosted]:
    """Start a server that accepts five links per address and day, and trusts a proxy on this machine."""
    with hosted(limits__wall_seconds="300", address_links_per_day="5", proxies="127.0.0.1", accept_tier="B") as up:
        yield up


def share(client: httpx.Client, source: str, address: str = "192.0.2.9") -> httpx.Response:
    return client.post("/api/v1/snippets", json={"source": source}, headers={"X-Forwarded-For": address})


def warnings(server: Hosted) -> list[Any]:
    said = [json.loads(line) for line in server.log.read_text().splitlines() if line.startswith("{")]
    return [line["event"] for line in said if line["level"] == "warning"]


def test_one_address_that_shares_too_much_leaves_room_for_others(strict: Hosted) -> None:
    with strict.client() as attacker, strict.client() as visitor:
        answers = [share(attacker, f"x = {number}") for number in range(8)]
        assert [answer.status_code for answer in answers] == [201] * 5 + [429] * 3
        refused = answers[-1]
        said = refused.json()
        assert said["error"] == "quota_of_address"
        assert said["message"].startswith("Your network has reached today's limit") and "5 links" in said["message"]
        assert said["hint"].startswith("Try again in ") and "UTC" in said["hint"]
        assert 0 < int(refused.headers["retry-after"]) <= 24 * 3600
        with strict.client() as same_network:
            assert share(same_network, "x = 9").status_code == 429, "a new visitor of the same address"
            assert share(same_network, "x = 9", "2001:db8:1:2::3").status_code == 201
        assert share(visitor, "x = 9", "192.0.2.10").status_code == 201
        assert attacker.post("/api/v1/traces", json={"source": "x = 9"}).status_code == 200, "runs still work"
        assert 'stepgrad_refusals_total{reason="quota_of_address"} 4.0' in attacker.get("/metrics").text
        for language in ("en", "zh-CN"):
            assert "error-quota_of_address =" in visitor.get(f"/words/{language}.ftl").text


def test_whoever_made_a_link_can_delete_it(server: Hosted, client: httpx.Client) -> None:
    link = client.post("/api/v1/snippets", json={"source": "x = 'mine'\n"}).json()
    api, page, token = f"/api/v1/snippets/{link['id']}", link["url"], link["deletion_token"]
    for wrong in ({}, {"X-Deletion-Token": ""}, {"X-Deletion-Token": token[:-1]}, {"X-Deletion-Token": token + "x"}):
        refused = client.delete(api, headers=wrong)
        assert (refused.status_code, refused.json()["error"]) == (403, "wrong_token")
    assert client.get(api).status_code == 200
    assert client.get(api).headers["cache-control"] == "no-store"
    with server.client() as other_browser:
        assert other_browser.delete(api, headers={"X-Deletion-Token": token}).status_code == 204
    gone = client.get(api)
    assert (gone.status_code, gone.json()["error"]) == (404, "unknown_snippet")
    assert gone.headers["cache-control"] == "no-store"
    for path in (page, f"/?compare=s/{link['id']},own"):
        shown = client.get(path, headers=BROWSER)
        assert shown.status_code == 404 and "no snippet at this address, or it was removed" in shown.text
        assert "no-cache" in shown.headers["cache-control"]
    assert "链接" in client.get(page, headers={**BROWSER, "Accept-Language": "zh-CN"}).text
    assert client.delete(api, headers={"X-Deletion-Token": token}).status_code == 404
    with sqlite3.connect(server.data / "stepgrad.sqlite") as database:
        assert database.execute("SELECT count(*) FROM snippets WHERE source = ?", ("x = 'mine'\n",)).fetchone() == (0,)
    database.close()


def test_a_damaged_recording_is_recorded_again(server: Hosted, client: httpx.Client) -> None:
    link = client.post("/api/v1/snippets", json={"source": "x = 'damaged'\n"}).json()
    api = f"/api/v1/snippets/{link['id']}"
    whole = client.get(api).json()
    hurt = "UPDATE recordings SET trace = X'00' WHERE hash = (SELECT recording FROM snippets WHERE id = ?)"
    with sqlite3.connect(server.data / "stepgrad.sqlite") as database:
        database.execute(hurt, (link["id"],))
    database.close()
    again = client.get(api)
    assert again.status_code == 200
    assert again.json()["notice"]["kind"] == "recorded_again"
    assert again.json()["document"] == whole["document"]
    assert client.get(api).json() == again.json(), "and only once"
    assert warnings(server).count("recording is damaged") == 1
    with sqlite3.connect(server.data / "stepgrad.sqlite") as database:
        database.execute(hurt, (link["id"],))
    database.close()
    assert client.post("/api/v1/snippets", json={"source": "x = 'damaged'\n"}).status_code == 201, "nor is sharing stopped"


def test_an_operator_holds_a_link_back_and_takes_a_backup_meanwhile(
    server: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("STEPGRAD_DATA", str(server.data))
    link = client.post("/api/v1/snippets", json={"source": "x = 'reported'\n"}).json()
    api = f"/api/v1/snippets/{link['id']}"
    assert main(["links", "hold", f"{server.url}{link['url']}"]) == 0
    for path in (api, f"{api}/right"):
        held = client.get(path)
        assert (held.status_code, held.json()["error"]) == (410, "held_back")
        assert held.headers["cache-control"] == "no-store"
    shown = client.get(link["url"], headers={**BROWSER, "Accept-Language": "zh-CN"})
    assert shown.status_code == 410 and "服务器管理员暂时停用了这个链接" in shown.text
    backup = server.temporary / "backup.sqlite"
    assert main(["backup", str(backup)]) == 0
    assert main(["restore", str(backup)]) == 1
    assert capsys.readouterr().err == f"stepgrad: {server.data}/stepgrad.sqlite is in use: stop the server first.\n"
    backup.unlink()
    assert main(["links", "release", link["id"]]) == 0
    assert client.get(api).json()["source"] == "x = 'reported'\n"
    assert client.post("/api/v1/snippets", json={"source": "x = 'after'\n"}).status_code == 201


@pytest.mark.long
def test_one_address_that_shares_for_two_minutes() -> None:
    """One address creates large links as fast as it can over many connections, while others create links."""
    body = {"source": "import torch\nx = torch.ones(3)\n" + "#" * 200_000}
    over = threading.Event()
    answers: Counter[int] = Counter()
    kept: list[str] = []

    def attack(number: int) -> None:
        with up.client() as client:
            turn = 0
            while not over.is_set():
                turn += 1
                source = f"{body['source']}{number} {turn}\n"
                answers[share(client, source, "203.0.113.7").status_code] += 1
                client.cookies.clear()  # without a cookie, each request comes from a new visitor

    with hosted(limits__wall_seconds="300", proxies="127.0.0.1", accept_tier="B", address_links_per_day="300") as up:
        attackers = [threading.Thread(target=attack, args=(number,)) for number in range(8)]
        for attacker in attackers:
            attacker.start()
        try:
            end = time.monotonic() + 120
            while time.monotonic() < end:
                with up.client() as visitor:
                    number = len(kept) + 1
                    answer = share(visitor, f"y = {number}\n", f"198.51.100.{number % 250}")
                    assert answer.status_code == 201, answer.text
                    kept.append(answer.json()["id"])
                time.sleep(0.5)  # noqa: TID251 - the pace of a visitor
        finally:
            over.set()
            for attacker in attackers:
                attacker.join()
        with up.client() as client:
            assert all(client.get(f"/api/v1/snippets/{link}").status_code == 200 for link in kept[-20:])
    assert len(kept) > 20
    assert answers[201] <= 300 and answers[429] > 0
    assert set(answers) <= {201, 429}
