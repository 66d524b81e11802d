"""What a snippet asks of its surroundings and does not get here: a keyboard, more processes, a network, the machine itself."""

import ast

from app.explain.finding import Finding, Fix, Severity
from app.explain.reading.reading import raised
from app.explain.reading.snippet import bound_names, dotted, nodes_of
from app.explain.rewriting.replacing import with_replaced
from app.trace.chunks import Trace
from app.trace.records import Tick

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
_REFUSED = ("[Errno 1]", "[Errno 13]", "[Errno 30]", "[Errno 38]")
"""How Python's errors begin for EPERM, EACCES, EROFS and ENOSYS. The first two have a type of their own."""
_START = Tick(0)


def find_input(trace: Trace) -> list[Finding]:
    """`input()`: nobody sits at the keyboard of a run."""
    if raised(trace, "EOFError") is None or "input" in bound_names(trace.source):
        return []
    calls = [call for call in _calls(trace.source) if dotted(call.func) == "input"]
    if not calls:
        return []
    answered = with_replaced(trace.source, [(call, '"1"') for call in calls])
    fixes = [] if answered is None else [Fix(title="answer_input", source=answered)]
    return [_finding("keyboard_input", "error", calls[0], fixes)]


def find_workers(trace: Trace) -> list[Finding]:
    """`DataLoader(..., num_workers=4)`: a run is one process."""
    counts: list[ast.expr] = []
    for call in _calls(trace.source):
        if dotted(call.func).split(".")[-1] == "DataLoader":
            counts += [keyword.value for keyword in call.keywords if keyword.arg == "num_workers" and _more(keyword.value)]
    if not counts:
        return []
    alone = with_replaced(trace.source, [(count, "0") for count in counts])
    fixes = [] if alone is None else [Fix(title="no_workers", source=alone)]
    return [_finding("worker_processes", "warning", counts[0], fixes)]


def find_downloads(trace: Trace) -> list[Finding]:
    """`torch.hub`, `download=True`, urllib, requests: a run has no network."""
    calls = [call for call in _calls(trace.source) if dotted(call.func) in _DOWNLOADERS or _asks_download(call)]
    return [_finding("download", "warning", calls[0], [])] if calls else []


def find_sealed(trace: Trace) -> list[Finding]:
    """What the sandbox refuses with an errno, where no other finding says why."""
    ended = raised(trace, "PermissionError", "OSError")
    if ended is None or find_workers(trace) or find_downloads(trace):
        return []
    raises = any(isinstance(node, ast.Raise) and node.lineno == ended.line for node in nodes_of(trace.source))
    by_type = ended.type.endswith("PermissionError") and not raises
    if not by_type and not ended.message.startswith(_REFUSED):
        return []
    return [Finding(kind="sealed", severity="error", tick=_START, line=ended.line, arguments={"line": ended.line or 0})]


def _calls(source: str) -> list[ast.Call]:
    found = [node for node in nodes_of(source) if isinstance(node, ast.Call)]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def _more(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value > 0


def _asks_download(call: ast.Call) -> bool:
    return any(
        keyword.arg == "download" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in call.keywords
    )


def _finding(kind: str, severity: Severity, node: ast.expr, fixes: list[Fix]) -> Finding:
    line = node.lineno
    return Finding(kind=kind, severity=severity, tick=_START, line=line, arguments={"line": line}, fixes=fixes)
