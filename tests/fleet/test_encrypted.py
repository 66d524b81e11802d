"""Redis behind TLS, with a certificate that signed itself: believed where it is named, and by no other."""

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.trace.ends import Finished
from tests.fleet.running import fleet_engine
from tests.fleet.test_untrusted import HONEST, asked_of, liar, said
from tests.redis_server import PASSWORDS, redis_server


def certificate(folder: Path, name: str) -> Path:
    """One for this name alone, beside its key."""
    new = (
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=redis -keyout key -out certificate"
    )
    folder.mkdir()
    subprocess.run([*new.split(), "-addext", f"subjectAltName={name}"], cwd=folder, check=True, capture_output=True)
    (folder / "key").chmod(0o600)
    return folder / "certificate"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def right(folder: Path) -> Path:
    return certificate(folder / "own", "IP:127.0.0.1")


@pytest.fixture(scope="module")
def port(right: Path) -> Iterator[int]:
    """Where a Redis listens that speaks TLS alone."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        number: int = free.getsockname()[1]
    files = ["--tls-cert-file", str(right), "--tls-key-file", str(right.parent / "key"), "--tls-ca-cert-file", str(right)]
    with redis_server("--bind", "127.0.0.1", "--tls-port", str(number), "--tls-auth-clients", "no", *files):
        yield number


def url(user: str, port: int, authority: Path, host: str = "127.0.0.1") -> str:
    return f"rediss://{user}:{PASSWORDS[user]}@{host}:{port}?ssl_ca_certs={authority}"


async def test_a_run_goes_by_an_encrypted_redis(port: int, right: Path) -> None:
    async with fleet_engine(url("web", port, right)) as engine, liar(url("operator", port, right), said(*HONEST)):
        assert (await asked_of(engine)).trace.ended == Finished()


async def test_another_certificate_is_not_believed(port: int, folder: Path) -> None:
    other = certificate(folder / "other", "IP:127.0.0.1")
    async with fleet_engine(url("web", port, other)) as engine:
        refusal = engine._workers.refusal
        assert refusal is not None and "certificate that is not believed: self-signed certificate" in refusal


async def test_another_name_is_not_believed(port: int, right: Path) -> None:
    async with fleet_engine(url("web", port, right, host="localhost")) as engine:
        refusal = engine._workers.refusal
        assert refusal is not None and "not valid for 'localhost'" in refusal


async def test_plain_text_is_not_taken(port: int, right: Path) -> None:
    async with fleet_engine(url("web", port, right).replace("rediss", "redis").partition("?")[0]) as engine:
        assert engine._workers.trouble == "queue_unavailable"
