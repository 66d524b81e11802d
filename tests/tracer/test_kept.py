"""The source text in a recording by `record()` contains only code that was executed."""

import ast
import json
import tomllib
from pathlib import Path

import pytest
import torch

from app.trace.chunks import Trace
from app.trace.codec import decode_trace
from app.tracer.library import record
from tests import scripts
from tests.explain import test_real

ROOT = Path(__file__).parents[2]

HELPER = '''\
"""secret-docstring-of-a-file"""
import torch  # secret-comment-of-an-import
TOKEN = "secret-constant-of-a-file"

def doubled(x, key="left-default"):
    return x * 2

def unused(x):
    return "secret-function-that-did-not-run"

class Scale(torch.nn.Module):
    """secret-docstring-of-a-class"""
    password = "secret-attribute-of-a-class"

    def __init__(self, password="secret-default-of-a-method"):
        super().__init__()
        self.factor = 2

    def forward(self, x):
        return x * self.factor
'''

PROGRAM = """\
'''secret-docstring'''
import traceback; PIN = "secret-beside-an-import"
import warnings
import torch  # secret-comment
import stepgrad
import helper
PASSWORD = "secret-constant"
LONG = "z" * 80 + "secret-behind-eighty"
twice = dict(key="secret-beside-a-lambda", call=lambda x: (
    x * 2))
# secret-line
scale = helper.Scale("secret-argument")

def remote(url="secret-default-of-a-function-that-was-not-called"):
    raise OSError("left-message")

@torch.no_grad()
def logged(x, how="left-default"):
    try:
        raise RuntimeError("left-inner")
    except RuntimeError:
        traceback.print_exc()
    return x

def failure():
    try:
        remote(url="secret-line-in-a-traceback")
    except OSError as error:
        return error

def main(password="secret-default-around", *others, **more):
    token, error = "secret-local", failure()
    if token == "secret-in-a-condition":
        pass
    elif token:
        try:
            str("secret-above")
        finally:
            with stepgrad.record(OPTIONS) as recording:
                x = torch.ones(2, requires_grad=True)
                y = twice["call"](helper.doubled(scale(x)))
                logged(x)
                traceback.print_stack()
                traceback.print_exception(error)
                warnings.warn("".join(traceback.format_stack()))
                try:
                    raise ValueError("".join(traceback.format_exception(error)))
                except ValueError:
                    pass
                name = LONG
                settings = {"user": "ann", "password": "left-" + "in-a-dict"}
                count = 980000 + 7123
                print("left-printed")
            str("secret-below")
    recording.save("run.json")
    with open("run.html", "wb") as file:
        file.write(recording.html())
    with open("told.txt", "w") as file:
        print(recording.explain(), recording, file=file)

main("secret-call")
"""


def run(folder: Path, options: str) -> tuple[str, Trace]:
    """Run PROGRAM with these arguments for `record()`. Return the joined content of all files that it wrote, and the trace."""
    (folder / "helper.py").write_text(HELPER)
    (folder / "program.py").write_text(PROGRAM.replace("OPTIONS", options))
    code, _, errors = scripts.run(folder / "program.py")
    assert code == 0, errors
    texts = [(folder / name).read_text() for name in ("run.json", "run.html", "told.txt")]
    return "\n".join(texts), decode_trace((folder / "run.json").read_bytes())


def texts_of(trace: Trace) -> dict[str, str | None]:
    """Return the text of each variable's last value."""
    return {each.name: held.text for each in trace.variables for _, held in each.value if held is not None}


def test_no_secret_outside_of_what_ran_is_kept(tmp_path: Path) -> None:
    said, trace = run(tmp_path, "")
    assert [line[:200] for line in said.split("\n") if "secret-" in line] == []
    lines, whole = trace.source.split("\n"), PROGRAM.replace("OPTIONS", "").split("\n")
    ast.parse(trace.source)
    begin = next(number for number, line in enumerate(whole) if "with stepgrad.record" in line)
    block = range(begin, whole.index('            str("secret-below")'))
    assert len(lines) == len(whole) and [lines[number] for number in block] == [whole[number] for number in block]
    around = [line for line in lines[whole.index("def failure():") : begin] if line]
    assert around == ["def main(password=..., *others, **more):", "    if True:", "        if True:"]
    assert lines[1] == "import traceback" and lines[3] == "import torch"
    assert "".join(lines[8:10]) == "(".ljust(whole[8].index("lambda x")) + "lambda x: (    x * 2))"
    (helper,) = [file.text.split("\n") for file in trace.files if file.is_followed]
    assert "class Scale(torch.nn.Module):" in helper and "        return x * self.factor" in helper
    assert "    def __init__(self, password=...): ..." in helper


