"""`stepgrad serve` in containers and without some layers of the sandbox: its messages, its user, and where it listens."""

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.sandbox.inside import policy, seccomp
from tests.sandbox.bpf import verdict
from tests.sandbox.conftest import skip_where_tmp_is_covered
from tests.sandbox.processes import PATIENCE, Process, below
from tests.sandbox.surrounding import ENOSYS, EPERM, LANDLOCK, MORE_NUMBERS, PROFILE, PROJECT, UID, profile
from tests.sandbox.surrounding import numbers as known_numbers
from tests.web.streaming import EVENTS

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a container")

PLAIN_DOCKER = ("reachable", "container", "dockers_profile", "ordinary_user")
"""`docker run` of the image without options."""
DOCUMENTED = ("reachable", "container", "read_only", "ordinary_user", "no_new_privileges", "our_profile")
"""The command in the Dockerfile and in docs/operating.md."""
IN_OLD_DOCKER = (*DOCUMENTED[:-1], "our_profile_in_old_docker")
"""The same command in Docker 20.10."""
ROOT_IN_DOCKER = ("reachable", "container", "our_profile", "dockers_root")
"""`docker run --user 0` with Stepgrad's seccomp profile."""
SNIPPET = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n"


@pytest.fixture
def data() -> Iterator[Path]:
    """A volume outside /tmp, because the containers have their own /tmp."""
    with tempfile.TemporaryDirectory(prefix="stepgrad-test-", dir="/var/tmp") as folder:
        path = Path(folder)
        path.chmod(0o755)
        (path / "data").mkdir()
        if os.geteuid() == 0:
            os.chown(path / "data", UID, UID)
        yield path / "data"


def command(steps: tuple[str, ...], *arguments: str) -> list[str]:
    surrounded = [sys.executable, "-m", "tests.sandbox.surrounding", *steps, "--"] if steps else []
    return [*surrounded, sys.executable, "-m", "app", "serve", "--port", "0", *arguments]


class Served:
    """A server in a simulated environment."""

    def __init__(self, process: subprocess.Popen[str], port: str) -> None:
        self.process = process
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE, verify=False)
        self.health: dict[str, Any] = self.client.get("/api/v1/health").json()

    def family(self) -> list[Process]:
        """Return the server and its descendants, parents first, without the processes that simulate the environment."""
        everyone = below(os.getpid())
        server = next(
            (each for each in everyone if " -m app serve" in each.arguments and ".surrounding" not in each.arguments), None
        )
        return [server, *below(server.pid)] if server is not None else []

    def run(self, source: str = SNIPPET) -> httpx.Response:
        return self.client.post("/api/v1/traces", json={"source": source})


@contextmanager
def served(steps: tuple[str, ...], data: Path, *arguments: str, **settings: str) -> Iterator[Served]:
    """Start a server after these steps, and check what it logs about the sandbox."""
    clock = {"STEPGRAD_LIMITS__WALL_SECONDS": "600"}
    environment = {**os.environ, "STEPGRAD_DATA": str(data), **clock, **settings}
    log = data.parent / "log"
    with log.open("w") as stderr:
        process = subprocess.Popen(
            command(steps, *arguments), env=environment, stdout=subprocess.PIPE, stderr=stderr, text=True, cwd=PROJECT
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Stepgrad is at "), log.read_text()
        up = Served(process, line.rpartition(":")[2].strip())
        with closing(up.client):
            told = json.loads(log.read_text().splitlines()[0])
            assert (told["event"], told["tier"]) == ("sandbox", up.health["tier"])
            assert told["level"] == ("info" if told["tier"] == "A" else "warning")
            yield up
        process.terminate()
        process.wait(PATIENCE)
    finally:
        # The server would continue to run if only its simulated environment were killed, and this test would not end.
        for each in below(process.pid):
            with suppress(ProcessLookupError):
                os.kill(each.pid, signal.SIGKILL)
        process.kill()
        process.communicate()


def refused(steps: tuple[str, ...], data: Path, *arguments: str, **settings: str) -> str:
    """Return the message with which the server refuses to start."""
    environment = {**os.environ, "STEPGRAD_DATA": str(data), **settings}
    ended = subprocess.run(
        command(steps, *arguments), env=environment, capture_output=True, text=True, timeout=PATIENCE, cwd=PROJECT
    )
    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    assert ended.stderr.count("\n") == 1
    return ended.stderr


def check_nobody_is_root(up: Served) -> None:
    """During a run, assert that no process of the server has uid 0 on the host or capabilities, or can get them."""
    sleeping: Any = {"json": {"source": "import time\ntime.sleep(1000)\n"}, "headers": EVENTS}
    with up.client.stream("POST", "/api/v1/traces", **sleeping) as running:
        assert running.status_code == 200
        give_up = time.monotonic() + PATIENCE
        while not is_sealed(family := up.family()):
            assert time.monotonic() < give_up, family
        for process in family:
            assert 0 not in process.uids(), process
            assert "0" not in process.status("Groups").split(), process
            for field in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
                assert int(process.status(field), 16) == 0, (process, field)
        assert int(family[-1].status("CapBnd"), 16) == 0 or "namespaces" in missing(up)
        assert family[-1].status("NoNewPrivs") == "1"


def is_sealed(family: list[Process]) -> bool:
    """Whether the last process is a sealed run; False if a process has ended meanwhile."""
    try:
        return bool(family) and family[-1].status("Seccomp_filters") != family[0].status("Seccomp_filters")
    except (OSError, LookupError):
        return False


def missing(up: Served) -> set[str]:
    return {"bubblewrap", "namespaces", "limits", "privileges", "landlock", "seccomp"} - set(up.health["layers"])


def test_all_addresses_where_nothing_is_missing(data: Path) -> None:
    with served((), data, "--host", "0.0.0.0") as up:
        assert (up.health["tier"], missing(up)) == ("A", set())
        check_nobody_is_root(up)


@pytest.mark.long
def test_a_kernel_without_landlock(data: Path) -> None:
    with served(("no_landlock",), data) as up:
        assert (up.health["tier"], missing(up)) == ("A-", {"landlock"})
        assert up.run().status_code == 200
    sentence = refused(("no_landlock",), data, "--host", "0.0.0.0")
    assert "isolated at tier A- here, without landlock" in sentence and "serving 0.0.0.0 needs tier A" in sentence
    assert "Linux 6.2" in sentence and "STEPGRAD_ACCEPT_TIER=A-" in sentence
    assert "serving 127.0.0.1 with STEPGRAD_HOSTS set needs tier A" in refused(
        ("no_landlock",), data, STEPGRAD_HOSTS="a.example"
    )
    with served(("no_landlock",), data, "--host", "0.0.0.0", STEPGRAD_ACCEPT_TIER="A-") as up:
        assert up.run().status_code == 200


NO_USER_NAMESPACES = (*(("reachable", "ordinary_user") if os.geteuid() == 0 else ()), "no_user_namespaces")


@pytest.mark.long
def test_a_kernel_without_user_namespaces(data: Path) -> None:
    with served(NO_USER_NAMESPACES, data) as up:
        assert (up.health["tier"], missing(up)) == ("B", {"bubblewrap", "namespaces"})
        assert up.run().status_code == 200
    sentence = refused(NO_USER_NAMESPACES, data, "--host", "0.0.0.0")
    assert "isolated at tier B here, without bubblewrap, namespaces (bwrap: " in sentence
    assert "sysctl user.max_user_namespaces" in sentence and "STEPGRAD_ACCEPT_TIER=B" in sentence


@as_root
@pytest.mark.long
def test_ubuntus_restriction_of_user_namespaces_is_named(data: Path) -> None:
    """Uses a fake of the sysctl, which only Ubuntu has. Docker's profile forbids the namespaces in this test."""
    sentence = refused(("ubuntus_apparmor", "reachable", "dockers_profile", "ordinary_user"), data, "--host", "0.0.0.0")
    assert "isolated at tier B here, without bubblewrap, namespaces (bwrap: " in sentence
    assert "which kernel.apparmor_restrict_unprivileged_userns=1 forbids here (as root: sysctl " in sentence


@pytest.mark.long
def test_a_kernel_with_neither(data: Path) -> None:
    sentence = refused((*NO_USER_NAMESPACES, "no_landlock"), data)
    assert "No snippet can be run safely here, without bubblewrap, namespaces, landlock" in sentence
    assert "sysctl user.max_user_namespaces" in sentence and "Linux 6.2" in sentence


SWITCH_OFF = """
import ctypes, os, sys
assert ctypes.CDLL(None).setns(os.open(f"/proc/{sys.argv[1]}/ns/user", os.O_RDONLY), 0x10000000) == 0
open("/proc/sys/user/max_user_namespaces", "w").write("0")
"""


@as_root
@pytest.mark.long
def test_user_namespaces_that_go_away_while_serving(data: Path) -> None:
    """If the server can no longer create namespaces, later runs fail. Only the run that uses the existing standby child
    succeeds.
    """
    with served(("reachable", "ordinary_user", "own_user_namespace"), data) as up:
        assert up.health["tier"] == "A"
        check_nobody_is_root(up)
        subprocess.run([sys.executable, "-c", SWITCH_OFF, str(up.process.pid)], check=True)
        up.run()
        answer = up.run()
        assert (answer.status_code, answer.json()["error"]) == (503, "sandbox_unavailable")


@as_root
def test_plain_docker(data: Path) -> None:
    with served(PLAIN_DOCKER, data) as up:
        assert (up.health["tier"], missing(up)) == ("B", {"bubblewrap", "namespaces"})
        check_nobody_is_root(up)
    assert "seccomp=seccomp.json" in refused(PLAIN_DOCKER, data, STEPGRAD_HOST="0.0.0.0")


def test_where_no_thread_can_be_started(data: Path) -> None:
    sentence = refused(("no_threads",), data)
    assert "No thread can be started here (can't start new thread)" in sentence
    assert "--pids-limit" in sentence and "clone3" in sentence and "seccomp.json" in sentence


@as_root
@pytest.mark.parametrize(
    ("steps", "owner", "sentence"),
    [
        (("reachable", "ordinary_user"), 0, f"cannot be written by the user {UID}: change its owner"),
        (("container", "read_only_data"), UID, "cannot be written by the user 0: change its owner, mount it writable"),
        (("powerless_root",), 0, "cannot be given to the user"),
    ],
    ids=["somebody else's", "read-only", "root without rights"],
)
def test_a_data_directory_that_cannot_be_written(data: Path, steps: tuple[str, ...], owner: int, sentence: str) -> None:
    os.chown(data, owner, owner)
    assert sentence in refused(steps, data)


@as_root
@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(DOCUMENTED, id="the documented line"),
        pytest.param(IN_OLD_DOCKER, id="in Docker 20.10", marks=pytest.mark.long),
        pytest.param(ROOT_IN_DOCKER, id="as root"),
    ],
)
def test_docker_with_our_profile(data: Path, steps: tuple[str, ...]) -> None:
    if "read_only" in steps:
        skip_where_tmp_is_covered()
    with served(steps, data, STEPGRAD_HOST="0.0.0.0") as up:
        assert (up.health["tier"], missing(up)) == ("A", set())
        check_nobody_is_root(up)


