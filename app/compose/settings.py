"""All settings of a Stepgrad process, each with its default and a description.

The values come from STEPGRAD_* environment variables.
"""

import os
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Final, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.networks import is_loopback
from app.sandbox.tiers import Tier
from app.sandbox.unroot import UNPRIVILEGED_UID
from app.trace.records import Limits

Positive = Annotated[int, Field(ge=1, le=2**53)]
Rate = Annotated[float, Field(gt=0, le=1e9)]
DEFAULTS = Limits()


def _parts(listed: object) -> object:
    """Split a comma-separated list, as in an environment variable."""
    return tuple(part.strip() for part in listed.split(",") if part.strip()) if isinstance(listed, str) else listed


def _keys(listed: object) -> object:
    """Decode signing keys that are separated by commas. The message of a ValueError contains no part of a key."""
    if not isinstance(listed, str):
        return listed
    keys = []
    for part in (part.strip() for part in listed.split(",") if part.strip()):
        try:
            keys.append(bytes.fromhex(part) if len(part) == 64 else urlsafe_b64decode(part.replace("+", "-").replace("/", "_")))
        except ValueError:
            keys.append(b"")
    if any(len(key) != 32 for key in keys) or len(keys) > 2:
        raise ValueError(
            "signing_keys: must be one or two keys, separated by a comma, each of 32 bytes in hexadecimal or base64."
        )
    return tuple(keys)


Names = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_parts)]
HostNames = Annotated[tuple[Annotated[str, StringConstraints(to_lower=True)], ...], NoDecode, BeforeValidator(_parts)]
Contact = Annotated[str, StringConstraints(pattern=r"^((mailto:|https://|tel:)[!-~]+)?$")]
"""A URI, as required by RFC 9116."""
WebAddress = Annotated[str, StringConstraints(pattern=r"^(https?://[a-zA-Z0-9.:\[\]-]+)?$")]
ORIGIN = r"^https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$"
Origin = Annotated[str, StringConstraints(to_lower=True, pattern=ORIGIN)]
Origins = Annotated[tuple[Origin, ...], NoDecode, BeforeValidator(_parts)]
"""Origins, each with a scheme, a host and optionally a port. No character that ends a directive of a Content-Security-Policy is
allowed."""
ReaderOrigins = Annotated[
    tuple[Annotated[str, StringConstraints(to_lower=True, pattern=rf"^\*$|{ORIGIN}")], ...], NoDecode, BeforeValidator(_parts)
]
"""The same as Origins, but `*` (all origins) is also allowed."""
SigningKeys = Annotated[tuple[bytes, ...], NoDecode, BeforeValidator(_keys)]
Networks = Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode, BeforeValidator(_parts)]


class RunLimits(BaseModel):
    """Limits of one run, with the defaults of the trace format. An example of a variable is STEPGRAD_LIMITS__WALL_SECONDS."""

    model_config = ConfigDict(extra="forbid")

    wall_seconds: float = Field(
        default=DEFAULTS.wall_seconds, gt=0, le=600, description="Wall-clock seconds that a run may take."
    )
    cpu_seconds: Positive = Field(default=DEFAULTS.cpu_seconds, description="Seconds of processor time that a run may take.")
    memory_bytes: Positive = Field(
        default=DEFAULTS.memory_bytes, description="Bytes of memory that a run may use in addition to the memory of torch."
    )
    output_bytes: Positive = Field(default=DEFAULTS.output_bytes, description="Bytes that a snippet may print.")
    source_bytes: Positive = Field(default=DEFAULTS.source_bytes, description="Size limit of a snippet, in bytes of UTF-8.")
    tmp_bytes: Positive = Field(
        default=DEFAULTS.tmp_bytes, description="Bytes of files that a run may write to its private /tmp."
    )
    threads: Positive = Field(default=DEFAULTS.threads, description="Threads that a run may have.")
    statements: Positive = Field(
        default=DEFAULTS.statements, description="Statements that are recorded before the run is stopped."
    )
    steps: Positive = Field(
        default=DEFAULTS.steps, description="Steps of all kinds that are recorded before the run is stopped."
    )
    trace_bytes: Positive = Field(
        default=DEFAULTS.trace_bytes, description="Size limit of a recording before compression, in bytes."
    )
    cells: int = Field(
        default=DEFAULTS.cells,
        ge=1,
        le=16384,
        description="Maximum number of elements of a Storage or Gradient whose values are all recorded.",
    )

    def limits(self) -> Limits:
        """Convert to the Limits that the server sends with a run."""
        return Limits(**self.model_dump())


