"""Engines execute runs. This package has admission, the engine of this machine, and the errors of engines."""

from app.engine.admission import Admission, Capacity, Requester, Withdrawn
from app.engine.canary_monitor import CanaryMonitor, Sealing, Terms
from app.engine.errors import EngineUnavailable
from app.engine.local import QUEUES, Engine, LocalEngine, Queue, Watcher
from app.engine.pools import Pools
from app.engine.progress import Progress
from app.engine.refusing import Refused

__all__ = [
    "QUEUES",
    "Admission",
    "CanaryMonitor",
    "Capacity",
    "Engine",
    "EngineUnavailable",
    "LocalEngine",
    "Pools",
    "Progress",
    "Queue",
    "Refused",
    "Requester",
    "Sealing",
    "Terms",
    "Watcher",
    "Withdrawn",
]
