"""Data from commit 1becf7c that others may still have, and that is never regenerated: links, addresses, browser storage.

`store.sqlite.gz` has eight links. `served.json.gz` has the API's response for each, and the corrected gradients of one;
`shown.json` has the step that the page showed at an address; `profile.json` is the storage of a visitor with every preference
set; `schemas.json.gz` has the JSON Schemas of FORMAT.md.
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
"""By what their programs do, the ids of the links."""
SHOWN: dict[str, dict[str, str]] = json.loads((FOLDER / "shown.json").read_text("utf-8"))
PROFILE: dict[str, dict[str, str]] = json.loads((FOLDER / "profile.json").read_text("utf-8"))
SCHEMAS: dict[str, Any] = _unpacked("schemas.json.gz")


@contextmanager
def running_on_store() -> Iterator[Hosted]:
    """A server of today on a copy of the store."""
    # Not below pytest's own directory, which belongs to its user alone: the server gives root up.
    data = Path(tempfile.mkdtemp(prefix="stepgrad-store-"))
    try:
        data.chmod(0o755)
        (data / "stepgrad.sqlite").write_bytes(gzip.decompress((FOLDER / "store.sqlite.gz").read_bytes()))
        with hosted(data=str(data)) as up:
            yield up
    finally:
        shutil.rmtree(data)