class Settings(BaseSettings):
    """The settings of one process. `Settings()` reads the environment; tests pass values."""

    model_config = SettingsConfigDict(env_prefix="STEPGRAD_", env_nested_delimiter="__", extra="forbid")

    host: str = Field(default="127.0.0.1", min_length=1, description="Address to listen on.")
    accept_tier: Tier | None = Field(
        default=None,
        description="Lowest tier of the sandbox that is accepted: A, A- or B. Default: A for a worker and for a server that other "
        "machines can reach (`host`, `hosts`, `proxies`), else B.",
    )
    port: int = Field(default=8000, ge=0, le=65535, description="TCP port to listen on; 0 chooses a free one.")
    data: Path = Field(default=Path("data"), description="Directory for the store and other persistent files.")
    database: str = Field(
        default="",
        description="URL of the database, such as postgresql://user:password@host/name. Empty: an SQLite file in the data "
        "directory.",
    )
    workers_url: WebAddress = Field(
        default="",
        description="Address of the workers, or of the proxy in front of them, such as http://127.0.0.1:8100. Empty: this server "
        "runs snippets itself.",
    )
    gpu_workers_url: WebAddress = Field(
        default="", description="Address of the workers for runs that need a GPU. Empty: the other workers get these runs."
    )
    workers_plain: bool = Field(
        default=False,
        description="Send snippets to another machine unencrypted. Use this only in a private network.",
    )
    tls_certificate: str = Field(
        default="",
        description="PEM file with the certificate of this worker, or of this server for its workers. Empty: none.",
    )
    tls_key: str = Field(default="", description="PEM file with the key of that certificate.")
    tls_authority: str = Field(
        default="",
        description="PEM file with the certificate authority of the other side. Empty: no encryption.",
    )
    signing_keys: SigningKeys = Field(
        default=(),
        repr=False,
        description="One or two keys for cookies and tokens, separated by a comma; the first one signs. Empty: the keys in the "
        "store.",
    )
    store_bytes: Positive = Field(
        default=10 << 30, description="Size limit of the store in bytes. Above it no new links are accepted."
    )
    address_links_per_day: Positive = Field(
        default=2000, description="Links that one network address may create per day (UTC)."
    )
    address_bytes_per_day: Positive = Field(
        default=1 << 30, description="Bytes of links that one network address may create per day (UTC)."
    )
    visitor_links_per_day: Positive = Field(
        default=500, description="Links that one visitor may create per day, so that others at the same address can also share."
    )
    expire_days: int = Field(
        default=0, ge=0, le=36500, description="Delete a link this many days after its last visit; 0: never."
    )
    recent_bytes: Positive = Field(
        default=64 << 20,
        description="Bytes of recent recordings kept in memory, so that Share stores the run that the visitor saw.",
    )
    packed_bytes: Positive = Field(default=1 << 30, description="Bytes on disk for the cache of compressed large recordings.")
    limits: RunLimits = Field(default=RunLimits(), description="Limits of one run.")
    runs_in_flight: Positive = Field(
        default_factory=lambda given: runs_for(
            len(os.sched_getaffinity(0)), memory_of_this_machine(), given["limits"].memory_bytes
        ),
        description="Runs at the same time. Default: 2 per core, at most 60 % of the memory; with workers, their slots.",
    )
    runs_of_one_address: Positive = Field(
        default=300, description="Active and queued runs of one network address, which a whole class may share."
    )
    gpu_runs: int = Field(
        default=0,
        ge=0,
        description="Runs at the same time on each CUDA device, for trusted classes only; 0: the devices are not used.",
    )
    queue_length: int = Field(
        default=300, ge=0, description="Number of runs that may wait in the queue; further runs are refused."
    )
    queue_seconds: float = Field(default=20.0, gt=0, description="Seconds that a run may wait before it is refused.")
    trial_seconds: float = Field(
        default=2.0,
        ge=0,
        description="Test the fixes of a run in the background if the run took at most this many seconds; 0: no tests.",
    )
    visitor_per_second: Rate = Field(default=5, description="Average requests per second of one visitor.")
    visitor_burst: Rate = Field(default=60, description="Requests that one visitor may make at once.")
    address_per_second: Rate = Field(
        default=200, description="Average requests per second of one network address, which a whole class may share."
    )
    address_burst: Rate = Field(default=1200, description="Requests that one network address may make at once.")
    room_members: Positive = Field(default=400, description="Members of one room at the same time.")
    rooms_of_one_address: Positive = Field(default=3, description="Open rooms that one network address may create.")
    rooms: Positive = Field(default=100, description="Open rooms in total. Each uses up to 2 MB of memory.")
    room_hours: float = Field(default=24.0, gt=0, le=24 * 365, description="Hours after which a room ends.")
    connections: Positive = Field(
        default=4000,
        description="Connections at the same time. Above this limit, idle connections are closed.",
    )
    idle_connections_of_one_address: Positive = Field(
        default=1000,
        description="Idle connections of one network address. Does not apply to proxies.",
    )
    notice_seconds: float = Field(
        default=0.0,
        ge=0,
        le=600,
        description="Seconds between SIGTERM and the stop of a web. Its health check fails meanwhile, so that a proxy can remove "
        "it.",
    )
    drain_seconds: float = Field(
        default=10.0,
        ge=0,
        le=600,
        description="Seconds that requests and runs may take to finish after a stop. A web waits 15 s more for stuck requests.",
    )
    proxies: Networks = Field(
        default=(),
        description="Networks of trusted proxies, whose X-Forwarded-For is used, such as 10.0.0.0/8, separated by commas.",
    )
    operators: Networks = Field(
        default=(ip_network("127.0.0.0/8"), ip_network("::1")),
        description="Networks that may read /metrics and the details of the health check, separated by commas. Keep 127.0.0.0/8.",
    )
    public_address: WebAddress = Field(
        default="",
        description="Public URL of the site, such as https://stepgrad.example. Empty: the address of each request.",
    )
    embed_ancestors: Origins = Field(
        default=(),
        description="Origins of pages that may show recordings in a frame, such as https://course.example, separated by commas.",
    )
    cors_origins: ReaderOrigins = Field(
        default=(),
        description="Origins of pages whose scripts may read links, such as https://course.example, separated by commas. *: all.",
    )
    contact: Contact = Field(
        default="",
        description="Contact for security reports, as mailto:... or https://...; shown in /.well-known/security.txt. Empty: no "
        "such file.",
    )
    hosts: HostNames = Field(
        default=(),
        description="Accepted host names in addition to localhost and the server's IP address, separated by commas.",
    )
    body_bytes: Positive = Field(
        default=2 << 20, description="Size limit of a request body, in bytes. JSON escapes make a snippet larger."
    )
    imports: Names = Field(
        default=("torch", "numpy"),
        description="Pure-Python packages that snippets may import in addition to torch, numpy and the standard library, separated "
        "by commas.",
    )
    unprivileged_uid: int = Field(
        default=UNPRIVILEGED_UID,
        ge=1,
        le=2**32 - 2,
        description="User id that the server switches to when it is started as root.",
    )
    reload: bool = Field(default=False, description="Read static files again for every page, for work on the player.")

    @model_validator(mode="after")
    def _reaches_workers_safely(self) -> Self:
        for name in ("workers_url", "gpu_workers_url"):
            address = getattr(self, name)
            try:
                url = urlsplit(address)
                port = url.port
            except ValueError:
                raise ValueError(f"{name}: not a valid URL of a worker. Example: http://127.0.0.1:8100.") from None
            if port == 0 or (address and not url.hostname):
                raise ValueError(f"{name}: not a valid URL of a worker. Example: http://127.0.0.1:8100.")
            if url.scheme == "http" and not self.workers_plain and not is_loopback(url.hostname or ""):
                raise ValueError(
                    f"{name}: http:// sends snippets to another machine in plain text. Use https:// and STEPGRAD_TLS_AUTHORITY, "
                    "or set STEPGRAD_WORKERS_PLAIN=true if the network between this server and its workers is private."
                )
            if url.scheme == "https" and not self.tls_authority:
                raise ValueError(f"{name}: https:// needs STEPGRAD_TLS_AUTHORITY, the authority of the workers' certificates.")
        if bool(self.tls_certificate) != bool(self.tls_key):
            raise ValueError("tls_certificate: set both tls_certificate and tls_key, or neither.")
        return self

    @property
    def needed_tier(self) -> Tier:
        """The lowest tier of the sandbox with which the server starts. Through a proxy, other machines can reach a server on
        loopback."""
        lets_others_in = not is_loopback(self.host) or self.hosts or self.proxies
        return self.accept_tier or (Tier.A if lets_others_in else Tier.B)

    @property
    def served(self) -> str:
        """The server's address, with the settings that let other machines reach the server, for messages to operators."""
        listed = [name for name in ("hosts", "proxies") if getattr(self, name)]
        names = " and ".join(f"STEPGRAD_{name.upper()}" for name in listed)
        return f"{self.host} with {names} set" if names else self.host

    @property
    def missing_for_others(self) -> list[str]:
        """A sentence for each missing setting that a public server needs. Empty if the server listens only on loopback."""
        if is_loopback(self.host):
            return []
        sentences = []
        if not self.hosts:
            sentences.append("The only accepted host name is localhost: set STEPGRAD_HOSTS.")
        if not self.proxies:
            sentences.append("HTTP without TLS: use a proxy with TLS, and set STEPGRAD_PROXIES.")
        return sentences

    @property
    def database_url(self) -> str:
        """The URL of the store: `database`, or the SQLite file in the data directory."""
        return self.database or f"sqlite+aiosqlite:///{self.data.absolute() / 'stepgrad.sqlite'}"


