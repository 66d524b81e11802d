"""Wrong addresses of a Redis: both commands say one sentence, and no password is printed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.fleet import open_redis
from app.sandbox import SandboxUnavailable
from app.working import shown

WRONG = "redis://localhost/0?secret=geheim"


@pytest.mark.parametrize(
    "url",
    [
        WRONG,
        "redis://host:abc/0",
        "redis://user:ge/heim@host/0",
        "redis://[::1",
        "redis://host:99999/0",
        "redis://host?socket_timeout=x",
        "redis://host?connection_class=x",
        "unix:///socket?host=localhost",
    ],
)
def test_what_is_no_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(SandboxUnavailable, match="no address of a Redis") as caught:
        open_redis(url)
    assert "heim" not in str(caught.value) and caught.value.__suppress_context__


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_a_command_says_one_sentence(command: str, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)  # a command that was started as root gives that up
    environment = {**os.environ, "STEPGRAD_REDIS_URL": WRONG, "STEPGRAD_DATA": str(tmp_path), "STEPGRAD_PORT": "0"}
    ended = subprocess.run([sys.executable, "-m", "app", command], env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("stepgrad: STEPGRAD_REDIS_URL is no address") and ended.stderr.count("\n") == 1
    assert "geheim" not in ended.stderr


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("redis://user:geheim@host:6379/0", "redis://host:6379/0"),
        ("redis://host/0?password=geheim", "redis://host/0"),
        ("unix:///run/redis.sock?password=geheim", "unix:///run/redis.sock"),
        ("redis://:12/geheim@host/0", "redis://host/0"),
    ],
)
def test_what_is_shown_of_an_address(url: str, told: str) -> None:
    open_redis(url)
    assert shown(url) == told
