"""`stepgrad open` serves a saved recording to the browser of the same machine. For any file that is not a recording, the
command prints one error message.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest
import torch

from app.commands.opening import read_recording
from app.errors import CommandError
from app.public import stepgrad
from app.trace.codec import encode_trace
from tests.sandbox.processes import PATIENCE
from tests.waiting import wait_until

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    x = torch.ones(3, requires_grad=True)
    with stepgrad.record() as recording:
        y = (x * x).sum()
        x.data.mul_(2)
        y.backward()  # type: ignore[no-untyped-call]
    path = tmp_path_factory.mktemp("saved") / "run <script>.json"
    recording.save(path)
    return path


@contextmanager
def opened(path: Path) -> Iterator[str]:
    """Run the command for a file, and yield the address that it prints."""
    command = [sys.executable, "-m", "app", "open", str(path), "--language", "zh-CN"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r" is at (http://127\.0\.0\.1:\d+)$", line)
        assert found, line
        yield found[1]
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None and process.stderr.read() == ""


def test_it_is_served_whole_and_to_no_other_name(saved: Path) -> None:
    with opened(saved) as address:
        page = httpx.get(address)
        assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
        assert page.headers["x-frame-options"] == "DENY" and page.headers["x-content-type-options"] == "nosniff"
        assert '<html lang="zh-CN"' in page.text and "silently_wrong_gradient" in page.text
        assert "run <script>" not in page.text
        assert httpx.get(address, headers={"Host": "evil.example"}).status_code == 400
        assert httpx.get(f"{address}/other").status_code == 404


def test_it_listens_before_it_says_where(saved: Path) -> None:
    """The command cannot print its address, because nobody reads the full pipe."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    with suppress(BlockingIOError):
        while True:
            os.write(writing, b"." * 512)
    os.set_blocking(writing, True)
    command = [sys.executable, "-m", "app", "open", str(saved), "--port", str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=writing) as process:
        os.close(writing)
        try:
            wait_until(lambda: accepts(port))
        finally:
            process.kill()
    os.close(reading)


def accepts(port: int) -> bool:
    """Whether a server on this machine accepts connections on a port."""
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def test_a_document_and_a_trace_give_one_trace_and_findings_in_a_file_are_not_believed(saved: Path, tmp_path: Path) -> None:
    document = tmp_path / "document.json"
    document.write_text(json.dumps({"trace": json.loads(saved.read_text()), "findings": [{"kind": "forged"}]}))
    assert encode_trace(read_recording(document)) == encode_trace(read_recording(saved))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda text: "", "is not a recording"),
        (lambda text: "[" * 100_000, "is not a recording"),
        (lambda text: '{"trace": 5}', "is not a recording"),
        (lambda text: text[: len(text) // 2], "is not a recording"),
        (lambda text: re.sub(r'"storage":\d+', '"storage":99', text, count=1), "is not a valid recording"),
        (lambda text: re.sub(r'"format":\d+', '"format":999', text, count=1), "was recorded in format 999"),
        (lambda text: text.replace('"shape":[3]', '"shape":["<b>"]', 1), "is not a valid recording"),
    ],
)
def test_what_is_no_recording_is_refused_in_one_sentence(saved: Path, tmp_path: Path, change, sentence: str) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "other.json"
    path.write_text(change(saved.read_text()))
    assert path.read_text() != saved.read_text()
    with pytest.raises(CommandError, match=re.escape(sentence)) as refused:
        read_recording(path)
    assert refused.value.code == 2 and "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app", "open", str(tmp_path / "none.json")]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, env=dict(os.environ))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.endswith("none.json cannot be read: No such file or directory.\n") and ended.stderr.count("\n") == 1
