"""A fleet of workers: the web sends each run by HTTP to a worker, which may be on another machine."""

from app.fleet.engine import FleetEngine, client_of
from app.fleet.messages import Announcement
from app.fleet.worker import Worker
from app.fleet.workers import TROUBLES, Workers, versions_of

__all__ = ["TROUBLES", "Announcement", "FleetEngine", "Worker", "Workers", "client_of", "versions_of"]
