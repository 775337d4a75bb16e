"""The control plane's settings. The command line builds them and passes them in."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    field_validator,
)

from carriers.settings import CarrierSettings
from contracts.call_plan import LONGEST_CALL_SECONDS
from contracts.ice_settings import IceSettings
from control_plane.platform.http.allowed_hosts import AllowedHosts
from control_plane.platform.http.client_address import is_public_host
from knowledge.embedding.embedder import EmbeddingSettings
from listeners.subscriber import parsed_address

if TYPE_CHECKING:
    from contracts.sealing import Sealer


SmtpEncryption = Literal["none", "starttls", "tls"]
PositiveDecimal = Annotated[Decimal, Field(gt=0)]


class SmtpSettings(BaseModel):
    """The mail server that sends the installation's mails."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    host: str
    port: int = Field(587, ge=1, le=65535)
    username: str | None = None
    password: str | None = Field(None, repr=False)
    encryption: SmtpEncryption = "starttls"
    sender: str
    """The sender's address of all mails."""
    timeout_seconds: PositiveFloat = 10.0


class PlatformLlmSettings(BaseModel):
    """The installation's own language model, which speaks OpenAI's protocol."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    api_key: str = Field(repr=False)
    base_url: str | None = None
    """Replaces OpenAI's address."""
    model: str
    timeout_seconds: PositiveFloat = 30.0


class DialingSettings(BaseModel):
    """How phones are dialed."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    carriers: frozenset[str] = frozenset()
    """The carriers that the telephony bridges reach by adapters that need no account."""
    connects_accounts: bool = False
    """Whether carriers can reach the bridges, so that calls run through accounts at carriers."""
    calls_per_tenant: PositiveInt = 10
    """The most phone legs that one tenant may be dialing or talking on at once."""
    calls_per_number: PositiveInt = 5
    """The same for one caller id; a number can have a limit of its own instead."""
    ring_timeout_seconds: PositiveInt = 30
    """How long a phone rings before the call counts as not answered."""

    @property
    def has_phones(self) -> bool:
        """Whether anything connects this installation to a phone network."""
        return self.connects_accounts or bool(self.carriers)


class CallCapSettings(BaseModel):
    """How many calls may be open. They limit who can create calls in a browser; phone calls have
    limits of their own. 0 sets no limit.

    A plan or a tenant can have other limits per tenant. Those per key and per address are for calls
    with publishable keys.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    calls_at_once_per_tenant: NonNegativeInt = 100
    calls_at_once_per_key: NonNegativeInt = 50
    calls_at_once_per_address: NonNegativeInt = 10
    calls_not_joined_per_tenant: NonNegativeInt = 50
    """Calls that nobody has joined yet."""
    calls_not_joined_per_key: NonNegativeInt = 20
    calls_not_joined_per_address: NonNegativeInt = 5

    @property
    def caps_calls(self) -> bool:
        return any(getattr(self, name) for name in CallCapSettings.model_fields)


