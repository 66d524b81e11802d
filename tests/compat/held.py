"""Data from commit 1becf7c that users may still have: links, addresses, browser storage. It is never regenerated.

`store.sqlite.gz` has eight links. `served.json.gz` contains the API's response for each link, and the corrected gradients of
one link. `shown.json` contains the step that the page showed at an address. `profile.json` is the storage of a visitor with
every preference set. `schemas.json.gz` contains the JSON Schemas of FORMAT.md.
"""

import gzip
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.server import Hosted, hosted

FOLDER = Path(__file__).parent


def _unpacked(name: str) -> Any:
    return json.loads(gzip.decompress((FOLDER / name).read_bytes()))


SERVED: dict[str, Any] = _unpacked("served.json.gz")
LINKS: dict[str, str] = SERVED["links"]
"""The ids of the links, by the behaviour of their programs."""
SHOWN: dict[str, dict[str, str]] = json.loads((FOLDER / "shown.json").read_text("utf-8"))
PROFILE: dict[str, dict[str, str]] = json.loads((FOLDER / "profile.json").read_text("utf-8"))
SCHEMAS: dict[str, Any] = _unpacked("schemas.json.gz")


@contextmanager
def running_on_store() -> Iterator[Hosted]:
    """Yield a current server on a copy of the store."""
    # The server drops root, so it cannot enter pytest's directory, which is private to one user.
    data = Path(tempfile.mkdtemp(prefix="stepgrad-store-"))
    try:
        data.chmod(0o755)
        (data / "stepgrad.sqlite").write_bytes(gzip.decompress((FOLDER / "store.sqlite.gz").read_bytes()))
        with hosted(data=str(data)) as up:
            yield up
    finally:
        shutil.rmtree(data)
