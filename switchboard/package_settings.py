"""Makes the settings of each package of what can be set from outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel

from carriers.account import CarrierName
from carriers.settings import CarrierSettings
from control_plane.platform.settings import (
    ControlPlaneOptions,
    ControlPlaneSettings,
    DialingSettings,
    PlatformLlmSettings,
    PostCallSettings,
    SmtpSettings,
)
from knowledge.embedding.embedder import EmbeddingSettings
from pipelines.settings import ProviderDeadlines, ProviderSettings
from runtime.settings import WorkerOptions, WorkerSettings
from switchboard.settings import Settings
from telemetry.settings import TelemetryOptions
from telephony_bridge.settings import BridgeSettings

OUTBOX = "outbox"
"""The folder of the data directory for mails that no mail server takes."""


def telemetry_options(settings: Settings) -> TelemetryOptions:
    return TelemetryOptions(**_values(settings, TelemetryOptions))


def control_plane_settings(settings: Settings) -> ControlPlaneSettings:
    """For the API and the jobs process. Raises ``MissingSetting``."""
    database_url, system_database_url = settings.serving_urls()
    return ControlPlaneSettings(
        **_values(settings, ControlPlaneOptions),
        database_url=database_url,
        system_database_url=system_database_url,
        redis_url=settings.required_redis_url(),
        public_url=settings.api_url,
        secret_key=settings.required_secret_key(),
        encryption_keys=settings.all_encryption_keys(),
        provider_keys=settings.provider_keys,
        provider_api_keys=settings.by_provider("api_key"),
        provider_base_urls=settings.by_provider("base_url"),
        smtp=smtp_settings(settings),
        sms_url=settings.sms_url,
        mail_outbox_dir=settings.data_dir.absolute() / OUTBOX,
        platform_llm=_platform_llm(settings),
        post_call=_post_call(settings),
        object_store_url=_object_store_url(settings),
        knowledge_dir=_knowledge_dir(settings) / "api",
        embedding=_embedding(settings),
        dialing=_dialing(settings),
        bridge_public_url=settings.bridge_public_url and settings.bridge_public_url.rstrip("/"),
        carriers=carrier_settings(settings),
    )


def smtp_settings(settings: Settings) -> SmtpSettings | None:
    """The mail server, if there is one."""
    if settings.smtp_host is None:
        return None
    return SmtpSettings(
        host=settings.smtp_host,
        port=settings.smtp_port,
        username=settings.smtp_username,
        password=settings.smtp_password,
        encryption=settings.smtp_encryption,
        sender=settings.mail_from,
    )


def carrier_settings(settings: Settings) -> CarrierSettings:
    """Where the phone carriers' APIs are."""
    urls = {name: getattr(settings, f"{name.value}_base_url") for name in CarrierName}
    return CarrierSettings(base_urls={name: url for name, url in urls.items() if url})


def bridge_settings(settings: Settings, open_files: int) -> BridgeSettings:
    """For the telephony bridge, whose process may open so many files. Raises ``MissingSetting``."""
    public_url = settings.bridge_public_url
    if public_url is not None:
        settings.required_bridge_account_key()
    return BridgeSettings(
        redis_url=settings.required_redis_url(),
        bridge_id=settings.bridge_id,
        host=settings.bridge_host,
        port=settings.bridge_port,
        public_url=None if public_url is None else public_url.rstrip("/"),
        account_key=settings.bridge_account_key,
        drain_timeout_seconds=settings.drain_timeout_seconds,
        carriers=carrier_settings(settings),
        open_files=open_files,
    )


def worker_settings(settings: Settings) -> WorkerSettings:
    """For one media worker. Raises ``MissingSetting``."""
    workers_dir = settings.data_dir.absolute() / "workers"
    return WorkerSettings(
        **_values(settings, WorkerOptions),
        redis_url=settings.required_redis_url(),
        object_store_url=_object_store_url(settings),
        knowledge_dir=_knowledge_dir(settings) / "workers",
        embedding=_embedding(settings),
        data_dir=workers_dir / settings.worker_id,
        workers_dir=workers_dir,
    )


def provider_settings(settings: Settings) -> ProviderSettings:
    """The vendors' keys, addresses and deadlines, and what opens the tenants' own keys."""
    return ProviderSettings(
        api_keys=settings.by_provider("api_key"),
        base_urls=settings.by_provider("base_url"),
        encryption_keys=settings.known_encryption_keys(),
        outbound_allowed_networks=settings.outbound_allowed_networks,
        deadlines=ProviderDeadlines(
            connect_seconds=settings.provider_connect_seconds,
            idle_seconds=settings.provider_idle_seconds,
            llm_first_token_seconds=settings.llm_first_token_seconds,
            tts_first_audio_seconds=settings.tts_first_audio_seconds,
            realtime_first_audio_seconds=settings.realtime_first_audio_seconds,
            stt_no_text_seconds=settings.stt_no_text_seconds,
            stt_final_seconds=settings.stt_final_seconds,
        ),
    )


def _values(settings: Settings, options: type[BaseModel]) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in options.model_fields}


def _object_store_url(settings: Settings) -> str:
    return settings.object_store_url or (settings.data_dir.absolute() / "objects").as_uri()


def _knowledge_dir(settings: Settings) -> Path:
    """Copies of passages. The API has its own: its searches take no copy from a call."""
    return settings.data_dir.absolute() / "knowledge"


def _embedding(settings: Settings) -> EmbeddingSettings:
    return EmbeddingSettings(
        settings.embedding_model, settings.openai_api_key, settings.openai_base_url
    )


def _dialing(settings: Settings) -> DialingSettings:
    return DialingSettings(
        carriers=frozenset(CarrierName) if settings.bridge_public_url else frozenset(),
        calls_per_tenant=settings.phone_calls_per_tenant,
        calls_per_number=settings.phone_calls_per_number,
        ring_timeout_seconds=settings.ring_timeout_seconds,
        connects_accounts=settings.bridge_public_url is not None,
    )


def _platform_llm(settings: Settings) -> PlatformLlmSettings | None:
    if not settings.openai_api_key:
        return None
    return PlatformLlmSettings(
        api_key=settings.openai_api_key,
        base_url=settings.openai_base_url,
        model=settings.builder_model,
    )


def _post_call(settings: Settings) -> PostCallSettings:
    models = {
        "openai": settings.post_call_openai_model,
        "google": settings.post_call_google_model,
    }
    keys = {name: key for name, key in settings.by_provider("api_key").items() if name in models}
    wanted = settings.post_call_provider
    if wanted is None:
        wanted = "openai" if "openai" in keys else "google" if "google" in keys else "local"
    return PostCallSettings(
        provider=None if wanted == "local" else wanted, models=models, api_keys=keys
    )
