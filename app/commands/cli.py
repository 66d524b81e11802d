"""The command line: serves the page, records and checks files, and manages the store."""

import argparse
import asyncio
import os
import sys
import webbrowser
from pathlib import Path
from typing import Final, NoReturn

import msgspec
from pydantic import ValidationError

from app import __version__
from app.commands.health_client import check
from app.commands.snippet_files import own_sandbox, progress, read_snippet, write
from app.commands.supported import refusal_of_installed_torch
from app.compose.settings import Settings, unknown_variables
from app.engine import QUEUES
from app.errors import FAILED, FINISHED, MISUSED, CommandError
from app.explain import Document, explain
from app.explain.corrected.gradients import corrected_gradients, is_asked_for, keeping_saved
from app.export import ExportError, Format, NoSuchStep, Wanted, draw
from app.networks import is_loopback
from app.report.transcript import transcript
from app.sandbox import SandboxError, give_up_root, harden_server
from app.standalone import standalone
from app.trace.ends import Finished
from app.trace.records import Request
from app.words import LANGUAGES
from app.words.printable import printable

PICTURES: Final[dict[str, Format]] = {".svg": "svg", ".pdf": "pdf", ".png": "png", ".dot": "dot"}
"""The format of a picture by the suffix of its file."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return its exit code: 0 finished, 1 the snippet did not finish or could not run, 2 misuse."""
    options = _parser().parse_args(arguments)
    commands = {"serve": serve, "worker": work, "health": health, "trace": trace, "check": check_files, "open": open_file}
    try:
        return commands.get(options.command, _look_after)(options)
    except CommandError as error:
        print(f"stepgrad: {printable(str(error))}", file=sys.stderr)
        return error.code
    except SandboxError as error:
        print(f"stepgrad: {printable(str(error))}", file=sys.stderr)
        return FAILED
    except OSError as error:  # an error of the operating system that no command expects
        where = f"{printable(str(error.filename))}: " if error.filename else ""
        print(f"stepgrad: {where}{error.strerror or error}.", file=sys.stderr)
        return FAILED


def serve(options: argparse.Namespace) -> int:
    """Serve the page until stopped. A server that starts as root continues as an unprivileged user."""
    settings = _settings(_given(options), has_log=True)
    if not settings.workers_url:  # with workers, only the workers need torch
        _check_torch()
    elif settings.gpu_runs:
        raise CommandError(
            "STEPGRAD_GPU_RUNS is for the GPUs of this machine, but STEPGRAD_WORKERS_URL sends runs to workers: "
            "unset STEPGRAD_GPU_RUNS here, and run `stepgrad worker --queue gpu` on the machines with GPUs.",
            MISUSED,
        )
    _make_data_directory(settings.data)
    give_up_root(writable=[settings.data], uid=settings.unprivileged_uid)
    harden_server()
    from app.commands import serving  # imported here, because a root process restarts itself above

    return serving.serve(settings)


def work(options: argparse.Namespace) -> int:
    """Run the snippets that webs send, until stopped. A worker that starts as root continues as an unprivileged user."""
    settings = _settings(_given(options), has_log=True)
    is_encrypted = settings.tls_certificate and settings.tls_authority
    if not (is_encrypted or settings.workers_plain or is_loopback(settings.host)):
        raise CommandError(
            "Any machine could send snippets to this worker without encryption. Set STEPGRAD_TLS_CERTIFICATE, STEPGRAD_TLS_KEY "
            "and STEPGRAD_TLS_AUTHORITY, or STEPGRAD_WORKERS_PLAIN=true if only webs reach this address.",
            MISUSED,
        )
    _check_torch()
    give_up_root(uid=settings.unprivileged_uid)
    harden_server()
    from app.commands import working  # imported here, because a root process restarts itself above

    return working.work(settings, options.queue)


def health(options: argparse.Namespace) -> int:
    """The command `health`: ask a running server to run a snippet, and report the result."""
    settings = _settings(_given(options))
    print(printable(check(settings.host, settings.port)))
    return FINISHED


def trace(options: argparse.Namespace) -> int:
    """Record one snippet in the sandbox; write a document, a text, an HTML file that replays the run, or a picture of a step."""
    picture = _picture_of(options)
    limits = _settings().limits.limits()
    source = read_snippet(options.file, limits)
    _check_torch()
    request = Request(source=source, seed=options.seed, limits=limits, stand_in=options.stand_in)
    document = asyncio.run(_run(request))
    if options.text:
        content = "\n".join((*transcript(document, options.language), "")).encode()
    else:
        content = msgspec.json.encode(document)
        content = content if picture is None else asyncio.run(_drawn(content, picture))
        if options.output is not None and options.output.suffix == ".html":
            content = standalone(content, "" if options.file == "-" else Path(options.file).name, options.language)
    write(options.output, content)
    if options.open and options.output is not None:
        webbrowser.open(options.output.absolute().as_uri())
    return FINISHED if isinstance(document.trace.ended, Finished) else FAILED


