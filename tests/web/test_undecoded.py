"""The web process passes recordings on without decoding them. The web process even works if the decoder cannot be imported."""

import sys

import httpx
import pytest

from tests.web.server import running_command

WITHOUT = "import sys; sys.modules['app.trace.codec'] = None; from app.commands.cli import main; sys.exit(main())"
WRONG = "import torch\nx = torch.ones(3, requires_grad=True)\ny = x.exp()\ny.data += 1\ny.sum().backward()\nprint(x.grad)\n"
LARGE = "import torch\nx = torch.rand(16, 16, requires_grad=True)\nfor _ in range(90): (x @ x).sin().sum().backward()\n"
ENDS = {
    "raised": "1 / 0",
    "exited": "raise SystemExit(3)",
    "crashed": "import ctypes; ctypes.string_at(0)",
    "interfered": "import os; os.write(4, b'no frame at all')",
}


@pytest.fixture(scope="module")
def client() -> object:
    with running_command(sys.executable, "-c", WITHOUT) as server, server.client() as client:
        yield client


def test_runs_links_and_second_runs_need_no_decoder(client: httpx.Client) -> None:
    ran = client.post("/api/v1/traces", json={"source": WRONG}).raise_for_status().json()
    assert ran["findings"] and ran["trace"]["steps"]
    assert client.post("/api/v1/right", json={"source": WRONG}).raise_for_status().json()["kind"] != "unknown"
    client.post("/api/v1/trials", json={"source": WRONG}).raise_for_status()
    link = client.post("/api/v1/snippets", json={"source": WRONG}).raise_for_status().json()["id"]
    shown = client.get(f"/api/v1/snippets/{link}").raise_for_status().json()
    assert shown["document"]["trace"]["steps"] == ran["trace"]["steps"]


def test_a_large_run_comes_in_pieces(client: httpx.Client) -> None:
    headers = {"Accept": "application/json, application/x-ndjson"}
    ran = client.post("/api/v1/traces", json={"source": LARGE}, headers=headers).raise_for_status().json()
    pieces = client.get(f"/api/v1/recordings/{ran['recording']}").raise_for_status()
    assert len(pieces.content.splitlines()) > 2


@pytest.mark.parametrize("kind", ENDS)
def test_every_end_is_told(client: httpx.Client, kind: str) -> None:
    ran = client.post("/api/v1/traces", json={"source": ENDS[kind]}).raise_for_status().json()
    assert ran["trace"]["ended"]["kind"] == kind
