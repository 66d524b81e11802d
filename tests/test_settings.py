"""Settings have a default and a description, are read from environment variables, and are validated."""

from base64 import b64encode, urlsafe_b64encode
from ipaddress import ip_network
from pathlib import Path

import pytest
from pydantic import ValidationError

from app.compose.settings import RunLimits, Settings, memory_of_this_machine, runs_for, unknown_variables
from app.sandbox.tiers import Tier
from app.trace.records import Limits


def test_defaults_are_the_formats_own() -> None:
    assert Settings().limits.limits() == Limits()


@pytest.mark.parametrize("model", [Settings, RunLimits])
def test_every_setting_has_a_default_and_a_sentence(model: type[Settings | RunLimits]) -> None:
    for name, field in model.model_fields.items():
        assert not field.is_required(), name
        assert field.description is not None, name
        assert field.description.endswith("."), name


def test_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("STEPGRAD_PORT", "9000")
    monkeypatch.setenv("STEPGRAD_DATA", str(tmp_path))
    monkeypatch.setenv("STEPGRAD_LIMITS__CELLS", "16")
    settings = Settings()
    assert (settings.port, settings.limits.cells) == (9000, 16)
    assert settings.database_url == f"sqlite+aiosqlite:///{tmp_path}/stepgrad.sqlite"


def test_only_variables_that_are_no_setting_are_told() -> None:
    known = ["PATH", "XSTEPGRAD_HOSTS", "STEPGRAD_HOSTS", "stepgrad_port", "STEPGRAD_LIMITS", "STEPGRAD_LIMITS__CELLS"]
    assert unknown_variables(known) == []
    assert unknown_variables([*known, "STEPGRAD_LIMITS_CELLS", "stepgrad_prot", "STEPGRAD_", "STEPGRAD_QQQ"]) == [
        "STEPGRAD_ is not a setting.",
        "STEPGRAD_LIMITS_CELLS is not a setting. Did you mean STEPGRAD_LIMITS__CELLS?",
        "STEPGRAD_QQQ is not a setting.",
        "stepgrad_prot is not a setting. Did you mean STEPGRAD_PORT?",
    ]


def test_a_setting_of_before_is_told_with_what_replaces_it() -> None:
    (told,) = unknown_variables(["STEPGRAD_WEB_ADDRESS"])
    assert told.startswith("STEPGRAD_WEB_ADDRESS is no longer a setting: ") and "docs/haproxy.cfg" in told


KEY, OTHER = bytes(range(32)), bytes(range(223, 255))


@pytest.mark.parametrize(
    "listed", [f"{KEY.hex()},{OTHER.hex()}", f" {b64encode(KEY).decode()}, {urlsafe_b64encode(OTHER).decode()},"]
)
def test_signing_keys(listed: str) -> None:
    settings = Settings(signing_keys=listed)  # type: ignore[arg-type]
    assert settings.signing_keys == (KEY, OTHER)
    assert "signing" not in repr(settings)


