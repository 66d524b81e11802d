"""Join the files of a public program into one text, and make it small: few iterations, random data, other settings."""

import ast
import io
import re
from pathlib import Path

from tests.external.manifest import Program
from tests.external.sources import LIBRARIES

_PRELUDE = Path(__file__).with_name("prelude.py.txt")
_EPILOGUE = Path(__file__).with_name("epilogue.py.txt")
_TRAINING = """
model = {model}
inputs = {inputs}
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    optimizer.zero_grad()
    result = model(*inputs)
    loss = {loss}
    loss.backward()
    optimizer.step()
    print(loss)
"""


class Changed(Exception):
    """A file does not contain the text that the manifest replaces."""


Edit = tuple[tuple[int, int], tuple[int, int], str]
"""The start and the end of the replaced text, as (line from 1, byte in the line), and the replacement."""


def prelude(program: Program) -> str:
    """Return code for the beginning of a program: its arguments, seeds, and replacements for missing packages and data."""
    text = _PRELUDE.read_text(encoding="utf-8")
    ready = f"sys.path.insert(0, {str(LIBRARIES.absolute())!r})" if program.libraries else f"_stand_ins({program.absent!r})"
    return f"{text}{ready}\nsys.argv = {['program.py', *program.argv]!r}\n"


def epilogue() -> str:
    """Return code for the end of a program. It prints digests of the program's tensors and gradients."""
    return _EPILOGUE.read_text(encoding="utf-8")


def adapted(program: Program, texts: list[str]) -> str:
    """Return the adapted text of a program. Raises Changed."""
    texts = [_cells(text) if path.endswith(".md") else text for path, text in zip(program.files, texts, strict=True)]
    wanted = [re.escape(old) for old, _ in program.replace] + [rf"\b{re.escape(name)}\s*=" for name in program.settings]
    if missing := [pattern for pattern in wanted if not re.search(pattern, "\n".join(texts))]:
        raise Changed(f"{program.name} has no {', '.join(missing)}")
    text = "\n".join(_shortened(_replaced(text, program), program) for text in texts)
    text += program.imports
    if program.model:
        text += _TRAINING.format(model=program.model, inputs=program.inputs, loss=program.loss)
    return f"{text}\n{program.code}\n"


def recorded(program_text: str) -> str:
    """Indent a program into `with stepgrad.record()`, except for the lines of multi-line strings."""
    within = {
        line
        for node in ast.walk(ast.parse(program_text))
        if isinstance(node, ast.Constant | ast.JoinedStr)
        for line in range(node.lineno + 1, (node.end_lineno or 0) + 1)
    }
    indented = (
        line if number in within or not line.strip() else f"    {line}"
        for number, line in enumerate(io.StringIO(program_text), 1)
    )
    return f"import stepgrad\nwith stepgrad.record() as _recording:\n    pass\n{''.join(indented)}"


def _cells(chapter: str) -> str:
    """Return the PyTorch code in a chapter of "Dive into Deep Learning", without notebook commands."""
    cells = re.findall(r"^```\{\.python \.input[^\n]*\n(.*?)^```", chapter, re.MULTILINE | re.DOTALL)
    tabs = [re.match(r"(?:%%tab|#@tab) (.*)", cell) for cell in cells]
    kept = [cell for cell, tab in zip(cells, tabs, strict=True) if tab is None or re.search(r"\b(pytorch|all)\b", tab[1])]
    lines = "".join(kept).splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("%", "tab.interact_select")))


def _replaced(text: str, program: Program) -> str:
    for old, new in program.replace:
        text = text.replace(old, new)
    return text


def _shortened(text: str, program: Program) -> str:
    """Limit the number of iterations, replace settings, and remove imports of modules that are part of the text."""
    edits: list[Edit] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.For) and _trains(node):
            edits += _limit(node.iter, program.rounds)
        elif isinstance(node, ast.Assign):
            edits += [
                (_start(node.value), _end(node.value), program.settings[target])
                for target in (ast.unparse(target).strip("()") for target in node.targets)
                if target in program.settings
            ]
        elif isinstance(node, ast.ImportFrom) and (node.level or node.module in (*program.local, "__future__")):
            edits.append((_start(node), _end(node), "pass"))
    return _edited(text, edits)


def _trains(loop: ast.For) -> bool:
    calls = {node.func.attr for node in ast.walk(loop) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    names = {node.func.id for node in ast.walk(loop) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return bool(calls & {"backward", "step"} or names & {"train", "train_iter", "evaluate", "test"})


def _limit(iterable: ast.expr, rounds: int) -> list[Edit]:
    return [(_start(iterable), _start(iterable), "_few("), (_end(iterable), _end(iterable), f", {rounds})")]


def _edited(text: str, edits: list[Edit]) -> str:
    lines = [line.encode() for line in io.StringIO(text)]
    for (first, begins), (last, ends), new in sorted(edits, reverse=True):
        lines[first - 1 : last] = [lines[first - 1][:begins] + new.encode() + lines[last - 1][ends:]]
    return b"".join(lines).decode()


def _start(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset
