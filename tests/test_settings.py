"""Settings: each has a default and a sentence, comes from the environment, and is refused when it makes no sense."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from app.sandbox.tiers import Tier
from app.settings import RunLimits, Settings
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


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_this_machine_may_do_with_less(host: str) -> None:
    assert Settings(host=host).needed_tier == Tier.B


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.1", "example.org", "::ffff:10.0.0.1"])
def test_any_other_address_needs_all_layers_unless_told_otherwise(host: str) -> None:
    assert Settings(host=host).needed_tier == Tier.A
    assert Settings(host=host, accept_tier=Tier.B).needed_tier == Tier.B


def test_no_tier_but_the_three(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEPGRAD_ACCEPT_TIER", "A-")
    assert Settings().needed_tier == Tier.A_MINUS
    for wrong in ("C", "", "none"):
        monkeypatch.setenv("STEPGRAD_ACCEPT_TIER", wrong)
        with pytest.raises(ValidationError, match="accept_tier"):
            Settings()
    with pytest.raises(ValidationError, match="host"):
        Settings(host="")