ATTACKS = """
import sys, pytest
from tests.sandbox.attacks import arena
arena._wall, arena.PLACE = list, arena.ROOT  # the container is one
options = ["-q", "-o", "cache_dir=/tmp/cache", "-m", "long or not long", "-k", "full:"]
sys.exit(pytest.main([*options, "tests/sandbox/attacks/test_contained.py"]))
"""


@as_root
@pytest.mark.long
def test_every_attack_in_the_documented_container(data: Path) -> None:
    skip_where_tmp_is_covered()
    init = ["sh", "-c", '"$@"; exit $?', "sh"]  # PID 1, as with --init
    surrounded = [sys.executable, "-m", "tests.sandbox.surrounding", *DOCUMENTED, "--", *init, sys.executable, "-c", ATTACKS]
    environment = {**os.environ, "STEPGRAD_DATA": str(data)}
    ended = subprocess.run(surrounded, env=environment, capture_output=True, text=True, cwd=PROJECT)
    assert ended.returncode == 0, ended.stdout[-5000:] + ended.stderr[-2000:]
    assert int(ended.stdout.split(" passed")[0].split()[-1]) > 107


# --- the profile itself -------------------------------------------------------------------------------------------------

BUILDS_WALLS = {"mount", "umount2", "pivot_root", "unshare", "clone"}
GIVES_RIGHTS_UP = {"capset", "setgroups", "setgid", "setuid", "setresgid", "setresuid"}


