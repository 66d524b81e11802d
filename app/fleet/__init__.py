"""A fleet: the web hands each run to a worker on another machine, by way of Redis; and webs on one Redis share what they must."""

from app.fleet.connection import open_redis
from app.fleet.engine import FleetEngine
from app.fleet.line import Line
from app.fleet.messages import Announcement
from app.fleet.names import CPU, GPU
from app.fleet.webs.files import SharedFiles
from app.fleet.webs.order import SharedAdmission
from app.fleet.webs.rates import SharedRates
from app.fleet.webs.recent import SharedRecent
from app.fleet.webs.stops import Stops
from app.fleet.webs.this_web import ThisWeb
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
