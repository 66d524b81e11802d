"""Every setting of a Stepgrad process, each with its default, unit and one sentence; read from STEPGRAD_* variables."""

import os
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Annotated, Final, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.sandbox.tiers import Tier
from app.sandbox.unroot import UNPRIVILEGED_UID
from app.trace.records import Limits

Positive = Annotated[int, Field(ge=1, le=2**53)]
Rate = Annotated[float, Field(gt=0, le=1e9)]
DEFAULTS = Limits()


def _parts(listed: object) -> object:
    """A list that is written with commas, as in an environment variable."""
    return tuple(part.strip() for part in listed.split(",") if part.strip()) if isinstance(listed, str) else listed


def _keys(listed: object) -> object:
    """Keys that are written with commas. Raises ValueError, without a word of what stands there."""
    if not isinstance(listed, str):
        return listed
    keys = []
    for part in (part.strip() for part in listed.split(",") if part.strip()):
        try:
            keys.append(bytes.fromhex(part) if len(part) == 64 else urlsafe_b64decode(part.replace("+", "-").replace("/", "_")))
        except ValueError:
            keys.append(b"")
    if any(len(key) != 32 for key in keys) or len(keys) > 2:
        raise ValueError("signing_keys: one key or two, with a comma between, each 32 bytes in hexadecimal or base64.")
    return tuple(keys)


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_parts)]
HostNames = Annotated[tuple[Annotated[str, StringConstraints(to_lower=True)], ...], NoDecode, BeforeValidator(_parts)]
Contact = Annotated[str, StringConstraints(pattern=r"^((mailto:|https://|tel:)[!-~]+)?$")]
"""A URI, as RFC 9116 asks for."""
WebAddress = Annotated[str, StringConstraints(pattern=r"^(https?://[a-zA-Z0-9.:\[\]-]+)?$")]
ORIGIN = r"^https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$"
Origin = Annotated[str, StringConstraints(to_lower=True, pattern=ORIGIN)]
Origins = Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_parts)]
"""Scheme, host and port; nothing in them could end a directive of a Content-Security-Policy."""
ReaderOrigins = Annotated[
    tuple[Annotated[str, StringConstraints(to_lower=True, pattern=rf"^\*$|{ORIGIN}")], ...], NoDecode, BeforeValidator(_parts)
]
"""The same, or `*`."""
SigningKeys = Annotated[tuple[bytes, ...], NoDecode, BeforeValidator(_keys)]
Networks = Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_parts)]


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
    cells: int = Field(
        default=DEFAULTS.cells, ge=1, le=16384, description="Elements up to which a Storage or Gradient keeps every value."
    )

    def limits(self) -> Limits:
        """The same limits as the record that travels with a run."""
        return Limits(**self.model_dump())


