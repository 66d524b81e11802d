"""`python -m app`: the same as `stepgrad`."""

import signal
import sys


def main() -> int:
    """Run the command line, where this Python is one that Stepgrad runs on. Ctrl-C gives the exit code of a shell, 130."""
    try:
        from app.commands.supported import refusal_of_python

        refused = refusal_of_python()
        if refused is not None:
            print(f"stepgrad: {refused}", file=sys.stderr)
            return 1
        from app.commands import cli  # only now: another Python may not even read it

        return cli.main()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second Ctrl-C ends it without a word
        print("stepgrad: Stopped by Ctrl-C.", file=sys.stderr)
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
