"""`python -m tests.benchmarks` prints every budget in tables; the exit status is 1 if one is exceeded."""

import sys

from tests.benchmarks import afterwards, fleet, guarding, large, page, player, recorder, rooms, serving, tracing, visit
from tests.benchmarks.table import Size, show

PARTS = (serving, fleet, rooms, afterwards, tracing, recorder, guarding, page, player, large, visit)


def main() -> int:
    """Measure and print all tables. Return 0 if no budget is exceeded."""
    # Measure all parts, even after an exceeded budget.
    kept = [show(part.TITLE, part.measure(Size.FULL)) for part in PARTS]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
