"""Who analyses calls, by what is set."""

from __future__ import annotations

from typing import Any

import pytest

from switchboard.package_settings import control_plane_settings
from switchboard.settings import Settings

DATABASE = {
    "database_url": "postgresql://localhost/x",
    "redis_url": "redis://localhost",
    "secret_key": "a-secret-of-at-least-thirty-two-bytes",
}


@pytest.mark.parametrize(
    ("given", "provider"),
    [
        ({}, None),
        ({"openai_api_key": "sk-1"}, "openai"),
        ({"google_api_key": "g-1"}, "google"),
        ({"openai_api_key": "sk-1", "google_api_key": "g-1"}, "openai"),
        (
            {"openai_api_key": "sk-1", "google_api_key": "g-1", "post_call_provider": "google"},
            "google",
        ),
        ({"openai_api_key": "sk-1", "post_call_provider": "local"}, None),
    ],
)
def test_the_first_provider_with_a_key_analyses_calls_unless_one_is_chosen(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, Any], provider: str | None
) -> None:
    for name in ("OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(f"SWITCHBOARD_{name}", raising=False)
    settings = control_plane_settings(Settings(**DATABASE, **given)).post_call
    assert settings.provider == provider
    assert set(settings.models) == {"openai", "google"}
    assert "sk-1" not in repr(settings)
