"""Where runs happen: admission, and this machine's sandbox."""

from app.engine.admission import Admission, Asker, Refused, Room, Withdrawn
from app.engine.local import Engine, LocalEngine, Watcher
from app.engine.progress import Progress

__all__ = ["Admission", "Asker", "Engine", "LocalEngine", "Progress", "Refused", "Room", "Watcher", "Withdrawn"]
