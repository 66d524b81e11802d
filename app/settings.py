"""Every setting of a Stepgrad process, each with its default, unit and one sentence; read from STEPGRAD_* variables."""

import os
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.sandbox.unroot import UNPRIVILEGED_UID
from app.trace.records import Limits

Positive = Annotated[int, Field(ge=1, le=2**53)]
DEFAULTS = Limits()


class RunLimits(BaseModel):
    """What one run may use; the defaults are the trace format's own. Set one as STEPGRAD_LIMITS__WALL_SECONDS."""

    model_config = ConfigDict(extra="forbid")

    wall_seconds: float = Field(default=DEFAULTS.wall_seconds, gt=0, le=600, description="Seconds on the wall clock.")
    cpu_seconds: Positive = Field(default=DEFAULTS.cpu_seconds, description="Seconds of processor time.")
    memory_bytes: Positive = Field(
        default=DEFAULTS.memory_bytes, description="Bytes of memory on top of what torch itself maps."
    )
    output_bytes: Positive = Field(default=DEFAULTS.output_bytes, description="Bytes a snippet may print.")
    source_bytes: Positive = Field(default=DEFAULTS.source_bytes, description="Bytes of a snippet in UTF-8.")
    tmp_bytes: Positive = Field(default=DEFAULTS.tmp_bytes, description="Bytes of files in the run's own /tmp.")
    threads: Positive = Field(default=DEFAULTS.threads, description="Threads of one run.")
    statements: Positive = Field(default=DEFAULTS.statements, description="Statements recorded before the run is stopped.")
    steps: Positive = Field(default=DEFAULTS.steps, description="Steps of all kinds recorded before the run is stopped.")
    trace_bytes: Positive = Field(default=DEFAULTS.trace_bytes, description="Bytes of trace before compression.")
    cells: Positive = Field(default=DEFAULTS.cells, description="Elements up to which a Storage or Gradient keeps every value.")

    def limits(self) -> Limits:
        """The same limits as the record that travels with a run."""
        return Limits(**self.model_dump())


class Settings(BaseSettings):
    """The settings of one process. `Settings()` reads the environment; tests pass values."""

    model_config = SettingsConfigDict(env_prefix="STEPGRAD_", env_nested_delimiter="__", extra="forbid")

    host: str = Field(default="127.0.0.1", description="Address to listen on; loopback only.")
    port: int = Field(default=8000, ge=0, le=65535, description="TCP port to listen on; 0 takes any free one.")
    data: Path = Field(default=Path("data"), description="Directory for everything that is kept.")
    database: str = Field(default="", description="SQLAlchemy URL of the store; empty: an SQLite file in the data directory.")
    store_bytes: Positive = Field(default=10 << 30, description="Bytes of snippets and recordings at which no more are taken.")
    recent_bytes: Positive = Field(
        default=64 << 20,
        description="Bytes of memory for the latest recordings, so that Share keeps the very run that was just seen.",
    )
    limits: RunLimits = Field(default=RunLimits(), description="What one run may use.")
    runs_in_flight: Positive = Field(
        default_factory=lambda: 2 * (os.cpu_count() or 1), description="Runs at the same time; default 2 per core."
    )
    queue_length: int = Field(default=300, ge=0, description="Runs that may wait; one more is refused.")
    queue_seconds: float = Field(default=20.0, gt=0, description="Seconds a run waits before it is refused.")
    body_bytes: Positive = Field(
        default=2 << 20, description="Bytes of an HTTP request's body (a snippet in JSON escapes grows)."
    )
    imports: tuple[str, ...] = Field(
        default=("torch", "numpy"), description="Packages that snippets may import besides the standard library."
    )
    unprivileged_uid: int = Field(default=UNPRIVILEGED_UID, ge=1, description="User id taken when started as root.")
    reload: bool = Field(default=False, description="Read static files anew for every page: for those who work on the player.")

    @field_validator("host")
    @classmethod
    def _loopback_only(cls, host: str) -> str:
        if not is_loopback(host):
            raise ValueError(f"Stepgrad listens on this machine only for now, so its host cannot be {host!r}; use 127.0.0.1.")
        return host

    @property
    def database_url(self) -> str:
        """Where the store is: `database`, or the SQLite file in the data directory."""
        return self.database or f"sqlite+aiosqlite:///{self.data.absolute() / 'stepgrad.sqlite'}"


def is_loopback(host: str) -> bool:
    """Whether `host`, a name or an address without brackets or port, means this machine and no other."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