GONE: Final = {
    "REDIS_URL": "set STEPGRAD_WORKERS_URL for a web; a worker listens on STEPGRAD_HOST and STEPGRAD_PORT.",
    "REDIS_PLAIN": "set STEPGRAD_WORKERS_PLAIN.",
    "RUNS_WITHOUT_REDIS": "a web runs snippets itself if STEPGRAD_WORKERS_URL is not set.",
    "WEB_ADDRESS": "the proxy sends all requests of a room to one web, by a consistent hash of the code (docs/haproxy.cfg).",
}
"""Settings of earlier releases, each with its replacement."""


def unknown_variables(names: Iterable[str]) -> list[str]:
    """One sentence for each environment variable that begins with STEPGRAD_ and is not a setting."""
    known = [name.upper() for name in Settings.model_fields]
    known += [f"LIMITS__{name.upper()}" for name in RunLimits.model_fields]
    sentences = []
    for variable in sorted(names):
        prefix, name = variable[: len("STEPGRAD_")].upper(), variable[len("STEPGRAD_") :].upper()
        if prefix == "STEPGRAD_" and name in GONE:
            sentences.append(f"{variable} is no longer a setting: {GONE[name]}")
        elif prefix == "STEPGRAD_" and name not in known:
            meant = "".join(f" Did you mean STEPGRAD_{near}?" for near in get_close_matches(name, known, n=1))
            sentences.append(f"{variable} is not a setting.{meant}")
    return sentences


