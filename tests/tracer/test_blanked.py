"""`blanked` removes source lines that were not executed. Executed lines keep their line numbers, and the rest can be parsed."""

import ast
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from app.trace.chunks import Trace
from app.trace.records import Frame, FrameId, Span, Step, StepId, Tick
from app.tracer.statements.blanked import Ran, blanked
from app.tracer.statements.source import Source
from tests.trace.header import HEADER

ROOT = Path(__file__).parents[2]


def left(text: str, called: Iterable[tuple[int, str]] = (), entered: int | None = None, spans: Iterable[Span] = ()) -> str:
    """Return the source text without the lines that a run did not execute.

    `called` contains the first line and name of each called function, and `spans` the position of each operator.
    """
    source = Source(text, "program.py")
    source.read()
    frames = [(1, "<module>")] * (entered is not None) + list(called)
    trace = Trace(
        source="",
        header=HEADER,
        frames=[Frame(id=FrameId(n), function=name, began=Tick(0), line=line) for n, (line, name) in enumerate(frames)],
        steps=[Step(id=StepId(n), kind="operator", name="aten::mul", began=Tick(0), span=span) for n, span in enumerate(spans)],
    )
    return blanked(source, Ran(trace, entered))[0]


AROUND = """\
if a == "secret":
    pass
elif b:
    try:
        secret()
    except ValueError as secret:
        match c:
            case ("secret", x):
                pass
            case _:
                while secret:
                    x = 1
                else:
                    # secret
                    async def f(x, *y, key="secret", **z):
                        with record():
                            return await x
    finally:
        secret()
"""


def test_what_stands_around_tells_nothing() -> None:
    text = left(AROUND, entered=16)
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    assert lines == [
        (3, "if True:"),
        (6, "if True:"),
        (7, "if True:"),
        (10, "if True:"),
        (13, "if True:"),
        (15, "async def f(x, *y, key=..., **z):"),
        (16, "with record():"),
        (17, "return await x"),
    ]
    ast.parse(text)


def test_strings_of_a_called_function_s_header_are_empty_and_columns_stay() -> None:
    text = left(
        '@wraps("é secret", f"{1}secret")\ndef f(a="sécret", b=b"secret", c={"secret": 1}) -> "secret":\n    return "left"\n',
        [(1, "f")],
    )
    assert "secret" not in text and 'return "left"' in text
    assert [len(line) for line in text.split("\n")] == [32, 60, 17, 0]
    ast.parse(text)


def test_lambdas_that_ran_stay_where_they_stood() -> None:
    source = 'calls = table("secret", (lambda é: é * 2), lambda y: y + 1, lambda: "secret")  # secret\n'
    begins = [source.index("é * 2"), source.index("y + 1")]
    text = left(source, spans=[Span(line=1, column=begin, end_line=1, end_column=begin + 5) for begin in begins])
    assert "secret" not in text
    assert [text.index("é * 2"), text.index("y + 1")] == begins
    ast.parse(text)


def test_a_block_on_the_line_of_its_with_is_left() -> None:
    text = "secret = 1\nwith record(): x = [2,\n  3]\n"
    assert left(text, entered=2) == text.replace("secret = 1", "")


def test_imports_in_cases_and_behind_an_open_statement_parse() -> None:
    text = left("x = [1,\n    2]; import os\nmatch x:\n    case 1:\n        import re\nx = 1\nimport ast\n", entered=6)
    assert [line.strip() for line in text.split("\n")] == [
        "",
        "import os",
        "if True:",
        "if True:",
        "import re",
        "x = 1",
        "import ast",
        "",
    ]
    ast.parse(text)


@pytest.mark.parametrize(
    "text", ["import os; f = [\n  lambda: x * 2]\n", "class C: f = lambda: x * 2\n", "f = [1,\n  2]; f = lambda: x * 2\n"]
)
def test_a_lambda_that_ran_behind_other_code_of_its_line_leaves_a_text_that_parses(text: str) -> None:
    line = text.count("\n", 0, text.index("x *")) + 1
    column = text.split("\n")[line - 1].index("x *")
    ast.parse(left(text, spans=[Span(line=line, column=column, end_line=line, end_column=column + 5)]))


@pytest.mark.parametrize("entered", [4000, 4003])
def test_of_a_text_that_is_nested_too_deeply_nothing_is_left(entered: int) -> None:
    text = "if x == 0:\n    pass\n" + "".join(f"elif x == {n}:\n    y = {n}\n" for n in range(2000))
    text += "x = 1\n"
    assert left(text, entered=entered).strip() == ""


def test_a_misspelt_method_and_a_function_that_was_refused_are_known_by_their_headers() -> None:
    source = (
        "import torch; KEY = 'secret'\nclass Base:\n    pass\n"
        "class Net(Base, make('secret')):\n    '''secret'''\n    key = 'secret'\n"
        "    def foward(self, x='secret'):\n        return 'secret'\ndef scale(x, by=2): return 'secret'\ndef other(): pass\n"
        "with record():\n    scale(Net())\n"
    )
    assert [line for line in left(source, entered=11).split("\n") if line] == [
        "import torch",
        "class Base(): ...",
        "class Net(Base):",
        "    def foward(self, x=...): ...",
        "def scale(x, by=...): ...",
        "with record():",
        "    scale(Net())",
    ]


def test_of_a_text_that_does_not_parse_nothing_is_left() -> None:
    assert left("x = 'secret'\nfor\n", [(1, "f")]) == "\n\n"


@pytest.mark.sweep
@pytest.mark.parametrize("path", [str(path.relative_to(ROOT)) for path in sorted((ROOT / "app").rglob("*.py"))])
def test_what_is_left_parses_and_stands_where_it_stood(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    functions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    blocks = [node for node in nodes if isinstance(node, ast.With | ast.AsyncWith)]
    for several in (functions[::2], functions[1::2]):
        called = [(min(node.lineno for node in [*each.decorator_list, each]), each.name) for each in several]
        check(text, left(text, called), several)
    for block in islice(blocks, 5):
        check(text, left(text, entered=block.lineno), [block])


def check(whole: str, text: str, kept: Iterable[Any]) -> None:
    ast.parse(text)
    before, after = whole.split("\n"), text.split("\n")
    assert len(before) == len(after)
    for each in kept:
        body: list[ast.stmt] = each.body
        assert before[body[0].lineno - 1 : each.end_lineno] == after[body[0].lineno - 1 : each.end_lineno]


def test_headers_of_bases_are_kept_for_eight_classes() -> None:
    text = "".join(f"class C{n}(C{n + 1}):\n    pass\n" for n in range(20)) + "with record():\n    C0()\n"
    kept = left(text, entered=41)
    ast.parse(kept)
    assert kept.count("class ") == 8
