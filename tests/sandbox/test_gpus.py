"""Give runs access to a GPU: device files, limits and the system call filter, tested without a GPU."""

import asyncio
import errno
from dataclasses import replace
from pathlib import Path

import pytest

from app.engine import Pools, Progress, Queue, Requester
from app.engine.pools import wants_gpu
from app.sandbox import Layer, Run, Sandbox
from app.sandbox.canary import Finding, ask
from app.sandbox.gpus import device_count, device_nodes
from app.sandbox.inside import seccomp
from app.sandbox.inside.policy import ALLOW, MACHINES, refuse, rules
from app.sandbox.inside.seal import GPU_HOST_BYTES
from app.sandbox.jail import ENVIRONMENT, GPU_ENVIRONMENT
from app.trace.records import Limits, Request
from tests.sandbox.bpf import verdict
from tests.sandbox.conftest import PATIENT, PLAIN, run, said

# /dev/full stands for a GPU. /dev/full is normally missing in the sandbox, and accepts open, write and ioctl.
GPU = replace(PLAIN, gpus=("/dev/full",))

COMMAND = """
import errno, fcntl, os
def command(path, request):
    try:
        fd = os.open(path, os.O_RDWR)
        fcntl.ioctl(fd, request)
    except OSError as error:
        return errno.errorcode[error.errno]
say([command(path, request) for path in ("/dev/full", "/dev/null") for request in (0x46C8, 0x30000001, 0x27, 0x5412)])
"""


def test_the_nodes_of_this_machines_gpus(tmp_path: Path) -> None:
    for name in ("nvidiactl", "nvidia-uvm", "nvidia-modeset", "nvidia-caps", "null"):
        (tmp_path / name).touch()
    assert device_nodes(tmp_path) == (), "a driver without a device"
    for name in ("nvidia1", "nvidia0", "nvidia10"):
        (tmp_path / name).touch()
    nodes = device_nodes(tmp_path)
    assert [Path(node).name for node in nodes] == ["nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm"]
    assert device_count(nodes) == 3


async def test_the_device_alone_may_be_commanded_and_in_the_pool_of_the_gpus_alone() -> None:
    async with Sandbox(GPU) as sandbox:
        # ENOTTY comes from /dev/full itself, EACCES from Landlock. The filter also returns ENOTTY, for all commands except
        # NVIDIA's.
        assert await said(sandbox, COMMAND) == [str(["ENOTTY"] * 4 + ["EACCES"] * 3 + ["ENOTTY"])]

    async with Sandbox(PLAIN) as sandbox:
        assert await said(sandbox, COMMAND) == [str(["ENOENT"] * 4 + ["ENOTTY"] * 4)]


async def test_every_layer_is_there_with_a_gpu() -> None:
    async with Sandbox(GPU) as sandbox:
        assert await ask(sandbox, PATIENT) == Finding(layers=frozenset(Layer), open=())


async def test_address_space_is_free_and_memory_is_not() -> None:
    source = """
import mmap, resource
say(resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY)
reserved = mmap.mmap(-1, 1 << 36, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
say(len(reserved) == 1 << 36)
held = []
try:
    while len(held) < 100:
        held.append(mmap.mmap(-1, 1 << 28, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE))
except OSError as error:
    say(error.errno)
say(len(held))
"""
    async with Sandbox(GPU) as sandbox:
        ended = await run(sandbox, source, Limits(wall_seconds=300.0, memory_bytes=1 << 28))
        *firsts, count = [output.text for output in ended.trace.outputs]
        assert firsts == ["True", "True", str(errno.ENOMEM)]
        assert (GPU_HOST_BYTES >> 28) - 1 <= int(count) <= (GPU_HOST_BYTES >> 28) + 1
        assert ended.trace.header.device == "cuda:0"


def test_the_environment_shows_the_devices_and_keeps_the_zygote_from_opening_one() -> None:
    assert ENVIRONMENT["CUDA_VISIBLE_DEVICES"] == ""
    assert GPU_ENVIRONMENT.keys() ^ ENVIRONMENT.keys() == {"CUDA_VISIBLE_DEVICES", "PYTORCH_NVML_BASED_CUDA_CHECK"}


@pytest.mark.parametrize("machine", list(MACHINES))
def test_the_filter_differs_in_ioctl_alone(machine: str) -> None:
    ours, theirs = rules(machine), rules(machine, gpu=True)
    assert [(a.name, a.number) for a, b in zip(ours, theirs, strict=True) if a != b] == [("ioctl", ioctl_of(machine))]
    program = seccomp.program(machine, 1, gpu=True)
    for request, answer in (
        (0x46C8, ALLOW),
        (0xC020462A, ALLOW),  # NV_ESC_RM_CONTROL with its size and direction
        (0x30000001, ALLOW),
        (0x30000003, refuse(errno.ENOTTY)),
        (0x21, ALLOW),
        (0x5401, ALLOW),
        (0x5412, refuse(errno.ENOTTY)),
        (0x4B46, refuse(errno.ENOTTY)),
    ):
        assert verdict(program, MACHINES[machine], ioctl_of(machine), (3, request)) == answer, hex(request)


def ioctl_of(machine: str) -> int:
    return next(rule.number for rule in rules(machine) if rule.name == "ioctl")


@pytest.mark.parametrize(
    ("source", "stand_in", "expected"),
    [
        ("x = torch.ones(2)", False, False),
        ('x = torch.ones(2, device="cuda")', False, True),
        ('device = "cuda" if torch.cuda.is_available() else "cpu"', False, True),
        ('x = torch.ones(2, device="cuda")', True, False),
    ],
)
async def test_who_is_sent_to_the_gpu(source: str, stand_in: bool, expected: bool) -> None:
    request = Request(source=source, stand_in=stand_in)
    assert wants_gpu(request) == expected
    taken: list[str] = []

    class Taking:
        def __init__(self, name: str) -> None:
            self.name = name

        async def run(self, request: Request, requester: Requester, watcher: object) -> Run:
            taken.append(self.name)
            return NotImplemented  # type: ignore[no-any-return]

        async def run_in_background(self, request: Request, requester: Requester, *, gives_way: bool = False) -> Run:
            return await self.run(request, requester, None)

        def queue_of(self, request: Request) -> Queue:
            return "cpu"

    class Nobody:
        id = "nobody"
        stop: asyncio.Future[None]

        def queued(self, position: int) -> None: ...

        def running(self, progress: Progress) -> None: ...

    pools = Pools(Taking("cpu"), Taking("gpu"))
    await pools.run(request, Requester(visitor="a", address="b"), Nobody())
    await pools.run_in_background(request, Requester(visitor="a", address="b"))
    assert [*taken, pools.queue_of(request)] == ["gpu" if expected else "cpu"] * 3
