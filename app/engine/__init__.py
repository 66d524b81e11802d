"""Where runs happen: admission, and this machine's sandbox."""

from app.engine.admission import Admission, Asker, Refused, Room, Withdrawn
from app.engine.local import Engine, LocalEngine, Watcher
from app.engine.patrol import Patrol, Terms
from app.engine.pools import Pools
from app.engine.progress import Progress

__all__ = [
    "Admission",
    "Asker",
    "Engine",
    "LocalEngine",
    "Patrol",
    "Pools",
    "Progress",
    "Refused",
    "Room",
    "Terms",
    "Watcher",
    "Withdrawn",
]
