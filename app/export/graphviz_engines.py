"""The two engines: the program of Graphviz, and the library in pygraphviz. Only the sealed child uses this module."""

import os
import shutil
from pathlib import Path
from typing import Final

PROGRAM: Final = "dot"


def program() -> Path | None:
    """The path of Graphviz's program; None if the program is not installed."""
    found = shutil.which(PROGRAM)
    return None if found is None else Path(found).resolve()


def render(source: str, kind: str, *, engine: str, dpi: float) -> bytes:
    """Draw DOT source with positions in the format `kind`. `engine` is "dot" or "pygraphviz"."""
    sized = source.replace("{", f"{{\n\tgraph [dpi={dpi:.2f}]", 1) if kind == "png" else source
    return _by_program(sized, kind) if engine == PROGRAM else _by_library(sized, kind)


def _by_program(source: str, kind: str) -> bytes:
    import graphviz

    return bytes(graphviz.Source(source).pipe(format=kind, engine="neato", neato_no_op=2, quiet=True))


def _by_library(source: str, kind: str) -> bytes:
    import pygraphviz

    with open(os.devnull, "w") as nowhere:  # no warnings about labels that are wider than their boxes
        os.dup2(nowhere.fileno(), 2)
    drawn = pygraphviz.AGraph(string=source).draw(format=kind, prog="nop2")
    return drawn if isinstance(drawn, bytes) else drawn.encode()
