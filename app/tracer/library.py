"""Recording in any Python process: `with record() as recording:` around code of a script, a notebook or a test."""

import contextlib
import linecache
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Set
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import TypeVar, cast

from app.trace.chunks import Folding, Trace
from app.trace.codec import decode_chunk, encode_trace
from app.trace.ends import Interfered
from app.trace.heads import content_of
from app.trace.records import Limits, Request
from app.tracer import adapter
from app.tracer.recording import Watches, header
from app.tracer.statements import following, program
from app.tracer.statements.following import Followed, Following
from app.tracer.statements.kept_program import Redact, Redaction, Values, kept
from app.tracer.statements.source import Source


class Recorded:
    """The recording that `record()` returns. The trace of a recording is complete when the block has ended."""

    def __init__(self, source: Source, request: Request, entered: int | None) -> None:
        self._header = header(request, in_process=True)
        self._folding = Folding("")
        self._thread = threading.get_ident()
        self._path = following.path_for_user(source.filename)
        self._sources: Mapping[str, Source | None] = {source.filename: source}
        self._entered = entered
        self._redaction = Redaction()
        self._kept: Trace | None = None

    @property
    def trace(self) -> Trace:
        """The trace up to now, without the sources and values that `kept_program.py` removes. The steps of the trace are the
        statements of the followed files."""
        if self._kept is not None:
            return self._kept
        so_far = self._folding.trace(Interfered(reason="The recording goes on."), self._header)
        return kept(so_far, [each for each in list(self._sources.values()) if each], self._entered, self._redaction)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace so far to a file as JSON. app/trace/FORMAT.md describes the format."""
        Path(path).write_bytes(encode_trace(self.trace))

    def _take(self, payload: bytes) -> None:
        self._folding.add(decode_chunk(content_of(payload)))

    def _end(self) -> None:
        """Reduce the trace to the data that is kept, and drop the sources. Raises any error of `redact`."""
        try:
            self._kept = self.trace
        finally:
            self._sources, self._folding = {}, Folding("")


_running: list[Recorded] = []
"""The active recording, if any. There is at most one per process, as for settrace, the journal and the hook of the engine."""


R = TypeVar("R", bound=Recorded)


def record(
    limits: Limits | None = None,
    follow: Iterable[Followed] | None = None,
    *,
    values: Values = "all",
    redact: Redact = (),
) -> contextlib._GeneratorContextManager[Recorded]:
    """Record the operations of torch in the block. Same as `record_as(Recorded)`."""
    return record_as(Recorded, limits, follow=follow, values=values, redact=redact)


@contextmanager
def record_as(
    kind: type[R],
    limits: Limits | None = None,
    hidden: Set[str] = frozenset(),
    follow: Iterable[Followed] | None = None,
    *,
    values: Values = "all",
    redact: Redact = (),
) -> Iterator[R]:
    """Record the operations of torch in the block, statement by statement, on this thread.

    Output and exceptions pass through unchanged, and all hooks are removed afterwards. The block's frame and the functions of
    followed files are followed line by line; of other code, only the use of torch is recorded. `follow` names modules and
    folders; by default it is the caller's top-level package, or the folder of a script or notebook. Installed packages are
    never followed. A nested `record()` returns the outer recording. `record()` raises RuntimeError while another thread is
    recorded. The seeds of random generators do not change. Only limits on the size of a recording apply. Reaching a limit ends
    the recording, not the program. Variables of the module in `hidden` are not recorded. `values` and `redact` limit the
    recorded values of other variables (kept_program.py), also for a nested call.
    """
    if (outer := _of_this_thread()) is not None:
        outer._redaction.add(values, redact)
        yield cast(R, outer)  # there is one recording per process, of the type that the outermost call chose
        return
    (redaction := Redaction()).add(values, redact)
    frame = _calling_frame()
    source = Source(_text_of(frame), frame.f_code.co_filename)
    followed = following.around(frame.f_globals, source.filename) if follow is None else following.named(follow)
    with _recorded(kind, source, followed, limits, frame, hidden) as recorded:
        recorded._redaction = redaction
        yield recorded


@contextmanager
def record_calls_as(
    kind: type[R],
    code: CodeType,
    limits: Limits | None = None,
    hidden: Set[str] = frozenset(),
    folder: str | None = None,
) -> Iterator[R]:
    """Record the functions that the block calls, but not the block itself.

    Follows the file of `code` and the files of `folder`, by default the folder of `code`. Otherwise like `record_as`.
    """
    if (outer := _of_this_thread()) is not None:
        yield cast(R, outer)
        return
    text = "".join(linecache.getlines(code.co_filename))
    followed = (
        following.around({"__file__": code.co_filename}, code.co_filename) if folder is None else Following([(folder, folder)])
    )
    with _recorded(kind, Source(text, code.co_filename), followed, limits, None, hidden) as recorded:
        yield recorded


def _of_this_thread() -> Recorded | None:
    """The active recording. Raises RuntimeError if another thread is being recorded."""
    if not _running:
        return None
    if _running[0]._thread != threading.get_ident():
        raise RuntimeError("Another thread is being recorded; a process records one thread at a time.")
    return _running[0]


@contextmanager
def _recorded(
    kind: type[R],
    source: Source,
    followed: Following,
    limits: Limits | None,
    frame: FrameType | None,
    hidden: Set[str],
) -> Iterator[R]:
    """Record the block. `frame` is the frame of the block, or None if it is not followed."""
    source.read()
    request = Request(source=source.text, limits=limits or Limits())
    recorded = kind(source, request, None if frame is None else frame.f_lineno)
    watches = Watches(source, request, recorded._take, lambda: None, passes_on_output=True, following=followed)
    watches.lines.hidden = hidden
    recorded._sources = watches.sources.known
    _running.append(recorded)
    traced_before = sys.gettrace()
    of_frame_before = None if frame is None else (frame.f_trace, frame.f_trace_opcodes)
    failure: BaseException | None = None
    try:
        with watches.output(), watches.torch():
            if frame is None:
                watches.lines.follow_calls()
            else:
                watches.lines.follow(frame)
            try:
                yield recorded
            finally:
                watches.lines.stop()
                if frame is not None:
                    watches.lines.leave(frame)
                watches.lines.close()
    except BaseException as raised:
        failure = raised
        adapter.hide_frames(raised.__traceback__, program.RECORDER)
        raise
    finally:
        if frame is not None and of_frame_before is not None:
            _restore(frame, *of_frame_before)
        sys.settrace(traced_before)
        if watches.ended is None:
            watches.tables.flush(program.ended_by(failure, watches.sources.known, request.limits.memory_bytes))
        watches.forget()
        _running.clear()
        try:
            recorded._end()
        except Exception as error:
            if failure is None:
                raise
            failure.add_note(f"Stepgrad kept nothing of this recording: {type(error).__name__}: {error}")


def _calling_frame() -> FrameType:
    """Return the frame of the block: the innermost frame outside this module and contextlib (an ExitStack may enter the
    block)."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename in (__file__, contextlib.__file__):
        frame = frame.f_back
    assert frame is not None, "somebody called record()"
    return frame


def _text_of(frame: FrameType) -> str:
    """Return the text of the frame's source file; empty if it is unknown, as for `exec`."""
    if frame.f_code.co_filename == program.OF_EXEC:
        outermost = frame
        while outermost.f_back is not None:
            outermost = outermost.f_back
        if not _holds(outermost.f_code, frame.f_code):
            return ""
    return "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))


def _holds(code: CodeType, wanted: CodeType) -> bool:
    return code is wanted or any(isinstance(part, CodeType) and _holds(part, wanted) for part in code.co_consts)


def _restore(frame: FrameType, for_frame: object, by_instruction: bool) -> None:
    """Restore the earlier trace function of a frame, such as that of a debugger or a coverage tool."""
    frame.f_trace = for_frame  # type: ignore[assignment]
    adapter.trace_instructions(frame, by_instruction)
