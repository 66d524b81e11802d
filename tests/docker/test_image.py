"""Build, start, use, attack, kill, restart and upgrade the container image as documented. The tests must run in this order."""

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.page import Tutor, launched
from tests.compat.held import FOLDER, LINKS, SERVED
from tests.docker.containers import BUILD_OPTIONS, IMAGE, LARGEST_IMAGE, PROJECT, Container, docker, options
from tests.sandbox.test_surroundings import ATTACKS, SNIPPET
from tests.sandbox.test_workload import SNIPPETS

pytestmark = pytest.mark.docker


@pytest.fixture(scope="module")
def image() -> None:
    """Build the image; Docker reuses unchanged layers."""
    docker("build", "--tag", IMAGE, *BUILD_OPTIONS, ".")


@pytest.fixture(scope="module")
def container(image: None) -> Iterator[Container]:
    """Start a container for all tests, with a database of an earlier version."""
    container = Container()
    try:
        fill = "import sys; open('/data/stepgrad.sqlite', 'wb').write(sys.stdin.buffer.read())"
        store = gzip.decompress((FOLDER / "store.sqlite.gz").read_bytes())
        docker(
            "run", "--rm", "--interactive", "--volume", f"{container.volume}:/data", IMAGE, "python", "-c", fill, content=store
        )
        container.start()
        yield container
    finally:
        container.remove_with_volume()


@pytest.fixture(scope="module")
def shared(container: Container) -> str:
    """Run a lesson, share it, and open the link as another visitor. Return the path of the link."""
    with launched() as browser:
        tutor = Tutor(browser, container.url)
        tutor.open("/lessons/data-hides-the-write")
        tutor.run()
        tutor.step_to(8)
        tutor.page.get_by_role("button", name="Share").click()
        link = tutor.page.get_by_role("textbox", name="Link", exact=True).input_value().removeprefix(tutor.url)
        other = Tutor(browser, container.url)
        other.open(link)
        other.wait()
        other.at_step(8)
        other.page.reload()
        other.wait()
        other.at_step(8)
        expect(other.page.locator('[data-finding="silently_wrong_gradient"]')).to_be_visible()
        assert other.picture() == tutor.picture()
        assert tutor.complaints + other.complaints == []
    return link.partition("#")[0]


def test_what_is_in_the_image(image: None) -> None:
    size = int(docker("image", "inspect", "--format", "{{.Size}}", IMAGE))
    print(f"{size / 1e6:.0f} MB")
    assert size < LARGEST_IMAGE
    tools = "for tool in pip node gcc git curl; do command -v $tool; done; python -c 'import pip' 2>&1 | tail -1"
    assert docker("run", "--rm", IMAGE, "sh", "-c", tools) == "ModuleNotFoundError: No module named 'pip'"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--security-opt", "seccomp="), "in Docker --security-opt seccomp=seccomp.json"),
        (("--volume", "/var/empty-for-stepgrad:/data"), "The data directory /data cannot be written by the user"),
        (("--env", "STEPGRAD_PORT=many"), "port: "),
        (("--env", "STEPGRAD_DATABASE=postgresql://nobody@127.0.0.1:1/none"), "stepgrad: "),
    ],
    ids=["without the profile", "somebody else's directory", "a setting that is none", "no database"],
)
def test_a_start_that_fails_says_one_sentence(image: None, more: tuple[str, ...], sentence: str) -> None:
    known = options("unused")
    if more[0] == "--security-opt":  # removes the option and its value
        at = known.index("seccomp=seccomp.json")
        known, more = known[: at - 1] + known[at + 1 :], ()
    if more[:1] == ("--volume",):
        at = known.index("unused:/data")
        known = known[: at - 1] + known[at + 1 :]
    known.remove("--init")
    said = docker("run", "--rm", *known, *more, IMAGE, fails=True)
    assert said.count("\n") == 0 and said.startswith("stepgrad: ") and sentence in said, said


