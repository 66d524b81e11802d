"""Finds code that needs a GPU on a machine without one."""

import ast

import msgspec

from app.explain.finding import Arguments, Finding, Fix, finder
from app.explain.reading.reading import Reading
from app.explain.reading.snippet import dotted
from app.trace.query import MODULE
from app.trace.records import Step, Tick

_NO_GPU = (
    "Torch not compiled with CUDA enabled",
    "No CUDA GPUs are available",
    "Found no NVIDIA driver",
    "Cannot access accelerator device when none is available",
    "Cannot get CUDA generator",
    "Attempting to deserialize object on a CUDA device",
)
"""The beginnings of the messages of torch 2.13 to 2.15 about a missing GPU.

They identify code that needs a GPU indirectly: by a default device, by a file.

A CUDA build without a driver has other messages than a CPU build.
"""

_NO_PINNED_MEMORY = "pin_memory=True requires"
"""The beginning of the message about pinned memory, which does not exist without a GPU."""


@finder(of_the_sandbox=True)
def find_no_gpu(reading: Reading) -> list[Finding]:
    """An error for `device="cuda"` without a GPU; the fix runs the snippet with the CPU in place of the GPU."""
    trace = reading.trace
    ended = reading.raised("AssertionError", "RuntimeError")
    if ended is None or trace.header.stand_in:
        return []
    step = reading.fatal if trace.header.device == "cpu" else None
    piece = None if step is None else reading.node_at(step.span)
    is_asked = step is not None and piece is not None and _asks(reading, piece, step)
    says_none = ended.message.startswith(_NO_GPU)
    if ended.message.startswith(_NO_PINNED_MEMORY) or (says_none and not is_asked and _pins(piece)):
        return [reading.text_finding("no_gpu", ended.line, {"asked": "pinned"})]
    if not is_asked and not says_none:
        return []
    fix = Fix(title="stand_in", source=trace.source, stand_in=True)
    arguments: Arguments = {"line": ended.line or 0, "asked": "device"}
    return [Finding(kind="no_gpu", severity="error", tick=Tick(0), line=ended.line, arguments=arguments, fixes=[fix])]


def _pins(piece: ast.AST | None) -> bool:
    """Whether a call asks for pinned memory. A CUDA build reports a missing driver instead of a missing GPU."""
    keywords = piece.keywords if isinstance(piece, ast.Call) else []
    return any(
        keyword.arg == "pin_memory" and isinstance(keyword.value, ast.Constant) and keyword.value.value is True
        for keyword in keywords
    )


def _asks(reading: Reading, piece: ast.AST, step: Step) -> bool:
    """Whether a call itself requests a GPU: `x.cuda()`, `x.to("cuda")`, `torch.zeros(2, device=device)`, `torch.cuda...`."""
    match piece:
        case ast.Call(func=ast.Attribute(attr="cuda")):
            return True
        case ast.Call(func=function) if dotted(function).startswith("torch.cuda."):
            return True
        case ast.Call(func=ast.Attribute(attr="to"), args=[device, *_]) if _is_gpu(reading, device, step):
            return True
        case ast.Call(keywords=keywords):
            return any(keyword.arg == "device" and _is_gpu(reading, keyword.value, step) for keyword in keywords)
    return False


def _is_gpu(reading: Reading, device: ast.expr, step: Step) -> bool:
    """Whether an expression is known to be a GPU device: "cuda:0", `torch.device("cuda")`, or a variable with such a value."""
    if isinstance(device, ast.Name):
        held = reading.held(device.id, step)
        if held is not None and held.type == "str":
            return (held.text or "")[1:].startswith("cuda")
        in_module = msgspec.structs.replace(step, frame=MODULE)
        definition = reading.defined_by(device.id, step) or reading.defined_by(device.id, in_module)
        value = definition[0].value if definition is not None and isinstance(definition[0], ast.Assign) else None
        return value is not None and not isinstance(value, ast.Name) and _is_gpu(reading, value, step)
    match device:
        case ast.Constant(value=str(name)):
            return name.startswith("cuda")
        case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]):
            return dotted(function) in ("torch.device", "device") and name.startswith("cuda")
    return False
