"""The keys in Redis, which web and worker both know. `README.md` has the table of them."""

import secrets
from dataclasses import dataclass
from typing import Final

from app.engine import Queue
from app.fleet.messages import PROTOCOL
from app.trace.records import FORMAT

WEBS: Final = "stepgrad:web:"
"""What every key begins with that the webs share, and no worker may touch."""

RECENT_ORDER: Final = f"{WEBS}recent:order"
"""A sorted set: the keys of the latest recordings, by the moment at which each was added."""

RECENT_SIZES: Final = f"{WEBS}recent:sizes"
"""A hash: the bytes that each of them counts for, and of `all`."""

HERE: Final = f"{WEBS}here:"
"""What the key of a web begins with, its id next."""

ORDER: Final = 2
"""The layout of the order that webs share. Webs of two releases that keep it otherwise do not meet in one."""

REPLY_MILLISECONDS: Final = 60_000
"""How long a reply lives after its last word, and a queue, a request or a word to a worker that nobody takes."""


def new_worker(user: str) -> str:
    """An id for a worker that is this user of Redis, whose keys are `worker:<user>.*`."""
    return f"{user}.{secrets.token_hex(8)}"


def new_run(asked: str) -> str:
    """An id that nobody guesses for a run that stands as `asked` in the log of its web."""
    return f"{asked}.{secrets.token_hex(16)}"


def asked(run: str) -> str:
    """By what a run stands in the logs of its web and of its worker."""
    return run.partition(".")[0]


def web(web_id: str) -> str:
    """A string that dies when its web does."""
    return f"{HERE}{web_id}"


def recent(recording_hash: str) -> str:
    """A hash: a recording of the last minutes, in pieces."""
    return f"{WEBS}recent:of:{recording_hash}"


def latest(request: str) -> str:
    """A string: the hash of the latest recording that answered a request."""
    return f"{WEBS}recent:latest:{request}"


def recorded(recording_hash: str) -> str:
    """A string: where the recording of a run of the last minutes is; empty where it may be fetched no more."""
    return f"{WEBS}recent:recorded:{recording_hash}"


def stops(web_id: str) -> str:
    """A list: the runs of a web that others ask it to stop."""
    return f"{WEBS}stops:{web_id}"


def stopped(name: str) -> str:
    """A list of one: whether there was such a run. `name` is known to who asks and who answers."""
    return f"{WEBS}stopped:{name}"


def rate(kind: str, hashed: str) -> str:
    """A string: the tokens that a client has left for a kind of request, and when they were counted."""
    return f"{WEBS}rate:{kind}:{hashed}"


def files(build: str) -> str:
    """A hash: the static files of a build, packed and signed, by their paths."""
    return f"{WEBS}files:{build}"


@dataclass(frozen=True)
class Keys:
    """The keys of one queue of runs, by its name: it has workers and an order of its own."""

    name: Queue

    @property
    def workers(self) -> str:
        """A set: the ids of the workers that announced themselves."""
        return f"stepgrad:{self.name}:workers"

    @property
    def room(self) -> str:
        """Written at each look at the workers, to learn whether Redis has room for more."""
        return f"stepgrad:{self.name}:room"

    @property
    def worker_prefix(self) -> str:
        """What every key of a worker begins with, its id next: a user of Redis is let into the keys of one worker so."""
        return f"stepgrad:{self.name}:worker:"

    def announced(self, worker: str) -> str:
        """A hash that dies when its worker does: how many `places` it has, and what is `told` of it."""
        return f"{self.worker_prefix}{worker}"

    def queue(self, worker: str) -> str:
        """A list: the ids of runs that were handed to a worker, and for which it has a place."""
        return f"{self.worker_prefix}{worker}:queue"

    def taken(self, worker: str) -> str:
        """A list: the ids of runs that a worker has in a place."""
        return f"{self.worker_prefix}{worker}:taken"

    def control(self, worker: str) -> str:
        """A list: the ids of runs that a worker is to stop."""
        return f"{self.worker_prefix}{worker}:control"

    def request(self, worker: str, run: str) -> str:
        """A hash: what is asked, where the answer goes, and the start of Redis that saw it."""
        return f"{self.worker_prefix}{worker}:request:{run}"

    def claim(self, worker: str, run: str) -> str:
        """There once the worker has claimed the run: it does so once, and a run is handed to no other."""
        return f"{self.worker_prefix}{worker}:claim:{run}"

    def reply(self, worker: str, secret: str) -> str:
        """A stream: what a run says. `secret` is known to the web that waits and to the worker that claimed it."""
        return f"{self.worker_prefix}{worker}:reply:{secret}"

    @property
    def order(self) -> str:
        """A hash: how the order of a queue stands. What every other key of it begins with.

        Webs of another protocol or format use other workers, so theirs is another order.
        """
        return f"{WEBS}order:{self.name}:{ORDER}.{PROTOCOL}.{FORMAT}"

    def news(self, web_id: str) -> str:
        """A list: what a web is to hear about its tickets in the order of a queue."""
        return f"{self.order}:news:{web_id}"


CPU: Final = Keys("cpu")
GPU: Final = Keys("gpu")
"""Runs that speak of CUDA, for workers that have a GPU."""
