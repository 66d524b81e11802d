"""Functions of the commands that run files: read a snippet, start a sandbox, write the result."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from app.errors import MISUSED, CommandError
from app.sandbox import Sandbox, SandboxSettings, SandboxUnavailable
from app.sandbox.tiers import Tier, examine, start
from app.trace.heads import Head
from app.trace.records import Limits


def read_snippet(file: str, limits: Limits) -> str:
    """The source in a Python file, or in standard input for "-". Raises CommandError for an invalid or too long snippet."""
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        source = content.decode("utf-8-sig")
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror}.", MISUSED) from None
    except UnicodeDecodeError:
        raise CommandError(f"{file} is not valid UTF-8 text.", MISUSED) from None
    if not source.strip() or "\0" in source:
        raise CommandError(f"{file} is {'not text' if source.strip() else 'empty'}.", MISUSED)
    if len(source.encode()) > limits.source_bytes:
        raise CommandError(f"{file} has more than {limits.source_bytes} bytes.", MISUSED)
    return source


@asynccontextmanager
async def own_sandbox(limits: Limits) -> AsyncIterator[Sandbox]:
    """Start a separate sandbox for one command. Raises SandboxUnavailable if too few layers are available."""
    sandbox, reasons = await start(SandboxSettings())
    async with sandbox:
        standing = await examine(sandbox, reasons, limits)
        if not standing.is_enough_for(Tier.B):
            raise SandboxUnavailable(standing.shortfall(Tier.B, "anybody"))
        yield sandbox


@contextmanager
def progress() -> Iterator[Callable[[Head], None] | None]:
    """A context with a callback that shows the progress of a run; the callback is None if standard error is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # imported here, because the import takes 0.1 s
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("running", total=None)

        def add(head: Head) -> None:
            bar.update(task, description=f"running: {head.statements} statements recorded")

        yield add


def write(path: Path | None, content: bytes) -> None:
    """Write to a file, or to standard output for None. Raises CommandError if the file cannot be written."""
    if path is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror}.") from None
