"""`python -m app`: the same as `stepgrad`."""

import sys

from app.supported import refusal_of_python


def main() -> int:
    """Run the command line, where this Python is one that Stepgrad runs on."""
    refused = refusal_of_python()
    if refused is not None:
        print(f"stepgrad: {refused}", file=sys.stderr)
        return 1
    from app import cli  # only now: another Python may not even read it

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
