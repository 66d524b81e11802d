"""`python -m stepgrad train.py`: run a script as Python does, record it, and write one HTML file that replays it."""

import argparse
import io
import os
import sys
from pathlib import Path
from types import CodeType, ModuleType, TracebackType

from app.report import Checked, Words, lines_of
from app.trace.ends import Exited, Finished, Raised
from app.words import LANGUAGES
from app.words.printable import printable

from .recorded import Recorded, record_calls

INTERRUPTED = 130
"""The exit code of a shell for a program that SIGINT ended."""
SEVERITIES = ("error", "warning", "hint")


def main(arguments: list[str] | None = None) -> int:
    """Run the script and write the page. Return the exit code of the script; SystemExit passes through."""
    parser = argparse.ArgumentParser(
        "python -m stepgrad",
        description="Run a script outside any sandbox, record what it does with torch, and write one HTML file that replays it. "
        "The file contains the lines that ran, variables and output.",
    )
    parser.add_argument("-o", "--output", type=Path, help="the file to write (default: stepgrad-SCRIPT.html in this folder)")
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
        return 1
    output: Path = options.output or Path(f"stepgrad-{script.stem}.html")
    sys.argv = [str(script), *options.arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    recording: Recorded | None = None
    try:
        with record_calls(code) as recording:
            exec(code, _main_module(script).__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        traceback = _from(code, error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(traceback), traceback)
        return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1
    finally:
        if recording is not None:
            _write(recording, script, output)
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
    if not isinstance(document.trace.ended, Finished | Raised | Exited):  # a limit ended the recording
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
