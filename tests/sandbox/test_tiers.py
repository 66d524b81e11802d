"""Detect which layers of the sandbox a machine supports. For each missing layer, a test run verifies that it is missing."""

import os
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from app.sandbox import Layer, Run, Sandbox, SandboxUnavailable
from app.sandbox.canary import NOTHING, QUESTIONS, WHATEVER_HOLDS, Finding, ask, judge
from app.sandbox.errors import REMEDIES, remedy
from app.sandbox.tiers import NEEDS, Standing, Tier, examine, standing, start
from app.trace.ends import Crashed
from tests.sandbox.conftest import PATIENT, PLAIN, run, skip_where_tmp_is_covered
from tests.sandbox.test_faults import open_to_all

ALL = frozenset(Layer)
WITHOUT = [(), *((layer,) for layer in Layer), (Layer.BUBBLEWRAP, Layer.NAMESPACES)]


@pytest.mark.parametrize("without", WITHOUT, ids=lambda layers: "-".join(layers) or "all layers")
async def test_the_canary_proves_what_is_there_and_nothing_else(without: tuple[Layer, ...]) -> None:
    if without == (Layer.BUBBLEWRAP,):
        skip_where_tmp_is_covered()
    async with Sandbox(replace(PLAIN, without=frozenset(without))) as sandbox:
        found = await ask(sandbox, PATIENT)
        assert found.layers == ALL - set(without)
        stands = standing(ALL, {}, found)
        expected = {tier for tier, needs in NEEDS.items() if needs.isdisjoint(without)}
        assert stands.tier == (min(expected, key=list(Tier).index) if expected else None)


@pytest.mark.parametrize("method", ["clone", "double"])
async def test_every_way_to_start_a_run(method: str) -> None:
    async with Sandbox(replace(PLAIN, method=method)) as sandbox:  # type: ignore[arg-type]
        assert (await ask(sandbox, PATIENT)) == Finding(layers=ALL, open=())


async def test_what_the_start_did_not_claim_is_no_layer() -> None:
    found = Finding(layers=ALL, open=())
    assert standing(ALL, {}, found).tier == Tier.A
    assert standing(ALL - {Layer.LANDLOCK}, {}, found).tier == Tier.A_MINUS
    assert standing(ALL - {Layer.BUBBLEWRAP}, {}, found).tier == Tier.B
    assert standing(ALL - {Layer.SECCOMP}, {}, found).tier is None
    assert standing(ALL, {}, Finding(layers=ALL, open=("files to read",))).tier is None


@pytest.fixture
async def answered(sandbox: Sandbox) -> Run:
    """A run that returns the expected answers."""
    good = "".join(f"{question} holds\n" for question in QUESTIONS) + "namespaces tried\n"
    ended = await run(
        sandbox, f"__import__('os').writev(1, [{good.encode()!r}])\n__import__('ctypes').CDLL(None).unshare(0x10000000)"
    )
    assert judge(ended) == Finding(layers=ALL, open=())
    return ended


def with_text(ended: Run, text: str) -> Run:
    return replace(ended, output=text.encode())


async def test_an_answer_that_is_not_exactly_right_proves_nothing(answered: Run) -> None:
    text = answered.output.decode()
    lines = text.splitlines(keepends=True)
    for place in range(len(lines)):
        missing, twice = lines[:place] + lines[place + 1 :], lines[:place] + lines[place : place + 1] + lines[place:]
        for forged in (missing, twice, [*lines[:place], "more\n", *lines[place:]], [line.upper() for line in lines]):
            assert judge(with_text(answered, "".join(forged))) is NOTHING
    for forged_text in ("", text + "x", text[:-1], text + "namespaces holds\n", text.replace("holds", "maybe")):
        assert judge(with_text(answered, forged_text)) is NOTHING
    for ended in (None, Crashed(signal=9, name="SIGKILL"), Crashed(signal=11, name="SIGSEGV")):
        outline = msgspec.structs.replace(answered.outline, ended=ended)
        assert judge(replace(answered, outline=outline, reported="finished")) is NOTHING


async def test_a_bad_answer_counts(answered: Run) -> None:
    text = answered.output.decode()
    for question in QUESTIONS:
        bad = ("\n" + text).replace(f"\n{question} holds", f"\n{question} open")[1:]
        found = judge(with_text(answered, bad))
        assert found != judge(answered)
        assert found.open == ((question,) if question in WHATEVER_HOLDS else ())
        assert standing(ALL, {}, found).tier != Tier.A


