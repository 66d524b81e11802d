"""Where runs happen: admission, and this machine's sandbox."""

from app.engine.admission import Admission, Asker, Refused, Room, Withdrawn
from app.engine.local import Engine, LocalEngine, Watcher
from app.engine.patrol import Patrol, Terms
from app.engine.progress import Progress

__all__ = [
    "Admission",
    "Asker",
    "Engine",
    "LocalEngine",
    "Patrol",
    "Progress",
    "Refused",
    "Room",
    "Terms",
    "Watcher",
    "Withdrawn",
]
