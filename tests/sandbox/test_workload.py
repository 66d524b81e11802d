"""What snippets can do inside the sandbox: each file of `snippets` uses many functions of torch, NumPy or Python's library."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.sandbox import Layer, Sandbox, SandboxSettings
from app.sandbox.unroot import UNPRIVILEGED_UID
from app.trace.ends import Finished, Raised
from app.trace.records import Limits, Request
from tests.sandbox.traced import traced

pytestmark = pytest.mark.asyncio(loop_scope="module")

SNIPPETS = {path.stem: path.read_text() for path in sorted((Path(__file__).parent / "snippets").glob("*.py"))}
# Without a user namespace, the kernel counts the threads of a uid over all servers. As root, this test uses a separate uid.
OWN_UID = UNPRIVILEGED_UID + 1
WITHOUT = {"every layer": frozenset[Layer](), "the floor": frozenset({Layer.BUBBLEWRAP, Layer.NAMESPACES})}


@pytest_asyncio.fixture(scope="module", loop_scope="module", params=WITHOUT)
async def sealed(request: pytest.FixtureRequest) -> AsyncIterator[tuple[Sandbox, bool]]:
    """A sandbox, and whether its runs have a /tmp."""
    without = WITHOUT[request.param]
    async with Sandbox(SandboxSettings(without=without, unprivileged_uid=OWN_UID)) as started:
        yield started, Layer.NAMESPACES not in without


@pytest.mark.sweep
@pytest.mark.parametrize("name", SNIPPETS)
async def test_workload(sealed: tuple[Sandbox, bool], name: str) -> None:
    sandbox, has_tmp = sealed
    source = SNIPPETS[name]
    ended = await traced(sandbox.run(Request(source=source, limits=Limits(wall_seconds=600.0, cpu_seconds=60))))
    if has_tmp or ("/tmp" not in source and "tempfile" not in source):
        assert ended.trace.ended == Finished()
    else:  # runs cannot write to a shared /tmp
        assert isinstance(ended.trace.ended, Raised)
