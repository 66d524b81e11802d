"""A fleet: the web hands each run to a worker on another machine, by way of Redis; and webs on one Redis share what they must."""

from app.fleet.connection import open_redis
from app.fleet.engine import FleetEngine
from app.fleet.files import SharedFiles
from app.fleet.line import Line
from app.fleet.messages import Announcement
from app.fleet.names import CPU, GPU
from app.fleet.order import SharedAdmission
from app.fleet.rates import SharedRates
from app.fleet.recent import SharedRecent
from app.fleet.stops import Stops
from app.fleet.webs import ThisWeb
from app.fleet.worker import Worker
from app.fleet.workers import Workers, versions_of

__all__ = [
    "CPU",
    "GPU",
    "Announcement",
    "FleetEngine",
    "Line",
    "SharedAdmission",
    "SharedFiles",
    "SharedRates",
    "SharedRecent",
    "Stops",
    "ThisWeb",
    "Worker",
    "Workers",
    "open_redis",
    "versions_of",
]
