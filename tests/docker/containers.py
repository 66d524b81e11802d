"""Start containers of the image with the command in the Dockerfile."""

import json
import os
import shlex
import subprocess
import uuid
from pathlib import Path
from typing import Final

import httpx

PROJECT: Final = Path(__file__).parents[2]
IMAGE: Final = "stepgrad:check"
DOCKER: Final = shlex.split(os.environ.get("DOCKER", "docker"))
BUILD_OPTIONS: Final = shlex.split(os.environ.get("DOCKER_BUILD", ""))
LARGEST_IMAGE: Final = 1_150_000_000
"""The maximum size of the image in bytes, as stated in docs/operating.md."""
READY: Final = "Stepgrad is at "


def docker(*arguments: str, content: bytes | None = None, fails: bool = False) -> str:
    """Run `docker` with these arguments, and return its output. Raises AssertionError if the exit status is unexpected."""
    ended = subprocess.run([*DOCKER, *arguments], input=content, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=PROJECT)
    said = ended.stdout.decode(errors="replace").strip()
    assert (ended.returncode != 0) == fails, f"docker {' '.join(arguments)}: exit code {ended.returncode}\n{said[-4000:]}"
    return said


def documented() -> list[str]:
    """Return the options of the `docker run` line at the top of the Dockerfile."""
    lines = (PROJECT / "Dockerfile").read_text("utf-8").splitlines()
    comment = "\n".join(line.removeprefix("#") for line in lines if line.startswith("#"))
    line = comment[comment.index(" docker run ") :].replace("\\\n", " ").splitlines()[0]
    _, _, *options, image = shlex.split(line)
    assert image == "stepgrad", line
    return options


def options(volume: str, *more: str) -> list[str]:
    """Return the documented options, with another volume and any free port."""
    changed = {"stepgrad:/data": f"{volume}:/data", "127.0.0.1:8000:8000": "127.0.0.1::8000"}
    known = documented()
    assert changed.keys() <= set(known), known
    return [*(changed.get(word, word) for word in known), *more]


class Container:
    """A container of the image, and its volume, which remains when the container is removed."""

    def __init__(self) -> None:
        self.name = f"stepgrad-check-{uuid.uuid4().hex[:8]}"
        self.volume = f"{self.name}-data"

    def start(self) -> None:
        """Start the container with the documented command."""
        docker("run", "--detach", "--name", self.name, *options(self.volume), IMAGE)
        self.wait_until_up(times=1)

    def wait_until_up(self, times: int) -> None:
        """Wait until the container has logged `times` times that it is ready."""
        with subprocess.Popen(
            [*DOCKER, "logs", "--follow", self.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as logs:
            assert logs.stdout is not None
            said = []
            for line in logs.stdout:
                said.append(line)
                if sum(line.startswith(READY) for line in said) == times:
                    logs.kill()
                    return
        raise AssertionError("the container ended: " + "".join(said[-20:]))

    @property
    def url(self) -> str:
        """Return the server's URL. The server's port changes with each start."""
        return f"http://{docker('port', self.name, '8000').splitlines()[0]}"

    def client(self) -> httpx.Client:
        """Return an HTTP client with a timeout longer than any run."""
        return httpx.Client(base_url=self.url, timeout=120, verify=False)

    def exit_code(self) -> int:
        """Return the exit status of a stopped container."""
        return int(docker("inspect", "--format", "{{.State.ExitCode}}", self.name))

    def check_health(self) -> None:
        """Run the HEALTHCHECK command. Raises AssertionError if the command fails."""
        command = json.loads(docker("image", "inspect", "--format", "{{json .Config.Healthcheck.Test}}", IMAGE))
        assert command[0] == "CMD"
        docker("exec", self.name, *command[1:])

    def remove(self) -> None:
        """Stop and remove the container, but keep its volume."""
        docker("rm", "--force", self.name)

    def remove_with_volume(self) -> None:
        """Stop and remove the container and its volume."""
        self.remove()
        docker("volume", "rm", "--force", self.volume)
