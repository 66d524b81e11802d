"""Run public programs in three ways, and print a table: `python -m tests.external [--only WORD] [--markdown FILE]`."""

import argparse
import asyncio
import importlib
import os
import sys
from pathlib import Path

import torch

from app.commands.snippet_files import own_sandbox
from tests.external import adapting, sources, ways
from tests.external.manifest import Program, programs
from tests.external.table import Row, as_markdown, as_text


def main() -> int:
    options = _parser().parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # as in the sandbox, so that sets have the same order in all runs
        os.execve(sys.executable, sys.orig_argv, os.environ | {"PYTHONHASHSEED": "0"})
    sys.path.insert(0, str(Path("app/public").absolute()))  # where an installed Stepgrad has its package `stepgrad`
    importlib.import_module("torch._dynamo")  # optimizers import it; import it once instead of in each child
    torch.set_num_threads(1)  # a forked child does not have the threads of its parent
    prepared: list[tuple[Program, str, str]] = []
    rows: list[Row] = []
    for program in programs():
        if options.only not in program.name:
            continue
        try:
            prepared.append((program, adapting.prelude(program), adapting.adapted(program, sources.texts(program))))
        except (sources.NotFetched, adapting.Changed) as error:
            rows.append(Row(name=program.name, problems=[str(error)]))
    rows += asyncio.run(_in_sandbox([_forked(*given) for given in prepared]))
    print(as_text(rows))
    if options.markdown:
        options.markdown.write_text(as_markdown(rows), encoding="utf-8")
    return int(not rows or any(row.problems for row in rows))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="make test-external", description=__doc__)
    parser.add_argument("--only", default="", help="run the programs whose name has this in it")
    parser.add_argument("--markdown", type=Path, help="also write the table here")
    return parser


Tried = tuple[Program, str, ways.Run, ways.Run]
"""A program, its text for the sandbox, its run without a recorder, and its recorded run."""


def _forked(program: Program, before: str, text: str) -> Tried:
    print(program.name, flush=True)
    plain = ways.plain(program.name, ways.text_for("plain", before, text))
    recorded = ways.under_record(program.name, ways.text_for("record", before, text))
    return program, ways.text_for("sandbox", before, text), plain, recorded


async def _in_sandbox(tried: list[Tried]) -> list[Row]:
    rows = []
    async with own_sandbox(ways.LIMITS) as sandbox:
        for program, text, plain, recorded in tried:
            shut_in = None if program.libraries else await ways.in_sandbox(sandbox, text)
            rows.append(Row.of(program, plain, shut_in, recorded))
    return rows


if __name__ == "__main__":
    sys.exit(main())
