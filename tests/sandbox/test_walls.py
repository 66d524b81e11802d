"""What a snippet cannot reach: each attack is a few lines of snippet and the answer that they must get."""

import asyncio
from pathlib import Path

import pytest

from app.sandbox import Sandbox
from app.sandbox.jail import ENVIRONMENT
from app.trace.ends import Crashed
from app.trace.records import Limits
from tests.sandbox.conftest import check_next, run, said

pytestmark = pytest.mark.asyncio(loop_scope="module")

TRY = """
import ctypes, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)

def refused(call, *arguments):
    try:
        call(*arguments)
    except (OSError, ValueError) as error:
        return type(error).__name__
    return "succeeded"

def failed(call, *arguments):
    return call(*arguments) < 0
"""

ATTACKS = {
    "passwords": ("refused(open, '/etc/passwd')", "FileNotFoundError"),
    "home of root": ("refused(os.listdir, '/root')", "FileNotFoundError"),
    "homes": ("refused(os.listdir, '/home')", "FileNotFoundError"),
    "run": ("refused(os.listdir, '/run')", "FileNotFoundError"),
    "etc holds one file": ("(refused(os.listdir, '/etc'), os.path.exists('/etc/hostname'))", "('PermissionError', False)"),
    "our own code": ("os.path.exists('/opt/stepgrad/project/app/sandbox/sandbox.py')", "False"),
    "proc is empty": ("refused(os.listdir, '/proc')", "PermissionError"),
    "own environment in proc": ("refused(open, '/proc/self/environ')", "FileNotFoundError"),
    "proc stays covered": ("failed(libc.umount2, b'/proc', 2)", "SIGSYS"),
    "write to the root": ("refused(open, '/x', 'w')", "OSError|PermissionError"),
    "write to our code": ("refused(open, '/opt/stepgrad/project/app/__init__.py', 'a')", "OSError|PermissionError"),
    "write to a library": ("refused(open, '/usr/lib/x', 'w')", "OSError|PermissionError"),
    "write to /dev": ("refused(open, '/dev/x', 'w')", "OSError|PermissionError"),
    "shared memory": ("refused(os.listdir, '/dev/shm')", "FileNotFoundError"),
    "devices": ("refused(os.listdir, '/dev')", "PermissionError"),
    "first process": ("(os.getpid(), os.getppid())", "(1, 0)"),
    "not root": ("0 in (*os.getresuid(), *os.getresgid())", "False"),
    "no group besides": ("set(os.getgroups()) <= {os.getgid(), 65534}", "True"),
    "no user namespace": ("failed(libc.unshare, 0x10000000)", "SIGSYS"),
    "no mount namespace": ("failed(libc.unshare, 0x20000)", "SIGSYS"),
    "no mount": ("failed(libc.mount, b'none', b'/tmp', b'tmpfs', 0, None)", "SIGSYS"),
    "no chroot": ("refused(os.chroot, '/tmp')", "SIGSYS"),
    "no other uid": ("refused(os.setuid, 0)", "SIGSYS"),
    "no device node": ("refused(os.mknod, '/tmp/node', 0o20666, os.makedev(1, 1))", "PermissionError"),
    "no network": ("refused(socket.create_connection, ('192.0.2.1', 80), 1)", "PermissionError"),
    "no loopback of the host": ("refused(socket.create_connection, ('127.0.0.1', {port}), 1)", "PermissionError"),
    "no abstract socket": ("refused(lambda: socket.socket(socket.AF_UNIX).connect('\\0stepgrad-test'))", "PermissionError"),
    "nobody to kill": ("refused(os.kill, -1, 9)", "PermissionError"),
    "limits stay": ("refused(resource.setrlimit, resource.RLIMIT_NPROC, (999, 999))", "ValueError"),
    "a large file": ("refused(os.truncate, os.open('/tmp/big', os.O_CREAT | os.O_RDWR), 1 << 40)", "OSError"),
    "set-uid is nothing": ("bool(os.statvfs('/tmp').f_flag & os.ST_NOSUID)", "True"),
    "programs in /tmp": ("bool(os.statvfs('/tmp').f_flag & os.ST_NOEXEC)", "True"),
}


