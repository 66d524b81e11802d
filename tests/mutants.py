"""Introduce small faults that `make test` must detect (mutation testing).

`python -m tests.mutants --list` lists the mutants, and `python -m tests.mutants 7` applies the seventh. Each part of the
application has the same number of mutants, at random places. A mutant replaces a comparison, a sign or a returned value,
changes a number by one, negates a condition, or removes a statement. Types, logging and assertion messages are not changed,
because no test should depend on them.
"""

import argparse
import ast
import difflib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
PARTS: Final = ("app/tracer", "app/explain", "app/sandbox", "app/web", "static/js")
SWAPS: Final = (
    {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"]}
    | {"is": ["is not"], "is not": ["is"], "in": ["not in"], "not in": ["in"], "and": ["or"], "or": ["and"]}
    | {"===": ["!=="], "!==": ["==="], "&&": ["||"], "||": ["&&"]}
    | {"+": ["-"], "-": ["+"], "+=": ["-="], "-=": ["+="]}
)
EMPTY: Final = {"list": "[]", "dict": "{}", "set": "set()", "str": '""', "int": "0", "bytes": 'b""'}
PARSE: Final = """
import { readFileSync } from "node:fs";
import { parse } from "acorn";
const options = { ecmaVersion: "latest", sourceType: "module" };
for (const file of process.argv.slice(1)) console.log(JSON.stringify(parse(readFileSync(file, "utf8"), options)));
"""


class Place(NamedTuple):
    """A range of a file, and its replacements. An empty replacement also removes the lines of the range."""

    path: str
    start: int
    end: int
    texts: list[str]


class Source:
    """A source file. `encoding` is the one in which its parser counts bytes."""

    def __init__(self, path: Path) -> None:
        self.path = str(path.relative_to(ROOT))
        self.encoding = "utf-16-le" if path.suffix == ".js" else "utf-8"
        self.data = path.read_text("utf-8").encode(self.encoding)

    def text(self, start: int, end: int) -> str:
        return self.data[start:end].decode(self.encoding)

    def put(self, start: int, end: int, *texts: str) -> Place:
        """Return a range with replacements, in which "@" stands for the original text."""
        return Place(self.path, start, end, [text.replace("@", self.text(start, end)) for text in texts])

    def swapped(self, start: int, end: int) -> Iterator[Place]:
        """Yield the range of an operator between its operands, unless it also contains a comment."""
        text = self.text(start, end)
        sign = text.strip(" \n()")
        if sign in SWAPS:
            start += len(text[: text.index(sign)].encode(self.encoding))
            yield self.put(start, start + len(sign.encode(self.encoding)), *SWAPS[sign])


class PythonSource(Source):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.lines = [0, *accumulate(map(len, self.data.splitlines(True)))]

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.lines[node.lineno - 1] + node.col_offset, self.lines[node.end_lineno - 1] + node.end_col_offset

    def places(self, node: ast.AST, returns: str = "") -> Iterator[Place]:
        """Yield the ranges in a syntax node. `returns` is the return type of the enclosing function."""
        match node:
            case ast.JoinedStr():  # before Python 3.12, the parts of an f-string have wrong positions
                return
            case ast.Call(func=called) if "get_logger" in (name := ast.unparse(called)) or name.startswith(("log.", "(log.")):
                return
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                returns = ast.unparse(node.returns) if node.returns else ""
        yield from self.own_places(node, returns)
        for field, child in ast.iter_fields(node):
            for each in child if isinstance(child, list) else [child]:
                if isinstance(each, ast.AST) and field not in ("annotation", "returns", "msg"):
                    match each:
                        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield() | ast.YieldFrom()) | ast.AugAssign():
                            yield self.put(*self.span(each), "" if len(child) > 1 else "pass")
                        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Delete():
                            yield self.put(*self.span(each), "" if len(child) > 1 else "pass")
                        case ast.Raise() | ast.Continue() | ast.Break():
                            yield self.put(*self.span(each), "" if len(child) > 1 else "pass")
                    yield from self.places(each, returns)

    def own_places(self, node: ast.AST, returns: str) -> Iterator[Place]:
        match node:
            case ast.Compare(left=left, comparators=others):
                yield from self.operators(left, *others)
            case ast.BoolOp(values=operands):
                yield from self.operators(*operands)
            case ast.BinOp(left=left, right=right) | ast.AugAssign(target=left, value=right):
                yield from self.operators(left, right)
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                yield self.put(*self.span(node), str(number + 1), str(number - 1))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self.put(*self.span(node), self.text(*self.span(operand)))
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.comprehension(ifs=[test, *_]):
                yield from self.negated(test)
            case ast.Return(value=ast.expr() as value) if returns == "bool":
                yield from self.negated(value)
            case ast.Return(value=ast.expr() as value):
                empty = "None" if returns.endswith("| None") else EMPTY.get(returns.partition("[")[0])
                if empty not in (None, self.text(*self.span(value))):
                    yield self.put(*self.span(value), empty)

    def operators(self, *operands: ast.expr) -> Iterator[Place]:
        for left, right in pairwise(operands):
            yield from self.swapped(self.span(left)[1], self.span(right)[0])

    def negated(self, test: ast.expr) -> Iterator[Place]:
        if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):  # these have mutants of their own
            yield self.put(*self.span(test), "not (@)")