class SpendingSettings(BaseModel):
    """How much each tenant may ask of language models outside of its calls. 0 sets no limit."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    agent_builder_per_minute: NonNegativeInt = 60
    """Requests to the agent builder: generate, draft a field, answer a question, describe a
    company. A page that saving an agent fetches counts as one."""
    agent_builder_per_day: NonNegativeInt = 2_000
    agent_builder_at_once: NonNegativeInt = 8
    """In each process of the API."""
    chat_per_minute: NonNegativeInt = 120
    """Chats that are begun, and messages in them."""
    chat_per_day: NonNegativeInt = 5_000
    chat_at_once: NonNegativeInt = 8
    """Messages that are being answered, in each process of the API."""
    reprocess_per_minute: NonNegativeInt = 60
    """Calls that are to be analysed again."""
    reprocess_per_day: NonNegativeInt = 2_000
    reprocess_at_once: NonNegativeInt = 100
    """Analyses that wait or run, those of calls that have just ended included."""

    def limits_of(self, kind: str) -> tuple[int, int]:
        """Per minute and per day."""
        return getattr(self, f"{kind}_per_minute"), getattr(self, f"{kind}_per_day")


UNLIMITED_CREDIT_MICROS = 10**15

GatewayName = Literal["stripe", "razorpay"]


class PaymentSettings(BaseModel):
    """How tenants pay, and what their invoices show. A gateway takes payments only when everything
    that it needs is set."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    stripe_secret_key: str | None = Field(None, repr=False)
    stripe_webhook_secret: str | None = Field(None, repr=False)
    """Stripe signs its events with it."""
    stripe_base_url: str | None = None
    """Replaces Stripe's address."""
    razorpay_key_id: str | None = None
    razorpay_key_secret: str | None = Field(None, repr=False)
    razorpay_webhook_secret: str | None = Field(None, repr=False)
    """Razorpay signs its events with it."""
    razorpay_base_url: str | None = None
    """Replaces Razorpay's address."""
    usd_to_inr_rate: PositiveDecimal | None = None
    """Rupees for a dollar of credit. Razorpay needs it: it charges rupees."""
    payment_gateway: GatewayName | None = None
    """The gateway of tenants whose country nobody has said. ``None``: Stripe if it is set up."""
    gateway_timeout_seconds: PositiveFloat = Field(20.0, le=60)
    """The longest wait for an answer of a gateway."""
    smallest_top_up_usd: PositiveDecimal = Decimal(1)
    largest_top_up_usd: PositiveDecimal = Decimal(10_000)
    invoice_prefix: str = Field("INV", pattern=r"^[A-Z0-9]{1,10}$")
    """The first part of invoice numbers."""
    invoice_seller: str | None = None
    """Who the invoices are from: name, address and tax number, with ``\\n`` between the lines."""
    invoice_font: Path | None = None
    """A TrueType font for invoices, which comes before ours
    (``control_plane/money/invoices/fonts.py``)."""

    @property
    def razorpay_checkout_url(self) -> str:
        """Razorpay's hosted checkout, to which a browser posts a form.

        Source: Razorpay, "Hosted Checkout".
        """
        base = self.razorpay_base_url or "https://api.razorpay.com"
        return f"{base.rstrip('/')}/v1/checkout/embedded"

    @property
    def configured_gateways(self) -> frozenset[GatewayName]:
        needs: Mapping[GatewayName, tuple[object, ...]] = {
            "stripe": (self.stripe_secret_key, self.stripe_webhook_secret),
            "razorpay": (
                self.razorpay_key_id,
                self.razorpay_key_secret,
                self.razorpay_webhook_secret,
                self.usd_to_inr_rate,
            ),
        }
        return frozenset(name for name, values in needs.items() if all(values))


class PostCallSettings(BaseModel):
    """The analysis of calls whose agents name no model of their own."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    provider: Literal["openai", "google"] | None = None
    """``None`` means the analyser that needs no key."""
    models: Mapping[str, str] = Field(default_factory=dict)
    """The default model of each provider."""
    api_keys: Mapping[str, str] = Field(default_factory=dict, repr=False)
    """The platform's own keys, by provider."""
    timeout_seconds: PositiveFloat = 90.0
    """The longest wait for one answer."""


class ControlPlaneOptions(CallCapSettings, SpendingSettings, PaymentSettings, IceSettings):
    """What the operator of an installation can choose. The command line reads these fields from
    the environment."""

    operator_token: str | None = Field(None, repr=False)
    """The bearer token of ``/v1/operator``. ``None`` disables those routes."""
    welcome_credit_micros: NonNegativeInt = 10_000_000
    """The credit of a person's first tenant, in micro-dollars. ``unlimited``: a billion dollars,
    which no installation uses up."""
    welcome_credit_for_sign_ups: bool | None = None
    """Whether people who sign up get it, after they have confirmed their mail address. ``None``:
    only where the public address is not on the internet, and then without a confirmation."""
    offline_models: bool = True
    """Whether the workers have the offline models (provider ``local``)."""
    sign_up_enabled: bool = True
    """Whether anyone may open an account through the API."""
    session_ttl_seconds: PositiveInt = 14 * 24 * 3600
    """How long a dashboard session lasts after its last use."""
    recording_url_ttl_seconds: PositiveInt = 3600
    """How long a recording's signed URL works."""
    requests_per_minute_per_key: NonNegativeInt = 6_000
    """0 sets no limit."""
    requests_per_minute_per_address: NonNegativeInt = 12_000
    """0 sets no limit."""
    refusals_per_second: NonNegativeInt = 10
    """How many answers with 4xx a tenant, or an address without a valid credential, gets in a
    second once it had 50. The others wait, at most 5 seconds. 0 sets no pace."""
    trusted_proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    """Addresses and networks (CIDR) of the proxies in front of the API. What they forward about
    their clients counts; by default, only what a program on this machine forwards."""
    allowed_hosts: tuple[str, ...] = ()
    """Host names, besides that of the public address, that the API answers for: names,
    ``*.example.com`` or ``*``. IP addresses and ``localhost`` are always allowed."""
    connections_at_once: PositiveInt = 10_000
    """How many connections one API process accepts, as far as its limit of open files allows."""
    viewers_at_once: PositiveInt = 1_000
    """How many streams of calls one API process has open."""
    viewers_at_once_per_tenant: PositiveInt = 200
    """The same for one tenant."""
    share_links: bool = True
    """Whether agents can have public links."""
    studio_url: str | None = None
    """The address under which visitors open the pages of shared agents, if it is another one than
    the public address. Your proxy serves the API there, too."""
    environment: Literal["production", "test"] = "production"
    """``test`` accepts webhooks at ``http://`` addresses."""
    outbound_allowed_networks: tuple[str, ...] = ()
    """Private networks (CIDR) that tenants' addresses may point to nevertheless."""

    @field_validator("welcome_credit_micros", mode="before")
    @classmethod
    def _unlimited(cls, value: object) -> object:
        return UNLIMITED_CREDIT_MICROS if value == "unlimited" else value


