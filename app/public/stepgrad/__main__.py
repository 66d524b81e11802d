"""`python -m stepgrad train.py` runs a script as Python does, records it, and writes one HTML file that replays it.

`python -m stepgrad guard train.py` runs it under `stepgrad.guard()`.
"""

import argparse
import io
import os
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any, get_args

from app.report import Checked, Words, lines_of
from app.trace.ends import Exited, Finished, Raised
from app.words import LANGUAGES
from app.words.printable import printable

from .guarding.guards import Guard, Mode
from .recorded import Recorded, record_calls

INTERRUPTED = 130
"""The exit code that a shell reports for a program that SIGINT ended."""
SEVERITIES = ("error", "warning", "hint")


def main(arguments: list[str] | None = None) -> int:
    """Run the script, recorded or guarded. Return the exit code of the script; SystemExit passes through."""
    arguments = sys.argv[1:] if arguments is None else arguments
    return _guarded(arguments[1:]) if arguments[:1] == ["guard"] else _recorded(arguments)


def _recorded(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        "python -m stepgrad",
        description="Run a script outside any sandbox, record what it does with torch, and write one HTML file that replays it. "
        "The file contains the lines that ran, variables and output. `python -m stepgrad guard SCRIPT` checks it instead.",
    )
    parser.add_argument("-o", "--output", type=Path, help="the file to write (default: stepgrad-SCRIPT.html in this folder)")
    code, options = _parsed(parser, arguments)
    if code is None:
        return 1
    output: Path = options.output or Path(f"stepgrad-{options.script.stem}.html")
    block = _Kept(record_calls(code))
    try:
        return _run(code, options.script, block)
    finally:
        if block.recording is not None:
            _write(block.recording, options.script, output)


def _guarded(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        "python -m stepgrad guard", description="Run a script under stepgrad.guard(), which finds silently wrong gradients."
    )
    parser.add_argument("--mode", choices=get_args(Mode), default="raise", help="what happens to a finding (default: raise)")
    parser.add_argument("--sample", type=float, default=1.0, help="the share of steps to check (default: 1)")
    code, options = _parsed(parser, arguments)
    if code is None:
        return 1
    try:
        guard = Guard(mode=options.mode, sample=options.sample)
    except ValueError as error:
        parser.error(str(error))
    try:
        return _run(code, options.script, guard)
    finally:
        sys.stdout.flush()
        collected = guard.findings if options.mode == "collect" else []
        print("\n".join([*map(str, collected), f"stepgrad: {guard!r}"]), file=sys.stderr)


def _parsed(parser: argparse.ArgumentParser, arguments: list[str]) -> tuple[CodeType | None, argparse.Namespace]:
    """The compiled script and the options; no code if the script has a syntax error, which is printed."""
    parser.add_argument("script", type=Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="what the script gets as sys.argv[1:]")
    options = parser.parse_args(arguments)
    script: Path = options.script
    try:
        with io.open_code(str(script)) as file:
            code = compile(file.read(), str(script), "exec", dont_inherit=True)
    except OSError as error:
        parser.error(f"{printable(str(script))} cannot be read: {error.strerror}")
    except (SyntaxError, ValueError) as error:
        sys.excepthook(type(error), error.with_traceback(None), None)
        return None, options
    sys.argv = [str(script), *options.arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    return code, options


class _Kept:
    """A context that records its block, and keeps the recording."""

    def __init__(self, recorder: AbstractContextManager[Recorded]) -> None:
        self._recorder = recorder
        self.recording: Recorded | None = None

    def __enter__(self) -> None:
        self.recording = self._recorder.__enter__()

    def __exit__(self, *raised: Any) -> bool | None:
        return self._recorder.__exit__(*raised)


def _run(code: CodeType, script: Path, block: AbstractContextManager[object]) -> int:
    """Run the script as `__main__`, within the block. Print the traceback of an exception, and return the exit code."""
    try:
        with block:
            exec(code, _main_module(script).__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        traceback = _from(code, error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _main_module(script: Path) -> ModuleType:
    """A new `__main__`, so that pickle and worker processes find what the script defines."""
    module = ModuleType("__main__")
    vars(module).update({"__file__": str(script), "__builtins__": __builtins__, "__cached__": None})
    sys.modules["__main__"] = module
    return module


def _from(code: CodeType, traceback: TracebackType | None) -> TracebackType | None:
    """The traceback from the script on, without the frames that started it."""
    while traceback is not None and traceback.tb_frame.f_code is not code:
        traceback = traceback.tb_next
    return traceback


def _write(recording: Recorded, script: Path, output: Path) -> None:
    """Write the page. Print the most serious finding, the limit that ended the recording, if one did, and the path of the page."""
    document = recording._document
    findings = sorted(document.findings, key=lambda finding: SEVERITIES.index(finding.severity))
    words = Words(LANGUAGES[0])
    sys.stdout.flush()
    if findings:
        print("\n".join(lines_of(Checked(str(script), document), findings[0], words)), file=sys.stderr)
    if not isinstance(document.trace.ended, Finished | Raised | Exited):  # a limit, not the script, ended the recording
        print(f"stepgrad: {words.end(document)}", file=sys.stderr)
    try:
        output.write_bytes(recording.html(script.name))
    except OSError as error:
        print(f"stepgrad: {printable(str(output))} cannot be written: {error.strerror}", file=sys.stderr)
        return
    more = f" with {len(findings)} findings" if len(findings) > 1 else ""
    print(f"stepgrad: the replay{more}: {printable(str(output.absolute()))}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