@pytest.mark.parametrize("group", range(4))
async def test_attacks(shared: Sandbox, group: int) -> None:
    """All of them, in four sandboxes; each attack is a run of its own."""

    async def connected(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    canary = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = canary.sockets[0].getsockname()[1]
    async with canary, await asyncio.start_unix_server(connected, "\0stepgrad-test") if group == 0 else canary:
        for name, (attack, answer) in list(ATTACKS.items())[group::4]:
            ended = await run(shared, TRY + f"say({attack.replace('{port}', str(port))})")
            end = ended.trace.ended
            said_or_died = end.name if isinstance(end, Crashed) else ended.trace.outputs[0].text
            assert said_or_died in answer.split("|"), name


async def test_a_file_of_the_host(shared: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary")
    secret.chmod(0o644)
    for path in (secret, Path(__file__), Path(__file__).parents[2] / "app/sandbox/sandbox.py"):
        assert await said(shared, f"import os; say(os.path.exists({str(path)!r}))") == ["False"]


async def test_descriptors(shared: Sandbox) -> None:
    source = """
import os
def is_open(fd):
    try: os.fstat(fd)
    except OSError: return False
    return True
say([fd for fd in range(4096) if is_open(fd)])
say(os.fstat(0).st_rdev == os.makedev(1, 3))
"""
    assert await said(shared, source) == ["[0, 1, 2, 4]", "True"]


async def test_environment(shared: Sandbox) -> None:
    (text,) = await said(shared, "import os; say(sorted(os.environ.items()))")
    assert text == str(sorted({**ENVIRONMENT, "PWD": "/"}.items()))


async def test_tmp_is_small_private_and_gone_afterwards(shared: Sandbox) -> None:
    source = """
import errno, os
try:
    for number in range(10_000): open(f'/tmp/{number}', 'w').close()
except OSError as error:
    say((number <= 256, errno.errorcode[error.errno]))
for name in os.listdir('/tmp'): os.unlink(name)
try:
    for number in range(1000): open(f'/tmp/{number}', 'wb').write(bytes(1 << 20))
except OSError as error:
    say((number <= 4, errno.errorcode[error.errno]))
"""
    ended = await run(shared, source, Limits(tmp_bytes=4 << 20))
    assert [output.text for output in ended.trace.outputs] == ["(True, 'ENOSPC')", "(True, 'ENOSPC')"]
    await check_next(shared)


async def test_threads_are_bounded(shared: Sandbox) -> None:
    source = """
import threading
threads = 0
try:
    while True:
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        threads += 1
except RuntimeError:
    say(threads)
"""
    ended = await run(shared, source, Limits(threads=16))
    assert [output.text for output in ended.trace.outputs] == ["15"]


async def test_runs_do_not_see_each_other(shared: Sandbox) -> None:
    victim = asyncio.create_task(
        said(
            shared, "import time\nopen('/tmp/note', 'w').write('mine')\nstep()\ntime.sleep(0.5)\nsay(open('/tmp/note').read())"
        )
    )
    source = """
import ctypes, os
say(os.listdir('/tmp'))
say([pid for pid in range(2, 2000) if ctypes.CDLL(None).kill(pid, 9) == 0])
"""
    assert await said(shared, source) == ["[]", "[]"]
    assert await victim == ["mine"]


async def test_a_snippet_cannot_change_the_next(shared: Sandbox) -> None:
    assert await said(shared, "import builtins, json; builtins.mine = 1; json.dumps = None; say(1)") == ["1"]
    assert await said(shared, "import builtins, json; say((hasattr(builtins, 'mine'), json.dumps is None))") == [
        "(False, False)"
    ]
