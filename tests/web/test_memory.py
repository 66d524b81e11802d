"""After large work: what refers to itself is found, at once or a little later, and everything is searched once for many."""

import gc
import weakref

import pytest

from app.web.runs import memory
from app.web.runs.memory import forget
from tests.waiting import until


class Cycle:
    """It refers to itself."""

    def __init__(self) -> None:
        self.itself = self


async def test_what_refers_to_itself_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "ALL_SECONDS", 0.5)
    monkeypatch.setattr(memory._searching, "all_due", 0.0)
    searches = 0

    def unfreeze() -> None:
        nonlocal searches
        searches += 1
        real()

    real = gc.unfreeze
    monkeypatch.setattr(gc, "unfreeze", unfreeze)
    frozen = weakref.ref(Cycle())
    gc.freeze()
    new = weakref.ref(Cycle())
    for _ in range(5):
        await forget()
    assert new() is None, "at once"
    assert searches == 0, "nobody has waited until all was searched"
    await until(lambda: frozen() is None)
    assert searches == 1