class Settings(BaseSettings):
    """The settings of one process. `Settings()` reads the environment; tests pass values."""

    model_config = SettingsConfigDict(env_prefix="STEPGRAD_", env_nested_delimiter="__", extra="forbid")

    host: str = Field(default="127.0.0.1", min_length=1, description="Address to listen on.")
    accept_tier: Tier | None = Field(
        default=None,
        description="How well runs must be sealed, A, A- or B; default A for a worker, and where "
        "`host`, `hosts` or `proxies` let others in, else B.",
    )
    port: int = Field(default=8000, ge=0, le=65535, description="TCP port to listen on; 0 takes any free one.")
    data: Path = Field(default=Path("data"), description="Directory for everything that is kept.")
    database: str = Field(
        default="",
        description="URL of the store, such as postgresql://user:password@host/name; empty: an SQLite file in the data directory.",
    )
    workers_url: WebAddress = Field(
        default="",
        description="Where workers, or the proxy in front of them, take runs, such as http://127.0.0.1:8100; empty: this machine.",
    )
    gpu_workers_url: WebAddress = Field(
        default="", description="The same for runs that need a GPU; empty: they go where all others go."
    )
    workers_plain: bool = Field(
        default=False,
        description="Whether runs may travel between two machines in plain text: on a network that carries nothing else.",
    )
    tls_certificate: str = Field(
        default="", description="File with the certificate of this worker, or of this web for its workers, as PEM; empty: none."
    )
    tls_key: str = Field(default="", description="File with the key of that certificate.")
    tls_authority: str = Field(
        default="", description="File with the authority that has signed the certificate of the other side; empty: plain text."
    )
    signing_keys: SigningKeys = Field(
        default=(),
        repr=False,
        description="Keys of cookies and page tokens, one or two with a comma: the first signs; empty: those of the store.",
    )
    store_bytes: Positive = Field(default=10 << 30, description="Bytes of snippets and recordings at which no more are taken.")
    address_links_per_day: Positive = Field(
        default=2000, description="Links that may be made from one network address in a day, which ends at midnight UTC."
    )
    address_bytes_per_day: Positive = Field(
        default=1 << 30, description="Bytes of links that may be made from one network address in a day."
    )
    visitor_links_per_day: Positive = Field(
        default=500, description="Links that one visitor may make in a day, as a courtesy to those who share their address."
    )
    expire_days: int = Field(
        default=0, ge=0, le=36500, description="Days after its last visit at which a link is deleted; 0 keeps links for ever."
    )
    recent_bytes: Positive = Field(
        default=64 << 20,
        description="Bytes of the latest recordings in memory, so that Share keeps the run that was seen.",
    )
    packed_bytes: Positive = Field(
        default=1 << 30, description="Bytes on disk for large recordings packed as they are sent; they can be made again."
    )
    limits: RunLimits = Field(default=RunLimits(), description="What one run may use.")
    runs_in_flight: Positive = Field(
        default_factory=lambda given: runs_for(
            len(os.sched_getaffinity(0)), memory_of_this_machine(), given["limits"].memory_bytes
        ),
        description="Runs at the same time; default 2 per core that fit into 0.6 of the memory, and with workers what they have.",
    )
    runs_of_one_address: Positive = Field(
        default=300, description="Runs that go or wait for one network address, behind which a whole class may sit."
    )
    gpu_runs: int = Field(
        default=0,
        ge=0,
        description="Runs at the same time on each CUDA device, for trusted classes only; 0 keeps runs off every device.",
    )
    queue_length: int = Field(default=300, ge=0, description="Runs that may wait; one more is refused.")
    queue_seconds: float = Field(default=20.0, gt=0, description="Seconds a run waits before it is refused.")
    trial_seconds: float = Field(
        default=2.0,
        ge=0,
        description="Fixes of a run that took at most so many seconds are tried without being asked for; 0: none.",
    )
    visitor_per_second: Rate = Field(default=5, description="Requests a second that one visitor may make in the long run.")
    visitor_burst: Rate = Field(default=60, description="Requests that one visitor may make at once.")
    address_per_second: Rate = Field(
        default=200, description="Requests a second from one network address in the long run: a class pressing Run."
    )
    address_burst: Rate = Field(default=1200, description="Requests from one network address at once.")
    room_members: Positive = Field(default=400, description="Members of one room: those who follow it at the same time.")
    rooms_of_one_address: Positive = Field(default=3, description="Open rooms that were opened from one network address.")
    rooms: Positive = Field(default=100, description="Open rooms in all; each keeps up to 2 MB in memory.")
    room_hours: float = Field(default=24.0, gt=0, le=24 * 365, description="Hours after which a room ends by itself.")
    connections: Positive = Field(
        default=4000,
        description="Connections at the same time; of more, those on which nothing is being answered are closed.",
    )
    idle_connections_of_one_address: Positive = Field(
        default=1000,
        description="Connections of one network address on which nothing is being answered, unless it is a proxy's address.",
    )
    notice_seconds: float = Field(
        default=0.0,
        ge=0,
        le=600,
        description="Seconds that a web which is told to stop serves on while its health says so: time for a proxy to take it out.",
    )
    drain_seconds: float = Field(
        default=10.0,
        ge=0,
        le=600,
        description="Seconds in which what is under way may end once it is told to stop; for what is stuck in a web, 15 more.",
    )
    proxies: Networks = Field(
        default=(), description="Networks of the proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8, with commas."
    )
    operators: Networks = Field(
        default=(ip_network("127.0.0.0/8"), ip_network("::1")),
        description="Networks of those who run the server: they see /metrics and more of its health; keep 127.0.0.0/8 in it.",
    )
    public_address: WebAddress = Field(
        default="",
        description="Where others reach it, such as https://stepgrad.example; empty: the address that a page was reached by.",
    )
    embed_ancestors: Origins = Field(
        default=(),
        description="Origins of the pages that may show recordings in a frame, such as https://course.example, with commas.",
    )
    cors_origins: ReaderOrigins = Field(
        default=(),
        description="Origins of the pages whose scripts may read links, such as https://course.example, with commas; * for all.",
    )
    contact: Contact = Field(
        default="",
        description="Where to report a weakness, as mailto:... or https://...: said in /.well-known/security.txt; empty: nowhere.",
    )
    hosts: HostNames = Field(
        default=(), description="Host names it answers to besides loopback's and the address it is reached at, with commas."
    )
    body_bytes: Positive = Field(
        default=2 << 20, description="Bytes of an HTTP request's body (a snippet in JSON escapes grows)."
    )
    imports: Names = Field(
        default=("torch", "numpy"),
        description="Packages of plain Python that snippets may import besides torch, numpy and the standard library, with commas.",
    )
    unprivileged_uid: int = Field(
        default=UNPRIVILEGED_UID, ge=1, le=2**32 - 2, description="User id taken when started as root."
    )
    reload: bool = Field(default=False, description="Read static files anew for every page: for those who work on the player.")

    @model_validator(mode="after")
    def _reaches_workers_safely(self) -> Self:
        for name in ("workers_url", "gpu_workers_url"):
            address = getattr(self, name)
            try:
                url = urlsplit(address)
                port = url.port
            except ValueError:
                raise ValueError(f"{name}: this is not an address of workers; one is http://127.0.0.1:8100.") from None
            if port == 0 or (address and not url.hostname):
                raise ValueError(f"{name}: this is not an address of workers; one is http://127.0.0.1:8100.")
            if url.scheme == "http" and not self.workers_plain and not is_loopback(url.hostname or ""):
                raise ValueError(
                    f"{name}: http:// sends snippets to another machine in plain text. Use https:// and STEPGRAD_TLS_AUTHORITY, "
                    "or set STEPGRAD_WORKERS_PLAIN=true if the network between them carries nothing else."
                )
            if url.scheme == "https" and not self.tls_authority:
                raise ValueError(f"{name}: https:// needs STEPGRAD_TLS_AUTHORITY, the authority of the workers' certificates.")
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise ValueError("tls_certificate: it needs tls_key, and tls_key needs it.")
        return self

    @property
    def needed_tier(self) -> Tier:
        """How well runs must be sealed for whoever can reach this server: a proxy brings others even to loopback."""
        lets_others_in = not is_loopback(self.host) or self.hosts or self.proxies
        return self.accept_tier or (Tier.A if lets_others_in else Tier.B)

    @property
    def served(self) -> str:
        """Whom it serves, in the words of the operator: the address, and the settings that let others in by it."""
        listed = [name for name in ("hosts", "proxies") if getattr(self, name)]
        names = " and ".join(f"STEPGRAD_{name.upper()}" for name in listed)
        return f"{self.host} with {names} set" if names else self.host

    @property
    def missing_for_others(self) -> list[str]:
        """A sentence for each missing setting of a public server. Empty if the server listens on this machine alone."""
        if is_loopback(self.host):
            return []
        sentences = []
        if not self.hosts:
            sentences.append("It answers to no host name but localhost: list its names in STEPGRAD_HOSTS.")
        if not self.proxies:
            sentences.append(
                "It speaks HTTP without TLS: put a proxy with TLS before it, and name the proxy in STEPGRAD_PROXIES."
            )
        return sentences

    @property
    def database_url(self) -> str:
        """Where the store is: `database`, or the SQLite file in the data directory."""
        return self.database or f"sqlite+aiosqlite:///{self.data.absolute() / 'stepgrad.sqlite'}"