def test_every_layer_holds_and_nobody_is_root(container: Container) -> None:
    health = json.loads(docker("exec", container.name, "python", "-c", READ_HEALTH))
    assert (health["status"], health["tier"]) == ("ok", "A")
    container.check_health()
    slow = "import time\ntime.sleep(3)\n"
    with container.client() as client:
        running = threading.Thread(target=client.post, args=("/api/v1/traces",), kwargs={"json": {"source": slow}})
        running.start()
        users = docker("top", container.name, "-eo", "uid,pid,args").splitlines()[1:]
        running.join()
    assert len(users) > 2 and [line for line in users if line.split()[0] == "0"] == []


READ_HEALTH = """
import urllib.request
print(urllib.request.urlopen("http://127.0.0.1:8000/api/v1/health", timeout=30).read().decode())
"""


def test_the_journey_of_a_visitor(container: Container, shared: str) -> None:
    with container.client() as client:
        assert client.get(f"/api/v1{shared.replace('/s/', '/snippets/')}").status_code == 200


@pytest.mark.parametrize("name", SNIPPETS)
def test_all_of_torch_is_there(container: Container, name: str) -> None:
    with container.client() as client:
        answer = client.post("/api/v1/traces", json={"source": SNIPPETS[name]})
        assert answer.status_code == 200, answer.text
        assert answer.json()["trace"]["ended"]["kind"] in ("finished", "timed_out"), answer.json()["trace"]["ended"]


def test_links_of_an_earlier_version_open(container: Container) -> None:
    with container.client() as client:
        for name, link in LINKS.items():
            answer = client.get(f"/api/v1/snippets/{link}")
            assert answer.status_code == 200, name
            assert answer.json()["document"]["trace"] == SERVED["served"][name]["document"]["trace"], name


def test_a_link_outlives_kill_restart_and_upgrade(container: Container, shared: str) -> None:
    def check() -> None:
        with container.client() as client:
            assert client.get(shared).status_code == 200
            assert client.post("/api/v1/traces", json={"source": SNIPPET}).status_code == 200

    docker("kill", container.name)  # sends SIGKILL
    docker("start", container.name)
    container.wait_until_up(times=2)
    check()
    docker("restart", container.name)
    container.wait_until_up(times=3)
    check()
    told = docker("exec", container.name, "stepgrad", "backup", "/data/backup.sqlite")
    assert told.startswith(f"Copied {len(LINKS) + 1} links, ")
    with container.client() as client, ThreadPoolExecutor(1) as pool:
        running = pool.submit(client.post, "/api/v1/traces", json={"source": "import time\nprint(1)\ntime.sleep(4)\n"})
        while json.loads(docker("exec", container.name, "python", "-c", READ_HEALTH))["running"] == 0:
            assert not running.done()
        docker("stop", container.name)
        assert running.result().json()["trace"]["ended"]["kind"] == "finished"
    assert container.exit_code() != 137, "it had to be killed"
    container.remove()  # upgrades by starting another container with the same volume
    container.start()
    check()


def test_every_attack(image: None, tmp_path: Path) -> None:
    """The packages that the attacks need are built for the image's version of Python, and mounted into the container."""
    asked = "import sys, sysconfig; print('%d.%d' % sys.version_info[:2], sysconfig.get_path('purelib'))"
    python, site = docker("run", "--rm", IMAGE, "python", "-c", asked).split()
    packages, lent = tmp_path / "packages", tmp_path / "lent.pth"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--require-hashes"]
    lock = ["--only-binary=:all:", "--python-version", python, "--target", str(packages), "-r", "requirements/test.txt"]
    subprocess.run([*pip, *lock], check=True, cwd=PROJECT)
    lent.write_text("/opt/packages\n")  # Python searches this folder after the image's own packages
    volumes = {PROJECT / "tests": "/opt/stepgrad/tests", packages: "/opt/packages", lent: f"{site}/lent.pth"}
    mounts = [word for place, there in volumes.items() for word in ("--volume", f"{place}:{there}:ro")]
    container = Container()
    try:
        said = docker("run", "--rm", *options(container.volume), *mounts, IMAGE, "python", "-B", "-c", ATTACKS)
    finally:
        docker("volume", "rm", "--force", container.volume)
    assert int(said.split(" passed")[0].split()[-1]) > 107, said[-2000:]
