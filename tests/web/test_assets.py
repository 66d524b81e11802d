"""Static files: the server reads only files that it serves, and refuses to start with an outdated bundle."""

import gzip
import shutil
from pathlib import Path

import pytest

from app.errors import CommandError
from app.web.pages.assets import SERVED, STATIC, Asset, Assets, sources_digest


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """Return a copy of `static/`."""
    return Path(shutil.copytree(STATIC, tmp_path / "static"))


def test_only_served_folders_are_read(static: Path) -> None:
    files = Assets.read(static).files
    assert {name.partition("/")[0] for name in files} == set(SERVED)
    assert "bundle/player.js" in files and "vendor/ui.js" in files


@pytest.mark.parametrize("name", ["js/pages/player.js", "js/new.js", "css/page.css"])
def test_a_changed_source_is_told_with_what_to_do(static: Path, name: str) -> None:
    with (static / name).open("a") as source:
        source.write("\n")
    with pytest.raises(CommandError, match="does not match static/js and static/css: run `make bundle`"):
        Assets.read(static)


def test_a_removed_source_is_a_change(static: Path) -> None:
    (static / "css" / "lesson.css").unlink()
    with pytest.raises(CommandError):
        Assets.read(static)


def test_an_installation_has_the_bundle_alone(static: Path) -> None:
    for folder in ("js", "css"):
        shutil.rmtree(static / folder)
    assert Assets.read(static).build == Assets.read().build


def test_declarations_are_no_source(static: Path) -> None:
    before = sources_digest(static)
    (static / "js" / "trace.d.ts").write_text("")
    assert sources_digest(static) == before


def test_the_modules_of_scripts_are_named_once() -> None:
    assets = Assets.read()
    modules = assets.modules("player.js", "lesson.js")
    assert modules[0] == f"{assets.prefix}/bundle/player.js"
    assert len(modules) == len(set(modules)) and set(assets.modules("player.js")) < set(modules)


def test_a_file_is_compressed_if_that_makes_it_smaller() -> None:
    assert gzip.decompress(Asset("long.js", b"ab" * 50).gzipped or b"") == b"ab" * 50
    assert Asset("short.js", b"ab").gzipped is None
    assert Asset("font.woff2", b"ab" * 50).gzipped is None
