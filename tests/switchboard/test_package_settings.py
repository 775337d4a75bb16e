"""What each package is given of what is set."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from pipelines.settings import ProviderDeadlines
from switchboard.package_settings import (
    control_plane_settings,
    provider_settings,
    worker_settings,
)
from switchboard.settings import MissingSetting, Settings


def test_what_is_missing_is_named() -> None:
    with pytest.raises(MissingSetting, match="SWITCHBOARD_SECRET_KEY"):
        control_plane_settings(
            Settings(database_url="postgresql://db", redis_url="redis://r", secret_key=None)
        )


def test_each_worker_has_a_directory_of_its_own(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, redis_url="redis://r", worker_id="local-2")
    assert worker_settings(settings).data_dir == tmp_path / "workers" / "local-2"
    assert worker_settings(settings).workers_dir == tmp_path / "workers"


def test_workers_share_their_copies_of_passages_and_the_api_has_its_own(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path,
        database_url="postgresql://db",
        redis_url="redis://r",
        secret_key="k" * 32,
    )
    first, second = (
        worker_settings(settings.model_copy(update={"worker_id": each}))
        for each in ("local-1", "local-2")
    )
    assert first.data_dir != second.data_dir
    assert first.knowledge_dir == second.knowledge_dir == tmp_path / "knowledge" / "workers"
    assert control_plane_settings(settings).knowledge_dir == tmp_path / "knowledge" / "api"


def test_a_worker_opens_secrets_with_the_encryption_keys_alone() -> None:
    keys = tuple(Fernet.generate_key().decode() for _ in range(2))
    assert (
        provider_settings(Settings(encryption_keys=keys, secret_key=None)).encryption_keys == keys
    )


DEADLINES = {
    "PROVIDER_CONNECT_SECONDS": "connect_seconds",
    "PROVIDER_IDLE_SECONDS": "idle_seconds",
    "LLM_FIRST_TOKEN_SECONDS": "llm_first_token_seconds",
    "TTS_FIRST_AUDIO_SECONDS": "tts_first_audio_seconds",
    "REALTIME_FIRST_AUDIO_SECONDS": "realtime_first_audio_seconds",
    "STT_NO_TEXT_SECONDS": "stt_no_text_seconds",
    "STT_FINAL_SECONDS": "stt_final_seconds",
}


def test_every_deadline_of_providers_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert provider_settings(Settings()).deadlines == ProviderDeadlines()
    assert set(DEADLINES.values()) == set(ProviderDeadlines.model_fields)
    for seconds, variable in enumerate(DEADLINES, start=11):
        monkeypatch.setenv(f"SWITCHBOARD_{variable}", str(seconds))
    deadlines = provider_settings(Settings()).deadlines.model_dump()
    assert deadlines == {name: s for s, name in enumerate(DEADLINES.values(), start=11)}


def test_what_is_set_reaches_the_package_that_uses_it(tmp_path: Path) -> None:
    settings = Settings(
        data_dir=tmp_path,
        database_url="postgresql://db",
        redis_url="redis://r",
        secret_key="s" * 32,
        ice_servers=("stun:a:3478",),
        session_ttl_seconds=7,
        smtp_host="mail",
        smtp_port=2525,
        phone_calls_per_tenant=3,
        slots=2,
        lease_seconds=40,
    )
    api, worker = control_plane_settings(settings), worker_settings(settings)
    assert api.smtp is not None
    assert (api.smtp.host, api.smtp.port) == ("mail", 2525)
    assert api.session_ttl_seconds == 7
    assert api.dialing.calls_per_tenant == 3
    assert api.ice_servers == worker.ice_servers == ("stun:a:3478",)
    assert worker.slots == 2
    assert worker.lease_seconds == 40
