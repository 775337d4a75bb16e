"""What the control plane needs to know from outside. Built by the command line, passed in."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, NonNegativeInt, PositiveFloat, PositiveInt


class ControlPlaneSettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    database_url: str
    """``postgresql+psycopg://user[:password]@host:port/name``."""
    redis_url: str
    public_url: str
    """Address under which clients reach the API, without a trailing slash."""
    secret_key: str
    """Signs the access tokens of call participants."""
    operator_token: str | None = None
    """Bearer token of ``/v1/operator``; ``None`` closes those routes."""
    access_token_ttl_seconds: PositiveInt = 3600
    welcome_credit_micros: NonNegativeInt = 10_000_000
    """Credit posted to each new tenant, in micro-dollars."""
    queued_timeout_seconds: PositiveInt = 30
    request_deadline_seconds: PositiveFloat = 5.0
    """How long one database transaction of a request may take, connecting included."""
    max_body_bytes: PositiveInt = 1_048_576
    provider_keys: frozenset[str] = frozenset()
    """Providers whose platform key is set, for example ``{"openai", "deepgram"}``."""
    offline_models: bool = True
    """Whether the workers carry the offline models (provider ``local``)."""
    ice_servers: tuple[str, ...] = ()

    @property
    def available_providers(self) -> frozenset[str]:
        """Providers that a call can use now."""
        return self.provider_keys | ({"local"} if self.offline_models else frozenset())