def _picture_of(options: argparse.Namespace) -> Wanted | None:
    """The picture to draw, according to the suffix of the output; None for a document, a text or an HTML file.

    Raises CommandError.
    """
    if options.open and options.output is None:
        raise CommandError("--open needs an output file: set it with -o.", MISUSED)
    suffix = "" if options.output is None or options.text else options.output.suffix
    if suffix in ("", ".json", ".html"):
        return None
    if suffix not in PICTURES:
        known = ", ".join((".json", ".html", *PICTURES))
        raise CommandError(f"{options.output} has an unknown suffix: use {known}, or --text.", MISUSED)
    return Wanted(step=options.step, which=options.picture, format=PICTURES[suffix], language=options.language)


async def _drawn(document: bytes, wanted: Wanted) -> bytes:
    try:
        return (await draw(document, wanted)).content
    except NoSuchStep as error:
        raise CommandError(f"There is no picture of step {wanted.step}: {error}", MISUSED) from None
    except ExportError as error:
        raise CommandError(str(error)) from None


def _step(text: str) -> int | str:
    """Parse the option `--step`: a number from 1, "first" or "last"."""
    if text in ("first", "last") or (text.isdecimal() and int(text) > 0):
        return text if text in ("first", "last") else int(text)
    raise argparse.ArgumentTypeError(f"{text} is not a step: use a number from 1, first, or last")


def check_files(options: argparse.Namespace) -> int:
    """Run files and report their findings."""
    from app.commands import checking  # imported here, because the progress bar takes 0.1 s to import

    _check_torch()
    return checking.check(options, _settings().limits.limits())


def open_file(options: argparse.Namespace) -> int:
    """Serve a saved recording on this machine only."""
    from app.commands import opening  # imported here, because other commands need no server

    return opening.open_recording(options.file, options.port, options.language)


def _look_after(options: argparse.Namespace) -> int:
    from app.commands import store_commands  # imported here, because the database libraries take 0.5 s to import

    commands = {
        "links": store_commands.links,
        "backup": store_commands.backup,
        "restore": store_commands.restore_backup,
        "new-key": store_commands.new_key,
    }
    return commands[options.command](options, _settings())


async def _run(request: Request) -> Document:
    """The document of a run.

    If a gradient is silently wrong, the document includes the corrected gradients, from two more runs.
    """
    from app.sandbox.decoded_run import trace_of  # imported here, because the process of a server must not import the decoder

    async with own_sandbox(request.limits) as sandbox:
        with progress() as on_progress:
            document = explain(trace_of(await sandbox.run(request, on_progress=on_progress)))
        if not is_asked_for(document.findings):
            return document
        copied = keeping_saved(request)
        preserved, again = await sandbox.run(copied), await sandbox.run(copied)
        corrected = corrected_gradients(document.trace, trace_of(preserved), trace_of(again))
        return msgspec.structs.replace(document, corrected=corrected)


