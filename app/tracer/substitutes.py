"""Replaces features that a run in the jail does not have: compilers, worker processes and sockets. `stepgrad.record()` replaces
nothing.

A program then runs unchanged, and `Step.substituted` shows at which statement a feature was replaced.
"""

import functools
import os
from typing import Any

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader

from app.trace.records import Substituted
from app.tracer.guard import Guard, guarded
from app.tracer.observer import Observer
from app.tracer.one_rank import one_rank_group
from app.tracer.patching import Patching

_ONE_RANK = "one_rank"
"""The name that the process group of `one_rank.py` has as a backend."""


class Substitutes(Patching):
    """A context in which the replacements of one run are installed in torch."""

    def __init__(self, observer: Observer, guard: Guard) -> None:
        super().__init__()
        self.guard = guard
        self._observer = observer

    def __enter__(self) -> None:
        self._compile()
        self._workers()
        if dist.is_available():
            self._process_group()

    def __exit__(self, *_: object) -> None:
        self.remove()

    @guarded
    def _note(self, what: Substituted) -> None:
        self._observer.substitute(what)

    def _compile(self) -> None:
        """torch.compile runs functions eagerly instead of calling a compiler.

        The wrappers of torch stay, so that a compiled module keeps its type and the names of its Parameters. Other backends
        need no compiler and are not replaced, unless the same program also uses the default backend, because the stance is
        global.
        """
        compile_ = torch.compile

        @self.method(torch, "compile")
        def run_eagerly(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get("backend") in (None, "inductor") and not kwargs.get("disable"):
                self._note("compile")
                torch.compiler.set_stance("force_eager")
                kwargs = {name: value for name, value in kwargs.items() if name not in ("mode", "options")}
                kwargs["backend"] = "eager"
            return compile_(*args, **kwargs)

    def _workers(self) -> None:
        """A DataLoader loads its batches in this process instead of starting workers."""
        get = DataLoader._get_iterator

        @self.method(DataLoader, "_get_iterator")
        def get_here(loader: Any) -> Any:
            before = loader.num_workers, loader.timeout
            if loader.num_workers > 0:
                self._note("workers")
                loader.num_workers = loader.timeout = 0
            try:
                return get(loader)
            finally:
                loader.num_workers, loader.timeout = before

    def _process_group(self) -> None:
        """A process group of one rank is created without a socket. Larger groups fail, because there are no other processes."""
        initialize = dist.init_process_group

        @functools.wraps(initialize)
        def init_process_group(
            backend: str | None = None,
            init_method: str | None = None,
            timeout: Any = None,
            world_size: int = -1,
            rank: int = -1,
            store: Any = None,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            size = os.environ.get("WORLD_SIZE", "") if world_size == -1 else str(world_size)
            number = os.environ.get("RANK", "") if rank == -1 else str(rank)
            if (size, number) != ("1", "0") or store is not None:
                return initialize(backend, init_method, timeout, world_size, rank, store, *args, **kwargs)
            self._note("process_group")
            if _ONE_RANK not in dist.Backend.backend_list:
                group = one_rank_group()
                create = lambda store, rank, size, timeout: group(rank, size)  # noqa: E731
                dist.Backend.register_backend(_ONE_RANK, create, devices=["cpu", "cuda"])
            kwargs.pop("device_id", None)
            return initialize(_ONE_RANK, None, timeout, 1, 0, torch._C._distributed_c10d.HashStore(), *args, **kwargs)

        for place in (dist, dist.distributed_c10d):
            self.set(place, "init_process_group", init_process_group)
