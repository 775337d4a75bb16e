"""Everything that can be set from outside, in one place; each package gets its own settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AliasChoices, Field, PositiveInt, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from outbound.policy import OutboundPolicy
from switchboard.logs import LogFormat

if TYPE_CHECKING:
    from control_plane.platform.settings import (
        ControlPlaneSettings,
        DialingSettings,
        PlatformLlmSettings,
        PostCallSettings,
        SmtpSettings,
    )
    from pipelines.settings import ProviderSettings
    from runtime.settings import WorkerSettings

DEFAULT_PORT = 8080


class MissingSetting(RuntimeError):
    """A process was started alone without an address or secret that it needs."""


def _vendor(name: str, *others: str) -> AliasChoices:
    """A vendor's own variables, or ours, which wins."""
    return AliasChoices(f"SWITCHBOARD_{name}", name, *others)


def _key(name: str, *others: str) -> Any:
    return Field(None, repr=False, validation_alias=_vendor(name, *others))


def _address(name: str) -> Any:
    return Field(None, validation_alias=_vendor(name))


class Settings(BaseSettings):
    """Read from the environment, with the prefix ``SWITCHBOARD_``."""

    model_config = SettingsConfigDict(
        env_prefix="SWITCHBOARD_", frozen=True, extra="ignore", populate_by_name=True
    )

    data_dir: Path = Path(".switchboard")
    """Databases, journals, logs and secrets of this machine."""
    database_url: str | None = None
    """Your PostgreSQL (``postgresql://…``); without it ``up`` runs an embedded one."""
    redis_url: str | None = None
    """Your Redis or Valkey; without it ``up`` runs an embedded one."""
    host: str = "127.0.0.1"
    """Address that the API listens on."""
    port: int = Field(DEFAULT_PORT, ge=1, le=65535)
    public_url: str | None = None
    """Address under which clients reach the API; without it ``http://{host}:{port}``."""
    workers: PositiveInt = 1
    worker_id: str = "local-1"
    slots: PositiveInt = 8
    """Calls that one worker carries at once."""
    drain_timeout_seconds: float = Field(120.0, ge=0)
    secret_key: str | None = Field(None, repr=False)
    operator_token: str | None = Field(None, repr=False)
    ice_servers: Annotated[tuple[str, ...], NoDecode] = ()
    """STUN and TURN addresses, separated by commas."""
    offline_models: bool = True
    welcome_credit_micros: int = Field(10_000_000, ge=0)
    """Credit of a new tenant, in millionths of a dollar."""
    encryption_keys: Annotated[tuple[str, ...], NoDecode] = Field((), repr=False)
    """Fernet keys, separated by commas, the newest first, for what is encrypted at rest. A key
    made from the secret key is always tried last, and alone where none is set."""
    sign_up_enabled: bool = True
    """Whether strangers may open an account through the API."""
    session_ttl_seconds: PositiveInt = 14 * 24 * 3600
    """How long a dashboard session lasts after its last use."""
    smtp_host: str | None = None
    """Your mail server; without it mails are written to ``{data_dir}/outbox``."""
    smtp_port: int = Field(587, ge=1, le=65535)
    smtp_username: str | None = None
    smtp_password: str | None = Field(None, repr=False)
    smtp_encryption: Literal["none", "starttls", "tls"] = "starttls"
    mail_from: str = "switchboard@localhost"
    builder_model: str = "gpt-5.6-luna"
    """Model of the platform's OpenAI key that drafts agents."""
    post_call_provider: Literal["openai", "google", "local"] | None = None
    """Who analyses calls whose agents name nobody. Without it the first of OpenAI and Google whose
    key is set, else the local analyser."""
    post_call_openai_model: str = "gpt-5.6-luna"
    post_call_google_model: str = "gemini-3.8-flash"
    object_store_url: str | None = None
    """Where recordings are kept (``s3://bucket/prefix``, ``gs://…``, credentials from the
    vendor's own variables); without it ``{data_dir}/objects``. API, jobs and workers share it."""
    phone_calls_per_tenant: PositiveInt = 10
    """Phone legs of one tenant that are dialed or in conversation at once."""
    phone_calls_per_number: PositiveInt = 5
    """The same of one caller id, where the number has no limit of its own."""
    ring_timeout_seconds: PositiveInt = 30
    """How long a phone rings before the call counts as not answered."""
    recording_url_ttl_seconds: PositiveInt = 3600
    """How long the signed address of a recording works."""
    requests_per_minute_per_key: int = Field(6_000, ge=0)
    """0 sets no limit."""
    requests_per_minute_per_address: int = Field(12_000, ge=0)
    outbound_allowed_networks: Annotated[tuple[str, ...], NoDecode] = ()
    """Private networks (CIDR, separated by commas) that tenants' addresses may point to."""
    log_level: str = "info"
    log_format: LogFormat = "auto"

    openai_api_key: str | None = _key("OPENAI_API_KEY")
    openai_base_url: str | None = _address("OPENAI_BASE_URL")
    google_api_key: str | None = _key("GOOGLE_API_KEY", "GEMINI_API_KEY")
    google_base_url: str | None = _address("GOOGLE_BASE_URL")
    anthropic_api_key: str | None = _key("ANTHROPIC_API_KEY")
    anthropic_base_url: str | None = _address("ANTHROPIC_BASE_URL")
    deepgram_api_key: str | None = _key("DEEPGRAM_API_KEY")
    deepgram_base_url: str | None = _address("DEEPGRAM_BASE_URL")
    elevenlabs_api_key: str | None = _key("ELEVENLABS_API_KEY", "ELEVEN_API_KEY")
    elevenlabs_base_url: str | None = _address("ELEVENLABS_BASE_URL")
    cartesia_api_key: str | None = _key("CARTESIA_API_KEY")
    cartesia_base_url: str | None = _address("CARTESIA_BASE_URL")

    @field_validator("ice_servers", "encryption_keys", "outbound_allowed_networks", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @field_validator("outbound_allowed_networks")
    @classmethod
    def _networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        OutboundPolicy(value)
        return value

    @field_validator("database_url")
    @classmethod
    def _with_driver(cls, value: str | None) -> str | None:
        """Accept what hosting services hand out, and name the driver that we use."""
        if value is None:
            return None
        for scheme in ("postgres://", "postgresql://"):
            if value.startswith(scheme):
                return "postgresql+psycopg://" + value.removeprefix(scheme)
        return value

    @property
    def provider_keys(self) -> frozenset[str]:
        """Providers whose platform key is set."""
        return frozenset(self._by_provider("api_key"))

    def _by_provider(self, what: Literal["api_key", "base_url"]) -> dict[str, str]:
        from pipelines.settings import VENDOR_BASE_URLS

        found = {name: getattr(self, f"{name}_{what}") for name in VENDOR_BASE_URLS}
        return {name: value for name, value in found.items() if value}

    @property
    def api_url(self) -> str:
        """The public address, without a trailing slash."""
        host = "127.0.0.1" if self.host == "0.0.0.0" else self.host
        return (self.public_url or f"http://{host}:{self.port}").rstrip("/")

    @property
    def shared_object_store_url(self) -> str:
        return self.object_store_url or (self.data_dir.absolute() / "objects").as_uri()

    def required_database_url(self) -> str:
        """Raises ``MissingSetting``."""
        return _required(self.database_url, "SWITCHBOARD_DATABASE_URL")

    def required_redis_url(self) -> str:
        """Raises ``MissingSetting``."""
        return _required(self.redis_url, "SWITCHBOARD_REDIS_URL")

    def control_plane(self) -> ControlPlaneSettings:
        """For the API and the jobs process. Raises ``MissingSetting``."""
        from control_plane.platform.settings import ControlPlaneSettings

        return ControlPlaneSettings(
            database_url=self.required_database_url(),
            redis_url=self.required_redis_url(),
            public_url=self.api_url,
            secret_key=_required(self.secret_key, "SWITCHBOARD_SECRET_KEY"),
            operator_token=self.operator_token,
            provider_keys=self.provider_keys,
            provider_base_urls=self._by_provider("base_url"),
            offline_models=self.offline_models,
            welcome_credit_micros=self.welcome_credit_micros,
            ice_servers=self.ice_servers,
            encryption_keys=self.all_encryption_keys(),
            sign_up_enabled=self.sign_up_enabled,
            session_ttl_seconds=self.session_ttl_seconds,
            smtp=self._smtp(),
            mail_outbox_dir=self.data_dir.absolute() / "outbox",
            platform_llm=self._platform_llm(),
            post_call=self._post_call(),
            object_store_url=self.shared_object_store_url,
            recording_url_ttl_seconds=self.recording_url_ttl_seconds,
            dialing=self._dialing(),
            requests_per_minute_per_key=self.requests_per_minute_per_key,
            requests_per_minute_per_address=self.requests_per_minute_per_address,
            outbound_allowed_networks=self.outbound_allowed_networks,
        )

    def all_encryption_keys(self) -> tuple[str, ...]:
        """The newest first. Raises ``MissingSetting``."""
        _required(self.secret_key, "SWITCHBOARD_SECRET_KEY")
        return self._known_encryption_keys()

    def _known_encryption_keys(self) -> tuple[str, ...]:
        """A worker has no secret key: it is given the encryption keys alone."""
        from contracts.sealing import derived_key

        derived = (derived_key(self.secret_key),) if self.secret_key else ()
        return (*self.encryption_keys, *derived)

    def _smtp(self) -> SmtpSettings | None:
        from control_plane.platform.settings import SmtpSettings

        if self.smtp_host is None:
            return None
        return SmtpSettings(
            host=self.smtp_host,
            port=self.smtp_port,
            username=self.smtp_username,
            password=self.smtp_password,
            encryption=self.smtp_encryption,
            sender=self.mail_from,
        )

    def _dialing(self) -> DialingSettings:
        from control_plane.platform.settings import DialingSettings

        return DialingSettings(
            calls_per_tenant=self.phone_calls_per_tenant,
            calls_per_number=self.phone_calls_per_number,
            ring_timeout_seconds=self.ring_timeout_seconds,
        )

    def _platform_llm(self) -> PlatformLlmSettings | None:
        from control_plane.platform.settings import PlatformLlmSettings

        if not self.openai_api_key:
            return None
        return PlatformLlmSettings(
            api_key=self.openai_api_key, base_url=self.openai_base_url, model=self.builder_model
        )

    def _post_call(self) -> PostCallSettings:
        from control_plane.platform.settings import PostCallSettings

        models = {"openai": self.post_call_openai_model, "google": self.post_call_google_model}
        keys = {name: key for name, key in self._by_provider("api_key").items() if name in models}
        wanted = self.post_call_provider
        if wanted is None:
            wanted = "openai" if "openai" in keys else "google" if "google" in keys else "local"
        return PostCallSettings(
            provider=None if wanted == "local" else wanted, models=models, api_keys=keys
        )

    def worker(self) -> WorkerSettings:
        """For one media worker. Raises ``MissingSetting``."""
        from runtime.settings import WorkerSettings

        return WorkerSettings(
            worker_id=self.worker_id,
            redis_url=self.required_redis_url(),
            object_store_url=self.shared_object_store_url,
            data_dir=self.data_dir.absolute() / "workers" / self.worker_id,
            slots=self.slots,
            ice_servers=self.ice_servers,
            drain_timeout_seconds=self.drain_timeout_seconds,
        )

    def providers(self) -> ProviderSettings:
        """The vendors' keys and addresses, and what opens the tenants' own keys."""
        from pipelines.settings import ProviderSettings

        return ProviderSettings(
            api_keys=self._by_provider("api_key"),
            base_urls=self._by_provider("base_url"),
            encryption_keys=self._known_encryption_keys(),
        )


def _required(value: str | None, variable: str) -> str:
    if not value:
        raise MissingSetting(f"{variable} is not set")
    return value
