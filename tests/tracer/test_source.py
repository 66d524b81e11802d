"""Find the statement on a source line, and its exact range in the text."""

from types import CodeType

import pytest

from app.tracer.statements.source import Source

CASES: list[tuple[str, list[str]]] = [
    ("", []),
    ("\n\n", []),
    ("# only a comment\n", []),
    ("x = 1", ["x = 1"]),
    ("x = (1 +\n     2)\ny = 3\n", ["x = (1 +⏎     2)", "y = 3"]),
    ("x = 1; y = 2\n", ["x = 1; y = 2"]),
    ("x = 1; y = (2,\n 3); z = 4\n", ["x = 1; y = (2,⏎ 3); z = 4"]),
    ("s = '''a\n\nb'''\n", ["s = '''a⏎⏎b'''"]),
    ("x = 1 \\\n  + 2\n", ["x = 1 \\⏎  + 2"]),
    ("if x:\n    y\nelse:\n    z\n", ["if x", "y", "z"]),
    ("if x:  # so: what\n    y\n", ["if x", "y"]),
    ("if x: y\nelif w: v\nelse: z\n", ["if x: y", "elif w: v", "z"]),
    ("if x[1:2]:\n    y\n", ["if x[1:2]", "y"]),
    ("if (x  # one: (\n   and y):\n    z\n", ["if (x  # one: (⏎   and y)", "z"]),
    ("if lambda: 0:\n    y\n", ["if lambda: 0", "y"]),
    ("for i in range(3):\n    i\nelse:\n    j\n", ["for i in range(3)", "i", "j"]),
    ("for i in (1,\n          2): i\n", ["for i in (1,⏎          2): i"]),
    ("while x < 3: x += 1\n", ["while x < 3: x += 1"]),
    ("with a as b, c:\n    d\n", ["with a as b, c", "d"]),
    ("with (\n    a as b,\n    c,\n):\n    d\n", ["with (⏎    a as b,⏎    c,⏎)", "d"]),
    ("async def f():\n    async with a:\n        await b\n", ["async def f()", "async with a", "await b"]),
    (
        "try:\n    a\nexcept E as e:\n    b\nelse:\n    c\nfinally:\n    d\n",
        ["try", "a", "except E as e", "b", "c", "d"],
    ),
    ("try:\n    a\nexcept:\n    b\n", ["try", "a", "except", "b"]),
    ("try:\n    a\nexcept* E:\n    b\n", ["try", "a", "except* E", "b"]),
    (
        "match x:\n    case [1, y] if y > 2:\n        a\n    case {'k': 1}:\n        b\n    case _:\n        c\n",
        ["match x", "[1, y] if y > 2", "a", "{'k': 1}", "b", "_", "c"],
    ),
    ("@one\n@two(3)\ndef f(a, *, b=1) -> int:\n    return a\n", ["@one⏎@two(3)⏎def f(a, *, b=1) -> int", "return a"]),
    ("def f(a: int, b: 'x:y' = 'c:d'):\n    pass\n", ["def f(a: int, b: 'x:y' = 'c:d')", "pass"]),
    ("def f(): pass\n", ["def f(): pass"]),
    ("def f(\n    a,\n    b=2,\n):\n    return a\n", ["def f(⏎    a,⏎    b=2,⏎)", "return a"]),
    ("class C:\n    x: int = 1\n", ["class C", "x: int = 1"]),
    ("class C(B, metaclass=M):\n    @p\n    def f(self): pass\n", ["class C(B, metaclass=M)", "@p⏎    def f(self): pass"]),
    ("x = [i\n     for i in y\n     if i]\n", ["x = [i⏎     for i in y⏎     if i]"]),
    ("größe = '世界'; y = 1\nif größe:  # 世\n    '∇' + y\n", ["größe = '世界'; y = 1", "if größe", "'∇' + y"]),
    ("def 函数(参数='默认'):\n    return 参数\n", ["def 函数(参数='默认')", "return 参数"]),
    ("if x:\n\ty = 'é'\n\tz\n", ["if x", "y = 'é'", "z"]),
    ("x = 1\r\nif x:\r\n    y\r\n", ["x = 1", "if x", "y"]),
    ("x = 1\ry = 2\r", ["x = 1", "y = 2"]),
    ("x = 1\n\f\ny = 2\n", ["x = 1", "y = 2"]),
    ("x = 'a\fb'\ny = 'é\u2028é'\nz = 3\n", ["x = 'a\fb'", "y = 'é\u2028é'", "z = 3"]),
    ("\ufeffx = 1\ny = 2\n", ["x = 1", "y = 2"]),
]


