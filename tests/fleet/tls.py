"""Create certificates for web processes and workers with the tool for operators."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fleet.running import RunningWorker, running_worker

TOOL = Path(__file__).parents[2] / "docs/certificates.py"


def certificates(folder: Path, *words: str) -> None:
    made = subprocess.run([sys.executable, str(TOOL), *words], cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr


def of_haproxy(folder: Path) -> str:
    """Return the TLS options in haproxy-workers.cfg."""
    files = f"ca-file {folder}/workers.pem crt {folder}/web-1.pem crl-file {folder}/revoked.pem"
    return f"ssl verify required {files}"


@contextmanager
def encrypted_worker(folder: Path) -> Iterator[RunningWorker]:
    """Run a worker with the certificate worker-1. The worker drops root before it reads the certificate and key, so it gets
    copies that it can read.
    """
    copies = Path(tempfile.mkdtemp(prefix="stepgrad-tls-"))
    copies.chmod(0o755)
    for name in ("worker-1.pem", "worker-1.key", "webs.pem"):
        shutil.copy(folder / name, copies / name)
        (copies / name).chmod(0o644)
    files = {"certificate": "worker-1.pem", "key": "worker-1.key", "authority": "webs.pem"}
    try:
        with running_worker(**{f"tls_{setting}": str(copies / name) for setting, name in files.items()}) as up:
            yield up
    finally:
        shutil.rmtree(copies)
