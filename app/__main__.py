"""`python -m app`: the same as `stepgrad`."""

import signal
import sys


def main() -> int:
    """Run the command line if this version of Python is supported. After Ctrl-C the exit code is 130, as in a shell."""
    try:
        from app.commands.supported import refusal_of_python

        refused = refusal_of_python()
        if refused is not None:
            print(f"stepgrad: {refused}", file=sys.stderr)
            return 1
        from app.commands import cli  # imported here, because an unsupported Python may be unable to parse the module

        return cli.main()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second Ctrl-C ends the process without a message
        print("stepgrad: Stopped by Ctrl-C.", file=sys.stderr)
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