def answered(machine: str, *answers: str) -> set[str]:
    """Return the system calls in policy.tbl that have one of these actions."""
    wanted = [policy.BY_ARGUMENT if answer == "argument" else policy.ANSWERS[answer] for answer in answers]
    return {
        rule.name
        for rule in policy.rules(machine)
        if rule.answer in wanted or (policy.BY_ARGUMENT in wanted and rule.name in policy.BY_ARGUMENT)
    }


@pytest.mark.parametrize("machine", list(policy.MACHINES))
def test_the_profile_allows_what_we_call_and_no_attack(machine: str) -> None:
    content = json.loads(PROFILE.read_text())
    allowed = {name for rule in content["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}
    assert answered(machine, "allow", "argument") <= allowed
    assert allowed & answered(machine, "kill") == (BUILDS_WALLS - {"clone"}) | GIVES_RIGHTS_UP
    numbers = {rule.name: rule.number for rule in policy.rules(machine)} | MORE_NUMBERS[machine]
    rules, default = profile(content, numbers)
    program = seccomp.assemble(machine, rules, default, own_pid=0)
    architecture = policy.MACHINES[machine]
    for name, number in numbers.items():
        answer = verdict(program, architecture, number, (2,))
        assert answer == (policy.ALLOW if name in allowed else policy.refuse(ENOSYS)), name
    for family in range(64):
        answer = verdict(program, architecture, numbers["socket"], (family,))
        assert (answer == policy.ALLOW) == (family in (1, 2, 10, 16)), family
    assert {
        *LANDLOCK.values(),
        "seccomp",
        "clone",
        "openat2",
    } <= allowed  # bubblewrap 0.11 opens the sources of bind mounts with openat2
    assert not allowed & {"clone3", "setns", "ptrace", "bpf", "keyctl", "io_uring_setup", "userfaultfd", "perf_event_open"}


@pytest.mark.parametrize("machine", list(policy.MACHINES))
def test_threads_can_be_started_where_docker_is_old(machine: str) -> None:
    """glibc calls clone instead only if clone3 fails with ENOSYS. Docker 20.10 ignores defaultErrnoRet."""
    content = json.loads(PROFILE.read_text())
    del content["defaultErrnoRet"]
    rules, default = profile(content, {"clone3": MORE_NUMBERS[machine]["clone3"]})
    program = seccomp.assemble(machine, rules, default, own_pid=0)
    architecture = policy.MACHINES[machine]
    assert verdict(program, architecture, MORE_NUMBERS[machine]["clone3"]) == policy.refuse(ENOSYS)
    assert verdict(program, architecture, 0xFFFF) == policy.refuse(EPERM)


def test_the_profile_is_one_that_docker_reads() -> None:
    content = json.loads(PROFILE.read_text())
    assert content.keys() == {"defaultAction", "defaultErrnoRet", "archMap", "syscalls"}
    assert (content["defaultAction"], content["defaultErrnoRet"]) == ("SCMP_ACT_ERRNO", ENOSYS)
    assert [each["architecture"] for each in content["archMap"]] == ["SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"]
    for rule in content["syscalls"]:
        assert rule["action"] == "SCMP_ACT_ALLOW" or (rule["names"], rule["errnoRet"]) == (["clone3"], ENOSYS)
        assert rule["names"] == sorted(set(rule["names"]))


def test_names_and_numbers_agree_with_this_machine() -> None:
    header = next(Path("/usr/include").glob("**/asm/unistd_64.h"), None)
    if header is None or platform.machine() != "x86_64":
        pytest.skip("the numbers of this machine stand nowhere here")
    defined = {words[1]: words[2] for line in header.read_text().splitlines() if len(words := line.split()) == 3}
    for name, number in known_numbers().items():
        assert defined.get(f"__NR_{name}", str(number)) == str(number), name