@pytest.mark.parametrize(
    "listed", [KEY.hex()[2:], KEY.hex() + "00", "secret", f"{KEY.hex()},x", ",".join([KEY.hex()] * 3), "é" * 64]
)
def test_what_is_no_signing_key_is_refused_without_a_word_of_it(listed: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Settings(signing_keys=listed)  # type: ignore[arg-type]
    assert refused.value.errors()[0]["msg"].startswith("Value error, signing_keys: must be one or two keys")
    assert listed not in refused.value.errors()[0]["msg"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_this_machine_may_do_with_less(host: str) -> None:
    assert Settings(host=host).needed_tier == Tier.B


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.org", "::ffff:10.0.0.1"])
def test_any_other_address_needs_all_layers_unless_told_otherwise(host: str) -> None:
    assert Settings(host=host).needed_tier == Tier.A
    assert Settings(host=host, accept_tier=Tier.B).needed_tier == Tier.B


@pytest.mark.parametrize("name", ["workers_url", "gpu_workers_url"])
def test_runs_travel_in_plain_text_on_this_machine_alone(name: str) -> None:
    for address in ("http://127.0.0.1:8100", "http://[::1]:8100", "http://localhost:1", ""):
        assert getattr(Settings.model_validate({name: address}), name) == address
    there = "http://10.0.0.5:8100"
    with pytest.raises(ValidationError, match="in plain text"):
        Settings.model_validate({name: there})
    assert getattr(Settings.model_validate({name: there, "workers_plain": True}), name) == there
    encrypted = there.replace("http:", "https:")
    with pytest.raises(ValidationError, match="STEPGRAD_TLS_AUTHORITY"):
        Settings.model_validate({name: encrypted})
    assert getattr(Settings.model_validate({name: encrypted, "tls_authority": "workers.pem"}), name) == encrypted
    for wrong in ("http://", "https://:8000", "https://a:0", "https://a:70000", "https://[::1", "https://a/path", "a:8000"):
        with pytest.raises(ValidationError):
            Settings.model_validate({name: wrong, "tls_authority": "workers.pem"})


def test_a_certificate_has_a_key() -> None:
    for name in ("tls_certificate", "tls_key"):
        with pytest.raises(ValidationError, match="tls_key"):
            Settings.model_validate({name: "worker-1.pem"})


@pytest.mark.parametrize("told", [{"hosts": "stepgrad.example"}, {"proxies": "127.0.0.1"}, {"hosts": "a", "proxies": "::1"}])
def test_a_proxy_brings_others_even_to_this_machine(told: dict[str, str]) -> None:
    settings = Settings.model_validate(told)
    assert settings.needed_tier == Tier.A
    assert settings.served == f"127.0.0.1 with {' and '.join(f'STEPGRAD_{name.upper()}' for name in told)} set"
    assert Settings.model_validate({**told, "accept_tier": "A-"}).needed_tier == Tier.A_MINUS
    assert Settings().served == "127.0.0.1"


def test_no_tier_but_the_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAD_ACCEPT_TIER", "A-")
    assert Settings().needed_tier == Tier.A_MINUS
    for wrong in ("C", "", "none"):
        monkeypatch.setenv("STEPGRAD_ACCEPT_TIER", wrong)
        with pytest.raises(ValidationError, match="accept_tier"):
            Settings()
    with pytest.raises(ValidationError, match="host"):
        Settings(host="")


@pytest.mark.parametrize(
    "contact", ["security@a.example", "http://a.example", "mailto:", "mailto:a@b\nContact: tel:1", "javascript:x"]
)
def test_a_contact_is_a_uri(contact: str) -> None:
    with pytest.raises(ValidationError, match="contact"):
        Settings(contact=contact)
    assert Settings(contact="mailto:a@b.example").contact == "mailto:a@b.example"


@pytest.mark.parametrize("uid", [0, -1, 2**32 - 1])
def test_root_is_given_up_for_another_user(uid: int) -> None:
    """The kernel interprets the uid 2**32 - 1 as "no change", so the server would remain root."""
    with pytest.raises(ValidationError, match="unprivileged_uid"):
        Settings(unprivileged_uid=uid)


def test_lists_are_written_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAD_HOSTS", "Stepgrad.example, other.example,")
    monkeypatch.setenv("STEPGRAD_IMPORTS", "torch, numpy, PIL")
    monkeypatch.setenv("STEPGRAD_PROXIES", "10.0.0.0/8, ::1")
    settings = Settings()
    assert settings.hosts == ("stepgrad.example", "other.example")
    assert settings.imports == ("torch", "numpy", "PIL")
    assert settings.proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))
    monkeypatch.setenv("STEPGRAD_PROXIES", "the proxy")
    with pytest.raises(ValidationError, match="proxies"):
        Settings()


@pytest.mark.parametrize(
    ("cores", "memory", "of_one", "runs"), [(2, 24 << 30, 1 << 30, 4), (64, 24 << 30, 1 << 30, 14), (2, 1 << 30, 1 << 30, 1)]
)
def test_so_many_runs_fit(cores: int, memory: int, of_one: int, runs: int) -> None:
    assert runs_for(cores, memory, of_one) == runs


def test_runs_in_flight_follow_from_the_limit_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAD_LIMITS__MEMORY_BYTES", str(1 << 50))
    assert Settings().runs_in_flight == 1
    monkeypatch.setenv("STEPGRAD_RUNS_IN_FLIGHT", "7")
    assert Settings().runs_in_flight == 7


@pytest.mark.parametrize(
    ("line", "limit"),
    [
        ("0::/system.slice/stepgrad.service", "system.slice/stepgrad.service/memory.max"),
        ("0::/system.slice/stepgrad.service", "system.slice/memory.max"),
        ("4:memory:/system.slice/stepgrad.service", "memory/system.slice/stepgrad.service/memory.limit_in_bytes"),
        ("4:memory:/docker/1234", "memory/memory.limit_in_bytes"),
        ("0::/../../elsewhere", "memory.max"),
    ],
)
def test_the_memory_of_a_service_counts(tmp_path: Path, line: str, limit: str) -> None:
    groups = tmp_path / "groups"
    groups.write_text(f"9:name=systemd:/user.slice\n{line}\n")
    (tmp_path / limit).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / limit).write_text(f"{1 << 28}\n")
    assert memory_of_this_machine(tmp_path, groups) == 1 << 28


def test_the_memory_of_a_container_counts(tmp_path: Path) -> None:
    machine = memory_of_this_machine(tmp_path)
    (tmp_path / "memory.max").write_text("max\n")
    assert memory_of_this_machine(tmp_path) == machine > 1 << 28
    (tmp_path / "memory.max").write_text(f"{1 << 28}\n")
    assert memory_of_this_machine(tmp_path) == 1 << 28
