"""Paths, links, sizes and examples in the documentation are correct. HAProxy and other programs accept the sample
configurations.
"""

import itertools
import re
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import scripts
from tests.settings_table import TABLE, settings, table

ROOT = Path(__file__).parent.parent
ARCHITECTURE = ROOT / "app/ARCHITECTURE.md"
PAGES = [
    ROOT / path
    for path in subprocess.run(
        [
            "git",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "*README.md",
            "CONTRIBUTING.md",
            "app/ARCHITECTURE.md",
            "docs/*.md",
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    if "/vendor/" not in path
]

PATH = re.compile(r"[\w.-]+(/[\w.-]+)*/?")
SUFFIX = re.compile(r"\.(py|js|mjs|ts|md|toml|json|ftl|css|html|tbl|txt|lock)$")
MEDIA_TYPE = re.compile(r"(application|text)/[a-z-]+")
MADE = {
    *("run.json", "out.json", "snippet.py"),
    *("tests/explain/snippets/sized-tensor.py.txt", "tests/explain/near_misses/sized-tensor-of-a-list.py.txt"),
    *(
        "app/explain/findings/memory/sized_tensor.py",
        "static/js/panes/story/write-count.js",
        "tests/browser/test_write_count.py",
    ),
}
"""Files that readers create in examples and recipes."""


def paths(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each path in backticks, with the folders that its line names before it."""
    for line in re.sub(r"^ *```.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE).splitlines():
        folders: list[str] = []
        for code in re.findall(r"`([^`]+)`", line):
            names_one = PATH.fullmatch(code) and ("/" in code or SUFFIX.search(code))
            if names_one and code not in MADE and not MEDIA_TYPE.fullmatch(code):
                yield code, folders
                folders = [*folders, code] if code.endswith("/") else folders


def is_there(path: str, page: Path, folders: list[str]) -> bool:
    """Whether a path exists, relative to the root, to the page, or to a folder that the line or a table of the page names."""
    places = [ROOT, page.parent, *(ROOT / folder for folder in folders)]
    if page == ARCHITECTURE:
        places += [ROOT / "static/js", ROOT / "static/js/layout", ROOT / "static/js/lazy"]
    return any((place / path).exists() for place in places)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_path_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    named = list(paths(text))
    assert [path for path, folders in named if not is_there(path, page, folders)] == []
    links = re.findall(r"\]\(([^)#]+)[^)]*\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub generates for the headings of a page."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_a_section_leads_to_one(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text("utf-8"))
    assert [link for link in links if link[1] not in anchors(page.parent / link[0] if link[0] else page)] == []


def test_the_pages_are_found() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in PAGES}
    assert {"README.md", "CONTRIBUTING.md", "app/ARCHITECTURE.md", "app/tracer/README.md", "static/README.md"} <= names
    assert not is_there("app/no_such_file.py", ARCHITECTURE, [])


BESIDE_THE_CODE = [page for page in PAGES if page.name == "README.md" or page == ARCHITECTURE]


@pytest.mark.parametrize("page", BESIDE_THE_CODE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_beside_the_code_is_short(page: Path) -> None:
    assert len(page.read_text("utf-8").splitlines()) <= 120


@pytest.mark.parametrize(
    ("link", "heading"),
    [
        ("docs/install.md", "## Debian 12, Debian 13, Ubuntu 24.04"),
        ("docs/operating.md", "# Operating Stepgrad"),
        ("docs/library.md", "## pytest"),
        ("CONTRIBUTING.md#a-lesson", "## A lesson"),
    ],
)
def test_the_readme_leads_to_what_newcomers_look_for(link: str, heading: str) -> None:
    assert f"]({link})" in (ROOT / "README.md").read_text("utf-8")
    assert heading in (ROOT / link.partition("#")[0]).read_text("utf-8").splitlines()


def test_the_architecture_is_short() -> None:
    lines = ARCHITECTURE.read_text("utf-8").splitlines()
    assert [line for line in lines if len(line) > 110] == []
    glossary = lines[lines.index("## Glossary") :]
    assert len(glossary) <= 40 and not any(line.startswith("## ") for line in glossary[1:])


# --- examples ---------------------------------------------------------------------------------------------------------

EXAMPLE = re.compile(r"^( *)```\w*\n(.*?)^\1```$|(?<=\n\n)((?:    [^\n]*\n|\n(?=    ))+)", re.DOTALL | re.MULTILINE)
"""A fenced or an indented code block."""
ALL_RUN = {"docs/api.md": "tests/web/test_api_page.py", "docs/stories.md": "tests/test_stories.py"}
"""Pages with examples that a test executes."""
RUN_HERE = "import stepgrad"
NOT_RUN = {
    "make run ": "it installs packages: every other test began so",
    "sudo apt-get install git make": "it installs packages: `make matrix` does so on each system",
    "python -m stepgrad ": "it needs a script: tests/test_recorded_script.py runs several",
    "%load_ext stepgrad": "it needs a notebook: tests/test_notebook.py runs one",
    "with stepgrad.guard(sample=0.1) as guard": "it needs Lightning or transformers, which are not installed",
    "uv sync": "it installs packages, as `make run` does",
    "pip install ": "it needs a wheel, and indexes of packages: tests/test_distribution.py builds and installs one",
    "sudo -u postgres": "it needs a PostgreSQL of the system: tests/postgresql.py makes one",
    "export STEPGRAD_HOST=10": "it needs other machines: tests/fleet/test_encrypted.py starts such a worker on this one",
    "export STEPGRAD_WORKERS_URL": "it needs workers: tests/fleet starts some",
    "python3 docs/certificates.py": "tests/fleet/test_encrypted.py runs it with the addresses of this machine",
    "docker build ": "it needs Docker: tests/docker/test_image.py, and the line is compared with the Dockerfile's below",
    "--env STEPGRAD_HOSTS": "it is a part of the line before",
    "abi <abi/": "it needs AppArmor, and the page says that it was not tried",
    ".venv/bin/pip install einops": "it installs a package: tests/browser/test_packages.py serves with packages",
    "sh docs/compose/secrets.sh": "it needs Docker: tests/test_composed.py runs the first line, tests/fleet the services",
    "scrape_configs:": "it is for a Prometheus: tests/test_alerts.py has promtool read the rules",
    "git clone ": "it needs root and systemd: the unit is verified below",
    "stepgrad links ": "it needs a store with just these links: tests/test_store_commands.py runs each command",
    "docker exec ": "it needs Docker: tests/test_store_commands.py makes a backup and restores it",
    "docker stop ": "the same",
}
"""The beginnings of examples that no test executes, with the reason."""


def examples(page: Path) -> list[str]:
    """Return the content of each code block of a page."""
    return [fenced or indented for _, fenced, indented in EXAMPLE.findall(page.read_text("utf-8"))]


def begins(example: str, *known: str) -> list[str]:
    """Return the strings in `known` with which an example begins."""
    return [each for each in known if example.lstrip().startswith(each)]


def test_every_example_runs_or_says_why_not() -> None:
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    found = {page.name: examples(page) for page in pages if page.relative_to(ROOT).as_posix() not in ALL_RUN}
    assert {name: [code for code in codes if not begins(code, RUN_HERE, *NOT_RUN)] for name, codes in found.items()} == {
        name: [] for name in found
    }
    used = [begin for codes in found.values() for code in codes for begin in begins(code, *NOT_RUN)]
    assert sorted(used) == sorted(NOT_RUN), "a reason is for one example, and goes with it"
    for page, test in ALL_RUN.items():
        assert len(examples(ROOT / page)) > 10 and (ROOT / test).exists()


@pytest.mark.parametrize("page", ["README.md", "docs/library.md"])
def test_the_example_of_a_recording_of_one_s_own_runs(page: str, tmp_path: Path) -> None:
    example, *_ = [code for code in examples(ROOT / page) if begins(code, RUN_HERE)]
    given = "import torch\nmodel, batch = torch.nn.Linear(2, 1), torch.ones(3, 2)\n"
    (tmp_path / "example.py").write_text(given + textwrap.dedent(example))
    code, out, errors = scripts.run(tmp_path / "example.py")
    assert (code, errors) == (0, "")
    assert "loss.backward()" in out and (tmp_path / "run.json").read_text().startswith('{"source"')


def test_the_example_of_a_guard_runs(tmp_path: Path) -> None:
    _, example, _ = [code for code in examples(ROOT / "docs/library.md") if begins(code, RUN_HERE)]
    given = "import torch\nmodel, batch = torch.nn.Linear(2, 1), torch.ones(3, 2)\n"
    given += "optimizer = torch.optim.SGD(model.parameters())\n"
    assert scripts.said_by(tmp_path, given + textwrap.dedent(example)) == ""


def test_the_example_of_a_test_of_one_s_own_passes(tmp_path: Path) -> None:
    *_, example = [code for code in examples(ROOT / "docs/library.md") if begins(code, RUN_HERE)]
    (tmp_path / "test_example.py").write_text(textwrap.dedent(example))
    _, out, errors = scripts.run_pytest(tmp_path, "-q", "--stepgrad")
    assert "1 passed" in out, out + errors


# --- for operators ----------------------------------------------------------------------------------------------------

DOCS = ROOT / "docs"
OPERATING = DOCS / "operating.md"
SAMPLES = [
    ROOT / "compose.yaml",
    DOCS / "haproxy.cfg",
    DOCS / "nginx.conf",
    DOCS / "stepgrad.service",
    ROOT / "README.md",
    DOCS / "install.md",
    DOCS / "teaching.md",
    ROOT / "Dockerfile",
]


def test_the_table_of_settings_is_current() -> None:
    assert TABLE.findall(OPERATING.read_text("utf-8")) == [table()], "run `make settings`"


@pytest.mark.parametrize("page", [OPERATING, *SAMPLES], ids=lambda page: page.name)
def test_every_setting_that_is_named_exists(page: Path) -> None:
    named = set(re.findall(r"\bSTEPGRAD_[A-Z_]+[A-Z]", page.read_text("utf-8")))
    assert named <= {variable for variable, _ in settings()}


def test_the_line_that_starts_the_image_is_the_same_everywhere() -> None:
    comment = [line.removeprefix("# ") for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines()[:3]]
    assert comment[0] == "docker build --tag stepgrad ." and comment[1].startswith("docker run ")
    page = "\n".join(line.strip() for line in OPERATING.read_text("utf-8").splitlines())
    assert "\n".join(line.strip() for line in comment) in page


def test_the_image_gets_all_that_it_copies() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    sent = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")]
    paths = [path for paths in copied for path in paths.split()]
    assert paths and [path for path in paths if not any(Path(path).is_relative_to(each) for each in sent)] == []
    assert [path for path in (*paths, *sent) if not (ROOT / path).exists()] == []


@pytest.mark.skipif(shutil.which("nginx") is None, reason="there is no nginx here")
def test_nginx_takes_the_sample(tmp_path: Path) -> None:
    site = (DOCS / "nginx.conf").read_text("utf-8")
    key = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=stepgrad.example -keyout privkey.pem -out fullchain.pem"
    subprocess.run(key.split(), cwd=tmp_path, check=True, capture_output=True)
    site = site.replace("/etc/stepgrad/", f"{tmp_path}/")
    # Even to check a file, HAProxy listens on its addresses.
    number = itertools.count()
    site, listeners = re.subn(r"listen [^ ;]+", lambda _: f"listen unix:{tmp_path}/{next(number)}", site)
    assert listeners == 4
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = " ".join(f"{kind}_temp_path {tmp_path}/{kind};" for kind in kinds)
    whole = f"pid {tmp_path}/pid; error_log stderr; events {{}} http {{ {temporary}\n{site}}}"
    (tmp_path / "nginx.conf").write_text(whole)
    ended = subprocess.run(["nginx", "-t", "-c", str(tmp_path / "nginx.conf")], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert "warn" not in ended.stderr, ended.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_systemd_takes_the_sample(tmp_path: Path) -> None:
    unit = (DOCS / "stepgrad.service").read_text("utf-8")
    assert unit.count("ExecStart=/opt/stepgrad/.venv/bin/stepgrad") == 1
    (tmp_path / "stepgrad.service").write_text(unit.replace("/opt/stepgrad/.venv/bin/stepgrad", "/bin/true"))
    ended = subprocess.run(["systemd-analyze", "verify", str(tmp_path / "stepgrad.service")], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout + ended.stderr) == (0, "")