class ControlPlaneSettings(ControlPlaneOptions):
    model_config = ConfigDict(frozen=True, extra="forbid")

    database_url: str = Field(repr=False)
    """``postgresql+psycopg://user[:password]@host:port/name``, with the login for requests."""
    system_database_url: str | None = Field(None, repr=False)
    """The same with the login for jobs. ``None``: one login serves as both roles."""
    redis_url: str = Field(repr=False)
    public_url: str
    """The address at which clients reach the API, without a trailing slash."""
    secret_key: str = Field(repr=False)
    """Signs the access tokens of call participants."""
    encryption_keys: tuple[str, ...] = Field(repr=False)
    """Fernet keys. The first encrypts, all decrypt."""
    access_token_ttl_seconds: PositiveInt = LONGEST_CALL_SECONDS + 3600
    """Longer than any call, because a participant reconnects with the token that it joined with."""
    request_deadline_seconds: PositiveFloat = 5.0
    """How long one database transaction of a request may take, including connecting."""
    request_counting_deadline_seconds: PositiveFloat = 0.05
    """How long a request may wait for Redis to count it. Without an answer the process counts it
    by itself."""
    max_body_bytes: PositiveInt = 1_048_576
    provider_keys: frozenset[str] = frozenset()
    """Providers whose platform key is set, for example ``{"openai", "deepgram"}``."""
    provider_api_keys: Mapping[str, str] = Field(default_factory=dict, repr=False)
    """The platform's own keys, by provider, for chats with agents."""
    provider_base_urls: Mapping[str, str] = Field(default_factory=dict)
    """Addresses that replace the providers' own, by provider."""
    smtp: SmtpSettings | None = None
    sms_url: str | None = Field(None, repr=False)
    """An address of Apprise, in which ``{to}`` stands for the recipient's number."""
    mail_outbox_dir: Path
    """The folder for mails if there is no mail server."""
    platform_llm: PlatformLlmSettings | None = None
    """Drafts agents. Without it, a deterministic builder does."""
    post_call: PostCallSettings = PostCallSettings()
    object_store_url: str
    """Where recordings are stored: ``file:///…``, ``s3://bucket/prefix``,
    ``gs://bucket/prefix``."""
    knowledge_dir: Path
    """Holds copies of the passages that the API searches. On a disk, not in memory."""
    embedding: EmbeddingSettings = EmbeddingSettings()
    """The model that embeds knowledge sources."""
    dialing: DialingSettings = DialingSettings()
    bridge_public_url: str | None = None
    """The address at which phone carriers reach the telephony bridges, without a trailing slash.
    ``None``: no webhook can be configured."""
    carriers: CarrierSettings = CarrierSettings()

    @property
    def hosts(self) -> AllowedHosts:
        """The hosts that the API answers for."""
        own = [urlsplit(url).hostname or "" for url in (self.public_url, self.pages_url)]
        names = (
            host
            for host in dict.fromkeys(own)
            if host and parsed_address(f"[{host}]" if ":" in host else host) is None
        )
        return AllowedHosts((*self.allowed_hosts, *names))

    @property
    def pages_url(self) -> str:
        """The address of shared agents' pages, without a trailing slash."""
        return (self.studio_url or self.public_url).rstrip("/")

    @property
    def is_public(self) -> bool:
        """Whether strangers may reach the API: its public address is on the internet."""
        return is_public_host(urlsplit(self.public_url).hostname or "")

    @property
    def welcomes_sign_ups(self) -> bool:
        if self.welcome_credit_for_sign_ups is None:
            return not self.is_public
        return self.welcome_credit_for_sign_ups

    @property
    def available_providers(self) -> frozenset[str]:
        """Providers that a call can use now."""
        return self.provider_keys | ({"local"} if self.offline_models else frozenset())

    @property
    def sealer(self) -> Sealer:
        """Encrypts tenants' secrets.

        Raises:
            ValueError: an encryption key is malformed.
        """
        # Encryption is imported where it is used, because the command line imports this module.
        from contracts.sealing import Sealer

        return Sealer(self.encryption_keys)

    @property
    def bridge_sealer(self) -> Sealer:
        """Encrypts carriers' credentials for the bridges."""
        from contracts.sealing import Sealer, bridge_key

        return Sealer([bridge_key(self.secret_key)])