def test_what_the_block_prints_raises_and_holds_remains(tmp_path: Path) -> None:
    said, trace = run(tmp_path, "")
    for left in ("left-printed", "left-message", "left-inner", "left-in-a-dict", "987123"):
        assert left in said, left
    errors = "".join(each.text for each in trace.outputs if each.stream == "stderr")
    assert '    raise RuntimeError("left-inner")\n' in errors and ", in remote\n" in errors
    held = texts_of(trace)
    assert held["name"] == repr("z" * 80) + "…"
    assert "PASSWORD" not in held and "token" not in held and "password" not in held


@pytest.mark.parametrize(
    "options", ["redact=['password', 'count']", "redact=lambda name: name in ('password', 'count')", "values='tensors'"]
)
def test_values_that_are_not_wanted_are_not_kept(tmp_path: Path, options: str) -> None:
    said, trace = run(tmp_path, options)
    assert "left-in-a-dict" not in said and "987123" not in said
    held = texts_of(trace)
    assert held["settings"] is None and held["count"] is None
    assert (held["name"] is None) == (options == "values='tensors'")
    assert trace.names and trace.storages[0].contents
    if options == "values='tensors'":
        assert set(held.values()) == {None} and "left-default" not in said


def test_a_recording_within_another_can_only_keep_less() -> None:
    with record() as outer, record(redact="secret") as inner:
        secret, other = 1, 2
    assert inner is outer and secret < other
    assert texts_of(outer.trace)["secret"] is None and texts_of(outer.trace)["other"] == "2"


def test_only_values_of_tensors_are_kept_and_no_scalars() -> None:
    x = torch.ones(2, requires_grad=True)
    with record() as whole:
        _ = x**3
    with record(values="tensors") as recorded:
        _ = x**3
    assert {"exponent": 3} in [node.scalars for node in whole.trace.nodes]
    assert all(node.scalars == {} for node in recorded.trace.nodes)
    assert "PowBackward0" in [node.name for node in recorded.trace.nodes]


def fails(name: str) -> bool:
    raise LookupError(name)


def test_an_error_of_redact_comes_out_unless_the_block_has_its_own() -> None:
    with pytest.raises(LookupError), record(redact=fails):
        count = 1
        assert count
    with pytest.raises(ZeroDivisionError) as caught, record(redact=fails):
        count = 1 // 0
    assert caught.value.__notes__ == ["Stepgrad kept nothing of this recording: LookupError: count"]


def test_other_values_are_refused() -> None:
    with pytest.raises(ValueError, match=r'`values` must be "all" or "tensors", not \'none\'\.'), record(values="none"):  # type: ignore[arg-type]
        pass


# --- findings -----------------------------------------------------------------------------------------------------------

SOURCES = {path.name.removesuffix(".py.txt"): test_real.split(path)[1] for path in test_real.SNIPPETS}
SOURCES |= {path.stem: path.read_text("utf-8") for path in (ROOT / "tests/tracer/snippets").glob("s*.py")}
SOURCES |= {
    path.stem: tomllib.loads(path.read_text("utf-8"))["snippet"]["source"] for path in (ROOT / "app/lessons").glob("*.toml")
}
NOT_RECORDED = ("figure-drawn-of-the-losses", "s76_statements_on_one_line", "summary-written-for-tensorboard")
"""These programs do not reach the `with` block: they import a missing package, or two statements share a line."""
LOST = {"constructor-that-python-does-not-call"}
"""The finding for this program depends on the body of a method that never runs."""
DEFINITIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def with_block(source: str, *, in_function: bool) -> str:
    """Move all statements of a snippet into `with stepgrad.record()`, except imports, functions and classes."""
    lines, parts = source.split("\n"), {True: ["import stepgrad"], False: []}
    for each in ast.parse(source).body:
        first = min(node.lineno for node in [*getattr(each, "decorator_list", []), each])
        parts[isinstance(each, DEFINITIONS)] += lines[first - 1 : each.end_lineno]
    block = ["with stepgrad.record() as recording:", *(f"    {line}" for line in parts[False] or ["pass"])]
    if in_function:
        block = ['def main(password="secret"):', *(f"    {line}" for line in block), "main()"]
    return "\n".join([*parts[True], "PASSWORD = 'secret'", *block, ""])


@pytest.mark.sweep
@pytest.mark.parametrize("name", sorted(SOURCES.keys() - set(NOT_RECORDED)))
def test_the_findings_are_those_of_the_whole_text(name: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(with_block(SOURCES[name], in_function=len(name) % 2 == 0))
    (tmp_path / "compare.py").write_text("from tests.tracer.whole import compare\ncompare('program.py')\n")
    code, out, errors = scripts.run(tmp_path / "compare.py")
    assert code == 0, errors
    whole, left, text = json.loads(out)
    ast.parse(text)
    assert left == ([] if name in LOST else whole)
    assert "secret" not in text
