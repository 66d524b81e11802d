"""Check compose.yaml without Docker."""

import os
import shutil
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from app.compose.settings import Settings
from app.fleet.messages import RELEASE
from tests.composed import FILE, ROOT, SECRETS, composed

GIVEN = dict.fromkeys(SECRETS, "0" * 48)
WEBS, WORKERS, OTHERS = ("web-1", "web-2"), ("worker-1", "worker-2"), ("proxy", "postgresql")


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    found = composed(GIVEN)["services"]
    assert set(found) == {*WEBS, *WORKERS, *OTHERS}
    return dict(found)


@pytest.mark.parametrize("name", [*WEBS, *WORKERS, *OTHERS])
def test_each_service_is_sealed_bounded_and_built_here(services: dict[str, Any], name: str) -> None:
    service = services[name]
    assert (service["read_only"], service["cap_drop"], service["restart"]) == (True, ["ALL"], "unless-stopped")
    assert "no-new-privileges:true" in service["security_opt"] and "privileged" not in service
    assert service["mem_limit"] and service["pids_limit"]
    assert "build" in service, "nothing is pulled"
    if name in WEBS + WORKERS:
        assert "seccomp:seccomp.json" in service["security_opt"] and (ROOT / "seccomp.json").exists()
        assert service["build"] == "." and service["image"] == "stepgrad"
    else:
        dockerfile = (ROOT / service["build"]["context"] / "Dockerfile").read_text("utf-8")
        assert f"AS {service['build']['target']}\n" in dockerfile
    assert name in WEBS or service["healthcheck"], "the image's own asks a web"
    for mounted in service.get("volumes", []):
        there = mounted.partition(":")[0]
        assert not there.startswith(".") or (ROOT / there).exists(), mounted


def test_who_reaches_whom(services: dict[str, Any]) -> None:
    networks = {name: set(service["networks"]) for name, service in services.items()}
    assert [networks[worker] for worker in WORKERS] == [{"runs-1"}, {"runs-2"}], "a worker reaches nothing but the proxy"
    assert networks["web-1"] == networks["web-2"] == {"front", "back"}
    assert networks["postgresql"] == {"back"}
    assert networks["proxy"] == {"outside", "front", "runs-1", "runs-2"}
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    told = composed(GIVEN)["networks"]
    assert {name for name, network in told.items() if not network.get("internal")} == {"outside"}
    assert (
        services["proxy"]["networks"]["front"]["ipv4_address"] + "/32" == services["web-1"]["environment"]["STEPGRAD_PROXIES"]
    )
    proxy = services["proxy"]["environment"]
    for service, network in (*((web, "front") for web in WEBS), *zip(WORKERS, ("runs-1", "runs-2"), strict=True)):
        address = f"{services[service]['networks'][network]['ipv4_address']}:8000"
        assert proxy[service.upper().replace("-", "_")] == address
    assert proxy["RELEASE"] == proxy["NEXT_RELEASE"] == RELEASE
    for web in WEBS:
        assert services[web]["environment"]["STEPGRAD_WORKERS_URL"] == f"http://{proxy['WORKERS']}"
    for worker in WORKERS:
        assert services[worker]["environment"]["STEPGRAD_RUNS_IN_FLIGHT"] == proxy["PLACES"]


@pytest.mark.parametrize("name", [*WEBS, *WORKERS])
def test_stepgrad_takes_what_it_is_given(services: dict[str, Any], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in [variable for variable in os.environ if variable.startswith("STEPGRAD_")]:
        monkeypatch.delenv(variable)
    for variable, value in services[name]["environment"].items():
        assert variable.removeprefix("STEPGRAD_").lower() in Settings.model_fields, variable
        monkeypatch.setenv(variable, value)
    settings = Settings()
    seconds = settings.notice_seconds + settings.drain_seconds + 15
    assert seconds < float(services[name]["stop_grace_period"].removesuffix("s")), "Docker kills it no earlier"
    monkeypatch.delenv("STEPGRAD_WORKERS_PLAIN")
    if name in WEBS:
        with pytest.raises(ValidationError, match="plain text"):
            Settings()


def test_no_secret_stands_there_and_one_command_makes_them(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        composed({})
    script = str(ROOT / "docs/compose/secrets.sh")
    assert subprocess.run(["sh", script], cwd=tmp_path).returncode == 0
    made = tmp_path / ".env"
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    found = dict(line.split("=") for line in made.read_text().splitlines())
    assert set(found) == set(SECRETS) and len(set(found.values())) == len(found)
    assert all(len(value) == 48 for value in found.values())
    ended = subprocess.run(["sh", script], cwd=tmp_path, capture_output=True)
    assert ended.returncode == 1 and dict(line.split("=") for line in made.read_text().splitlines()) == found
    assert subprocess.run(["git", "check-ignore", "--quiet", ".env"], cwd=ROOT).returncode == 0


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="there is no docker-compose here")
def test_docker_compose_takes_it() -> None:
    """Debian 12 has docker-compose 1.29, and Debian 13 has version 2."""
    command = ["docker-compose", "--file", str(FILE), "config", "--quiet"]
    ended = subprocess.run(command, env={**os.environ, **GIVEN}, cwd=ROOT, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