GONE: Final = {
    "REDIS_URL": "set STEPGRAD_WORKERS_URL for a web; a worker listens on STEPGRAD_HOST and STEPGRAD_PORT.",
    "REDIS_PLAIN": "set STEPGRAD_WORKERS_PLAIN.",
    "RUNS_WITHOUT_REDIS": "a web runs snippets itself if STEPGRAD_WORKERS_URL is not set.",
    "WEB_ADDRESS": "the proxy sends all requests of a room to one web, by a consistent hash of the code (docs/haproxy.cfg).",
}
"""Settings of earlier releases, each with what replaces it."""


def unknown_variables(names: Iterable[str]) -> list[str]:
    """A sentence for each of these names of environment variables that begins with STEPGRAD_ and is no setting."""
    known = [name.upper() for name in Settings.model_fields]
    known += [f"LIMITS__{name.upper()}" for name in RunLimits.model_fields]
    sentences = []
    for variable in sorted(names):
        prefix, name = variable[: len("STEPGRAD_")].upper(), variable[len("STEPGRAD_") :].upper()
        if prefix == "STEPGRAD_" and name in GONE:
            sentences.append(f"{variable} is no longer a setting: {GONE[name]}")
        elif prefix == "STEPGRAD_" and name not in known:
            meant = "".join(f" Did you mean STEPGRAD_{near}?" for near in get_close_matches(name, known, n=1))
            sentences.append(f"{variable} is no setting.{meant}")
    return sentences


def runs_for(cores: int, memory_bytes: int, run_bytes: int) -> int:
    """How many runs go at the same time: two per core, as long as all of them at their limit fit into 0.6 of the memory."""
    return max(1, min(2 * cores, int(0.6 * memory_bytes / run_bytes)))


def memory_of_this_machine(cgroup: Path = Path("/sys/fs/cgroup"), groups: Path = Path("/proc/self/cgroup")) -> int:
    """Bytes of memory that this process may use: the machine's, or what its container or its service has."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in _memory_limits(cgroup, groups):
        try:
            machine = min(machine, int(limit.read_text()))
        except (OSError, ValueError):  # not this version of cgroups, not mounted here, or "max"
            continue
    return machine


def _memory_limits(cgroup: Path, groups: Path) -> Iterator[Path]:
    """Where a limit may stand: in the group that the file `groups` names, of either version of cgroups, and in all above it."""
    try:
        lines = groups.read_text().splitlines()
    except OSError:
        lines = []
    for line in ("0::/", "1:memory:/", *lines):  # within a container, a group has another name outside than where it is mounted
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            root, name = (cgroup / "memory", "memory.limit_in_bytes") if controllers else (cgroup, "memory.max")
            group = root / path.lstrip("/")
            yield from (above / name for above in (group, *group.parents) if above.is_relative_to(root))


def is_loopback(host: str) -> bool:
    """Whether `host`, a name or an address without brackets or port, means this machine and no other."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
