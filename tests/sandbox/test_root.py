"""No process of a run has root's uid on the host, whoever started the server. If runs could be root, the server refuses to
start.
"""

import asyncio
import json
import os
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from app.sandbox import Sandbox, SandboxUnavailable
from app.sandbox.inside.seal import NICENESS
from app.sandbox.unroot import UNPRIVILEGED_UID
from tests.sandbox.conftest import HERE, PLAIN, run
from tests.sandbox.processes import PATIENCE, Process, until_below
from tests.sandbox.test_lifetime import start

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give root up")
HOST_UID = UNPRIVILEGED_UID if os.geteuid() == 0 else os.geteuid()


async def test_the_uid_on_the_host(sandbox: Sandbox) -> None:
    task = await start(sandbox)
    family = await until_below(4)
    for process in family:
        assert process.uids() == [HOST_UID] * 4, process
        if os.geteuid() == 0:
            assert process.status("Groups") == ""
    *_, sealed = family
    for field in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(sealed.status(field), 16) == 0
    assert sealed.status("NoNewPrivs") == "1"
    assert sealed.status("NSpid").split()[-1] == "1"
    assert sealed.oom_score_adj() == 1000
    assert os.getpriority(os.PRIO_PROCESS, sealed.pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + NICENESS, 19)
    task.cancel()


async def test_no_namespace_is_shared_with_the_host_or_another_run(sandbox: Sandbox) -> None:
    tasks = [await start(sandbox), await start(sandbox)]
    _, _, zygote, *runs = await until_below(5)
    here = Process(os.getpid(), os.getppid(), "", "")
    for kind in ("user", "pid", "mnt", "ipc", "uts"):
        assert len({process.namespace(kind) for process in (here, zygote, *runs)}) == 4, kind
    assert runs[0].namespace("net") != here.namespace("net")
    for task in tasks:
        task.cancel()


REBORN = """
import json, os, sys
from pathlib import Path
from app.sandbox import give_up_root
data = Path(sys.argv[1])
give_up_root(writable=[data])
(data / "new").write_text("written")
status = Path("/proc/self/status").read_text()
try:
    Path("/root/canary").read_text()
    canary = True
except OSError:
    canary = False
print(json.dumps({
    "uids": os.getresuid(), "gids": os.getresgid(), "groups": os.getgroups(), "arguments": sys.argv[1:], "prefix": sys.prefix,
    "capabilities": [line.split()[1] for line in status.splitlines() if line.startswith("Cap")], "directory": os.getcwd(),
    "old": (data / "old").read_text(), "canary": canary, "executable": sys.executable,
    "writes_code": os.access(Path(__import__("app").__file__), os.W_OK),
}))
"""


def reborn(data: Path, *, directory: Path = HERE.parents[1], check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", REBORN, str(data), "--more"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=check,
        timeout=PATIENCE,
    )


@as_root
@pytest.mark.parametrize("place", ["open", "closed"])
def test_giving_root_up(tmp_path: Path, place: str) -> None:
    data = tmp_path / place / "data"
    data.mkdir(parents=True)
    (data / "old").write_text("kept")
    (data / "old").chmod(0o600)
    (data.parent / "secret").write_text("not ours")
    data.parent.chmod(0o755 if place == "open" else 0o700)
    for parent in tmp_path.parents[:2]:
        parent.chmod(0o755)  # only the owner can enter pytest's directories
    tmp_path.chmod(0o755)
    found = json.loads(reborn(data).stdout)
    assert found["uids"] == found["gids"] == [UNPRIVILEGED_UID] * 3
    assert found["groups"] == []
    assert {int(mask, 16) for mask in found["capabilities"]} == {0}
    assert found["arguments"] == [str(data), "--more"]
    assert (found["prefix"], found["executable"]) == (sys.prefix, sys.executable), "the virtual environment still works"
    assert found["directory"] == str(HERE.parents[1])
    assert found["old"] == "kept"
    assert (data / "new").read_text() == "written", "on the host, not in a copy"
    assert (data / "new").stat().st_uid == UNPRIVILEGED_UID
    assert not found["canary"]
    assert not found["writes_code"]


@as_root
def test_somebody_elses_directory_is_not_given_away(tmp_path: Path) -> None:
    before = {path: path.stat().st_uid for path in (Path("/"), Path("/etc"), HERE.parents[1])}
    for path in before:
        ended = reborn(path, check=False)
        assert "choose a separate directory for the data" in ended.stderr
    assert {path: path.stat().st_uid for path in before} == before
    target = tmp_path / "target"
    target.write_text("")
    data = tmp_path / "data"
    data.mkdir()
    (data / "old").write_text("")
    (data / "link").symlink_to(target)
    os.link(target, data / "hard")
    reborn(data, check=False)
    assert (data / "old").stat().st_uid == UNPRIVILEGED_UID
    assert target.stat().st_uid == 0


@as_root
async def test_a_sandbox_within_a_process_that_gave_root_up() -> None:
    source = """
import asyncio, os, sys
from app.sandbox import Sandbox, give_up_root, harden_server
give_up_root()
harden_server()
from tests.sandbox.conftest import PLAIN, said
async def main():
    async with Sandbox(PLAIN) as sandbox:
        print(os.getuid(), await said(sandbox, "say('sealed')"), flush=True)
asyncio.run(main())
"""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", source, cwd=HERE.parents[1], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, err = await asyncio.wait_for(child.communicate(), PATIENCE)
    assert out.decode() == f"{UNPRIVILEGED_UID} ['sealed']\n", err.decode()


async def test_without_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxUnavailable, match=r"bubblewrap is not installed.*apt-get install bubblewrap"):
        await Sandbox(PLAIN).start()


async def test_bubblewrap_that_may_not_make_namespaces(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refusing.chmod(stat.S_IRWXU | stat.S_IROTH | stat.S_IXOTH)
    for parent in (tmp_path, *tmp_path.parents[:2]):
        parent.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SandboxUnavailable, match=r"No permissions.*allow unprivileged user namespaces"):
        await Sandbox(PLAIN).start()
    await until_below(0)


async def test_a_tracer_that_is_not_there() -> None:
    with pytest.raises(SandboxUnavailable, match=r"No module named 'entries\.nobody'"):
        await Sandbox(replace(PLAIN, tracer="entries.nobody")).start()
    await until_below(0)


async def test_a_package_that_is_not_there() -> None:
    with pytest.raises(SandboxUnavailable, match="nonesuch is not installed"):
        await Sandbox(replace(PLAIN, packages=("nonesuch",))).start()


async def test_a_tracer_that_leaves_threads() -> None:
    with pytest.raises(SandboxUnavailable, match="2 threads"):
        await Sandbox(replace(PLAIN, tracer="entries.threaded")).start()


async def test_a_zygote_that_never_is_ready() -> None:
    with pytest.raises(SandboxUnavailable, match=r"not ready after 0\.5 s"):
        await Sandbox(replace(PLAIN, tracer="entries.sleepy", start_seconds=0.5)).start()
    await until_below(0)


async def test_a_later_start_works(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sandbox = Sandbox(PLAIN)
    with monkeypatch.context() as patched:
        patched.setenv("PATH", str(tmp_path))
        with pytest.raises(SandboxUnavailable):
            await run(sandbox, "step()")
    async with sandbox:
        await run(sandbox, "step()")
