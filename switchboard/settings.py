"""Reads and checks everything that can be set from outside."""

from __future__ import annotations

import os
import sys
from copy import copy
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    Field,
    PositiveInt,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticUseDefault
from pydantic_settings import BaseSettings, SettingsConfigDict

from control_plane.platform.http.allowed_hosts import AllowedHosts
from control_plane.platform.http.client_address import TrustedProxies
from control_plane.platform.settings import (
    ControlPlaneOptions,
    DialingSettings,
    SmtpEncryption,
    SmtpSettings,
)
from control_plane.platform.sms.sender import RECIPIENT
from knowledge.embedding.openai_model import OpenAiModelName
from outbound.policy import OutboundPolicy
from pipelines.settings import ProviderDeadlines
from runtime.settings import WorkerOptions, new_worker_id
from switchboard.addresses import DatabaseUrl, RedisUrl, StoreUrl, WebUrl, web_address
from switchboard.logs import LogFormat, LogLevel
from switchboard.own_keys import BridgeAccountKey, EncryptionKeys, SecretKey
from switchboard.vendor_access import VendorAccess
from telemetry.settings import TelemetryOptions

DEFAULT_PORT = 8080
DEFAULT_BRIDGE_PORT = 8090
_OF_ALL_INTERFACES = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class MissingSetting(RuntimeError):
    """A process was started alone without an address or secret that it needs."""


def _same_as(model: type[BaseModel], name: str) -> Any:
    """The default and the bounds of a field that a package's settings define."""
    return copy(model.model_fields[name])


def _cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


