"""`python -m app`: the same as `stepgrad`."""

import sys

from app.cli import main

sys.exit(main())