class _Parser(argparse.ArgumentParser):
    """A parser that escapes its error messages, because an argument may be a file name."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("stepgrad", description="Watch PyTorch's autograd graph and shared memory, step by step.")
    parser.add_argument("--version", action="version", version=f"stepgrad {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve", help="serve the page")
    checking = commands.add_parser("health", help="ask a running server to run a snippet, and report the result")
    checking.add_argument("--host", help="address of the server (default: STEPGRAD_HOST or 127.0.0.1)")
    checking.add_argument("--port", type=int, help="port of the server (default: STEPGRAD_PORT or 8000)")
    serving.add_argument("--host", help="address to listen on (default: STEPGRAD_HOST or 127.0.0.1)")
    serving.add_argument("--port", type=int, help="port to listen on, 0 for any free one (default: STEPGRAD_PORT or 8000)")
    working = commands.add_parser(
        "worker", help="run the snippets of servers that have STEPGRAD_WORKERS_URL set to this worker"
    )
    working.add_argument("--host", help="address to listen on (default: STEPGRAD_HOST or 127.0.0.1)")
    working.add_argument("--port", type=int, help="port to listen on, 0 for any free one (default: STEPGRAD_PORT or 8000)")
    working.add_argument(
        "--queue", choices=QUEUES, default="cpu", help="which runs it accepts: gpu for snippets that use CUDA (default: cpu)"
    )
    tracing = commands.add_parser("trace", help="record one snippet")
    tracing.add_argument("file", help="a Python file, or - for standard input")
    tracing.add_argument(
        "-o",
        "--output",
        type=Path,
        help="where to write (default: standard output): the document as .json, one file that replays the run offline as "
        ".html, or a picture as .svg, .pdf, .png or .dot",
    )
    tracing.add_argument(
        "--step", type=_step, default="last", help="step of the picture: a number from 1, first, or last (default: last)"
    )
    tracing.add_argument(
        "--picture", choices=("graph", "memory", "both"), default="graph", help="content of the picture (default: graph)"
    )
    tracing.add_argument("--open", action="store_true", help="open the output file in a browser")
    tracing.add_argument("--seed", type=int, default=0, help="argument of torch.manual_seed (default: 0)")
    tracing.add_argument("--stand-in", action="store_true", help='use the CPU in place of a GPU, so that device="cuda" works')
    tracing.add_argument("--text", action="store_true", help="write plain text instead of the document's JSON")
    tracing.add_argument(
        "--language",
        choices=LANGUAGES,
        default=LANGUAGES[0],
        help="language of text, picture and .html file (default: %(default)s)",
    )
    reporting = commands.add_parser(
        "check",
        help="run files in the sandbox and report findings",
        description="Run Python files in the sandbox and report findings. The exit code is 0 if nothing is wrong (hints are "
        "allowed), 1 if a run did not finish or has an error or a warning, and 2 if a file could not be run.",
    )
    reporting.add_argument(
        "files", nargs="+", metavar="file", help="a Python file, a folder with such files, or - for standard input"
    )
    reporting.add_argument(
        "--format", choices=("text", "json", "sarif"), default="text", help="format of the report (default: %(default)s)"
    )
    reporting.add_argument("-o", "--output", type=Path, help="where to write (default: standard output)")
    reporting.add_argument("--seed", type=int, default=0, help="argument of torch.manual_seed (default: 0)")
    reporting.add_argument("--stand-in", action="store_true", help='use the CPU in place of a GPU, so that device="cuda" works')
    reporting.add_argument(
        "--language", choices=LANGUAGES, default=LANGUAGES[0], help="language of the report (default: %(default)s)"
    )
    opening = commands.add_parser("open", help="serve a saved recording on this machine only")
    opening.add_argument("file", type=Path, help="a file of `stepgrad trace -o run.json` or `recording.save`")
    opening.add_argument("--port", type=int, default=0, help="port to listen on (default: any free one)")
    opening.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="initial language (default: %(default)s)")
    _add_store_commands(commands)
    return parser


def _add_store_commands(commands: "argparse._SubParsersAction[_Parser]") -> None:
    links = commands.add_parser("links", help="list, show, delete or hold links")
    actions = links.add_subparsers(dest="action")
    listing = actions.add_parser("list", help="list the largest, oldest, least recently visited or most reported links")
    listing.add_argument(
        "--by", choices=("size", "age", "visit", "reports"), default="size", help="sort order (default: %(default)s)"
    )
    listing.add_argument("--count", type=int, default=20, help="maximum number (default: %(default)s)")
    for action, purpose in (
        ("show", "show the snippets of links, including held ones"),
        ("delete", "delete links, and recordings that no other link shows"),
        ("hold", "hide links, for example during a check of a report: they return status 410"),
        ("release", "show held links again"),
    ):
        acting = actions.add_parser(action, help=purpose)
        acting.add_argument("links", nargs="+", metavar="link", help="id or URL of a link")
    backing_up = commands.add_parser("backup", help="copy the store to a file, also while a server uses it")
    backing_up.add_argument("path", type=Path, help="a new file")
    restoring = commands.add_parser("restore", help="replace the store by a backup; the server must be stopped")
    restoring.add_argument("path", type=Path, help="a file of `stepgrad backup`")
    commands.add_parser("new-key", help="create a new key for cookies and page tokens; the previous key stays valid")


def _given(options: argparse.Namespace) -> dict[str, object]:
    """The settings for which the command line has options."""
    return {name: getattr(options, name) for name in ("host", "port") if getattr(options, name) is not None}


def _check_torch() -> None:
    """Raise CommandError if the installed torch is not supported."""
    if refusal := refusal_of_installed_torch():
        raise CommandError(refusal)


def _settings(given: dict[str, object] | None = None, *, has_log: bool = False) -> Settings:
    """The settings of this process. `given` takes precedence over the environment. Raises CommandError.

    Prints a warning for each unknown variable to standard error. With `has_log`, the command itself logs the warnings.
    """
    try:
        settings = Settings(**given or {})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = "__".join(
            part for part in map(str, first["loc"]) if part.isidentifier()
        )  # omits the alternatives of a union, which pydantic adds
        message = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden" and (unknown := unknown_variables(os.environ)):
            raise CommandError(" ".join(unknown), MISUSED) from None
        raise CommandError(message if first["type"] == "value_error" else f"{name}: {message}.", MISUSED) from None
    for sentence in [] if has_log else unknown_variables(os.environ):
        print(f"stepgrad: {printable(sentence)}", file=sys.stderr)
    return settings


def _make_data_directory(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandError(f"The data directory {path} cannot be created: {error.strerror}.") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise CommandError(
            f"The data directory {path} cannot be written by the user {os.geteuid()}: change its owner, mount it writable, "
            "or set STEPGRAD_DATA to another directory."
        )