def compiled(text: str) -> Source:
    source = Source(text, "snippet.py")
    source.compile(None)
    return source


@pytest.mark.parametrize(("text", "expected"), CASES, ids=[repr(text)[:40] for text, _ in CASES])
def test_statements(text: str, expected: list[str]) -> None:
    """In the expected statements, `⏎` stands for a line break."""
    source = compiled(text)
    statements = {source.statement_at(line) for line in range(1, len(source.lines) + 1)} - {None}
    found = []
    for statement in sorted(statement for statement in statements if statement is not None):
        span = source.span(statement)
        covered = source.lines[span.line - 1 : span.end_line]
        covered[-1] = covered[-1][: span.end_column]
        covered[0] = covered[0][span.column :]
        found.append("⏎".join(covered))
    assert found == expected


@pytest.mark.parametrize(
    ("line", "statement"), [(1, 0), (2, 0), (3, None), (4, 1), (5, None), (6, 2), (7, 3), (8, None), (99, None)]
)
def test_which_statement_a_line_belongs_to(line: int, statement: int | None) -> None:
    source = compiled("x = (1,\n     2)\n\nif x:\n    # why\n    y\n    z; w\n\n")
    assert source.statement_at(line) == statement


def test_what_a_bare_else_holds_is_no_statement_of_its_own() -> None:
    source = compiled("try:\n    a\nfinally:\n    b\n")
    assert [source.statement_at(line) for line in (1, 2, 3, 4)] == [0, 1, None, 2]


@pytest.mark.parametrize(
    ("text", "instruction", "expected"),
    [
        ("y = (x * 2).exp()\n", "CALL", "(x * 2).exp()"),
        ("y = (x * 2).exp()\n", "BINARY_OP", "x * 2"),
        ("größe = 世 * 2\n", "BINARY_OP", "世 * 2"),
        ("x = '∇∇'; y = x.t() @ x\n", "BINARY_OP", "x.t() @ x"),
        ("x = '''é\né''' + y\n", "BINARY_OP", "'''é⏎é''' + y"),
        ("if y:\n  for x in f(y,\n   2):\n    x\nz\n", "GET_ITER", "for x in f(y,⏎   2):⏎    x"),
        ("if y:\n  for x in f(y,\n   2):\n    x\nz\n", "FOR_ITER", "for x in f(y,⏎   2):⏎    x"),
        ("for x in f(y): x\n", "CALL", "f(y)"),
    ],
)
def test_the_sub_expression_that_runs(text: str, instruction: str, expected: str) -> None:
    import dis

    source = Source(text, "snippet.py")
    code = source.compile(None)
    offset = next(found.offset for found in dis.get_instructions(code) if found.opname == instruction)
    span = source.expression(code, offset)
    assert span is not None
    covered = source.lines[span.line - 1 : span.end_line]
    covered[-1] = covered[-1][: span.end_column]
    covered[0] = covered[0][span.column :]
    assert "⏎".join(covered) == expected


def test_no_sub_expression_outside_the_code() -> None:
    source = Source("x = 1\n", "snippet.py")
    code = source.compile(None)
    assert source.expression(code, -2) is None
    assert source.expression(code, 10_000) is None


@pytest.mark.parametrize("text", ["x = (", "x = 1\n  y = 2\n", "return 3\n", "x = 'a\n", "é = $\n"])
def test_what_does_not_compile_raises_as_compile_does(text: str) -> None:
    with pytest.raises(SyntaxError) as theirs:
        compile(text, "snippet.py", "exec", dont_inherit=True)
    with pytest.raises(SyntaxError) as ours:
        compiled(text)
    assert (ours.value.msg, ours.value.lineno) == (theirs.value.msg, theirs.value.lineno)


def test_reading_code_that_does_not_parse_finds_no_statements() -> None:
    source = Source("x = (", "snippet.py")
    source.read()
    assert source.statement_at(1) is None


CALLED = """
def plain(a): return a
def outer(a):
    def inner(): return a
    return inner
class Net:
    def __init__(self):
        super().__init__()
def again():
    yield 1
async def waits(): pass
"""


def test_where_a_call_begins() -> None:
    source = compiled(CALLED)
    found, waiting = {}, [compile(CALLED, "snippet.py", "exec")]
    for code in waiting:
        waiting += [part for part in code.co_consts if isinstance(part, CodeType)]
        span = source.beginning(code)
        found[code.co_qualname] = None if span is None else span.line
    lines = {"plain": 2, "outer": 3, "outer.<locals>.inner": 4, "Net": 6, "Net.__init__": 7, "again": None, "waits": None}
    assert {name: found[name] for name in lines} == lines
