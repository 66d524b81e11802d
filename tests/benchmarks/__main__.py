"""Run all benchmarks: `python -m tests.benchmarks`. The exit status is 1 if a measurement exceeds its budget."""

import sys

from tests.benchmarks import afterwards, fleet, guarding, large, page, player, recorder, rooms, serving, tracing, visit
from tests.benchmarks.table import Size, show

PARTS = (serving, fleet, rooms, afterwards, tracing, recorder, guarding, page, player, large, visit)


def main() -> int:
    """Print all tables. Return 0 if no measurement exceeds its budget, otherwise 1."""
    # A list comprehension, unlike a generator, measures all parts, even after one has exceeded a budget.
    kept = [show(part.TITLE, part.measure(Size.FULL)) for part in PARTS]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
