"""Print tables of measurements with their budgets."""

from dataclasses import dataclass
from enum import Enum


class Size(Enum):
    """The size of a measurement."""

    SMALLEST = "smallest"
    """The smallest size, for testing the benchmarks. Its results mean nothing."""
    FULL = "full"
    """The size to which the budgets apply."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A measurement. A measurement without a budget is only reported."""

    what: str
    measured: str
    budget: str = ""
    kept: bool = True


def at_most(what: str, measured: str, value: float, most: float, unit: str) -> Row:
    """Return a row with a value that must not exceed `most`. `measured` is the value as text."""
    return Row(what=what, measured=measured, budget=f"<= {most:g} {unit}", kept=value <= most)


def at_least(what: str, measured: str, value: float, least: float, unit: str) -> Row:
    """Return a row with a value that must be at least `least`. `measured` is the value as text."""
    return Row(what=what, measured=measured, budget=f">= {least:g} {unit}", kept=value >= least)


def show(title: str, rows: list[Row]) -> bool:
    """Print a table. Return whether no row exceeds its budget."""
    print(f"\n{title}\n")
    lines = [(row.what, row.measured, row.budget, "" if not row.budget else "kept" if row.kept else "MISSED") for row in rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip(), flush=True)
    return all(row.kept for row in rows)
