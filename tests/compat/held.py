"""Stored data of commit 1becf7c, which must work with every later version: links, addresses and browser storage.

The files in tests/compat are never regenerated. `store.sqlite.gz` contains eight links; `served.json.gz` the API's response
for each link, and the corrected gradients of one; `shown.json` the step that the page showed at each address; `profile.json`
the browser storage of a visitor who has set every preference; `schemas.json.gz` the JSON Schemas of FORMAT.md.
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
"""The ids of the links, by what their programs do."""
SHOWN: dict[str, dict[str, str]] = json.loads((FOLDER / "shown.json").read_text("utf-8"))
PROFILE: dict[str, dict[str, str]] = json.loads((FOLDER / "profile.json").read_text("utf-8"))
SCHEMAS: dict[str, Any] = _unpacked("schemas.json.gz")


@contextmanager
def running_on_store() -> Iterator[Hosted]:
    """Yield a server of the current version with a copy of the database."""
    # A server started by root changes to another user, who cannot read pytest's temporary directory.
    data = Path(tempfile.mkdtemp(prefix="stepgrad-store-"))
    try:
        data.chmod(0o755)
        (data / "stepgrad.sqlite").write_bytes(gzip.decompress((FOLDER / "store.sqlite.gz").read_bytes()))
        with hosted(data=str(data)) as up:
            yield up
    finally:
        shutil.rmtree(data)
