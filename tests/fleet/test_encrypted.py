"""Web processes and workers authenticate each other with TLS certificates. A worker whose certificate was revoked gets no
runs.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.compose.engines import tls_of
from app.compose.settings import Settings
from app.engine import EngineUnavailable
from app.trace.ends import Finished, WorkerStopped
from tests.engine.listening import Listener
from tests.fleet.proxy import Proxy, proxy
from tests.fleet.running import RunningWorker, fleet_engine
from tests.fleet.test_faults import LONG, begun, good, somebody
from tests.fleet.tls import TOOL, certificates, encrypted_worker, of_haproxy
from tests.sandbox.processes import PATIENCE
from tests.sandbox.traced import traced


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificates")
    certificates(folder, "authority", "web-1", "web-2=10.0.0.9", "worker-1=127.0.0.1")
    return folder


@pytest.fixture(scope="module")
def worker(folder: Path) -> Iterator[RunningWorker]:
    with encrypted_worker(folder) as up:
        yield up


def settings(folder: Path, web: str = "web-1", authority: str = "workers.pem") -> Settings:
    return Settings(
        data=folder,
        tls_certificate=str(folder / f"{web}.pem"),
        tls_key=str(folder / f"{web}.key"),
        tls_authority=str(folder / authority),
    )


async def test_a_web_reaches_a_worker_by_tls(folder: Path, worker: RunningWorker) -> None:
    assert worker.url.startswith("https://")
    async with fleet_engine(worker.url, tls=tls_of(settings(folder))) as engine:
        assert (await good(engine)).trace.ended == Finished()


async def test_who_is_not_believed_gets_no_runs(folder: Path, worker: RunningWorker) -> None:
    """A web process without a certificate or with that of a worker, a worker of another authority or with another name, and a
    worker without TLS.
    """
    without = Settings(data=folder, tls_authority=str(folder / "workers.pem"))
    strangers = {
        "no certificate": (worker.url, tls_of(without)),
        "a worker's certificate": (worker.url, tls_of(settings(folder, "worker-1"))),
        "another authority": (worker.url, tls_of(settings(folder, authority="webs.pem"))),
        "another name": (worker.url.replace("127.0.0.1", "localhost"), tls_of(settings(folder))),
        "plain text": (worker.url.replace("https", "http"), False),
    }
    for stranger, (url, tls) in strangers.items():
        async with fleet_engine(url, tls=tls) as engine:
            assert engine._workers.trouble == "workers_unreachable", stranger
            with pytest.raises(EngineUnavailable):
                await traced(engine.run(LONG, somebody(0), Listener()))


async def no_worker(up: Proxy) -> None:
    async with fleet_engine(up.url) as engine:
        with pytest.raises(EngineUnavailable) as caught:
            async with asyncio.timeout(PATIENCE):
                while True:
                    await traced(engine.run(LONG, somebody(1), Listener()))
        assert caught.value.kind == "no_worker"


async def test_a_worker_that_is_revoked_loses_its_runs_at_once_and_for_good(folder: Path, worker: RunningWorker) -> None:
    """The certificate remains revoked after HAProxy reloads or restarts."""
    with proxy(worker.url, tls=of_haproxy(folder)) as up:
        async with fleet_engine(up.url) as engine:
            running, _ = await begun(engine, LONG)
            await asyncio.to_thread(certificates, folder, "revoke", "worker-1")
            revoked = str(folder / "revoked.pem")
            await asyncio.to_thread(certificates, folder, "tell", "worker-1", str(up.admin), revoked)
            began = time.monotonic()
            run = await asyncio.wait_for(running, PATIENCE)
            assert run.trace.ended == WorkerStopped() and run.trace.steps
            assert time.monotonic() - began < 0.5
        await no_worker(up)
        await asyncio.to_thread(up.reload)
        await no_worker(up)
        up.kill()
        up.start()
        await no_worker(up)


def refused(folder: Path, *words: str) -> str:
    ended = subprocess.run([sys.executable, str(TOOL), *words], cwd=folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    return ended.stderr


def test_the_tool_refuses_what_would_harm(folder: Path) -> None:
    """The tool refuses a second authority in the same folder, a name without a role, and revoking a web process."""
    before = (folder / "webs.key").read_text()
    assert "webs.key exists" in refused(folder, "authority")
    assert (folder / "webs.key").read_text() == before
    assert "neither web-NAME nor worker-NAME" in refused(folder, "gpu-1=10.0.0.9")
    assert "Only workers" in refused(folder, "revoke", "web-1")
    for _ in range(2):
        certificates(folder, "revoke", "worker-1")
