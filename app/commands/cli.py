"""The command line: serve the page, record one snippet without it, or look after the links that a server keeps."""

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
    """Run one command; return its exit code: 0 finished, 1 the snippet ended otherwise or it could not run, 2 misuse."""
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
    except OSError as error:  # any unforeseen refusal by this machine
        where = f" {printable(str(error.filename))}" if error.filename else ""
        print(f"stepgrad: What is needed{where} cannot be had: {error.strerror or error}.", file=sys.stderr)
        return FAILED


def serve(options: argparse.Namespace) -> int:
    """Serve the page until stopped. If started as root, it continues as an unprivileged user."""
    settings = _settings(_given(options), has_log=True)
    if not settings.workers_url:  # else only the workers need it
        _check_torch()
    elif settings.gpu_runs:
        raise CommandError(
            "STEPGRAD_GPU_RUNS is for runs on the GPUs of this machine, and STEPGRAD_WORKERS_URL sends runs to workers: "
            "unset it here, and run `stepgrad worker --queue gpu` on the machines with GPUs.",
            MISUSED,
        )
    _make_data_directory(settings.data)
    give_up_root(writable=[settings.data], uid=settings.unprivileged_uid)
    harden_server()
    from app.commands import serving  # only now, because a process that was root has just restarted itself

    return serving.serve(settings)


def work(options: argparse.Namespace) -> int:
    """Run the snippets that webs send, until stopped. If started as root, it continues as an unprivileged user."""
    settings = _settings(_given(options), has_log=True)
    is_encrypted = settings.tls_certificate and settings.tls_authority
    if not (is_encrypted or settings.workers_plain or is_loopback(settings.host)):
        raise CommandError(
            "Any machine could send snippets to this worker, unencrypted. Set STEPGRAD_TLS_CERTIFICATE, STEPGRAD_TLS_KEY and "
            "STEPGRAD_TLS_AUTHORITY, or STEPGRAD_WORKERS_PLAIN=true if only webs reach this address.",
            MISUSED,
        )
    _check_torch()
    give_up_root(uid=settings.unprivileged_uid)
    harden_server()
    from app.commands import working  # only now, because a process that was root has just restarted itself

    return working.work(settings, options.queue)


def health(options: argparse.Namespace) -> int:
    """Ask the running server whether runs come to their ends."""
    settings = _settings(_given(options))
    print(printable(check(settings.host, settings.port)))
    return FINISHED


def trace(options: argparse.Namespace) -> int:
    """Record one snippet in the same sandbox and write its document, its text, a file that replays it, or a picture of a step."""
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
    """The picture that the name of the output asks for; None for the document, or its text. Raises CommandError."""
    if options.open and options.output is None:
        raise CommandError("--open needs a file: name one with -o.", MISUSED)
    suffix = "" if options.output is None or options.text else options.output.suffix
    if suffix in ("", ".json", ".html"):
        return None
    if suffix not in PICTURES:
        known = ", ".join((".json", ".html", *PICTURES))
        raise CommandError(f"{options.output} has no suffix that stepgrad trace writes: {known}; or --text.", MISUSED)
    return Wanted(step=options.step, which=options.picture, format=PICTURES[suffix], language=options.language)


async def _drawn(document: bytes, wanted: Wanted) -> bytes:
    try:
        return (await draw(document, wanted)).content
    except NoSuchStep as error:
        raise CommandError(f"There is no picture of step {wanted.step}: {error}", MISUSED) from None
    except ExportError as error:
        raise CommandError(str(error)) from None


def _step(text: str) -> int | str:
    """A step on the command line."""
    if text in ("first", "last") or (text.isdecimal() and int(text) > 0):
        return text if text in ("first", "last") else int(text)
    raise argparse.ArgumentTypeError(f"{text} is no step: a number from 1, first, or last")


def check_files(options: argparse.Namespace) -> int:
    """Run files and report their findings."""
    from app.commands import checking  # only now: what draws its bar takes a tenth of a second

    _check_torch()
    return checking.check(options, _settings().limits.limits())


def open_file(options: argparse.Namespace) -> int:
    """Serve a saved recording on this machine alone."""
    from app.commands import opening  # only now: a trace needs no server

    return opening.open_recording(options.file, options.port, options.language)


def _look_after(options: argparse.Namespace) -> int:
    from app.commands import store_commands  # only now: importing the database's libraries takes half a second

    commands = {
        "links": store_commands.links,
        "backup": store_commands.backup,
        "restore": store_commands.restore_backup,
        "new-key": store_commands.new_key,
    }
    return commands[options.command](options, _settings())