def runs_for(cores: int, memory_bytes: int, run_bytes: int) -> int:
    """The default number of slots: two per core, or fewer if their memory limits exceed 60 % of the memory."""
    return max(1, min(2 * cores, int(0.6 * memory_bytes / run_bytes)))


def memory_of_this_machine(cgroup: Path = Path("/sys/fs/cgroup"), groups: Path = Path("/proc/self/cgroup")) -> int:
    """Bytes of memory that this process may use: the memory of the machine, or the limit of its container or service."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for limit in _memory_limits(cgroup, groups):
        try:
            machine = min(machine, int(limit.read_text()))
        except (OSError, ValueError):  # the file belongs to another version of cgroups, is not mounted, or contains "max"
            continue
    return machine


def _memory_limits(cgroup: Path, groups: Path) -> Iterator[Path]:
    """The files that may contain a memory limit.

    They are in the cgroup that the file `groups` names (version 1 or 2) and in all parents of this cgroup.
    """
    try:
        lines = groups.read_text().splitlines()
    except OSError:
        lines = []
    for line in ("0::/", "1:memory:/", *lines):  # in a container, the cgroup is mounted under another path
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            root, name = (cgroup / "memory", "memory.limit_in_bytes") if controllers else (cgroup, "memory.max")
            group = root / path.lstrip("/")
            yield from (above / name for above in (group, *group.parents) if above.is_relative_to(root))
