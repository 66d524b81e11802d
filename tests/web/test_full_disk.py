"""A server on a volume of 6 MB that is full: links can be deleted, and error responses, log and health are correct."""

import json
import secrets

import httpx

from tests.volumes import fill, volume
from tests.web.server import hosted


def share(client: httpx.Client) -> httpx.Response:
    # The snippet and its recording contain this comment, which cannot be compressed.
    return client.post("/api/v1/snippets", json={"source": f"x = 1  # {secrets.token_hex(30_000)}\n"})


def health(client: httpx.Client) -> dict[str, str]:
    return dict(client.get("/api/v1/health").json())


def test_a_server_on_a_full_disk() -> None:
    with volume() as disk:
        with hosted(data=str(disk)) as up, up.client() as client:
            told = [json.loads(line) for line in up.log.read_text().splitlines()]
            (warning,) = [line["told"] for line in told if line["event"] == "disk"]
            assert warning == health(client)["notice"] and "STEPGRAD_STORE_BYTES is 10737418240" in warning
            made = [share(client).raise_for_status().json() for _ in range(8)]
            while True:
                fill(disk)
                if (refused := share(client)).status_code == 507:
                    break
            fill(disk)
            problem = refused.json()
            assert (problem["error"], problem["message"]) == ("store_full", "The disk of the store is full.")
            assert "existing links still work" in problem["hint"]
            assert (health(client)["status"], health(client)["notice"]) == (
                "ok",
                "The disk of the store is nearly full: free space, or delete links.",
            )
            assert client.get(f"/s/{made[0]['id']}").status_code == 200
            assert client.post(f"/api/v1/snippets/{made[0]['id']}/reports", json={"reason": "rude"}).status_code == 204
            for each in made[:2]:
                token = {"X-Deletion-Token": each["deletion_token"]}
                assert client.delete(f"/api/v1/snippets/{each['id']}", headers=token).status_code == 204
            assert share(client).status_code == 201
        fill(disk)
        with hosted(data=str(disk)) as up, up.client() as client:
            token = {"X-Deletion-Token": made[2]["deletion_token"]}
            assert client.delete(f"/api/v1/snippets/{made[2]['id']}", headers=token).status_code == 204
            assert client.get(f"/api/v1/snippets/{made[3]['id']}").status_code == 200
            (disk / "filler").unlink()
            assert share(client).status_code == 201