async def test_a_canary_that_is_silenced_proves_nothing() -> None:
    async with Sandbox(replace(PLAIN, tracer="entries.silent")) as sandbox:
        assert await ask(sandbox, PATIENT) is NOTHING


def test_what_the_canary_reached_is_told() -> None:
    reached = Standing(tier=None, layers=frozenset(Layer), reasons={}, open=("sockets", "files to read"))
    assert "the canary reached sockets, files to read: check" in reached.shortfall(Tier.B, "127.0.0.1")


@pytest.mark.parametrize(
    ("missing", "join"),
    [
        ({Layer.PRIVILEGES, Layer.SECCOMP, Layer.LANDLOCK}, "; and use a kernel"),
        ({Layer.NAMESPACES, Layer.LANDLOCK}, ", or boot"),
    ],
    ids=["all remedies are needed", "one remedy is enough"],
)
def test_the_sentence_joins_remedies_by_what_is_needed(missing: set[Layer], join: str) -> None:
    sentence = Standing(tier=None, layers=frozenset(set(Layer) - missing), reasons={}).shortfall(Tier.B, "127.0.0.1")
    assert sentence.count(join) == 1 and sentence.count(", or ") + sentence.count("; and ") == 1


APPARMOR = "kernel/apparmor_restrict_unprivileged_userns"
ANYWHERE = "allow user namespaces, which {} forbids here (as root: sysctl {}, and permanently in a file in /etc/sysctl.d; "


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, REMEDIES[Layer.NAMESPACES]),
        (
            {APPARMOR: "0", "kernel/unprivileged_userns_clone": "1", "user/max_user_namespaces": "31"},
            REMEDIES[Layer.NAMESPACES],
        ),
        (
            {APPARMOR: "1", "kernel/unprivileged_userns_clone": "1", "user/max_user_namespaces": "31"},
            ANYWHERE.format("kernel.apparmor_restrict_unprivileged_userns=1", "kernel.apparmor_restrict_unprivileged_userns=0"),
        ),
        (
            {"kernel/unprivileged_userns_clone": "0", "user/max_user_namespaces": "0"},
            ANYWHERE.format(
                "kernel.unprivileged_userns_clone=0 and user.max_user_namespaces=0",
                "kernel.unprivileged_userns_clone=1 user.max_user_namespaces=15000",
            ),
        ),
    ],
    ids=["no settings", "all allow", "Ubuntu's AppArmor", "both others"],
)
def test_the_setting_that_forbids_user_namespaces_is_named(settings: dict[str, str], said: str, tmp_path: Path) -> None:
    """Uses fake sysctl files, because only kernels with AppArmor have them."""
    for name, value in settings.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{value}\n")
    for layer in (Layer.BUBBLEWRAP, Layer.NAMESPACES):
        assert remedy(layer, tmp_path).startswith(said)
    assert remedy(Layer.LANDLOCK, tmp_path) == REMEDIES[Layer.LANDLOCK]


async def test_the_best_that_can_be_had(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sandbox, reasons = await start(PLAIN)
    async with sandbox:
        stands = await examine(sandbox, reasons, PATIENT)
        assert (stands.tier, stands.missing, reasons) == (Tier.A, [], {})
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    open_to_all(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    sandbox, reasons = await start(PLAIN)
    async with sandbox:
        stands = await examine(sandbox, reasons, PATIENT)
        assert (stands.tier, stands.missing) == (Tier.B, [Layer.BUBBLEWRAP, Layer.NAMESPACES])
        assert not stands.is_enough_for(Tier.A) and stands.is_enough_for(Tier.B)
        assert stands.shortfall(Tier.A, "0.0.0.0") == (
            "Runs are isolated at tier B here, without bubblewrap, namespaces (bwrap: No permissions to create new namespace), "
            "but serving 0.0.0.0 needs tier A: allow unprivileged user namespaces (sysctl user.max_user_namespaces, "
            "kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; in Docker --security-opt "
            "seccomp=seccomp.json); or accept this tier with STEPGRAD_ACCEPT_TIER=B."
        )
    with pytest.raises(
        SandboxUnavailable, match=r"safely here, without bubblewrap, namespaces, landlock .*allow.*, or boot Linux 6\.2"
    ):
        await start(replace(PLAIN, without=frozenset({Layer.LANDLOCK})))
