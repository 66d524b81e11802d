"""The keys in Redis, which web and worker both know. `README.md` has the table of them."""

from typing import Final

PREFIX: Final = "stepgrad:cpu:"

WORKERS: Final = f"{PREFIX}workers"
"""A set: the ids of the workers that announced themselves."""

WORKER: Final = f"{PREFIX}worker:"
"""What every key of an announcement begins with."""

REPLY_MILLISECONDS: Final = 60_000
"""How long a reply lives after its last word, and a queue, a request or a word to a worker that nobody takes."""


def announced(worker: str) -> str:
    """A hash that dies when its worker does: how many `places` it has, and what is `told` of it."""
    return f"{WORKER}{worker}"


def queue(worker: str) -> str:
    """A list: the ids of runs that were handed to a worker, and for which it has a place."""
    return f"{PREFIX}queue:{worker}"


def taken(worker: str) -> str:
    """A list: the ids of runs that a worker has in a place."""
    return f"{PREFIX}taken:{worker}"


def control(worker: str) -> str:
    """A list: the ids of runs that a worker is to stop."""
    return f"{PREFIX}control:{worker}"


def request(run: str) -> str:
    """A hash: what is asked, where the answer goes, and the start of Redis that saw it."""
    return f"{PREFIX}request:{run}"


def claim(run: str) -> str:
    """There once a worker has claimed the run: nobody else does."""
    return f"{PREFIX}claim:{run}"


def reply(secret: str) -> str:
    """A stream: what a run says. `secret` is known to the web that waits and to the worker that claimed it."""
    return f"{PREFIX}reply:{secret}"
