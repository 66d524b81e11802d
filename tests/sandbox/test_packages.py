"""Snippets can import the packages that the operator lists and torch's dependencies, but no other installed package."""

import csv
from dataclasses import replace
from pathlib import Path

import pytest

from app.sandbox import Sandbox, SandboxSettings, SandboxUnavailable
from app.sandbox.inside.layers import Layer
from app.sandbox.packages import packages_of
from app.sandbox.tiers import check_imports
from app.trace.ends import Finished, Raised
from tests.sandbox.conftest import PATIENT, PLAIN, run, said

NEEDED = ("torch", "numpy")


def install(site: Path, name: str, files: dict[str, str], requires: tuple[str, ...] = ()) -> None:
    """Install a package: write its files and the RECORD that lists them."""
    info = f"{name.replace('-', '_')}-1.5.dist-info"
    required = "".join(f"Requires-Dist: {each}\n" for each in requires)
    files = {**files, f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n{required}"}
    for path, text in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    with (site / info / "RECORD").open("w", newline="") as record:
        csv.writer(record).writerows([path, "", ""] for path in (*files, f"{info}/RECORD"))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a directory with Python packages, in addition to site-packages."""
    monkeypatch.syspath_prepend(tmp_path)
    install(tmp_path, "steps-of-one", {"steps_of_one/__init__.py": "WORD = 'one'\n", "steps_of_one/deep/__init__.py": ""})
    install(tmp_path, "shared-first", {"shared_name/first/__init__.py": "WORD = 'first'\n"}, ("steps-of-one>=1",))
    install(
        tmp_path,
        "shared-second",
        {"shared_name/second/__init__.py": "WORD = 'third'\n", "single_second.py": "WORD = 'second'\n"},
    )
    packages_of.cache_clear()
    return tmp_path


def places(*listed: str) -> list[str]:
    """Return the paths in `site` that a run can read."""
    needed = packages_of(NEEDED).places
    return [place for place in packages_of((*NEEDED, *listed)).places if place not in needed]


def test_of_what_is_installed_the_listed_may_be_read(site: Path) -> None:
    assert places() == []
    assert sorted(places("steps_of_one")) == ["steps_of_one", "steps_of_one-1.5.dist-info"]
    found = packages_of((*NEEDED, "steps_of_one"))
    assert (found.extra, found.versions["steps_of_one"]) == (("steps_of_one",), "1.5")
    assert found.places["steps_of_one"] == site / "steps_of_one"
    assert found.versions.keys() == {*NEEDED, "steps_of_one"}


def test_of_a_name_that_packages_share_each_has_its_own_part(site: Path) -> None:
    assert sorted(places("single_second")) == ["shared_name/second", "shared_second-1.5.dist-info", "single_second.py"]


@pytest.mark.parametrize(
    ("name", "files", "requires", "says"),
    [
        (
            "built-one",
            {"built_one/__init__.py": "", "built_one/fast.cpython-311-x86_64-linux-gnu.so": ""},
            (),
            "built_one/fast",
        ),
        ("built-two", {"built_two/__init__.py": "", "built_two.libs/libx.so.6": ""}, (), "built_two.libs/libx.so.6"),
        ("needs-one", {"needs_one/__init__.py": ""}, ("Steps.Of_one",), "STEPGRAD_IMPORTS=torch,numpy,needs_one,steps_of_one"),
        ("needs-none", {"needs_none/__init__.py": ""}, ("nonesuch>=2",), "pip install nonesuch"),
    ],
)
def test_what_cannot_be_listed_is_refused_with_what_to_do(
    site: Path, name: str, files: dict[str, str], requires: tuple[str, ...], says: str
) -> None:
    install(site, name, files, requires)
    with pytest.raises(SandboxUnavailable, match=name.replace("-", "_")) as refused:
        packages_of((*NEEDED, name.replace("-", "_")))
    assert says in str(refused.value) and "\n" not in str(refused.value)


def test_what_is_needed_elsewhere_or_for_an_extra_need_not_be_there(site: Path) -> None:
    markers = ('nonesuch; sys_platform == "win32"', 'nonesuch; extra == "fast"', "numpy>=2", "typing-extensions")
    install(site, "needs-little", {"needs_little.py": ""}, markers)
    assert "needs_little.py" in places("needs_little")


def test_a_package_without_a_list_of_its_files_is_refused(site: Path) -> None:
    install(site, "by-hand", {"by_hand/__init__.py": "", "by_hand-1.5.dist-info/top_level.txt": "by_hand\n"})
    (site / "by_hand-1.5.dist-info" / "RECORD").unlink()
    with pytest.raises(SandboxUnavailable, match="pip install --force-reinstall by-hand"):
        packages_of((*NEEDED, "by_hand"))


SNIPPET = """
def word(name):
    try:
        return __import__(name, fromlist=['x']).WORD
    except ImportError as error:
        return type(error).__name__
import torchgen, typing_extensions
say(', '.join(map(word, ['steps_of_one', 'shared_name.first', 'shared_name.second', 'single_second', 'fastapi', 'pip'])))
"""


@pytest.mark.parametrize("without", [frozenset[Layer](), frozenset({Layer.BUBBLEWRAP, Layer.NAMESPACES})], ids=["A", "B"])
async def test_a_run_imports_what_is_listed_alone(site: Path, without: frozenset[Layer]) -> None:
    listed = (*NEEDED, "steps_of_one", "single_second")
    async with Sandbox(replace(PLAIN, packages=listed, without=without)) as sandbox:
        missing = "ModuleNotFoundError"
        assert await said(sandbox, SNIPPET) == [f"one, {missing}, third, second, {missing}, {missing}"]
        header = (await run(sandbox, "pass")).trace.header
        assert header.packages == {
            "numpy": packages_of(NEEDED).versions["numpy"],
            "steps_of_one": "1.5",
            "single_second": "1.5",
        }
        await check_imports(sandbox, PATIENT)


async def test_a_package_that_no_run_can_import_is_refused_at_start(site: Path) -> None:
    install(site, "wants-sockets", {"wants_sockets.py": "import socket\nsocket.socket()\n"})
    async with Sandbox(SandboxSettings(packages=(*NEEDED, "wants_sockets"))) as sandbox:
        with pytest.raises(SandboxUnavailable, match=r"wants_sockets in STEPGRAD_IMPORTS cannot be imported .*PermissionError"):
            await check_imports(sandbox, PATIENT)
        ended = (await run(sandbox, "import fastapi")).trace.ended
        assert isinstance(ended, Raised) and ended.type == "ModuleNotFoundError"
        assert isinstance((await run(sandbox, "import torch, numpy")).trace.ended, Finished)
