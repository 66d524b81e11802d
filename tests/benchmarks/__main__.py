"""`python -m tests.benchmarks`: every budget, as tables; exit status 1 when one is missed."""

import sys

from tests.benchmarks import afterwards, fleet, large, page, player, recorder, rooms, serving, tracing, visit
from tests.benchmarks.table import Size, show

PARTS = (serving, fleet, rooms, afterwards, tracing, recorder, page, player, large, visit)


def main() -> int:
    """Measure and print; 0 when every budget is kept."""
    # All of them, whether or not an earlier one is missed.
    kept = [show(part.TITLE, part.measure(Size.FULL)) for part in PARTS]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