async def _run(request: Request) -> Document:
    """The document of a run; where it was silently wrong, with what two more say of it."""
    from app.sandbox.decoded_run import trace_of  # only now: a server decodes no recording

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
    """Escapes its errors, because an argument may be a file name."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser("stepgrad", description="Watch PyTorch's autograd graph and shared memory, step by step.")
    parser.add_argument("--version", action="version", version=f"stepgrad {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    serving = commands.add_parser("serve", help="serve the page")
    checking = commands.add_parser("health", help="ask a running server to run a snippet, and say whether it did")
    checking.add_argument("--host", help="address it listens on (default: STEPGRAD_HOST or 127.0.0.1)")
    checking.add_argument("--port", type=int, help="port it listens on (default: STEPGRAD_PORT or 8000)")
    serving.add_argument("--host", help="address to listen on (default: STEPGRAD_HOST or 127.0.0.1)")
    serving.add_argument("--port", type=int, help="port to listen on, 0 for any free one (default: STEPGRAD_PORT or 8000)")
    working = commands.add_parser(
        "worker", help="run the snippets that a server on another machine sends, which has STEPGRAD_WORKERS_URL"
    )
    working.add_argument("--host", help="address to listen on (default: STEPGRAD_HOST or 127.0.0.1)")
    working.add_argument("--port", type=int, help="port to listen on, 0 for any free one (default: STEPGRAD_PORT or 8000)")
    working.add_argument(
        "--queue", choices=QUEUES, default="cpu", help="which runs it takes: gpu for those that speak of CUDA (default: cpu)"
    )
    tracing = commands.add_parser("trace", help="record one snippet")
    tracing.add_argument("file", help="a Python file, or - for standard input")
    tracing.add_argument(
        "-o",
        "--output",
        type=Path,
        help="where to write (default: standard output): the document as .json, one file that replays it offline as "
        ".html, or a picture as .svg, .pdf, .png or .dot",
    )
    tracing.add_argument("--step", type=_step, default="last", help="of the picture: from 1, first, or last (default: last)")
    tracing.add_argument(
        "--picture", choices=("graph", "memory", "both"), default="graph", help="what it shows (default: graph)"
    )
    tracing.add_argument("--open", action="store_true", help="open the file when it is written")
    tracing.add_argument("--seed", type=int, default=0, help="what torch.manual_seed is given (default: 0)")
    tracing.add_argument("--stand-in", action="store_true", help='let the CPU stand in for a GPU: device="cuda" works')
    tracing.add_argument("--text", action="store_true", help="write plain text instead of the document's JSON")
    tracing.add_argument(
        "--language", choices=LANGUAGES, default=LANGUAGES[0], help="of text, picture and .html file (default: %(default)s)"
    )
    reporting = commands.add_parser(
        "check",
        help="run files in the sandbox and report what is found",
        description="Run Python files in the sandbox and report what is found. The exit code is 0 where nothing is wrong (a hint "
        "is not), 1 where a run did not finish or has an error or a warning, and 2 where a file could not be run.",
    )
    reporting.add_argument(
        "files", nargs="+", metavar="file", help="a Python file, a folder with such files, or - for standard input"
    )
    reporting.add_argument(
        "--format", choices=("text", "json", "sarif"), default="text", help="of the report (default: %(default)s)"
    )
    reporting.add_argument("-o", "--output", type=Path, help="where to write (default: standard output)")
    reporting.add_argument("--seed", type=int, default=0, help="what torch.manual_seed is given (default: 0)")
    reporting.add_argument("--stand-in", action="store_true", help='let the CPU stand in for a GPU: device="cuda" works')
    reporting.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="of the report (default: %(default)s)")
    opening = commands.add_parser("open", help="serve a saved recording, on this machine alone")
    opening.add_argument("file", type=Path, help="what `stepgrad trace -o run.json` or `recording.save` wrote")
    opening.add_argument("--port", type=int, default=0, help="port to listen on (default: any free one)")
    opening.add_argument("--language", choices=LANGUAGES, default=LANGUAGES[0], help="to begin in (default: %(default)s)")
    _add_store_commands(commands)
    return parser


def _add_store_commands(commands: "argparse._SubParsersAction[_Parser]") -> None:
    links = commands.add_parser("links", help="list the links that are kept, delete some, or hold them back")
    actions = links.add_subparsers(dest="action")
    listing = actions.add_parser("list", help="the largest links, the oldest, those nobody visits, or those visitors report")
    listing.add_argument(
        "--by", choices=("size", "age", "visit", "reports"), default="size", help="what comes first (default: %(default)s)"
    )
    listing.add_argument("--count", type=int, default=20, help="how many (default: %(default)s)")
    for action, purpose in (
        ("show", "show the snippets of links, also of those held back"),
        ("delete", "delete links, and recordings that no other link shows"),
        ("hold", "hold links back, while a report is looked at: they answer 410"),
        ("release", "show links again that were held back"),
    ):
        acting = actions.add_parser(action, help=purpose)
        acting.add_argument("links", nargs="+", metavar="link", help="its id, or its whole address")
    backing_up = commands.add_parser("backup", help="copy the store to a file, while it is served")
    backing_up.add_argument("path", type=Path, help="a file that is not there yet")
    restoring = commands.add_parser("restore", help="put a backup in the place of the store; the server must be stopped")
    restoring.add_argument("path", type=Path, help="what `stepgrad backup` wrote")
    commands.add_parser("new-key", help="make a new key for cookies and page tokens; the one before it stays valid")


def _given(options: argparse.Namespace) -> dict[str, object]:
    """The settings that stand on the command line."""
    return {name: getattr(options, name) for name in ("host", "port") if getattr(options, name) is not None}


def _check_torch() -> None:
    """Raises CommandError where the torch that is installed is not one that is recorded."""
    if refusal := refusal_of_installed_torch():
        raise CommandError(refusal)


def _settings(given: dict[str, object] | None = None, *, has_log: bool = False) -> Settings:
    """The settings of this process, `given` before the environment. Raises CommandError.

    It warns on standard error of variables that are no setting, unless the command has a log for that.
    """
    try:
        settings = Settings(**given or {})  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        name = "__".join(part for part in map(str, first["loc"]) if part.isidentifier())  # and not what pydantic tried there
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
        raise CommandError(f"The data directory {path} cannot be made: {error.strerror}.") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise CommandError(
            f"The data directory {path} cannot be written by the user {os.geteuid()}: give it to that user, mount it writable, "
            "or name another one as STEPGRAD_DATA."
        )