class JavaScriptSource(Source):  # JavaScript's syntax tree in the ESTree format
    def of(self, node: Any, *texts: str) -> Place:
        return self.put(node["start"] * 2, node["end"] * 2, *texts)

    def places(self, node: Any) -> Iterator[Place]:
        match node:
            case {"type": "CallExpression", "callee": {"object": {"name": "console"}}}:
                return
            case {"type": "BinaryExpression" | "LogicalExpression" | "AssignmentExpression", "left": left, "right": right}:
                yield from self.swapped(left["end"] * 2, right["start"] * 2)
            case {"type": "UnaryExpression", "operator": "!", "argument": argument}:
                yield self.of(node, *self.of(argument, "@").texts)
            case {"type": "Literal", "value": int() | float() as number} if not isinstance(number, bool):
                yield self.of(node, str(number + 1), str(number - 1))
            case {"type": "ReturnStatement", "argument": {"type": kind} as value} if kind != "Literal":
                yield self.of(value, "null")
            case {"test": {"type": "Identifier" | "MemberExpression" | "CallExpression"} as test}:
                yield self.of(test, "!@")
        for child in node.values():
            for each in child if isinstance(child, list) else [child]:
                if isinstance(each, dict) and "type" in each:
                    if each["type"] in ("ExpressionStatement", "ThrowStatement", "ContinueStatement", "BreakStatement"):
                        yield self.of(each, "" if isinstance(child, list) else "{}")
                    yield from self.places(each)


def places(part: str) -> list[Place]:
    """Return all ranges in a part of the application."""
    if part.startswith("app/"):
        sources = map(PythonSource, sorted((ROOT / part).rglob("*.py")))
        return [each for source in sources for each in source.places(ast.parse(source.data))]
    paths = sorted((ROOT / part).rglob("*.js"))
    command = ["node", "--input-type=module", "--eval", PARSE, *map(str, paths)]
    trees = subprocess.run(command, cwd=ROOT / "tests/js", stdout=subprocess.PIPE, check=True).stdout.splitlines()
    return [each for path, tree in zip(paths, trees, strict=True) for each in JavaScriptSource(path).places(json.loads(tree))]


def mutants(seed: int, count: int) -> Iterator[tuple[str, str, str]]:
    """Yield path, original text and mutated text, alternating between the parts."""
    for part in PARTS:
        chance = random.Random(f"{seed} {part}")
        for place in chance.sample(places(part), count // len(PARTS)):
            source = Source(ROOT / place.path)
            before, after = source.text(0, place.start), source.text(place.end, len(source.data))
            text = chance.choice(place.texts)
            if not text and not before.rpartition("\n")[2].strip() and after.startswith("\n"):
                before, after = before.rstrip(" "), after[1:]
            yield place.path, source.text(0, len(source.data)), before + text + after


def main(arguments: list[str]) -> int:
    """List the mutants, or apply one."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("number", type=int, nargs="?", help="the one to apply")
    parser.add_argument("--list", action="store_true", help="show all as diffs")
    parser.add_argument("--seed", type=int, default=33)
    parser.add_argument("--count", type=int, default=30)
    given = parser.parse_args(arguments)
    for number, (path, before, after) in enumerate(mutants(given.seed, given.count), 1):
        if given.list:
            print(f"\n{number}.")
            sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), after.splitlines(True), path, path))
        elif number == given.number:
            (ROOT / path).write_text(after, "utf-8")
            return 0
    return 0 if given.list else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
