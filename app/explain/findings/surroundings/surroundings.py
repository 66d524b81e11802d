"""Finds uses of resources that a sandboxed run does not have: a keyboard, a network, the machine itself."""

import ast

from app.explain.finding import Finding, finder
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.explain.reading.syntax import Syntax
from app.explain.rewriting.replacing import with_replaced
from app.trace.ends import Raised

_DOWNLOADERS = frozenset(
    {
        "torch.hub.load",
        "torch.hub.load_state_dict_from_url",
        "torch.hub.download_url_to_file",
        "hub.load",
        "load_state_dict_from_url",
        "urllib.request.urlopen",
        "urllib.request.urlretrieve",
        "request.urlopen",
        "request.urlretrieve",
        "urlopen",
        "urlretrieve",
        "requests.get",
        "requests.post",
    }
)
_UNREACHABLE = ("URLError", "HTTPError", "gaierror", "ConnectionError", "ConnectTimeout", "MaxRetryError")
"""Exceptions from a failed network access."""
_REFUSED = ("[Errno 1]", "[Errno 13]", "[Errno 30]", "[Errno 38]")
"""The beginnings of Python's messages for EPERM, EACCES, EROFS and ENOSYS. The first two have exception types."""


@finder(of_the_sandbox=True)
def find_input(reading: Reading) -> list[Finding]:
    """An error for `input()`, because a run has no keyboard."""
    if reading.raised("EOFError") is None or "input" in reading.syntax.bound_names:
        return []
    calls = [call for call in _calls(reading.syntax) if dotted(call.func) == "input"]
    if not calls:
        return []
    answered = with_replaced(reading.trace.source, [(call, '"1"') for call in calls])
    return [reading.text_finding("keyboard_input", calls[0].lineno, {}, fix="answer_input", source=answered)]


@finder(of_the_sandbox=True)
def find_downloads(reading: Reading) -> list[Finding]:
    """A warning for a failed use of `torch.hub`, `download=True`, urllib or requests, because a run has no network."""
    ended = reading.trace.ended
    if not isinstance(ended, Raised):
        return []
    calls = [call for call in _calls(reading.syntax) if dotted(call.func) in _DOWNLOADERS or _asks_download(call)]
    if ended.type.rpartition(".")[2] not in _UNREACHABLE:
        calls = [call for call in calls if call.lineno <= (ended.line or 0) <= (call.end_lineno or call.lineno)]
    return [reading.text_finding("download", calls[0].lineno, {}, severity="warning")] if calls else []


@finder(after=["find_downloads"], of_the_sandbox=True)
def find_sealed(reading: Reading) -> list[Finding]:
    """An error for a call that the sandbox refused with an errno, if no other finding explains the exception."""
    ended = reading.raised("PermissionError", "OSError")
    if ended is None or reading.found_by("find_downloads"):
        return []
    raises = any(isinstance(node, ast.Raise) for node in reading.syntax.on_line(ended.line))
    by_type = ended.type.endswith("PermissionError") and not raises
    if not by_type and not ended.message.startswith(_REFUSED):
        return []
    return [reading.text_finding("sealed", ended.line, {})]


def _calls(syntax: Syntax) -> list[ast.Call]:
    return sorted(syntax.of(ast.Call), key=lambda call: (call.lineno, call.col_offset))


def _asks_download(call: ast.Call) -> bool:
    return any(
        keyword.arg == "download" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in call.keywords
    )
