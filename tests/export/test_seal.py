"""Pictures are drawn in a confined process. If the process cannot be confined, nothing is drawn, and the error says why."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from app.explain import Document
from app.export import ExportUnavailable, Wanted, draw, drawing
from app.export.jail import command, engine
from tests.recordings import chunks, folded

SOURCE = "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\n"
MAIN = "from app.export.inside import main; main("
SIGSYS = 31

ATTACKS = {
    "a socket": "__import__('socket').socket()",
    "a socket of another machine": "__import__('socket').socket(__import__('socket').AF_VSOCK)",
    "a file that was left in sight": "open('/secret').read()",
    "the root": "__import__('os').listdir('/')",
    "a program beside dot": "__import__('os').execv(__import__('sys').executable, ['python', '-c', 'print(1)'])",
    "a write": "open('/secret', 'a')",
    "more memory": "__import__('resource').setrlimit(__import__('resource').RLIMIT_DATA, (1 << 40, 1 << 40))",
}
FATAL = {
    "a namespace": "__import__('ctypes').CDLL(None).unshare(0x10000000)",
    "another process": "__import__('ctypes').CDLL(None).ptrace(16, 1, 0, 0)",
    "a fork into a namespace": "__import__('ctypes').CDLL(None).syscall(56 if __import__('os').uname().machine == 'x86_64' "
    "else 220, 0x10000011, 0, 0, 0, 0)",
}


@pytest.fixture(scope="module")
def document() -> bytes:
    return msgspec.json.encode(Document(trace=folded(SOURCE, chunks(SOURCE))))


def attempt(attack: str, secret: Path, *, sealed: bool = True) -> subprocess.CompletedProcess[str]:
    """Run an attack instead of the drawing. A readable file contains a secret."""
    words = command(engine())
    head, _, given = words[-1].partition(MAIN)
    seal = f"from app.export.seal import seal\ngiven = ({given}\nseal(*given[:3])\n" if sealed else "\n"
    tried = f"try:\n    {attack}\n    print('done')\nexcept OSError as error:\n    print(type(error).__name__)\n"
    words[-1] = f"{head}pass\n{seal}{tried}"
    at = words.index("--remount-ro")
    words[at:at] = ["--ro-bind", str(secret), "/secret"]
    return subprocess.run(words, capture_output=True, text=True, cwd="/", env={}, timeout=120)


@pytest.fixture
def secret() -> Path:
    """Create a file that every user can read."""
    return Path("/etc/os-release")


@pytest.mark.parametrize("name", ATTACKS)
def test_what_is_refused(name: str, secret: Path) -> None:
    ended = attempt(ATTACKS[name], secret)
    assert (ended.stdout, ended.returncode) == ("PermissionError\n", 0) or "ValueError: not allowed" in ended.stderr, (
        ended.stderr
    )


@pytest.mark.parametrize("name", ["a socket", "a file that was left in sight", "the root"])
def test_it_is_the_seal_that_refuses_it(name: str, secret: Path) -> None:
    assert attempt(ATTACKS[name], secret, sealed=False).stdout == "done\n"


@pytest.mark.parametrize("name", FATAL)
def test_what_only_an_attack_asks_for_ends_it(name: str, secret: Path) -> None:
    ended = attempt(FATAL[name], secret)
    assert (ended.stdout, ended.returncode) == ("", 128 + SIGSYS), ended.stderr


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ("no_landlock", r"but its layer landlock is not available here \(.+\): boot Linux 6\.2 or later with Landlock"),
        ("no_user_namespaces", r"but bubblewrap could not start it: allow (unprivileged )?user namespaces"),
    ],
)
async def test_where_a_layer_is_missing_nothing_is_drawn(
    step: str, why: str, document: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = [sys.executable, "-c", f"import sys; sys.path[:0] = {[str(Path(__file__).parents[2])]!r}; "]
    there[-1] += "from tests.sandbox.surrounding import main; main()"
    monkeypatch.setattr(drawing, "command", lambda using: [*there, step, "--", *command(using)])
    with pytest.raises(ExportUnavailable, match=why):
        await draw(document, Wanted(format="dot"))