class Settings(ControlPlaneOptions, WorkerOptions, TelemetryOptions, VendorAccess, BaseSettings):
    """Read from environment variables with the prefix ``SWITCHBOARD_``. Lists are separated by
    commas. An empty value counts as not set; only an empty list of proxies is one, and trusts
    nobody.

    A setting that one package reads under the same name is defined in that package and inherited
    here. One that has another name in its package is defined there, too (``_same_as``).
    """

    model_config = SettingsConfigDict(
        env_prefix="SWITCHBOARD_",
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        enable_decoding=False,
        # The input may be a secret.
        hide_input_in_errors=True,
    )

    data_dir: Path = Path(".switchboard")
    """Databases, journals, logs and secrets of this machine."""
    database_url: DatabaseUrl | None = Field(None, repr=False)
    """Your PostgreSQL (``postgresql://…``); without it ``up`` runs an embedded one. Its login owns
    the tables."""
    app_database_url: DatabaseUrl | None = Field(None, repr=False)
    """The same database with the login that requests are served with, and that owns nothing.
    ``migrate`` creates the login if it is missing."""
    system_database_url: DatabaseUrl | None = Field(None, repr=False)
    """The same for jobs. Without these two, the owner's login serves, too."""
    redis_url: RedisUrl | None = Field(None, repr=False)
    """Your Redis or Valkey; without it ``up`` runs an embedded one."""
    host: str = "127.0.0.1"
    """Address that the API listens on."""
    port: int = Field(DEFAULT_PORT, ge=1, le=65535)
    public_url: WebUrl | None = None
    """Address under which clients reach the API; without it ``http://{host}:{port}``."""
    worker_processes: PositiveInt = Field(default_factory=_cores)
    """How many media workers this machine runs, each in a process of its own: by default one for
    each core. ``slots`` is the number of calls of each of them."""
    worker_niceness: int = Field(-10, ge=-20, le=19)
    """nice(2) of the media workers. Below 0, audio comes before what else computes on the machine,
    where the system allows that (root, or a limit such as ``LimitNICE``)."""
    jobs_processes: PositiveInt = 1
    """How many jobs processes ``up`` runs, beside the one for tenants' jobs (``jobs-tenants``)."""
    secret_key: SecretKey | None = Field(None, repr=False)
    """At least 32 bytes."""
    encryption_keys: EncryptionKeys = Field((), repr=False)
    """Fernet keys for what is encrypted at rest, the newest first. A key made from the secret key
    is always tried last, and is the only one when none is set."""
    object_store_url: StoreUrl | None = None
    """Where recordings are kept (``s3://bucket/prefix``, ``gs://…``, credentials from the
    vendor's own variables); without it ``{data_dir}/objects``. API, jobs and workers share it."""
    smtp_host: str | None = None
    """Your mail server; without it mails are written to ``{data_dir}/outbox``."""
    smtp_port: int = _same_as(SmtpSettings, "port")
    smtp_username: str | None = _same_as(SmtpSettings, "username")
    smtp_password: str | None = _same_as(SmtpSettings, "password")
    smtp_encryption: SmtpEncryption = _same_as(SmtpSettings, "encryption")
    mail_from: str = "switchboard@localhost"
    sms_url: str | None = Field(None, repr=False)
    """The service that sends SMS, as Apprise writes its address, with ``{to}`` in place of the
    recipient's number: ``twilio://SID:TOKEN@+14155550100/{to}``."""
    phone_calls_per_tenant: int = _same_as(DialingSettings, "calls_per_tenant")
    phone_calls_per_number: int = _same_as(DialingSettings, "calls_per_number")
    ring_timeout_seconds: int = _same_as(DialingSettings, "ring_timeout_seconds")
    bridge_public_url: Annotated[WebUrl, Field(pattern=r"^https?://[^\s?#]+$")] | None = None
    """Address under which phone carriers reach the telephony bridge, such as
    ``https://phones.example.com``. Without it there are no phone calls."""
    bridge_host: str = "127.0.0.1"
    """Address that the bridge listens on for carriers, behind your proxy with TLS."""
    bridge_port: int = Field(DEFAULT_BRIDGE_PORT, ge=1, le=65535)
    bridge_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,100}$")] = Field(
        default_factory=new_worker_id
    )
    """By default a new one for each start. No two running bridges may have the same."""
    bridge_account_key: BridgeAccountKey | None = Field(None, repr=False)
    """Opens carriers' credentials, and nothing else: a bridge has no secret key. ``up`` makes it
    from the secret key, as ``switchboard encryption bridge-key`` does."""
    twilio_base_url: str | None = None
    """Replaces the carrier's address, for tests. So with the next three."""
    telnyx_base_url: str | None = None
    plivo_base_url: str | None = None
    vonage_base_url: str | None = None
    embedding_model: OpenAiModelName | None = None
    """OpenAI's model that embeds knowledge sources, with ``OPENAI_API_KEY``. Without it, MiniLM
    does, on this machine."""
    builder_model: str = "gpt-5.6-luna"
    """Model of the platform's OpenAI key that drafts agents."""
    post_call_provider: Literal["openai", "google", "local"] | None = None
    """The provider that analyses calls whose agents name none. Without it: OpenAI if its key is
    set, else Google if its key is set, else the local analyser."""
    post_call_openai_model: str = "gpt-5.6-luna"
    post_call_google_model: str = "gemini-3.8-flash"
    otlp_endpoint: str | None = Field(
        None,
        validation_alias=AliasChoices("SWITCHBOARD_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"),
    )
    log_level: LogLevel = "info"
    log_format: LogFormat = "auto"

    provider_connect_seconds: float = _same_as(ProviderDeadlines, "connect_seconds")
    provider_idle_seconds: float = _same_as(ProviderDeadlines, "idle_seconds")
    llm_first_token_seconds: float = _same_as(ProviderDeadlines, "llm_first_token_seconds")
    tts_first_audio_seconds: float = _same_as(ProviderDeadlines, "tts_first_audio_seconds")
    realtime_first_audio_seconds: float = _same_as(
        ProviderDeadlines, "realtime_first_audio_seconds"
    )
    stt_no_text_seconds: float = _same_as(ProviderDeadlines, "stt_no_text_seconds")
    stt_final_seconds: float = _same_as(ProviderDeadlines, "stt_final_seconds")

    @field_validator(
        *("ice_servers", "media_addresses", "encryption_keys"),
        *("trusted_proxies", "allowed_hosts", "outbound_allowed_networks"),
        mode="before",
    )
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _empty_is_not_set(cls, value: object, field: ValidationInfo) -> object:
        if value == "" and field.field_name != "trusted_proxies":
            raise PydanticUseDefault
        return value

    @field_validator("sms_url")
    @classmethod
    def _names_the_recipient(cls, value: str | None) -> str | None:
        if value and RECIPIENT not in value:
            raise ValueError(f"must have {RECIPIENT} in place of the recipient's number")
        return value or None

    @field_validator("outbound_allowed_networks")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        OutboundPolicy(value)
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        TrustedProxies(value)
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        AllowedHosts(value)
        return value

    @field_validator("studio_url")
    @classmethod
    def _is_a_website(cls, value: str | None) -> str | None:
        return value and web_address(value)

    @property
    def api_url(self) -> str:
        """The public address, without a trailing slash."""
        host = reachable_here(self.host)
        host = f"[{host}]" if ":" in host else host
        return (self.public_url or f"http://{host}:{self.port}").rstrip("/")

    def required_database_url(self) -> str:
        """Raises ``MissingSetting``."""
        return _required(self.database_url, "SWITCHBOARD_DATABASE_URL")

    def serving_urls(self) -> tuple[str, str | None]:
        """The database for the API and the jobs process: with the login for requests, and with that
        for jobs, or ``None`` if one login serves for both. Raises ``MissingSetting``."""
        if self.app_database_url is None and self.system_database_url is None:
            return self.required_database_url(), None
        return (
            _required(self.app_database_url, "SWITCHBOARD_APP_DATABASE_URL"),
            _required(self.system_database_url, "SWITCHBOARD_SYSTEM_DATABASE_URL"),
        )

    def required_redis_url(self) -> str:
        """Raises ``MissingSetting``."""
        return _required(self.redis_url, "SWITCHBOARD_REDIS_URL")

    def required_secret_key(self) -> str:
        """Raises ``MissingSetting``."""
        return _required(self.secret_key, "SWITCHBOARD_SECRET_KEY")

    def required_bridge_account_key(self) -> str:
        """Raises ``MissingSetting``."""
        return _required(self.bridge_account_key, "SWITCHBOARD_BRIDGE_ACCOUNT_KEY")

    def all_encryption_keys(self) -> tuple[str, ...]:
        """The newest first. Raises ``MissingSetting``."""
        self.required_secret_key()
        return self.known_encryption_keys()

    def known_encryption_keys(self) -> tuple[str, ...]:
        """A worker has no secret key, only the encryption keys that it is given."""
        from contracts.sealing import derived_key

        derived = (derived_key(self.secret_key),) if self.secret_key else ()
        return (*self.encryption_keys, *derived)


def _required(value: str | None, variable: str) -> str:
    if not value:
        raise MissingSetting(f"{variable} is not set")
    return value


def reachable_here(host: str) -> str:
    """Where this machine reaches what listens on ``host``, which may be all of its addresses."""
    return _OF_ALL_INTERFACES.get(host, host)
