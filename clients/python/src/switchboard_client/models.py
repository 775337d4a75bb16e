"""What the API takes and answers.

Written by generate.py from the API's OpenAPI document.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, ConfigDict, Field, StringConstraints

from switchboard_client.wire_model import WireModel


class Access(WireModel):
    url: str
    """Where the participant posts its SDP offer (WHIP, RFC 9725)."""

    token: str
    """Bearer token for that request."""


class Acknowledged(WireModel):
    id: UUID
    acknowledged_at: AwareDatetime


class ActualCostBreakdown(WireModel):
    """`null` for a channel whose cost is not known."""

    llm: float | None
    stt: float | None
    tts: float | None


class AddedBy(WireModel):
    """Who added the number, as in the audit log."""

    kind: Literal["secret_key", "publishable_key", "user", "operator"] | str
    id: UUID | None
    label: str
    """The name of the key or the mail address of the user."""


class AddedParticipant(WireModel):
    """
    A participant with what its transport needs: `access` for a browser, `telephony_leg_id` and
    `job_id` for a phone.
    """

    id: UUID
    role: str
    transport: str
    identity: str
    status: str
    from_number: str | None
    """The caller id of a phone; null for a browser."""

    metadata: dict[str, Any]
    access: Access | None
    telephony_leg_id: UUID | None
    job_id: UUID | None


class Adjusted(WireModel):
    transaction_id: UUID
    tenant_id: UUID
    amount_usd: float
    """What it added to the balance; below 0 for a debit."""

    booked_against: Literal["revenue", "payments", "promotions", "disputes", "corrections"] | str
    """
    The installation's account that it took `amount_usd` from. A correction of a transaction goes to that transaction's account.
    """

    balance_usd: float
    already_posted: bool
    """Whether the reference was already posted; if so, nothing changed."""


class AgentCall(WireModel):
    """One call in the list of its agent."""

    id: UUID
    agent_id: UUID
    status: str
    started_at: AwareDatetime | None
    ended_at: AwareDatetime | None
    bill_duration: float | None
    """Connected seconds; null while the call runs."""

    total_cost: float | None
    """In US dollars; null until the call is settled."""


class AgentCallList(WireModel):
    calls: list[AgentCall]
    total: int
    offset: int
    limit: int
    agent_id: UUID


class AgentCard(WireModel):
    """The published version of an agent, to those who may call it."""

    id: UUID
    name: str
    language: str
    languages: list[str]
    """What a call's `locale` can be."""


class AgentCreated(WireModel):
    status: Literal["created"]
    id: UUID


class AgentDeleted(WireModel):
    status: Literal["deleted"]
    id: UUID


class AgentListItem(WireModel):
    id: UUID
    name: str
    voice: str
    llm_provider: str | None
    llm_model: str | None
    agent_kind: str
    language: str
    created_at: AwareDatetime


class AgentMoved(WireModel):
    status: Literal["updated"]
    id: UUID
    agent_kind: Literal["custom", "managed"] | str
    managed_sku_id: str | None
    language: str
    supported_languages: list[str]
    dropped_languages: list[str]
    """The agent's former languages that the managed SKU does not support."""

    provider_config: dict[str, Any]


class AgentName(WireModel):
    id: UUID
    name: str


class AgentState(WireModel):
    """Event ``state``."""

    subject: Literal["agent"]
    state: Literal["listening", "thinking", "speaking"] | str


class AgentUpdated(WireModel):
    status: Literal["updated"]


class Alerts(WireModel):
    thresholds_usd: list[float]
    low_balance_pct: int
    email_enabled: bool


class AlertsWanted(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    thresholds_usd: list[float]
    """You are alerted when calls have cost so much since the month began (UTC)."""

    low_balance_pct: int
    """You are alerted when the balance is at or below this percent of the last top-up. 0: never."""

    email_enabled: bool
    """Whether owners and admins get each alert as a mail, too."""


class AnalyserView(WireModel):
    """The model that produced the results."""

    provider: str
    """`openai`, `google`, or `local` for the built-in analyser."""

    model: str


class AnalysisError(WireModel):
    """A part of the results that is missing, and why."""

    part: str | None
    """
    `summary`, `structured_data` or `evaluation`; `null` if the error concerns the whole analysis.
    """

    code: str
    message: str


class AnalysisQueued(WireModel):
    status: Literal["queued"]
    job_id: UUID
    message: str


class AnalysisUsage(WireModel):
    """How much all analyses of the call together used one model."""

    provider: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int


class Announced(WireModel):
    status: Literal["announced"]
    tenants: int
    """How many are told."""


class Announcement(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    title: str
    message: str
    starts_at: AwareDatetime | None = None
    ends_at: AwareDatetime | None = None
    tenant_id: UUID | None = None
    """Left out: every tenant."""


class ApiKeyRevoked(WireModel):
    status: Literal["revoked"]
    id: UUID


class ApiKeyRotate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    overlap_seconds: int = 0
    """How long the current secret keeps working, up to 30 days."""


class ApplyManagedSku(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    managed_sku_id: str
    language: str | None = None
    """The agent's new primary language. Default: its current one."""


class AuditEntryView(WireModel):
    id: int
    action: str
    """What was done, such as `agent.published`."""

    actor_kind: Literal["secret_key", "publishable_key", "user", "operator"] | str
    actor_id: UUID | None
    """The key or user; null for the operator."""

    actor_label: str
    """The key's name or the user's mail address at that time."""

    target_id: str | None
    """The record that was changed."""

    changes: dict[str, Any]
    address: str | None
    """Where the request came from."""

    user_agent: str | None
    request_id: str | None
    created_at: AwareDatetime


class AuditLogPage(WireModel):
    entries: list[AuditEntryView]
    total: int
    offset: int
    limit: int


class AutoRechargeChanges(WireModel):
    """Fields that you leave out stay as they are."""

    model_config = ConfigDict(
        extra="forbid",
    )
    enabled: bool | None = None
    pack_usd: float | str | None = None
    """What each recharge adds. Greater than `threshold_usd`."""

    threshold_usd: float | str | None = None
    """A recharge is made when the available credit falls below it."""


class AutoRechargeView(WireModel):
    enabled: bool
    pack_usd: float
    threshold_usd: float
    gateway: Literal["stripe", "razorpay"] | str | None
    """null: the installation takes no payments."""

    mandate_required: bool
    has_mandate: bool
    billing_phone: str | None


class Balance(WireModel):
    """
    The `balance_…` fields are sums of the ledger. Seconds and minutes are counted at the
    reference rate.
    """

    tenant_id: UUID
    balance_seconds: int
    balance_usd: float
    balance_cents: int
    balance_credits: float
    purchased_credits: float
    free_credits: float
    """All that was not bought: plan and free credit."""

    plan_credits: float
    """The part of `free_credits` that the plan granted for this month."""

    active_bucket: Literal["included", "topup"] | str
    """What calls are paid from now: `included` is plan credit, then free credit."""

    held_usd: float
    """Reserved by running calls."""

    available_usd: float
    """
    What calls can still reserve: the balance without what is held and, without extra usage, without top-up credit.
    """

    estimated_minutes_remaining: float
    topup_minutes_remaining: float
    is_active: bool
    tone: Literal["ok", "low", "critical"] | str
    tenant_state: Literal["no_agents", "agents_no_calls", "has_calls"] | str
    recent_daily_spend_usd: float | None
    runway_days_estimate: float | None


class BatchProgress(WireModel):
    """How many of the accepted recipients have each status."""

    waiting: int
    """Not dialed yet, or waiting for the next attempt."""

    ringing: int
    in_progress: int
    completed: int
    no_answer: int
    busy: int
    failed: int
    canceled: int


class BatchRowView(WireModel):
    index: int
    to: str
    call_id: UUID | None
    status: str
    """`rejected`, `waiting`, or the call's status."""

    end_reason: str | None
    code: str | None
    """Why the recipient was rejected."""

    message: str | None


class BatchView(WireModel):
    id: UUID
    name: str | None
    agent_id: UUID
    status: Literal["running", "completed", "canceled"] | str
    """`running` while any recipient waits or is in a call, even after `cancel`."""

    total: int
    accepted: int
    rejected: int
    progress: BatchProgress
    created_at: AwareDatetime
    canceled_at: AwareDatetime | None


class BillCharge(WireModel):
    """The ledger entry that the call was charged with."""

    transaction_id: UUID
    """As in `GET /v1/billing/transactions`."""

    seconds: int
    """Billable seconds."""

    amount: float
    from_plan_credit: float
    from_free_credit: float
    from_purchased_credit: float
    created_at: AwareDatetime


class BillHold(WireModel):
    """The credit that the call reserves while it runs, so that it can always be paid."""

    state: Literal["open", "settled", "released"] | str
    """`settled`: the charge was taken. `released`: nothing was charged."""

    amount: float
    """What it holds, or held last."""

    opened_at: AwareDatetime
    closed_at: AwareDatetime | None


class BillPriceRow(WireModel):
    """
    A row of the catalogue's prices, or of the phone network's (`telecom`), frozen when the call
    was created.
    """

    price_id: UUID
    component: Literal["stt", "llm", "tts", "platform", "managed_sku", "telecom"] | str
    provider: str
    model: str
    price_per_min: float
    valid_from: AwareDatetime | None
    """Since when the catalogue has it; `null` if it has no such row any more."""

    cost: float | None
    """Its part of the charge; `null` while the call runs."""


class BoundToolView(WireModel):
    type: (
        Literal[
            "call_webhook",
            "handoff",
            "transfer",
            "end_call",
            "send_dtmf",
            "search_knowledge",
            "mcp",
        ]
        | str
    )
    can_run: bool
    reasons: list[str]
    """Sentences that say why it cannot run. Empty if it can."""

    index: int
    """The tool's index in the agent's `tools`."""

    name: str


class BrokenText(WireModel):
    field: str
    line: int
    """The line within the field, counted from 1."""

    message: str


class CallCostView(WireModel):
    """A call that started and is over, in dollars."""

    id: UUID
    started_at: AwareDatetime
    agent_id: UUID
    agent_name: str
    duration_seconds: int
    """Billable seconds."""

    customer_revenue: float
    """What the call was charged with."""

    provider_cost: float
    """
    The part of the charge that is for the models, at the call's frozen prices. What a model on your own key costs is not in it.
    """

    gross_margin: float
    """The rest: the platform's fee, or all of a managed SKU."""


class CallCosts(WireModel):
    calls: list[CallCostView]
    """Newest first."""


class CallEndedView(WireModel):
    status: Literal["ended"]
    id: UUID
    message: str


class CallEventView(WireModel):
    id: UUID
    call_id: UUID
    level: str
    source: str
    message: str
    created_at: AwareDatetime


class CallFailedData(WireModel):
    call_id: UUID
    session_id: str
    agent_id: UUID
    status: Literal["failed"]
    reason: str | None


class CallFailedEvent(WireModel):
    timestamp: AwareDatetime
    """When it was emitted; the same over all tries."""

    event: Literal["call.failed"]
    data: CallFailedData


class CallFeedback(WireModel):
    """What somebody thought of the call."""

    rating: Literal["up", "down"] | str
    comment: str | None
    given_at: AwareDatetime
    """When it was last given."""


class CallLimits(WireModel):
    """
    What a call with a publishable key may bring along. A field that you leave out has its
    default.
    """

    participants: int = 1
    """Of a web call; a phone call has one."""

    variables: int = 20
    variable_characters: int = 200
    """Of each variable's name, and of its value (as JSON if it is no text)."""

    undeclared_variables: bool = False
    """Whether a call may name variables that the agent's texts do not use."""

    metadata_bytes: int = 2048
    """Of the `metadata` of the call and its participants together, as JSON."""


class CallParticipantView(WireModel):
    id: UUID
    role: str
    transport: str
    identity: str
    status: str
    from_number: str | None
    """The caller id of a phone; null for a browser."""

    metadata: dict[str, Any]
    telephony_leg_id: UUID | None
    """Null for a browser."""

    job_id: UUID | None
    """Null for a browser."""


class CallQueued(WireModel):
    """A new call that waits until a phone is answered."""

    id: UUID
    room_name: str
    status: str
    participants: list[AddedParticipant]


class CallStartedData(WireModel):
    call_id: UUID
    session_id: str
    agent_id: UUID
    channel: Literal["web", "phone"] | str
    to_number: str | None
    """The word `web`, or the dialed number."""

    started_at: AwareDatetime
    participant_id: UUID | None = None
    """Only in the further event of each phone leg."""


class CallStartedEvent(WireModel):
    timestamp: AwareDatetime
    """When it was emitted; the same over all tries."""

    event: Literal["call.started"]
    data: CallStartedData


class CallState(WireModel):
    """Event ``state``. A terminal ``state`` is the last event of the stream."""

    subject: Literal["call"]
    state: str
    """The call's `status`, as `GET /v1/calls/{call_id}` shows it."""

    end_reason: str | None


class CallWebhookInput(WireModel):
    """Calls an HTTP API of the agent's owner with the arguments that the model fills in."""

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["call_webhook"]
    name: str
    description: str
    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | str = "POST"
    headers: (
        dict[
            Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&\'*+.^_`|~-]{1,100}$")], str
        ]
        | None
    ) = None
    parameters: dict[str, Any] | None = None
    body: dict[str, Any] | None = None
    timeout_seconds: float = 10
    speak_while: str | None = None


class CallWebhookOutput(WireModel):
    """Calls an HTTP API of the agent's owner with the arguments that the model fills in."""

    type: Literal["call_webhook"]
    name: str
    description: str
    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"] | str
    headers: dict[
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&\'*+.^_`|~-]{1,100}$")], str
    ]
    parameters: Annotated[dict[str, Any], Field(max_length=1000)]
    body: dict[str, Any] | None
    timeout_seconds: float
    speak_while: str | None


class CallerPersona(WireModel):
    type: str
    approach: str


class CarrierAccountDeleted(WireModel):
    status: Literal["deleted"]
    id: UUID


class CarrierAccountView(WireModel):
    id: UUID
    provider: Literal["twilio", "telnyx", "plivo", "vonage"] | str
    name: str
    is_default: bool
    refuse_with: Literal["sentence", "busy", "reject"] | str
    identifiers: dict[str, str]
    """The credentials that are no secrets, such as `account_sid`."""

    status: Literal["verified", "failed", "unverified"] | str
    """
    Whether the carrier accepted the credentials when it was last asked. `unverified`: it has not answered yet.
    """

    problem: str | None
    """What was wrong at the last check, in a sentence."""

    verified_at: AwareDatetime | None
    created_at: AwareDatetime
    updated_at: AwareDatetime


class CarrierVerification(WireModel):
    """What the carrier said."""

    ok: bool
    message: str
    """What is right, or what is wrong and what to do about it."""

    code: str | None
    """
    Why not, for programs: `wrong_credentials`, `account_suspended`, `not_allowed`, `no_credit`, `not_found`, `rate_limited`, `unreachable` or `refused`.
    """

    carrier: CarrierAccountView


class Change(WireModel):
    """``from`` is null if ``op`` is ``add``, ``to`` is null if it is ``remove``."""

    op: Literal["add", "remove", "replace"] | str
    path: str
    """JSON Pointer (RFC 6901) to the changed value."""

    from_: Annotated[Any, Field(alias="from")]
    to: Any


class ChannelTest(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    event_category: (
        Literal[
            "billing.low_balance",
            "billing.balance_depleted",
            "billing.payment_failed",
            "billing.topup_confirmed",
            "billing.invoice_ready",
            "call.first_call",
            "call.daily_summary",
            "call.monthly_summary",
            "call.volume_spike",
            "agent.published",
            "agent.failed",
            "agent.degraded",
            "agent.number_assigned",
            "agent.minutes_requested",
            "system.api_key_created",
            "system.api_key_revoked",
            "system.login_new_device",
            "system.maintenance",
            "team.member_invited",
            "team.member_joined",
            "auth.welcome",
            "number.porting_complete",
        ]
        | str
    ) = "billing.low_balance"
    title: str = "A test"
    message: str = "This is a test of your notifications. Nothing has happened."
    requested_channels: list[Literal["in_app", "email", "sms", "webhook"] | str] | None = None
    """Only over these channels, as far as preferences allow. Left out: over all."""

    force_channels: list[Literal["in_app", "email", "sms", "webhook"] | str] | None = None
    """Also over these, whatever the preferences say."""


class ChatMessageCreate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    text: str


class ChatSessionCreate(WireModel):
    """The chat that a client wants."""

    model_config = ConfigDict(
        extra="forbid",
    )
    version: Literal["published", "draft"] | str = "published"
    """
    `published`: the version that calls run. `draft`: the agent as it was last saved, which need not be published.
    """

    variables: dict[str, Any] | None = None
    locale: str | None = None
    """One of the agent's `supported_languages`, as for a call."""

    run_tools: bool = False
    """
    Call the agent's webhooks for real. Without it, a message reports what the agent would call, and the agent goes on as if it had worked.
    """


class ChatSessionDeleted(WireModel):
    status: Literal["deleted"]
    id: UUID


class ChatSessionState(WireModel):
    """How a chat stands."""

    id: UUID
    agent_id: UUID
    agent_version: int | None
    """`null`: the agent as it was last saved."""

    locale: str
    provider: str
    model: str
    run_tools: bool
    status: Literal["open", "ended"] | str
    """`ended`: the agent has ended the chat."""

    collected: dict[str, str]
    """What the playbook engine has collected, by slot; empty with other models."""

    warnings: list[str]
    """What is wrong with the agent's texts or variables."""

    created_at: AwareDatetime
    expires_at: AwareDatetime
    """One hour after the last message."""

    ended_at: AwareDatetime | None


class ChatToolView(WireModel):
    """What the agent did besides talking."""

    name: str
    arguments: dict[str, Any]
    outcome: Literal["would_call", "done", "failed"] | str
    """`would_call`: nothing was called."""

    result: str | None
    """What the tool answered, at most 4,000 characters; `null` if it was not called."""


class CheckoutStart(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    pack_usd: float | str
    """What is added to the credit. A pack's price, or any other amount."""

    billing_country: str | None = None
    """ISO 3166-1, two letters. It decides about the gateway and the taxes."""

    tax_id: str | None = None
    """Shown on the invoices from now on."""

    save_card: bool = False
    """Keep the card for automatic recharges. In India, register a mandate."""


class Chunk(WireModel):
    context: str
    """The source's title and the headings above the text."""

    text: str


class Correction(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    reason: str
    """Why. Shown to the tenant in its transactions."""

    posted_by: str
    """
    Who decided it: a name or a mail address. Kept with the transaction, where the tenant sees it, and in the audit log.
    """

    reference: str | None = None
    """What it is for. A tenant gets each reference only once, even if you repeat the request."""

    amount_usd: float | str
    """What it adds to the balance; below 0 to take something. Not 0."""

    bucket: Literal["free", "purchased"] | str = "free"
    """
    Where a positive amount goes. A negative one takes plan credit first, then free credit, then purchased credit.
    """

    corrects: UUID | None = None
    """The transaction that was wrong."""


class CreditGrant(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    amount_usd: float | str
    """At most six decimal places."""

    description: str
    """Shown to the tenant in its transactions."""

    bucket: Literal["free", "purchased"] | str = "free"
    """Whether the credit is a gift or was paid for."""

    reference: str | None = None
    """
    What the credit is for. A tenant gets each reference only once, even if you repeat the request.
    """


class CreditGranted(WireModel):
    transaction_id: UUID
    tenant_id: UUID
    amount_usd: float
    balance_usd: float
    already_posted: bool
    """Whether the reference was already posted; if so, nothing changed."""


class CriterionView(WireModel):
    criterion: str
    passed: bool
    score: float
    """0 to 1."""

    reasoning: str


class CurrentTenant(WireModel):
    id: UUID
    name: str
    tier: Literal["free", "enterprise"] | str
    plan_id: str


class DailyWindow(WireModel):
    """``start`` is inside the window, ``end`` is not; both on the same day."""

    model_config = ConfigDict(
        extra="forbid",
    )
    start: str
    end: str
    days: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"] | str] | None = None


class DataRetentionChanges(WireModel):
    """Fields that you leave out stay as they are; null keeps the data for good."""

    model_config = ConfigDict(
        extra="forbid",
    )
    recording_retention_days: int | None = None
    transcript_retention_days: int | None = None
    event_log_retention_days: int | None = None


class DataRetentionView(WireModel):
    """Days from the creation of a call until its data is deleted; null: never."""

    recording_retention_days: int | None
    """The audio of calls."""

    transcript_retention_days: int | None
    """Transcripts, collected values, analyses, and webhook events that hold them."""

    event_log_retention_days: int | None
    """The event logs of calls, and their webhook events."""


class DayLatencyView(WireModel):
    date: str
    turns: int
    """Turns of agents whose latency is known."""

    p50_ms: int | None
    """Half of the turns were answered at least so fast; `null` without turns."""

    p95_ms: int | None


class Debit(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    reason: str
    """Why. Shown to the tenant in its transactions."""

    posted_by: str
    """
    Who decided it: a name or a mail address. Kept with the transaction, where the tenant sees it, and in the audit log.
    """

    reference: str | None = None
    """What it is for. A tenant gets each reference only once, even if you repeat the request."""

    amount_usd: float | str
    """
    What is taken, with at most six decimal places: of plan credit first, then of free credit, then of purchased credit.
    """


class DeliveryQueued(WireModel):
    status: Literal["queued"]
    id: UUID


class DeliveryView(WireModel):
    id: UUID
    event: str
    event_id: UUID
    """`webhook-id` is made of it."""

    occurred_at: AwareDatetime
    """The envelope's `timestamp`."""

    status: Literal["pending", "delivered", "failed", "expired"] | str
    tries: int
    """In all, those before a replay included."""

    next_try_at: AwareDatetime | None
    finished_at: AwareDatetime | None


class Discarding(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    reason: str
    discarded_by: str
    """The person who decided it."""


class Done(WireModel):
    ok: Literal[True]


class DraftCreated(WireModel):
    status: Literal["created"]
    id: UUID
    warnings: list[str]
    """What you have to change before you can publish the draft."""


class DraftFieldRequest(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    field: str
    instruction: str | None = None
    current_config: dict[str, Any] | None = None
    """The agent's configuration as GET /v1/agents/{agent_id} returns it, or a part of it."""


class DraftedField(WireModel):
    field: str
    value: Any
    source: Literal["llm", "local"] | str
    warnings: list[str]


class EditedModel(WireModel):
    provider: str
    provider_name: str
    model: str
    label: str
    channels: list[Literal["stt", "llm", "tts"] | str]
    languages: list[str]
    modality: Literal["text", "audio", "realtime"] | str
    latency_ms: int | None
    reasoning_supported: bool
    supports_tools: bool
    required_tier: Literal["free", "enterprise"] | str | None
    byok_required: bool
    rank: int
    """The usable entry with the lowest rank is preferred."""

    is_active: bool
    edited_at: AwareDatetime | None
    """When an operator last changed it; null if the data file decides."""


class EditedModels(WireModel):
    models: list[EditedModel]


class EditedVoice(WireModel):
    id: str
    provider: str
    name: str
    label: str
    gender: Literal["female", "male", "neutral"] | str
    languages: list[str]
    models: list[str]
    rank: int
    """The usable entry with the lowest rank is preferred."""

    is_active: bool
    edited_at: AwareDatetime | None
    """When an operator last changed it; null if the data file decides."""


class EditedVoices(WireModel):
    voices: list[EditedVoice]


class EmailConfirmation(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    token: str
    password: str | None = None
    """Your password. A session of the account replaces it."""


class EmailConfirmed(WireModel):
    status: Literal["confirmed"]
    welcome_credit_posted: bool
    """Whether this request posted the credit."""


class EnabledChannels(WireModel):
    in_app: bool
    email: bool
    sms: bool
    webhook: bool


class EndCall(WireModel):
    """Hangs up. Every agent can do that; the description of this tool says when."""

    type: Literal["end_call"]
    name: Literal["end_call"] = "end_call"
    description: str = "End the call. Say goodbye first, in the same answer."


class EnrichRequest(WireModel):
    """Both fields are strings. For anything else, ``enriched`` in the answer is false."""

    companyName: str | None = None
    websiteUrl: str | None = None


class Enriched(WireModel):
    enriched: Literal[True]
    companyDescription: str
    knowledgeBase: list[str]
    source: Literal["llm", "local"] | str


class EntrySaved(WireModel):
    status: Literal["saved"]
    edited_at: AwareDatetime


class ErasureProof(WireModel):
    """
    Every text is as it stands in the document, so that a program that reads and writes it again
    gets the same bytes: its members are sorted and indented by one space.
    """

    version: int
    erasure_id: str
    tenant_id: str
    caller_hmac: str
    reason: str | None
    requested_by: dict[str, Any]
    requested_at: str
    completed_at: str
    totals: dict[str, Any]
    """Calls, rows by table, objects and their bytes."""

    calls: list[dict[str, Any]]
    """For each call, what was erased in which table, and which objects."""

    kept: dict[str, str]
    """What stays where, and why."""


class ErasureView(WireModel):
    id: UUID
    status: Literal["running", "completed", "failed"] | str
    caller_hmac: str
    """
    HMAC-SHA256 of the number or identity, with a key of this installation: requests for the same caller have the same one.
    """

    reason: str | None
    requested_by: AddedBy
    requested_at: AwareDatetime
    completed_at: AwareDatetime | None
    waits_for: str | None
    """Why it is not completed yet; null if it is."""

    calls: int
    """How many calls were erased so far."""

    proof_sha256: str | None
    """SHA-256 of the proof document; the audit log has it, too."""


class ErasureWanted(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    number: str | None = None
    identity: str | None = None
    reason: str | None = None
    """Kept in the proof, so do not name the caller here."""


class Estimate(WireModel):
    agent_kind: Literal["custom"]
    rate_per_min: float
    """
    The models' prices and the platform's fee. A channel that is left out, or on your own key, costs nothing.
    """

    est_for_duration_usd: float | None = None
    """Only with a duration, which is rounded up to 30 seconds."""


class EstimateWanted(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    stt_model: str = ""
    """`model` or `provider/model`; empty: left out."""

    llm_model: str = ""
    """A realtime model also listens and speaks: leave the others empty."""

    tts_model: str = ""
    duration_seconds: float | None = None
    """Connected time."""


class Evaluation(WireModel):
    rubric: str | None = None


class EvaluationView(WireModel):
    """How the call did by the criteria of the rubric."""

    passed: bool
    """Whether the call passed every criterion."""

    score: float
    """The mean of the scores of all criteria, 0 to 1."""

    reasoning: str
    criteria: list[CriterionView]


class EventCosts(WireModel):
    llm: float | None
    tts: float | None
    stt: float | None


class EventEvaluation(WireModel):
    passed: bool | None
    score: float | None
    reasoning: str | None


class EventReceived(WireModel):
    received: Literal[True]


class EventSegment(WireModel):
    speaker: str
    text: str
    sequence: int
    started_at_ms: int
    ended_at_ms: int


class EventTranscript(WireModel):
    text: str
    segments: list[EventSegment]


class EventView(WireModel):
    id: UUID
    """`webhook-id` of a delivery is made of it."""

    event: str
    body: str
    """The body of a delivery: JSON."""


class ExtraUsage(WireModel):
    enabled: bool


class Features(WireModel):
    recording_enabled: bool = False
    transcription_enabled: bool = True
    require_consent: bool = True


class FeedbackGiven(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    rating: Literal["up", "down"] | str
    comment: str | None = None


class FieldFault(WireModel):
    field: str
    message: str


class FieldValue(WireModel):
    key: str
    value: Any


class Finding(WireModel):
    code: str
    """The kind of finding, for programs."""

    field: str
    """Path of the field to change."""

    message: str
    """What is wrong, and why it matters."""

    fix: str
    """What to do about it."""


class FoundChunk(WireModel):
    context: str
    """The source's title and the headings above the text."""

    text: str
    source_id: UUID
    source_title: str
    score: float
    """Of both lists together. Compare it within one search only."""

    similarity: float
    """By meaning: the cosine, -1 to 1."""

    word_score: float
    """By words: BM25, 0 or more."""


class Generated(WireModel):
    generated: Literal[True]
    draft: dict[str, Any]
    compiled_prompt_preview: str
    source: Literal["llm", "local"] | str
    warnings: list[str]


class GenerationOptions(WireModel):
    """Wishes. What the catalogue does not have is left out, with a warning."""

    model_config = ConfigDict(
        extra="forbid",
    )
    voice: str | None = None
    llm_provider: str | None = None
    llm_model: str | None = None


class Handoff(WireModel):
    """Hands the call over to another agent of the tenant."""

    type: Literal["handoff"]
    name: str
    description: str
    agent_id: UUID
    message: str | None = None


class HistoryItem(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    role: Literal["user", "assistant"] | str
    content: str


class IceServer(WireModel):
    """In the form of ``RTCIceServer``, which ``new RTCPeerConnection`` takes."""

    urls: list[str]
    username: str | None
    credential: str | None


class IceServers(WireModel):
    ice_servers: list[IceServer]


class IntelligenceReadyData(WireModel):
    call_id: UUID
    status: str
    duration: float
    """Seconds."""

    cost: float
    intelligence_status: str
    transcript: EventTranscript | None
    summary: str | None
    sentiment: str | None
    structured_data: dict[str, Any] | None
    evaluation: EventEvaluation | None
    errors: list[dict[str, Any]]


class IntelligenceReadyEvent(WireModel):
    timestamp: AwareDatetime
    """When it was emitted; the same over all tries."""

    event: Literal["call.intelligence.ready"]
    type: Literal["call.intelligence.ready"]
    data: IntelligenceReadyData


class IntelligenceView(WireModel):
    """The results of the analyses of a call."""

    status: str
    summary: str | None
    sentiment: str | None
    structured_data: dict[str, Any] | None
    evaluation: EvaluationView | None
    errors: list[AnalysisError]
    analyser: AnalyserView | None
    usage: list[AnalysisUsage]


class Interruption(WireModel):
    """Event ``interruption``: the caller interrupted the agent, and its voice was stopped."""

    at_ms: int


class InvitationAcceptance(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    token: str
    password: str | None = None
    """
    If you are new, a password of your choice; otherwise your account's password. A session of that account replaces it.
    """

    name: str | None = None
    """Your own name, if you are new."""


class InvitationCreate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    email: str
    role: Literal["owner", "admin", "member"] | str


class InvitationRevoked(WireModel):
    status: Literal["revoked"]
    id: UUID


class InvitationView(WireModel):
    id: UUID
    email: str
    role: Literal["owner", "admin", "member"] | str
    status: Literal["pending", "expired", "accepted", "revoked"] | str
    invited_by: str
    """The inviting user's mail address or the inviting API key's name."""

    invite_sent: bool
    """
    Whether a mail server accepted the last mail. If false, the invitation exists but its mail was not sent: resend it, or on an installation without a mail server ask the operator to pass on the mail from the outbox folder.
    """

    created_at: AwareDatetime
    sent_at: AwareDatetime
    expires_at: AwareDatetime


class InvoiceItemView(WireModel):
    id: UUID
    invoice_id: UUID
    kind: str
    description: str
    quantity: int
    unit_amount_minor: int
    amount_minor: int
    plan_id: str | None
    credit_transaction_id: UUID | None


class InvoiceVoid(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    reason: str
    """Stands on the credit note."""


class InvoiceVoided(WireModel):
    id: UUID
    invoice_number: str
    voided_at: AwareDatetime
    credit_note_number: str | None
    """null: earlier credit notes had taken all of it back."""


class JoiningParticipant(WireModel):
    id: UUID
    role: str
    transport: str
    identity: str
    status: str
    from_number: str | None
    """The caller id of a phone; null for a browser."""

    metadata: dict[str, Any]
    access: Access


class KnowledgeFound(WireModel):
    results: list[FoundChunk]
    """Best first."""


class KnowledgeQuestion(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    question: str
    limit: int = 5


class KnowledgeSourceCreate(WireModel):
    """``text`` is for kind `text`, ``url`` for kind `url`."""

    model_config = ConfigDict(
        extra="forbid",
    )
    kind: Literal["text", "url"] | str
    title: str
    """At most 200 bytes of UTF-8."""

    text: str | None = None
    """At most 1 MB of UTF-8, otherwise 413."""

    url: str | None = None
    """The address of a web page."""

    refresh_hours: int | None = None
    """How often the web page is fetched again. Null: only on request."""


class KnowledgeSourceUpdate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    refresh_hours: int | None
    """How often the web page is fetched again. Null: only on request."""


class KnowledgeSourceView(WireModel):
    id: UUID
    agent_id: UUID
    kind: Literal["text", "url", "file", "persona"] | str
    title: str
    source_uri: str | None
    """The address, the filename, or null for a text."""

    status: Literal["pending", "ready", "failed"] | str
    progress: float
    """0 to 1: how much of it is ingested."""

    chunk_count: int
    bytes: int
    failure_reason: str | None
    refresh_hours: int | None
    """How often a web page is fetched again."""

    refresh_at: AwareDatetime | None
    """When it is fetched again at the earliest."""

    created_at: AwareDatetime
    updated_at: AwareDatetime


class LanguageModelView(WireModel):
    """A language model that would call the tools in one language."""

    language: str
    provider: str
    model: str
    role: str
    """`primary` or `fallback`."""

    supports_tools: bool


class LatencyMetrics(WireModel):
    """How long each part of an agent's turn took, in ms; `null` for a part that did not happen."""

    transcription_delay_ms: int | None
    end_of_turn_delay_ms: int | None
    llm_first_token_ms: int | None
    tts_first_byte_ms: int | None
    end_to_end_ms: int | None


class LeanCallCompletedData(WireModel):
    call_id: UUID
    session_id: str
    agent_id: UUID
    status: str
    reason: str | None
    duration: float
    """Seconds."""

    cost: None
    intelligence_status: Literal["pending"]
    transcript: EventTranscript | None


class LeanCallCompletedEvent(WireModel):
    """Without `type`: the analysis has to wait. A `CallCompletedEvent` may follow."""

    timestamp: AwareDatetime
    """When it was emitted; the same over all tries."""

    event: Literal["call.completed"]
    data: LeanCallCompletedData


class LegKeys(WireModel):
    """Keys that were pressed at once: an entry of the person, or one use of `send_dtmf`."""

    direction: Literal["received", "sent"] | str
    """`received`: the person has pressed them; `sent`: the agent has."""

    digits: str | None
    """
    `null` if they are not kept, because an agent of the call asks for secrets, or keeps no transcript.
    """

    pressed_at: AwareDatetime


class ListedNumber(WireModel):
    number: str
    """E.164."""

    reason: str | None
    source: Literal["api", "dashboard", "import"] | str
    """Added with an API key, in the dashboard, or from a file."""

    added_by: AddedBy
    created_at: AwareDatetime


class LiveEvent(WireModel):
    """One server-sent event. `event` determines the shape of `data`."""

    event: Literal["state", "transcript", "latency", "interruption", "tool", "recording"] | str
    data: str
    id: str | None


class LoggedOut(WireModel):
    status: Literal["logged_out"]


class Login(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    email: str
    password: str
    tenant_id: UUID | None = None
    """The tenant to log in to; the default is the one that you joined first."""


class ManagedNumber(WireModel):
    """A number that the operator gives to a tenant."""

    model_config = ConfigDict(
        extra="forbid",
    )
    number: str
    """With `+` and country code; spaces, dots, dashes and brackets are ignored."""

    carrier: str | None = None
    """The carrier of its calls; can be left out if the installation has only one."""

    agent_id: UUID | None = None
    """The agent whose calls are made from this number."""

    is_default: bool = False
    """The number for calls that name none; a tenant has at most one default number."""

    max_concurrent_calls: int | None = None
    """How many calls from it may run at once; by default the installation's limit."""


class MandateStart(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    first_charge_usd: float | str
    """A top-up, paid at once."""

    max_amount_usd: float | str
    """The most that one later charge may take."""

    contact: str
    """The phone number that the bank knows: in E.164, or ten digits of India."""

    method: Literal["card", "upi"] | str | None = None


class MarginGroup(WireModel):
    key: str
    """A tenant's or agent's id, `component/provider/model` or a day."""

    calls: int
    minutes: float
    revenue_usd: float
    planned_cost_usd: float
    """Of providers, at the price rows that the calls froze."""

    actual_cost_usd: float
    """Of providers, at their unit prices, as far as these are known."""

    calls_of_unknown_cost: int
    """
    How often the cost of a price row's models is unknown: their unit prices are not in the catalogue, or no use was reported.
    """

    planned_margin_usd: float
    actual_margin_usd: float


class MarginReport(WireModel):
    """Of calls, by the UTC day on which they ended."""

    by: Literal["tenant", "agent", "model", "day"] | str
    from_: Annotated[str, Field(alias="from")]
    to: str
    total: MarginGroup
    """Of all calls of the period, each counted once, also if there are more groups."""

    groups: list[MarginGroup]
    """The most revenue first, the newest days in their order; 1,000 at most."""


class McpInput(WireModel):
    """The tools of a server that speaks the Model Context Protocol over HTTP."""

    model_config = ConfigDict(
        extra="forbid",
    )
    type: Literal["mcp"]
    name: str
    description: str | None = None
    url: str
    headers: (
        dict[
            Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&\'*+.^_`|~-]{1,100}$")], str
        ]
        | None
    ) = None
    allowed_tools: list[str] | None = None
    timeout_seconds: float = 10
    speak_while: str | None = None


class McpOutput(WireModel):
    """The tools of a server that speaks the Model Context Protocol over HTTP."""

    type: Literal["mcp"]
    name: str
    description: str | None
    url: str
    headers: dict[
        Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9!#$%&\'*+.^_`|~-]{1,100}$")], str
    ]
    allowed_tools: list[str] | None
    timeout_seconds: float
    speak_while: str | None = None


class MeUpdate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: str | None
    """`null` clears it."""


class MemberRemoved(WireModel):
    status: Literal["removed"]
    user_id: UUID


class MemberUpdate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    role: Literal["owner", "admin", "member"] | str


class MemberView(WireModel):
    user_id: UUID
    email: str
    name: str | None
    role: Literal["owner", "admin", "member"] | str
    joined_at: AwareDatetime


class MinutesRequested(WireModel):
    minutes_requested_at: AwareDatetime


class ModelEdit(WireModel):
    """The whole entry. A new model needs prices; for a known one they are optional."""

    model_config = ConfigDict(
        extra="forbid",
    )
    provider: str
    provider_name: str
    model: str
    label: str
    channels: list[Literal["stt", "llm", "tts"] | str]
    languages: list[str]
    modality: Literal["text", "audio", "realtime"] | str
    latency_ms: int | None = None
    reasoning_supported: bool = False
    supports_tools: bool = True
    required_tier: Literal["free", "enterprise"] | str | None = None
    byok_required: bool = False
    rank: int
    """The usable entry with the lowest rank is preferred."""

    is_active: bool = True
    prices_micros_per_minute: dict[str, int] | None = None
    """Valid from now on."""


class ModelSwitch(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    provider: str
    model: str
    is_active: bool


class ModelUsageView(WireModel):
    """How much one model was used in the call."""

    channel: str
    """`stt`, `llm` or `tts`."""

    provider: str
    model: str
    audio_ms: int
    input_tokens: int
    output_tokens: int
    characters: int
    cached_input_tokens: int
    """The part of `input_tokens` from a cache."""

    reasoning_tokens: int
    """The part of `output_tokens` spent on thinking."""

    estimated_input_tokens: int
    """
    The part of `input_tokens` of which the provider has told nothing, because the requests ended early.
    """

    estimated_output_tokens: int
    """The same part of `output_tokens`."""

    input_audio_tokens: int
    """The part of `input_tokens` that a realtime model has heard."""

    cached_input_audio_tokens: int
    """The part of `input_audio_tokens` from a cache."""

    output_audio_tokens: int
    """The part of `output_tokens` that a realtime model has spoken."""

    estimated_audio_ms: int
    """
    The part of a voice's `audio_ms` that nobody waited for: of the text that it had when it was interrupted, or given up because it was late.
    """

    cost: float | None
    """
    The model's share of its channel's `provider_cost_breakdown`, in US dollars; `null` while the call runs.
    """


class ModelView(WireModel):
    provider: str
    provider_name: str
    model_id: str
    label: str
    type: list[Literal["stt", "llm", "tts"] | str]
    """The channels that it serves. A realtime model serves all three."""

    plan_locked: bool
    """Whether your tier is below `required_plan`."""

    required_plan: str | None
    byok_required: bool
    """Whether you need a key of your own for the provider."""

    byok_provider_id: str | None
    """The provider to set your own key for; null if it takes none."""

    modality: Literal["text", "audio", "realtime"] | str
    latency_ms: int | None
    """Typical time to the first output, in milliseconds."""

    cost_per_min: float | None
    """In US dollars. With a key of your own it costs $0."""

    reasoning_supported: bool
    languages: list[str]
    """Language tags or their prefixes; `*` stands for every language."""

    available: bool
    """Whether your calls could use it now."""

    unavailable_reason: str | None
    """Why not, and what to do about it."""


class NewEvents(WireModel):
    events: list[EventView]
    """The oldest first."""

    next_cursor: str
    """Ask with it again after a second or more."""


class NotEnriched(WireModel):
    enriched: Literal[False]
    error: str


class NotificationData(WireModel):
    notification_id: UUID
    tenant_id: UUID
    event_category: str
    title: str | None
    message: str | None
    metadata: dict[str, Any]


class NotificationEvent(WireModel):
    """An event of an agent, of billing, of an account or of the system."""

    timestamp: AwareDatetime
    """When it was emitted; the same over all tries."""

    event: str
    type: str
    data: NotificationData


class NotificationOfDelivery(WireModel):
    id: UUID
    event_category: str
    title: str
    created_at: AwareDatetime


class NotificationSettingsChange(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    time_zone: str


class NotificationSettingsView(WireModel):
    time_zone: str
    """An IANA name; `UTC` until you set another."""


class NotificationStatus(WireModel):
    queue_enabled: bool
    channels: EnabledChannels
    preference_scope: Literal["tenant", "user"] | str
    """
    Whose preferences decide what the caller is shown: the tenant's for a key, the user's own over those for a session.
    """

    warnings: list[str]


class NotificationStreamEvent(WireModel):
    """One server-sent event. `event` determines the shape of `data`, which is JSON."""

    event: Literal["unread", "notification"] | str
    data: str
    id: str | None


class NotificationView(WireModel):
    id: UUID
    tenant_id: UUID
    event_category: str
    title: str
    message: str
    is_read: bool
    """
    With a session: whether its user has read it. With a key: whether somebody has read it with one of the tenant's keys.
    """

    metadata: dict[str, Any]
    created_at: AwareDatetime


class NumberAttachment(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    agent_id: UUID
    """The agent that answers the number."""


class NumberDetached(WireModel):
    status: Literal["detached"]
    number: str


class NumberRegistration(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    number: str
    """With `+` and country code; spaces, dots, dashes and brackets are ignored."""

    agent_id: UUID | None = None
    """The agent that answers it."""


class NumberRemoved(WireModel):
    status: Literal["removed"]
    number: str


class NumberToAdd(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    number: str
    """With `+` and country code; spaces, dots, dashes and brackets are ignored."""

    reason: str | None = None


class NumberView(WireModel):
    id: UUID
    number: str
    """E.164."""

    tenant_id: UUID
    agent_id: UUID | None
    carrier: str | None
    carrier_account_id: UUID | None
    """The account of its calls (`/v1/carriers`), or the installation's own."""

    verified_by: Literal["operator", "carrier", "webhook"] | str | None
    """
    What shows that the number is yours: the operator gave it, it is in your account at the carrier, or the carrier has called its webhook. null: nothing yet, and no call comes or goes.
    """

    user_id: UUID | None
    """The person who registered it in a dashboard."""

    is_managed: bool
    """True if the operator gave the number to the tenant."""

    is_default: bool
    max_concurrent_calls: int | None
    webhook_status: Literal["configured", "manual_required", "failed"] | str | None
    """What came of setting the carrier's webhook the last time; null: it was not tried."""

    webhook_error: str | None
    """What the carrier said, in a sentence."""

    created_at: AwareDatetime


class ObjectionHandler(WireModel):
    trigger: str
    response: str


class OwnPhone(WireModel):
    number: str | None
    """E.164; `null`: you have set none."""

    confirmed: bool


class OwnTenant(WireModel):
    id: UUID
    name: str
    role: Literal["owner", "admin", "member"] | str


class PackCreate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    display_name: str
    price_cents: int
    """What it adds to the credit. Its price, before taxes that come on top."""

    bonus_cents: int = 0
    """What it adds for free."""

    sort_order: int = 0
    """The lowest comes first."""


class PackView(WireModel):
    id: UUID
    display_name: str
    price_cents: int
    bonus_cents: int
    sort_order: int


class PackWithdrawn(WireModel):
    id: UUID


class ParkedEventDetail(WireModel):
    id: int
    reason: str
    """Why it could not be applied."""

    call_id: UUID | None
    """`null` if the event does not say."""

    tenant_id: UUID | None
    seq: int | None
    """Its number among the events of its call, from 1."""

    stream_entry_id: str
    """
    `connected-time:` and the call's id for the end of a call that reported more connected time than the call can have had. Otherwise the event's stream in Redis, `/` and its id there; of events that an earlier release parked, the id alone.
    """

    parked_at: AwareDatetime
    resolution: Literal["applied", "discarded"] | str | None
    resolution_reason: str | None
    discarded_by: str | None
    resolved_at: AwareDatetime | None
    document: str
    """What the worker sent. It may hold what a caller said."""


class ParkedEventView(WireModel):
    id: int
    reason: str
    """Why it could not be applied."""

    call_id: UUID | None
    """`null` if the event does not say."""

    tenant_id: UUID | None
    seq: int | None
    """Its number among the events of its call, from 1."""

    stream_entry_id: str
    """
    `connected-time:` and the call's id for the end of a call that reported more connected time than the call can have had. Otherwise the event's stream in Redis, `/` and its id there; of events that an earlier release parked, the id alone.
    """

    parked_at: AwareDatetime
    resolution: Literal["applied", "discarded"] | str | None
    resolution_reason: str | None
    discarded_by: str | None
    resolved_at: AwareDatetime | None


class ParticipantInput(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    transport: Literal["webrtc", "pstn"] | str
    identity: str
    from_number: str | None = None
    metadata: dict[str, Any] | None = None


class ParticipantState(WireModel):
    """Event ``state``."""

    subject: Literal["participant"]
    participant_id: UUID
    state: Literal["connected", "left", "connection_lost"] | str
    may_return: bool
    """
    With `connection_lost`: nothing comes from the participant, who has some seconds to reconnect. The next state says whether that succeeded.
    """


class ParticipantView(WireModel):
    """A participant in a list of calls."""

    id: UUID
    role: str
    transport: str
    identity: str
    status: str


class ParticipantsAdded(WireModel):
    id: UUID
    """Id of the call."""

    room_name: str
    status: str
    """Status of the call."""

    participants: list[AddedParticipant]
    """The participants that were added."""


class ParticipantsRequest(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    participants: list[ParticipantInput]


class PasswordChange(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    current_password: str
    new_password: str
    """10 to 200 characters, and not the mail address."""


class PasswordResetConfirmation(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    token: str
    password: str
    """10 to 200 characters, and not the mail address."""


class PasswordResetRequest(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    email: str


class PasswordResetRequested(WireModel):
    """The answer is the same whether or not the address has an account."""

    status: Literal["requested"]
    mail_enabled: bool
    """Whether this installation sends mail."""

    message: str


class PasswordSet(WireModel):
    status: Literal["password_set"]


class PauseView(WireModel):
    agent_id: UUID
    agent_name: str
    tenant_id: UUID
    reason: str
    paused_at: AwareDatetime


class PauseWanted(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    reason: str
    """Shown to the tenant."""

    end_running_calls: bool = False
    """Whether to end running calls, too; otherwise they continue."""


class Paused(WireModel):
    agent_id: UUID
    agent_name: str
    tenant_id: UUID
    reason: str
    paused_at: AwareDatetime
    ending_calls: int
    """How many running calls were asked to end."""


class PayingAccount(WireModel):
    """The tester's own account, which pays when the free minutes are used."""

    email: str
    account: str
    """The name of the session's tenant, whose credit is used."""

    available_usd: float
    """What calls can still be paid from."""


class PaymentMethodView(WireModel):
    id: UUID
    gateway: str
    method_type: str
    upi_vpa: str | None
    card_brand: str | None
    card_last4: str | None
    card_country: str | None
    is_default: bool
    """It is the one that automatic recharges charge."""

    created_at: AwareDatetime


class PaymentProfileChanges(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    preferred_gateway: Literal["stripe", "razorpay"] | str | None
    """
    The gateway that the tenant pays through if it is configured. null: the one of its country.
    """


class PaymentProfileView(WireModel):
    tenant_id: UUID
    billing_country: str | None
    tax_id: str | None
    preferred_gateway: str | None


class Person(WireModel):
    id: UUID
    email: str
    name: str | None
    email_confirmed: bool
    """
    Whether a token that was mailed to this address was used. Until then, a session can use only `/v1/me`, `/v1/auth` and `/v1/invitations/accept`.
    """


class PhoneCode(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    code: str


class PhoneCodeSent(WireModel):
    number: str
    """E.164."""

    code_sent: bool
    """Whether the SMS service has accepted the code."""


class PhoneLeg(WireModel):
    """One phone of a call, from the request until it is over."""

    telephony_leg_id: UUID
    job_id: UUID
    participant_id: UUID
    direction: Literal["inbound", "outbound"] | str
    carrier: str
    from_number: str | None
    """`null` if the caller withholds it."""

    to_number: str
    status: str
    """Of the participant."""

    state: str
    """
    Of the leg in the dialing queue: `waiting`, `active`, `completed` (somebody answered, and it is over), `failed` (nobody was reached) or `canceled`.
    """

    attempts: int
    """How often it was dialed; 1 for an inbound leg."""

    last_outcome: str | None
    """Of the last attempt that nobody answered, such as `busy` or `no_answer`."""

    requested_at: AwareDatetime
    due_at: AwareDatetime | None
    """When it is dialed next, while it waits."""

    joined_at: AwareDatetime | None
    """When its sound was connected."""

    left_at: AwareDatetime | None
    price_per_min: float
    """What its minutes cost you here, in US dollars; 0 on a carrier account of yours."""

    keys: list[LegKeys]
    """In the order in which they were pressed."""


class PhoneLegList(WireModel):
    legs: list[PhoneLeg]
    """In the order in which they were invited."""


class PhoneSettingsView(WireModel):
    allowed_countries: list[str] | None
    effective_countries: list[str]
    """The countries that may be called: those above, or those of your numbers."""

    daily_spend_cap_usd: float | None
    rate_ceiling_usd_per_minute: float | None
    spent_today_usd: float
    """Since midnight (UTC)."""


class PhoneSettingsWanted(WireModel):
    """All settings; one that is left out is null."""

    model_config = ConfigDict(
        extra="forbid",
    )
    allowed_countries: list[str] | None = None
    """Two-letter codes of the countries that may be called. null: those of your numbers."""

    daily_spend_cap_usd: float | str | None = None
    """
    When phone minutes that are billed here have cost so much since midnight (UTC), no phone is called until the next day. null: no cap.
    """

    rate_ceiling_usd_per_minute: float | str | None = None
    """Numbers whose minute costs more are not called. null: no ceiling."""


class PhoneToConfirm(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    number: str
    """With `+` and country code; spaces, dots, dashes and brackets are ignored."""


class PlanCreate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    id: str
    display_name: str
    monthly_credit_usd: float | str = "0"
    byok_allowed: bool = True
    """Whether tenants may use their own provider keys."""

    calls_at_once: int | None = None
    """The most open calls of a tenant. null: as the installation is set. 0: no limit."""

    calls_not_joined: int | None = None
    """
    The most calls of a tenant that nobody has joined yet. null: as the installation is set. 0: no limit.
    """

    dispatch_weight: int = 1
    """
    While calls wait for media workers, tenants take turns; so many calls of a tenant begin in one turn.
    """

    phone_numbers_max: int | None = None
    """How many phone numbers a tenant may register. null: no limit."""

    knowledge_sources_max: int | None = None
    """How many knowledge sources a tenant may have. null: no limit."""

    knowledge_bytes_max: int | None = None
    """How many bytes a tenant's knowledge sources may have. null: no limit."""

    knowledge_sources_soft_max: int | None = None
    """Above it, requests succeed and a header of their answers says so."""

    knowledge_bytes_soft_max: int | None = None
    """The same for bytes."""


class PlatformView(WireModel):
    calls_enabled: bool
    message: str | None
    updated_at: AwareDatetime


class PlatformWanted(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    calls_enabled: bool
    message: str | None = None
    """Shown to clients while calls are disabled."""


class PortedNumber(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    number: str
    """With `+` and country code; spaces, dots, dashes and brackets are ignored."""


class PortingTold(WireModel):
    status: Literal["announced"]
    tenant_id: UUID
    number: str
    """E.164."""


class PostCallModel(WireModel):
    provider: Literal["openai", "google"] | str | None = None
    model: str | None = None


class PreferenceChange(WireModel):
    """Channels that are left out stay as they are."""

    model_config = ConfigDict(
        extra="forbid",
    )
    event_category: (
        Literal[
            "billing.low_balance",
            "billing.balance_depleted",
            "billing.payment_failed",
            "billing.topup_confirmed",
            "billing.invoice_ready",
            "call.first_call",
            "call.daily_summary",
            "call.monthly_summary",
            "call.volume_spike",
            "agent.published",
            "agent.failed",
            "agent.degraded",
            "agent.number_assigned",
            "agent.minutes_requested",
            "system.api_key_created",
            "system.api_key_revoked",
            "system.login_new_device",
            "system.maintenance",
            "team.member_invited",
            "team.member_joined",
            "auth.welcome",
            "number.porting_complete",
        ]
        | str
    )
    email_enabled: bool | None = None
    sms_enabled: bool | None = None
    in_app_enabled: bool | None = None
    webhook_enabled: bool | None = None


class PreferenceRow(WireModel):
    event_category: str
    email_enabled: bool
    sms_enabled: bool
    in_app_enabled: bool
    webhook_enabled: bool


class PriceCreate(WireModel):
    """
    A new price. It replaces the previous one from `valid_from` on; the previous one is kept.

    The platform's fee is the component `platform` of `switchboard`/`platform`.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    component: Literal["stt", "llm", "tts", "managed_sku", "platform"] | str
    provider: str
    """The provider; `switchboard` for a managed SKU and the platform's fee."""

    model: str
    """The id of the model or managed SKU."""

    micros_per_minute: int
    """Micro-dollars per minute."""

    valid_from: AwareDatetime | None = None
    """Default: now. Must not be in the past."""


class PriceView(WireModel):
    id: UUID
    component: str
    provider: str
    model: str
    micros_per_minute: int
    valid_from: AwareDatetime


class PrimaryParticipant(WireModel):
    identity: str
    transport: str


class Pronunciation(WireModel):
    word: str
    say_as: str
    ipa: str | None = None


class ProviderCostBreakdown(WireModel):
    llm: float
    stt: float
    tts: float


class ProviderKeyDeleted(WireModel):
    status: Literal["deleted"]
    provider: str


class ProviderKeySet(WireModel):
    """``base_url``, ``models`` and ``name`` are for ``openai_compatible``, a server of your own."""

    model_config = ConfigDict(
        extra="forbid",
    )
    key: str | None = None
    """The provider's API key, 12 to 500 characters. Only a server of your own may do without."""

    base_url: str | None = None
    """
    The root of your server's API, which ends with `/v1` for most servers. Required for `openai_compatible`, and refused for all others. `https://`, or `http://` in a private network that the operator allows.
    """

    models: list[str] | None = None
    """
    The models on your server that your agents may use. Agents that name no language model get the first one. Required with `base_url`.
    """

    name: str | None = None
    """What people read as the provider of these models. Default: Your own server."""

    verify: bool = True
    """
    Whether to ask the provider if it accepts the key before it is stored. Send `false` for a key that is not allowed to list models, or while the provider is down.
    """


class ProviderKeyView(WireModel):
    provider: str
    last_four: str
    """
    The last four characters of the key, so that you can recognise it. Empty for a server of your own that wants no key.
    """

    status: Literal["verified", "unverified"] | str
    """Whether the provider accepted the key when it was set."""

    created_at: AwareDatetime
    updated_at: AwareDatetime
    """When the key was last set."""

    verified_at: AwareDatetime | None
    base_url: str | None
    """Of a server of your own; null for the others."""

    models: list[str] | None
    """Of a server of your own, best first."""

    name: str | None
    """Of a server of your own."""


class Publish(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    accept_limited: bool = False
    """
    Whether to publish an agent of whose instructions the offline engine can follow less than two thirds. Agents with a language model do not need it.
    """


class PublishReport(WireModel):
    """``blockers`` prevent publishing; ``warnings`` do not."""

    ready: bool
    """Whether there are no blockers."""

    blockers: list[Finding]
    warnings: list[Finding]


class QualificationQuestion(WireModel):
    question: str
    listensFor: str | None = None


class QualityGates(WireModel):
    blockers: list[str]
    warnings: list[str]


class Questions(WireModel):
    generated: Literal[False]
    clarifying_questions: list[str]
    quality_gates: QualityGates
    source: Literal["llm", "local"] | str


class QueueStats(WireModel):
    """Phone legs of the tenant. Source: API spec, `GET /v1/calls/queue/stats`."""

    waiting: int
    """To be dialed, for the first time or again."""

    active: int
    """Being dialed, ringing or in conversation."""

    completed: int
    """The call is completed, or the phone has left it."""

    failed: int
    """Nobody was reached, or the call failed."""


class QueuedTest(WireModel):
    success: Literal[True]
    jobId: UUID
    """The id that the notification will have."""


class Quota(WireModel):
    used_units: int
    """Requests of today (UTC)."""

    included_units: int | None
    """Requests a day; null: no limit."""

    quota_percent: float | None
    """How much is used; null: no limit."""

    status: Literal["ok", "quota"] | str
    """`quota`: all is used for today."""


class RawEntry(WireModel):
    """`response` is what was said; only the agent's turns have `metrics`."""

    id: UUID
    type: Literal["user_input", "agent_response"] | str
    response: str
    interrupted: bool
    metrics: LatencyMetrics | None


class RawSegment(WireModel):
    """A raw entry together with the fields of its segment."""

    speaker: Literal["user", "agent"] | str
    text: str
    sequence: int
    started_at_ms: int
    ended_at_ms: int
    is_final: bool
    source: str
    id: UUID
    type: Literal["user_input", "agent_response"] | str
    response: str
    interrupted: bool
    metrics: LatencyMetrics | None


class RazorpayOrder(WireModel):
    """What Razorpay's checkout takes. `amount` is in paise."""

    order_id: str
    key_id: str
    amount: int
    currency: str
    customer_id: str | None
    checkout_url: str
    """
    Hosted by Razorpay: have the customer's browser post a form there, with `key_id`, `order_id`, `amount`, `callback_url` and `cancel_url`; for a mandate also `customer_id` and `recurring=1`.
    """


class Readiness(WireModel):
    status: Literal["ready"]
    warnings: list[str]


class RecordingChannels(WireModel):
    left: Literal["caller"]
    right: Literal["agent"]


class RecordingState(WireModel):
    """Event ``recording``."""

    recording_id: UUID
    state: Literal["started", "stopped"] | str


class RefusedRecipient(WireModel):
    index: int
    """Index of the recipient in the request, from 0."""

    to: str
    code: str
    """
    `invalid_phone_number`, `duplicate_recipient`, `number_on_do_not_call_list`, `no_caller_id`, `never_dialable`, or the code of an error of `POST /v1/calls`.
    """

    message: str


class RejectedRow(WireModel):
    row: int
    """Number of the row in the file; the first row is 1."""

    reason: str


class ReplayQueued(WireModel):
    status: Literal["queued"]
    count: int
    """How many: of a longer span, the oldest 10,000 or a few more."""

    next_from: AwareDatetime | None
    """
    When the oldest event that is left happened: repeat the request with it as `from`. `null`: none is left.
    """


class ReplaySpan(WireModel):
    """The times are those of the events."""

    model_config = ConfigDict(
        extra="forbid",
    )
    from_: Annotated[AwareDatetime, Field(alias="from")]
    to: AwareDatetime
    """Events from before this time."""

    only_failed: bool = True
    """`false` replays what was delivered as well."""


class RequiredSlot(WireModel):
    name: str
    description: str = ""
    required: bool = True
    sensitive: bool = False


class RetryRule(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    attempts: int = 1
    """Attempts in all, including the first."""

    wait_seconds: int = 300


class RetryRules(WireModel):
    """
    When to dial again, by outcome. A phone that rejected the call or cannot be reached is never
    dialed again.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    busy: RetryRule | None = None
    no_answer: RetryRule | None = None
    failed: RetryRule | None = None


class RollBack(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    restore_draft: bool = False
    """Whether to restore the editable agent as well. By default it stays as it is."""


class RolledBack(WireModel):
    status: Literal["rolled_back"]
    id: UUID
    version: int
    """The number of the new version, which new calls run."""

    restored_from: int
    digest: str
    published_at: AwareDatetime
    warnings: list[str]
    """What its calls can no longer use, such as a provider whose key was removed."""


class SampleWanted(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    provider: str
    id: str
    """Of the voice, as `GET /v1/agents/voices` lists it."""

    text: str | None = None
    """What it says. Default: a greeting in the voice's language."""


class Saved(WireModel):
    ok: Literal[True]


class Schedule(WireModel):
    """When to dial. An empty schedule means now."""

    model_config = ConfigDict(
        extra="forbid",
    )
    not_before: AwareDatetime | None = None
    not_after: AwareDatetime | None = None
    """Nothing is dialed after this, nor later than a week after the request."""

    window: DailyWindow | None = None
    """Hours in the callee's local time."""

    timezone: str | None = None
    """
    The callee's time zone. By default the number decides; if it can be in several zones, the window must be open in all of them.
    """


class Script(WireModel):
    title: str
    when: str = ""
    content: str


class SearchKnowledge(WireModel):
    """Saved, and not run: calls look things up in the agent's knowledge sources by themselves."""

    type: Literal["search_knowledge"]
    name: str = "search_knowledge"
    description: str = "Look up facts in the knowledge sources before answering."
    max_results: int = 4


class SecretRotated(WireModel):
    status: Literal["rotated"]
    id: UUID
    previous_secret_until: AwareDatetime


class SecretToRotate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    secret: str
    """The key of the signatures. It is stored encrypted and never shown."""

    overlap_seconds: int = 86400
    """How long the present secret signs as well, in `webhook-signature`."""


class SegmentView(WireModel):
    """One final segment of the transcript; times are in ms from the start of the call."""

    speaker: Literal["user", "agent"] | str
    text: str
    sequence: int
    started_at_ms: int
    ended_at_ms: int
    is_final: bool
    source: str


class SendDtmf(WireModel):
    """Presses phone keys, for example to get through a voice menu."""

    type: Literal["send_dtmf"]
    name: str = "send_dtmf"
    description: str = "Press keys on the phone, for example in a voice menu."


class SentRequest(WireModel):
    """What is sent: its time and signatures are those of the next try."""

    url: str
    headers: dict[str, str]
    body: str


class SessionView(WireModel):
    id: UUID
    tenant_id: UUID
    address: str | None
    user_agent: str | None
    created_at: AwareDatetime
    last_used_at: AwareDatetime
    expires_at: AwareDatetime
    is_current: bool
    """Whether it is the session of this request."""


class SessionsRevoked(WireModel):
    status: Literal["revoked"]
    count: int


class ShareLinkChange(WireModel):
    """Fields that are left out stay as they are; a new link takes the defaults."""

    model_config = ConfigDict(
        extra="forbid",
    )
    enabled: bool = True
    minutes_limit: int = 30
    """All the minutes that visitors may ever use."""

    max_call_seconds: int = 300
    """The longest call. An agent's own shorter limit counts."""

    max_concurrent: int = 2
    """How many visitors may be in a call at a time."""

    calls_per_ip_hour: int = 3
    """How many calls one IPv4 address, or one /64 network of IPv6, has an hour."""

    allowed_origins: list[str] | None = None
    """
    The origins of other pages on which the widget works, such as `https://shop.example`. Without any, only the link's own page works.
    """


class ShareLinkView(WireModel):
    id: UUID
    url: str
    """
    Empty if the installation has lost the key that decrypts it: it still works, and regenerating gives the link another one.
    """

    enabled: bool
    minutes_limit: int
    minutes_used: int
    """Rounded up."""

    minutes_reserved: int
    """By calls that run now; rounded up."""

    minutes_remaining: int
    """For further calls; rounded down."""

    seconds_used: int
    """Connected time of the calls that are over."""

    seconds_remaining: int
    """For further calls."""

    live_calls: int
    max_call_seconds: int
    max_concurrent: int
    calls_per_ip_hour: int
    allowed_origins: list[str]
    minutes_requested_at: AwareDatetime | None
    """When a visitor asked for more minutes; `null` again once `minutes_limit` is raised."""

    created_at: AwareDatetime


class SharedAgent(WireModel):
    """The published version of an agent, to those who may call it."""

    state: Literal["ready", "off", "unpublished", "empty", "busy"] | str
    """
    Whether a call can begin now, or else why not: `off` (its owner has switched it off), `unpublished` (the agent takes no calls), `empty` (no minutes are left) or `busy` (as many visitors as may call at a time do).
    """

    name: str | None
    """As the agent introduces itself; `null` while `off`."""

    role: str | None
    company_name: str | None
    about: str | None
    """What the company does."""

    language: str | None
    minutes_remaining: int
    """Rounded down."""

    max_call_seconds: int
    """How long a call that begins now may be."""

    is_recorded: bool
    asks_consent: bool
    """Whether the agent announces the recording, which callers can refuse."""

    minutes_requested: bool
    """Whether the owner has been asked for more minutes already."""

    can_pay: bool
    """
    Whether a tester whose free minutes are used can go on from an account of their own: `POST /v1/shared/{share_token}/paid-calls`.
    """

    price_per_min: float | None
    """What a minute then costs in US dollars; set if `can_pay`."""


class SharedCallCreated(WireModel):
    id: UUID
    name: str
    max_call_seconds: int
    """The call ends after so many seconds."""

    access: Access


class SignUp(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    tenant_name: str
    email: str
    password: str
    """10 to 200 characters, and not the mail address."""

    name: str | None = None
    """Your own name."""


class SignedFile(WireModel):
    """One file of a recording. The address supports range requests."""

    signed_url: str
    """Needs no key: anyone with the address can listen until it expires."""

    expires_at: AwareDatetime
    content_type: str
    size_bytes: int


class SkuModel(WireModel):
    provider: str
    model: str


class SkuModelView(WireModel):
    provider: str
    model: str


class SkuSwitch(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    id: str
    is_active: bool


class SkuView(WireModel):
    id: str
    label: str
    bestFor: str
    description: str
    features: list[str]
    pricePerMin: float | None
    """In US dollars, including the providers."""

    effectivePricePerMin: float
    stt: SkuModelView
    llm: SkuModelView
    tts: SkuModelView
    voice: str
    supportedLanguages: list[str]
    isActive: bool
    sortOrder: int
    available: bool
    """Whether this installation can run it now."""

    unavailableReason: str | None


class SpendAlertView(WireModel):
    """
    `monthly_spend`: a threshold was reached. `low_balance`: `amount_usd` is the balance.
    `hourly_velocity`: calls cost `amount_usd` within an hour, which is unusual for you.
    """

    id: UUID
    alert_type: Literal["monthly_spend", "low_balance", "hourly_velocity"] | str
    severity: Literal["warning", "critical"] | str
    amount_usd: float
    threshold_usd: float
    created_at: AwareDatetime
    acknowledged_at: AwareDatetime | None


class SpendAlerts(WireModel):
    unacknowledged: list[SpendAlertView]
    """Newest first."""

    recent: list[SpendAlertView]
    """The latest ten acknowledged."""


class SpendGroup(WireModel):
    key: str
    """
    A day, an agent's id, or `component/provider/model`. `shared`: the calls that you paid as a tester of somebody else's agents.
    """

    name: str | None
    """The agent's name."""

    calls: int
    minutes: float
    """Billable minutes."""

    spend_usd: float


class StackChange(WireModel):
    """A choice is `provider/model`, or `provider/model/voice` in text-to-speech; null is none."""

    language: str
    channel: Literal["stt", "llm", "tts"] | str
    current: str | None
    preview: str | None


class StackPreview(WireModel):
    language: str
    supported_languages: list[str]
    provider_config: dict[str, Any]
    blockers: list[str]
    """Languages that cannot be served, and why."""

    warnings: list[str]
    changes: list[StackChange]
    """Differences from `current_provider_config`; empty if you sent none."""


class StackPreviewRequest(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    supported_languages: list[str]
    language: str | None = None
    """Default: the first supported one."""

    current_provider_config: dict[str, Any] | None = None
    """
    An agent's `provider_config`, or just `stt`, `llm` and `tts` of `language`. `changes` then shows what would differ from it.
    """


class StripeCheckout(WireModel):
    """Hosted by Stripe: send the customer there."""

    session_id: str
    checkout_url: str


class StructuredExtraction(WireModel):
    json_schema: dict[str, Any] | None = None
    prompt: str | None = None


class StudioAi(WireModel):
    """Writing agents with the help of a language model. It costs nothing."""

    used_units: int
    """Requests of today (UTC)."""

    included_units: int | None
    """Requests a day; null: no limit."""

    quota_percent: float | None
    """How much is used; null: no limit."""

    status: Literal["ok", "quota"] | str
    """`quota`: all is used for today."""

    overage_enabled: Literal[False]


class Success(WireModel):
    success: Literal[True]


class SuggestedChange(WireModel):
    """A change for ``POST /v1/agents/apply-changes``."""

    key: str
    value: Any


class SummarySettings(WireModel):
    enabled: bool = True
    prompt: str | None = None


class SummaryView(WireModel):
    """The summary and sentiment from the last finished analysis of a call."""

    status: str
    """
    `completed`; `pending` while the call is being analysed again; `failed`; `quota` (the quota of the provider's key is used up); or `skipped` (nothing was said, or the agent asks for no analysis).
    """

    sentiment: str | None
    """`positive`, `neutral`, `negative` or `mixed`; `null` without a summary."""

    summary: str | None
    """`null` if the agent asks for no summary, or if it failed."""


class TaxRateCreate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    country: str
    kind: str
    """What it is called on invoices."""

    percent: float | str
    is_inclusive: bool = False
    """Whether the packs' prices contain it. If not, it comes on top."""

    reverse_charge: bool = False
    """Whether a tenant with a tax id owes it, and pays you none."""


class TaxRateEnded(WireModel):
    id: UUID


class TaxRateView(WireModel):
    id: UUID
    country: str
    kind: str
    percent: float
    is_inclusive: bool
    reverse_charge: bool
    created_at: AwareDatetime


class TaxView(WireModel):
    kind: str
    percent: float
    amount_minor: int
    is_reverse_charged: bool
    """You owe this tax yourself."""


class TelecomPriceView(WireModel):
    id: UUID
    provider: str
    direction: Literal["inbound", "outbound"] | str
    prefix: str
    usd_per_minute: float
    valid_from: AwareDatetime


class TelecomPriceWanted(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    provider: Literal["twilio", "telnyx", "plivo", "vonage"] | str
    direction: Literal["inbound", "outbound"] | str
    """
    `outbound`: calls to numbers with the prefix. `inbound`: calls to your own numbers with it.
    """

    prefix: str
    """The longest prefix that fits counts; `+` fits every number."""

    usd_per_minute: float | str


class TenantChanges(WireModel):
    """Fields that you leave out stay as they are."""

    model_config = ConfigDict(
        extra="forbid",
    )
    name: str | None = None
    tier: Literal["free", "enterprise"] | str | None = None
    plan_id: str | None = None
    calls_at_once: int | None = None
    """The most open calls. null: what its plan says. 0: no limit."""

    calls_not_joined: int | None = None
    """The most calls that nobody has joined yet. null: what its plan says. 0: no limit."""


class TenantCreate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: str
    owner_email: str


class TenantCreated(WireModel):
    tenant_id: UUID
    owner_user_id: UUID
    api_key: str
    """A secret key. It is shown only here."""


class TenantDetail(WireModel):
    id: UUID
    name: str
    tier: Literal["free", "enterprise"] | str
    plan_id: str
    created_at: AwareDatetime
    balance_usd: float
    held_usd: float
    """Reserved by running calls."""

    available_usd: float
    agents: int
    calls_last_30_days: int
    owner_emails: list[str]
    calls: int
    """All calls so far."""

    running_calls: int
    calls_at_once: int | None
    """Its own cap on open calls; null: its plan's. 0: no limit."""

    calls_not_joined: int | None
    """Its own cap on calls that nobody has joined yet; null: its plan's. 0: no limit."""


class TenantPreferences(WireModel):
    data: list[PreferenceRow]
    """A row for each category."""

    scope: Literal["tenant", "all"] | str


class TenantSwitch(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    tenant_id: UUID


class TenantView(WireModel):
    id: UUID
    name: str
    tier: Literal["free", "enterprise"] | str
    plan_id: str
    created_at: AwareDatetime
    balance_usd: float
    held_usd: float
    """Reserved by running calls."""

    available_usd: float
    agents: int
    calls_last_30_days: int


class TesterChange(WireModel):
    """Fields that are left out stay as they are."""

    model_config = ConfigDict(
        extra="forbid",
    )
    minutes_limit: int = 0
    """A change also answers the tester's request for more minutes."""

    expires_at: AwareDatetime | None = None
    """`null`: the invitation does not end."""


class TesterInvite(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    email: str
    minutes_limit: int = 0
    """
    The minutes that the tester may use at your cost, before all others. With 0 the tester pays from the start, from an account of their own.
    """

    expires_at: AwareDatetime | None = None
    """When the invitation ends; a date means its first moment in UTC."""


class TesterView(WireModel):
    id: UUID
    agent_id: UUID
    email: str
    status: Literal["invited", "expired"] | str
    url: str
    """
    The address in the mail. Everybody who has it can use the minutes. Empty if the installation has lost the key that decrypts it: it still works.
    """

    minutes_limit: int
    minutes_used: int
    """Rounded up."""

    minutes_reserved: int
    """By a call that runs now; rounded up."""

    minutes_remaining: int
    """For further calls; rounded down."""

    seconds_used: int
    """Connected time of the calls that are over."""

    seconds_remaining: int
    """For further calls."""

    live_calls: int
    invite_sent: bool
    """Whether the last mail was accepted by a mail server."""

    expires_at: AwareDatetime | None
    minutes_requested_at: AwareDatetime | None
    """When the tester asked for more minutes; `null` again once `minutes_limit` is changed."""

    created_at: AwareDatetime
    sent_at: AwareDatetime
    """When the last mail was sent, or could not be."""


class ToolTypeView(WireModel):
    type: (
        Literal[
            "call_webhook",
            "handoff",
            "transfer",
            "end_call",
            "send_dtmf",
            "search_knowledge",
            "mcp",
        ]
        | str
    )
    can_run: bool
    reasons: list[str]
    """Sentences that say why it cannot run. Empty if it can."""


class ToolUse(WireModel):
    """Event ``tool``."""

    name: str
    is_error: bool


class Transaction(WireModel):
    """
    Positive amounts add to your balance. The operator posts debits and corrections, and says in
    `description` why. Plan credit is a `grant` each month, and what was not used of it an
    `expiry`.
    """

    id: UUID
    call_id: UUID | None
    amount_seconds: int
    amount_usd: float
    transaction_type: (
        Literal[
            "grant",
            "charge",
            "debit",
            "correction",
            "topup",
            "bonus",
            "refund",
            "dispute",
            "expiry",
        ]
        | str
    )
    description: str
    metadata: dict[str, Any]
    created_at: AwareDatetime


class Transactions(WireModel):
    transactions: list[Transaction]


class Transcript(WireModel):
    text: str
    segments: list[SegmentView]
    raw: list[RawEntry]


class TranscriptView(WireModel):
    transcript: list[RawSegment]
    text: str
    segments: list[SegmentView]


class Transfer(WireModel):
    """Connects the caller to a person."""

    type: Literal["transfer"]
    name: str
    description: str
    to: str
    message: str | None = None
    mode: Literal["cold", "warm"] | str = "cold"
    summary: str | None = None
    then: Literal["leave", "stay"] | str = "leave"
    unreached_message: str | None = None


class TryView(WireModel):
    number: int
    started_at: AwareDatetime
    duration_ms: int
    status_code: int | None
    """`null`: there was no answer."""

    error: str | None
    """Why it failed; `null`: it was delivered."""

    answer: str | None
    """The first 4 KB of the answer's body."""


class TurnLatency(WireModel):
    """Event ``latency``: from the caller's last word to the agent's first."""

    utterance: int | None
    sequence: int | None
    end_to_end_ms: int


class UnitPriceCreate(WireModel):
    """
    What a provider bills you for a model's use on a channel. It replaces the whole previous unit
    price from `valid_from` on; the previous one is kept. Tenants pay the price per minute.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    channel: Literal["stt", "llm", "tts"] | str
    provider: str
    model: str
    micros_per: dict[str, int]
    """
    Micro-dollars for one of each unit. `stt`: `audio_minute`. `tts`: `thousand_characters` or `audio_minute`. `llm`: `million_input_tokens` and `million_output_tokens`; `million_cached_input_tokens` and `million_reasoning_tokens` if those cost something else than other input and output. A realtime model, as `llm`: `million_input_audio_tokens` and `million_output_audio_tokens` besides, and if it has a price for them, `million_cached_input_audio_tokens`; the others are of text.
    """

    valid_from: AwareDatetime | None = None
    """Default: now. Must not be in the past."""


class UnitPriceView(WireModel):
    id: UUID
    channel: str
    provider: str
    model: str
    micros_per: dict[str, int]
    """Micro-dollars for one of each unit."""

    valid_from: AwareDatetime


class UnreadCount(WireModel):
    count: int


class UsedKey(WireModel):
    id: UUID
    name: str


class UserPreferences(WireModel):
    data: list[PreferenceRow]
    """
    A row for each category for which the user has preferences of their own. What these leave open is as the tenant has it.
    """

    scope: Literal["user"]


class UserState(WireModel):
    """Event ``state``: the people in the call, taken together."""

    subject: Literal["user"]
    state: Literal["listening", "speaking", "away"] | str


class Utterance(WireModel):
    """Event ``transcript``. It replaces earlier ones of the same ``utterance`` or ``sequence``."""

    utterance: int | None
    """Number of a growing utterance; null if it comes from the saved transcript."""

    sequence: int | None
    """Its place in the transcript of the call; null until the utterance is final."""

    speaker: Literal["user", "agent"] | str
    text: str
    is_final: bool
    at_ms: int


class VersionDiff(WireModel):
    agent_id: UUID
    from_: Annotated[int | Literal["draft"], Field(alias="from")]
    to: int | Literal["draft"]
    changes: list[Change]


class VersionSummary(WireModel):
    version: int
    published_at: AwareDatetime
    digest: str
    """SHA-256 of the frozen snapshot. Versions with equal digests are identical."""

    restored_from: int | None
    """The earlier version that a roll-back published again as this one."""

    is_served: bool
    """Whether new calls run this version."""


class VersionView(WireModel):
    """One version with its whole content. Secrets are masked."""

    version: int
    published_at: AwareDatetime
    digest: str
    """SHA-256 of the frozen snapshot. Versions with equal digests are identical."""

    restored_from: int | None
    """The earlier version that a roll-back published again as this one."""

    is_served: bool
    """Whether new calls run this version."""

    agent_id: UUID
    config: dict[str, Any]
    provider_config: dict[str, Any]
    compiled_prompt: str


class VoiceConfig(WireModel):
    voiceId: str | None = None
    language: str | None = None
    bargeInEnabled: bool = True


class VoiceEdit(WireModel):
    """The whole entry."""

    model_config = ConfigDict(
        extra="forbid",
    )
    id: str
    provider: str
    name: str
    label: str
    gender: Literal["female", "male", "neutral"] | str
    languages: list[str]
    models: list[str]
    rank: int
    """The usable entry with the lowest rank is preferred."""

    is_active: bool = True


class VoiceRuntime(WireModel):
    remaining_minutes: float
    """What the balance pays for, at the reference rate of $0.05 a minute."""

    status: Literal["ok", "low", "critical"] | str


class VoiceSwitch(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    provider: str
    id: str
    is_active: bool


class VoiceView(WireModel):
    id: str
    provider: str
    name: str
    label: str
    gender: Literal["female", "male", "neutral"] | str
    supported_model_ids: list[str]
    is_active: bool
    byok_required: bool
    byok_provider_id: str | None
    languages: list[str]


class Voicemail(WireModel):
    """What the agent does when an answering machine answers a phone that it dialed."""

    action: Literal["hang_up", "leave_message"] | str
    message: str | None = None


class WaitingCalls(WireModel):
    tenant_id: UUID
    calls: int


class WebhookChanges(WireModel):
    """
    Only the fields that you send change. `null` or an empty text removes `alert_email`; `null`
    puts `redaction_level` back to `partial`.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    url: str | None = None
    events: list[str] | None = None
    secret: str | None = None
    alert_email: str | Literal[""] | None = None
    redaction_level: Literal["none", "partial", "full"] | str | None = None


class WebhookDeleted(WireModel):
    status: Literal["deleted"]
    id: UUID


class WebhookDetails(WireModel):
    id: UUID
    url: str
    events: list[str]
    created_at: AwareDatetime
    alert_email: str | None
    redaction_level: Literal["none", "partial", "full"] | str
    failing_since: AwareDatetime | None
    """The first failed try since the last that succeeded."""

    previous_secret_until: AwareDatetime | None
    """Until then, the secret before the last rotation signs as well."""


class WebhookRegistered(WireModel):
    status: Literal["registered"]
    id: UUID


class WebhookResult(WireModel):
    """What came of setting the carrier's webhook."""

    status: Literal["configured", "manual_required", "failed", "no_carrier"] | str
    """
    `manual_required`: enter `webhookUrl` in the carrier's console. `no_carrier`: connect a carrier first (`POST /v1/carriers`).
    """

    provider: Literal["twilio", "telnyx", "plivo", "vonage"] | str | None
    webhookUrl: str | None
    verified: bool
    """The carrier says that the number is in your account."""

    error: str | None = None
    """Only if something failed."""


class WebhookTestRequest(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    event: (
        Literal[
            "call.started",
            "call.failed",
            "call.completed",
            "call.intelligence.ready",
            "agent.published",
            "agent.failed",
            "agent.number_assigned",
            "billing.topup_confirmed",
            "billing.payment_failed",
            "billing.low_balance",
            "billing.balance_depleted",
            "auth.welcome",
            "system.api_key_created",
            "system.api_key_revoked",
        ]
        | str
    ) = "call.completed"


class WebhookTestResult(WireModel):
    status: Literal["delivered", "failed"] | str
    duration_ms: int
    status_code: int | None
    """`null`: there was no answer."""

    error: str | None
    """Why it failed; `null`: it was delivered."""

    answer: str | None
    """The first 4 KB of the answer's body."""

    request: SentRequest


class WebhookToRegister(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    url: str
    """`https://`, on the public internet, with a name that resolves."""

    events: list[str]
    """Names of events."""

    secret: str
    """The key of the signatures. It is stored encrypted and never shown."""

    alert_email: str | None = None
    redaction_level: Literal["none", "partial", "full"] | str | None = None


class WebhookUpdated(WireModel):
    status: Literal["updated"]
    id: UUID


class WebhookView(WireModel):
    id: UUID
    url: str
    events: list[str]
    created_at: AwareDatetime


class WorkerView(WireModel):
    id: str
    state: Literal["warming", "ready", "draining"] | str
    """`warming`: it loads its models. `draining`: it ends its calls and takes no more."""

    slots_total: int
    slots_used: int
    claims_nothing_because: str | None
    """Why it takes no calls although slots may be free, such as `frames_late`."""

    claims_nothing_seconds: float
    heard_at: AwareDatetime
    """Workers report once a second."""


class ControlPlaneMoneyPlansSchemasPlanView(WireModel):
    id: str
    display_name: str
    monthly_credit_cents: int
    byok_allowed: bool


class ControlPlaneOperatorSchemasPlanView(WireModel):
    id: str
    display_name: str
    monthly_credit_usd: float
    byok_allowed: bool
    calls_at_once: int | None
    calls_not_joined: int | None
    dispatch_weight: int
    phone_numbers_max: int | None
    knowledge_sources_max: int | None
    knowledge_bytes_max: int | None
    knowledge_sources_soft_max: int | None
    knowledge_bytes_soft_max: int | None


class AdvancedInput(WireModel):
    """
    Timing and listening options.

    ``maxCallDuration``'s range of 30–7200 s is enforced by apply-changes only (API spec,
    "Advanced"), so it is not checked here.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    maxCallDuration: float = 600
    maxTurnLength: float = 60
    silencePromptDelay: float = 8
    postSilenceHangup: float = 15
    replyDelay: float = 0
    startSpeakingPhrasing: Literal["agent_greets", "wait_for_user"] | str = "agent_greets"
    startSpeakingThreshold: float | None = None
    stopSpeakingThreshold: float | None = None
    resumeAfterInterruption: bool = True
    smartEndpointing: bool = True
    waitAfterSentence: float | None = None
    waitAfterNoPunctuation: float | None = None
    waitAfterNumbers: float | None = None
    stt_confidence_threshold: float | None = None
    stt_numeral_formatting: bool = True
    stt_profanity_filter: bool = False
    stt_keywords: str | None = None
    offLimitsTopics: str | None = None
    prohibitedClaims: str | None = None
    prompt_mode: Literal["builder", "raw"] | str = "builder"
    pronunciations: list[Pronunciation] | None = None
    voicemail: Voicemail | None = None


class AdvancedOutput(WireModel):
    """
    Timing and listening options.

    ``maxCallDuration``'s range of 30–7200 s is enforced by apply-changes only (API spec,
    "Advanced"), so it is not checked here.
    """

    maxCallDuration: float
    maxTurnLength: float
    silencePromptDelay: float
    postSilenceHangup: float
    replyDelay: float
    startSpeakingPhrasing: Literal["agent_greets", "wait_for_user"] | str
    startSpeakingThreshold: float | None
    stopSpeakingThreshold: float | None
    resumeAfterInterruption: bool
    smartEndpointing: bool
    waitAfterSentence: float | None
    waitAfterNoPunctuation: float | None
    waitAfterNumbers: float | None
    stt_confidence_threshold: float | None
    stt_numeral_formatting: bool
    stt_profanity_filter: bool
    stt_keywords: str | None
    offLimitsTopics: str | None
    prohibitedClaims: str | None
    prompt_mode: Literal["builder", "raw"] | str
    pronunciations: list[Pronunciation]
    voicemail: Voicemail | None = None


class AgentList(WireModel):
    agents: list[AgentListItem]
    total: int
    offset: int
    limit: int


class AgentPublished(WireModel):
    status: Literal["published"]
    id: UUID
    version: int
    published_at: AwareDatetime
    warnings: list[Finding]
    """The warnings that validate-publish gives."""


class ApiKeyCreate(WireModel):
    """
    The `allowed_…` and `phone_…` fields are for publishable keys. The default of
    `allowed_channels` is `web`.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    allowed_channels: list[Literal["web", "phone"] | str] | None = None
    allowed_origins: list[str] | None = None
    allowed_agent_ids: list[UUID] | None = None
    phone_agent_id: UUID | None = None
    phone_countries: list[str] | None = None
    phone_calls_per_day: int | None = None
    call_limits: CallLimits | None = None
    name: str
    kind: Literal["secret", "publishable"] | str


class ApiKeyCreated(WireModel):
    id: UUID
    name: str
    kind: Literal["secret", "publishable"] | str
    hint: str
    """First and last characters of the newest secret."""

    allowed_channels: list[Literal["web", "phone"] | str]
    allowed_origins: list[str] | None
    allowed_agent_ids: list[UUID] | None
    phone_agent_id: UUID | None
    phone_countries: list[str] | None
    phone_calls_per_day: int | None
    call_limits: CallLimits | None
    """`null`: the defaults."""

    created_at: AwareDatetime
    last_used_at: AwareDatetime | None
    """To the minute."""

    overlap_ends_at: AwareDatetime | None
    """Until when secrets from before the last rotation work."""

    revoked_at: AwareDatetime | None
    status: Literal["created"]
    key: str
    """The key itself. It is shown only here."""


class ApiKeyRotated(WireModel):
    id: UUID
    name: str
    kind: Literal["secret", "publishable"] | str
    hint: str
    """First and last characters of the newest secret."""

    allowed_channels: list[Literal["web", "phone"] | str]
    allowed_origins: list[str] | None
    allowed_agent_ids: list[UUID] | None
    phone_agent_id: UUID | None
    phone_countries: list[str] | None
    phone_calls_per_day: int | None
    call_limits: CallLimits | None
    """`null`: the defaults."""

    created_at: AwareDatetime
    last_used_at: AwareDatetime | None
    """To the minute."""

    overlap_ends_at: AwareDatetime | None
    """Until when secrets from before the last rotation work."""

    revoked_at: AwareDatetime | None
    status: Literal["rotated"]
    key: str
    """The key's new secret. It is shown only here."""


class ApiKeyUpdate(WireModel):
    """
    Only the fields that you send change. `null` removes `phone_agent_id` and the restriction of
    `allowed_origins`, `allowed_agent_ids`, `phone_countries` or `phone_calls_per_day`, and puts
    `call_limits` back to the defaults.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    allowed_channels: list[Literal["web", "phone"] | str] | None = None
    allowed_origins: list[str] | None = None
    allowed_agent_ids: list[UUID] | None = None
    phone_agent_id: UUID | None = None
    phone_countries: list[str] | None = None
    phone_calls_per_day: int | None = None
    call_limits: CallLimits | None = None
    name: str | None = None


class ApiKeyView(WireModel):
    id: UUID
    name: str
    kind: Literal["secret", "publishable"] | str
    hint: str
    """First and last characters of the newest secret."""

    allowed_channels: list[Literal["web", "phone"] | str]
    allowed_origins: list[str] | None
    allowed_agent_ids: list[UUID] | None
    phone_agent_id: UUID | None
    phone_countries: list[str] | None
    phone_calls_per_day: int | None
    call_limits: CallLimits | None
    """`null`: the defaults."""

    created_at: AwareDatetime
    last_used_at: AwareDatetime | None
    """To the minute."""

    overlap_ends_at: AwareDatetime | None
    """Until when secrets from before the last rotation work."""

    revoked_at: AwareDatetime | None


class ApplyChanges(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    currentConfig: dict[str, Any] | None = None
    """
    Values by key. A key is a path (`persona.companyName`). For a field of persona, playbook, advanced or features the last name is enough if no other field has it (`companyName`). Nested objects are accepted, too.
    """

    changes: list[FieldValue]
    mode: Literal["create", "edit"] | str = "create"
    """`edit` refuses agent_kind, managed_sku_id, the custom_* fields and tools."""

    lenient: bool = False
    """Leave unknown keys out with a warning, instead of applying nothing."""


class BatchAccepted(WireModel):
    id: UUID
    status: Literal["running"]
    total: int
    accepted: int
    rejected: int
    errors: list[RefusedRecipient]


class BatchPage(WireModel):
    batches: list[BatchView]
    total: int
    offset: int
    limit: int


class BatchRowPage(WireModel):
    recipients: list[BatchRowView]
    total: int
    offset: int
    limit: int


class BillAgent(WireModel):
    """
    An agent that served the call, for as long as it did. When a phone is added to the call, or
    leaves it, the same agent begins a new entry with other price rows.
    """

    agent_id: UUID
    agent_version: int
    agent_name: str
    from_seconds: float
    """Connected seconds at which it took over."""

    seconds: float | None
    """What it is billed for; `null` while the call runs."""

    price_per_min: float
    """The sum of its price rows."""

    cost: float | None
    """Its part of the charge; `null` while the call runs."""

    prices: list[BillPriceRow]


class CallBill(WireModel):
    """Amounts are in US dollars. The parts of a charge add up to it exactly."""

    call_id: UUID
    paid_by: Literal["tenant", "tester"] | str
    """
    `tester`: from an account of their own. All that follows is what *your* account was charged, so it is 0, and neither a charge nor a hold is shown.
    """

    billable_seconds: int | None
    """`null` while the call runs."""

    total_cost: float | None
    """`null` while the call runs."""

    telecom_cost: float | None
    """
    The part of `total_cost` that is not for STT, LLM and TTS, as in `GET /v1/calls`. `null` while the call runs.
    """

    phone_cost: float | None
    """The part of `telecom_cost` that the phones' minutes cost. `null` while the call runs."""

    charge: BillCharge | None
    """`null` while the call runs, and if nothing was charged."""

    hold: BillHold | None
    agents: list[BillAgent]
    """In the order in which they talked."""


class CallCompletedData(WireModel):
    call_id: UUID
    session_id: str
    agent_id: UUID
    status: str
    reason: str | None
    duration: float
    """Seconds."""

    cost: float
    """`telecom_cost` and `provider_cost`, in dollars."""

    telecom_cost: float
    provider_cost: float
    provider_cost_breakdown: EventCosts
    provider_cost_actual: float | None
    """What providers bill the installation, as far as it is known."""

    provider_cost_actual_breakdown: EventCosts | None
    intelligence_status: str
    transcript: EventTranscript | None
    summary: str | None
    sentiment: str | None
    structured_data: dict[str, Any] | None
    evaluation: EventEvaluation | None
    recording: dict[str, Any] | None
    """As in `GET /v1/calls/{call_id}/recording`, with addresses signed now."""

    errors: list[dict[str, Any]]


class CallCompletedEvent(WireModel):
    timestamp: AwareDatetime
    """When it was emitted; the same over all tries."""

    event: Literal["call.completed"]
    type: Literal["call.completed"]
    data: CallCompletedData


class CallCreated(WireModel):
    id: UUID
    room_name: str
    status: str
    participants: list[JoiningParticipant]
    agent: AgentName


class CallEventPage(WireModel):
    events: list[CallEventView]
    total: int
    offset: int
    limit: int


class CallView(WireModel):
    """One call in a list. Costs are in US dollars, durations in seconds."""

    id: UUID
    room_name: str
    agent_id: UUID
    status: str
    created_at: AwareDatetime
    started_at: AwareDatetime | None
    ended_at: AwareDatetime | None
    bill_duration: float | None
    """Connected seconds."""

    billable_seconds: int | None
    """Connected seconds, rounded up to 30."""

    total_cost: float | None
    telecom_cost: float | None
    """
    The part of `total_cost` that is not `provider_cost`: the fee for the call, and the minutes of its phones on the installation's carrier accounts.
    """

    provider_cost: float | None
    provider_cost_breakdown: ProviderCostBreakdown | None
    provider_cost_calculated_at: AwareDatetime | None
    provider_cost_actual: float | None
    """
    What providers bill the installation for the call: what its models did, at the unit prices that were frozen when it was created. It is not what you pay. `null` while the call runs, and if the cost of a channel is not known.
    """

    provider_cost_actual_breakdown: ActualCostBreakdown | None
    """`null` while the call runs."""

    end_reason: str | None
    metadata: dict[str, Any]
    intelligence_status: str
    feedback: CallFeedback | None
    """`null` until somebody has rated the call."""

    participant_count: int
    primary_participant: PrimaryParticipant | None
    participants: list[ParticipantView]


class CarrierAccountCreate(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    provider: Literal["twilio", "telnyx", "plivo", "vonage"] | str
    credentials: Annotated[dict[str, Any], Field(max_length=10)]
    """
    `twilio`: `account_sid`, `auth_token` (the primary one). `telnyx`: `api_key`, `public_key`; optional `connection_id`, `outbound_voice_profile_id`. `plivo`: `auth_id`, `auth_token`; optional `application_id`. `vonage`: `api_key`, `api_secret`, `signature_secret`; optional `application_id` together with its `private_key`.
    """

    name: str | None = None
    """For people. Default: the carrier's name."""

    is_default: bool | None = None
    """
    Whether this account is asked first for a number that you register. Default: true for your first account.
    """

    refuse_with: Literal["sentence", "busy", "reject"] | str = "sentence"
    """
    What callers hear whose call cannot be taken: a recorded `sentence`, the `busy` signal, or the carrier's own `reject`.
    """


class CarrierAccountPage(WireModel):
    carriers: list[CarrierAccountView]
    total: int
    offset: int
    limit: int


class CarrierAccountUpdate(WireModel):
    """What is left out stays as it is."""

    model_config = ConfigDict(
        extra="forbid",
    )
    credentials: dict[str, Any] | None = None
    """
    All credentials of the carrier, in place of the old ones. `twilio`: `account_sid`, `auth_token` (the primary one). `telnyx`: `api_key`, `public_key`; optional `connection_id`, `outbound_voice_profile_id`. `plivo`: `auth_id`, `auth_token`; optional `application_id`. `vonage`: `api_key`, `api_secret`, `signature_secret`; optional `application_id` together with its `private_key`.
    """

    name: str | None = None
    is_default: bool | None = None
    """`true` makes it the default in place of the account that was."""

    refuse_with: Literal["sentence", "busy", "reject"] | str | None = None


class ChangedPreference(WireModel):
    data: PreferenceRow


class ChangesApplied(WireModel):
    """Either all changes are applied, or none."""

    valid: bool
    config: dict[str, Any]
    """
    `currentConfig` with the changes: flat, under the keys that you sent. Creating and updating an agent take it as it is.
    """

    applied: list[FieldValue]
    """
    The changes and those that they implied: a new provider clears the model, a realtime model clears providers and models of speech, a language is added to supported_languages.
    """

    update: dict[str, Any]
    """The applied changes as a body for `PATCH /v1/agents/{agent_id}`."""

    errors: list[FieldFault]
    warnings: list[str]


class ChatAnswer(WireModel):
    answer: str
    suggested_changes: list[SuggestedChange]
    source: Literal["llm", "local"] | str


class ChatMessageView(WireModel):
    role: Literal["caller", "agent"] | str
    text: str
    created_at: AwareDatetime
    tools: list[ChatToolView]
    """What the agent used before it said `text`."""


class ChatReply(WireModel):
    """The agent's answer to one message."""

    reply: ChatMessageView
    session: ChatSessionState


class ChatRequest(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    question: str
    current_config: dict[str, Any] | None = None
    """The agent's configuration as GET /v1/agents/{agent_id} returns it, or a part of it."""

    history: list[HistoryItem] | None = None


class ChatSessionView(WireModel):
    id: UUID
    agent_id: UUID
    agent_version: int | None
    """`null`: the agent as it was last saved."""

    locale: str
    provider: str
    model: str
    run_tools: bool
    status: Literal["open", "ended"] | str
    """`ended`: the agent has ended the chat."""

    collected: dict[str, str]
    """What the playbook engine has collected, by slot; empty with other models."""

    warnings: list[str]
    """What is wrong with the agent's texts or variables."""

    created_at: AwareDatetime
    expires_at: AwareDatetime
    """One hour after the last message."""

    ended_at: AwareDatetime | None
    messages: list[ChatMessageView]
    """Oldest first. The first one is the agent's greeting, if it speaks first."""


class CheckoutStarted(WireModel):
    """`stripe` or `razorpay`, as `gateway` says, holds what the customer pays with."""

    payment_id: UUID
    gateway: Literal["stripe", "razorpay"] | str
    currency: str
    subtotal_minor: int
    tax_minor: int
    total_minor: int
    """What the customer pays, in minor units of `currency`."""

    bonus_cents: int
    checkout_url: str | None
    """The same as in `stripe`; null for Razorpay."""

    stripe: StripeCheckout | None
    razorpay: RazorpayOrder | None


class CompiledPrompt(WireModel):
    compiled_prompt: str
    opener: str | None
    """The agent's first sentence; null if it waits for the caller."""

    unknown_variables: list[str]
    """Variables that the texts need but `variables` lacks. Their places stay empty."""

    errors: list[BrokenText]
    """Texts with a broken tag. Only their plain placeholders are filled in."""

    warnings: list[Finding]
    characters: int
    estimated_tokens: int
    """A quarter of the prompt's UTF-8 bytes, rounded up."""


class DailyLatencies(WireModel):
    """From the end of what the caller said until the agent was heard, in milliseconds."""

    time_zone: str
    days: list[DayLatencyView]
    """Oldest first; today is the last."""


class DeliveryDetails(WireModel):
    id: UUID
    event: str
    event_id: UUID
    """`webhook-id` is made of it."""

    occurred_at: AwareDatetime
    """The envelope's `timestamp`."""

    status: Literal["pending", "delivered", "failed", "expired"] | str
    tries: int
    """In all, those before a replay included."""

    next_try_at: AwareDatetime | None
    finished_at: AwareDatetime | None
    request: SentRequest | None
    """
    What a try sends now; `null`: what it would tell was erased, or the event cannot be put together (`answers` say so).
    """

    answers: list[TryView]
    """Every try, the oldest first."""


class DeliveryPage(WireModel):
    deliveries: list[DeliveryView]
    next_cursor: UUID | None
    """`null`: there are no older ones."""


class DoNotCallPage(WireModel):
    numbers: list[ListedNumber]
    total: int
    offset: int
    limit: int


class EditedSku(WireModel):
    id: str
    label: str
    best_for: str
    description: str
    features: list[str]
    stt: SkuModel
    llm: SkuModel
    tts: SkuModel
    voice: str
    supported_languages: list[str]
    sort_order: int
    is_active: bool
    edited_at: AwareDatetime | None
    """When an operator last changed it; null if the data file decides."""


class EditedSkus(WireModel):
    skus: list[EditedSku]


class ErasurePage(WireModel):
    erasures: list[ErasureView]
    total: int
    offset: int
    limit: int


class GenerateRequest(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    prompt: str
    mode: Literal["create", "edit"] | str = "create"
    allow_clarifying_questions: bool = False
    options: GenerationOptions | None = None
    current_config: dict[str, Any] | None = None
    """The agent's configuration as GET /v1/agents/{agent_id} returns it, or a part of it."""


class ImportReport(WireModel):
    status: Literal["imported"]
    added: int
    already_listed: int
    """Already on the list, or also in an earlier row of the file."""

    rejected: int
    rejected_rows: list[RejectedRow]
    """The first 100 rejected rows and their errors."""


class InstallationCarrier(WireModel):
    """The operator's own account at a carrier."""

    model_config = ConfigDict(
        extra="forbid",
    )
    credentials: Annotated[dict[str, Any], Field(max_length=10)]
    """
    `twilio`: `account_sid`, `auth_token` (the primary one). `telnyx`: `api_key`, `public_key`; optional `connection_id`, `outbound_voice_profile_id`. `plivo`: `auth_id`, `auth_token`; optional `application_id`. `vonage`: `api_key`, `api_secret`, `signature_secret`; optional `application_id` together with its `private_key`.
    """

    refuse_with: Literal["sentence", "busy", "reject"] | str = "sentence"
    """What callers hear whose call cannot be taken."""


class InvitationList(WireModel):
    invitations: list[InvitationView]
    total: int
    offset: int
    limit: int


class InvoiceView(WireModel):
    """Amounts are integers in minor units of the invoice's own currency."""

    id: UUID
    invoice_number: str
    tenant_id: UUID
    kind: str
    """`topup`, `plan_cycle` or `credit_note`."""

    status: str
    """
    `paid` or `voided`, and `issued` where nobody pays: for a `plan_cycle` and a `credit_note`.
    """

    currency: str
    subtotal_minor: int
    tax_minor: int
    discount_minor: int
    total_minor: int
    taxes: list[TaxView]
    gateway: str | None
    gateway_invoice_id: str | None
    payment_event_id: UUID
    """The payment that it is for. Of a `plan_cycle`, the transaction that granted its credit."""

    credited_invoice_id: UUID | None
    """The invoice that a credit note takes back, in whole or in part."""

    period_start: AwareDatetime | None
    """Of a `plan_cycle`, the beginning of the month of UTC; else null."""

    period_end: AwareDatetime | None
    """When the next month begins."""

    issued_at: AwareDatetime
    paid_at: AwareDatetime | None
    voided_at: AwareDatetime | None


class KnowledgeSourceCreated(WireModel):
    source: KnowledgeSourceView


class KnowledgeSourceDetail(WireModel):
    source: KnowledgeSourceView
    chunks: list[Chunk] | None
    """Null unless they were asked for."""


class KnowledgeSourceList(WireModel):
    sources: list[KnowledgeSourceView]


class LlmOptions(WireModel):
    models: list[ModelView]
    """Best first."""

    voices: list[VoiceView]


class LoggedIn(WireModel):
    actor: Literal["user", "secret_key"] | str
    user: Person | None
    api_key: UsedKey | None
    tenant: CurrentTenant
    role: Literal["owner", "admin", "member"] | str | None
    tenants: list[OwnTenant]
    """The user's tenants; empty for a key."""

    csrf_token: str | None
    """Send it in the header X-CSRF-Token with every request that changes something."""

    status: Literal["logged_in"]
    new_device: bool
    """Whether this is your first login from this browser."""


class MandateStarted(WireModel):
    """
    Give `razorpay` to Razorpay's checkout, or post it to the hosted one. The mandate exists when
    the bank has confirmed it.
    """

    gateway: Literal["stripe", "razorpay"] | str
    razorpay: RazorpayOrder


class Me(WireModel):
    """For a session `user`, `role` and `csrf_token` are set; for a secret key `api_key` is."""

    actor: Literal["user", "secret_key"] | str
    user: Person | None
    api_key: UsedKey | None
    tenant: CurrentTenant
    role: Literal["owner", "admin", "member"] | str | None
    tenants: list[OwnTenant]
    """The user's tenants; empty for a key."""

    csrf_token: str | None
    """Send it in the header X-CSRF-Token with every request that changes something."""


class MemberList(WireModel):
    members: list[MemberView]
    total: int
    offset: int
    limit: int


class NotificationDeliveryView(WireModel):
    id: UUID
    notification_id: UUID
    channel: Literal["in_app", "email", "sms", "webhook"] | str
    status: Literal["queued", "sent", "failed"] | str
    attempt_count: int
    last_error: str | None
    notification: NotificationOfDelivery


class NotificationPage(WireModel):
    data: list[NotificationView]
    total: int
    offset: int
    limit: int


class NumberAttached(WireModel):
    status: Literal["attached"]
    agent_id: UUID
    number: str
    webhook: WebhookResult


class NumberPage(WireModel):
    numbers: list[NumberView]
    total: int
    offset: int
    limit: int


class NumberRegistered(WireModel):
    status: Literal["registered"]
    number: str
    """E.164."""

    agent_id: UUID | None
    webhook: WebhookResult | None = None
    """Present if the number has an agent."""


class NumberWebhook(WireModel):
    number: str
    webhook: WebhookResult


class PackList(WireModel):
    packs: list[PackView]


class ParkedEventPage(WireModel):
    parked_events: list[ParkedEventView]
    waiting: int
    """How many parked events are not settled."""

    next_cursor: int | None
    """`null` on the last page."""


class PausePage(WireModel):
    paused_agents: list[PauseView]
    total: int
    limit: int
    offset: int


class PaymentMethodList(WireModel):
    payment_methods: list[PaymentMethodView]


class PersonaInput(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    name: str | None = None
    role: str | None = None
    audienceDescription: str | None = None
    toneOverride: str | None = None
    companyName: str | None = None
    companyWebsite: str | None = None
    companyDescription: str | None = None
    knowledgeBase: list[str] | None = None
    successCriteria: list[str] | None = None
    voiceConfig: VoiceConfig | None = None
    callerPersonas: list[CallerPersona] | None = None


class PersonaOutput(WireModel):
    name: str | None
    role: str | None
    audienceDescription: str | None
    toneOverride: str | None
    companyName: str | None
    companyWebsite: str | None
    companyDescription: str | None
    knowledgeBase: list[str]
    successCriteria: list[str]
    voiceConfig: VoiceConfig
    callerPersonas: list[CallerPersona]


class PlanList(WireModel):
    plans: list[ControlPlaneOperatorSchemasPlanView]


class PlanOfTenant(WireModel):
    plan_id: str
    plan: ControlPlaneMoneyPlansSchemasPlanView
    monthly_credit_remaining_cents: int
    monthly_credit_resets_at: AwareDatetime | None
    """
    When what is left of it expires and the next month's is granted. null: the plan includes no credit.
    """

    topup_balance_cents: int
    """Below 0 for a debt, for example after a refund."""

    extra_usage_enabled: bool
    plan_active_since: AwareDatetime
    preferred_gateway: str | None
    preferred_currency: str
    usd_to_inr_rate: float | None
    billing_mode: Literal["prepaid_only"]


class PlaybookInput(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    opener: str | None = None
    qualificationFlow: list[QualificationQuestion] | None = None
    requiredSlots: list[RequiredSlot] | None = None
    objectionHandlers: list[ObjectionHandler] | None = None
    scripts: list[Script] | None = None
    closingCTA: str | None = None
    fallbackCTA: str | None = None
    escalationRule: str | None = None
    endCallMessage: str | None = None


class PlaybookOutput(WireModel):
    opener: str | None
    qualificationFlow: list[QualificationQuestion]
    requiredSlots: list[RequiredSlot]
    objectionHandlers: list[ObjectionHandler]
    scripts: list[Script]
    closingCTA: str | None
    fallbackCTA: str | None
    escalationRule: str | None
    endCallMessage: str | None


class PostCallInput(WireModel):
    model_config = ConfigDict(
        extra="forbid",
    )
    summary: SummarySettings | None = None
    structured_extraction: StructuredExtraction | None = None
    evaluation: Evaluation | None = None
    model: PostCallModel | None = None


class PostCallOutput(WireModel):
    summary: SummarySettings
    structured_extraction: StructuredExtraction
    evaluation: Evaluation
    model: PostCallModel


class PriceCreated(WireModel):
    status: Literal["created"]
    price: PriceView


class PriceHistory(WireModel):
    prices: list[PriceView]
    """Newest first within a component."""


class PromptPreview(WireModel):
    """
    Any of the fields that create takes, an optional ``agent_id``, and the ``variables`` that a
    call would send.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    name: str | None = None
    system_prompt: str | None = None
    voice: str | None = None
    language: str | None = None
    supported_languages: list[str] | None = None
    agent_kind: Literal["custom", "managed"] | str | None = None
    managed_sku_id: str | None = None
    llm_provider: str | None = None
    llm_model: str | None = None
    stt_provider: str | None = None
    stt_model: str | None = None
    tts_provider: str | None = None
    tts_model: str | None = None
    llm_fallback_provider: str | None = None
    llm_fallback_model: str | None = None
    stt_fallback_provider: str | None = None
    stt_fallback_model: str | None = None
    tts_fallback_provider: str | None = None
    tts_fallback_model: str | None = None
    custom_llm_url: str | None = None
    custom_voice_url: str | None = None
    custom_transcriber_url: str | None = None
    custom_voice_mode: Literal["svc", "compat"] | str | None = None
    persona: PersonaInput | None = None
    playbook: PlaybookInput | None = None
    advanced: AdvancedInput | None = None
    features: Features | None = None
    post_call: PostCallInput | None = None
    tools: (
        list[
            Annotated[
                CallWebhookInput
                | Handoff
                | Transfer
                | EndCall
                | SendDtmf
                | SearchKnowledge
                | McpInput,
                Field(discriminator="type"),
            ]
        ]
        | None
    ) = None
    compiled_prompt: Any | None = None
    """Ignored if sent."""

    created_at: Any | None = None
    """Ignored if sent."""

    id: Any | None = None
    """Ignored if sent."""

    provider_config: Any | None = None
    """Ignored if sent."""

    published_version: Any | None = None
    """Ignored if sent."""

    updated_at: Any | None = None
    """Ignored if sent."""

    agent_id: UUID | None = None
    """A stored agent. The other fields are merged into it."""

    variables: dict[str, Any] | None = None


class ProviderKeyList(WireModel):
    provider_keys: list[ProviderKeyView]


class PublishCheck(WireModel):
    """Any of the fields that create takes, at any depth, and an optional ``agent_id``."""

    model_config = ConfigDict(
        extra="forbid",
    )
    name: str | None = None
    system_prompt: str | None = None
    voice: str | None = None
    language: str | None = None
    supported_languages: list[str] | None = None
    agent_kind: Literal["custom", "managed"] | str | None = None
    managed_sku_id: str | None = None
    llm_provider: str | None = None
    llm_model: str | None = None
    stt_provider: str | None = None
    stt_model: str | None = None
    tts_provider: str | None = None
    tts_model: str | None = None
    llm_fallback_provider: str | None = None
    llm_fallback_model: str | None = None
    stt_fallback_provider: str | None = None
    stt_fallback_model: str | None = None
    tts_fallback_provider: str | None = None
    tts_fallback_model: str | None = None
    custom_llm_url: str | None = None
    custom_voice_url: str | None = None
    custom_transcriber_url: str | None = None
    custom_voice_mode: Literal["svc", "compat"] | str | None = None
    persona: PersonaInput | None = None
    playbook: PlaybookInput | None = None
    advanced: AdvancedInput | None = None
    features: Features | None = None
    post_call: PostCallInput | None = None
    tools: (
        list[
            Annotated[
                CallWebhookInput
                | Handoff
                | Transfer
                | EndCall
                | SendDtmf
                | SearchKnowledge
                | McpInput,
                Field(discriminator="type"),
            ]
        ]
        | None
    ) = None
    compiled_prompt: Any | None = None
    """Ignored if sent."""

    created_at: Any | None = None
    """Ignored if sent."""

    id: Any | None = None
    """Ignored if sent."""

    provider_config: Any | None = None
    """Ignored if sent."""

    published_version: Any | None = None
    """Ignored if sent."""

    updated_at: Any | None = None
    """Ignored if sent."""

    agent_id: UUID | None = None
    """A stored agent. The other fields are merged into it."""

    accept_limited: bool = False
    """
    Whether to publish an agent of whose instructions the offline engine can follow less than two thirds. Agents with a language model do not need it.
    """


class Recipient(WireModel):
    """Whom to call. Fields that are left out are taken from the batch."""

    model_config = ConfigDict(
        extra="forbid",
    )
    to: str
    """The phone number, with `+` and country code."""

    from_number: str | None = None
    variables: dict[str, Any] | None = None
    """Merged over the variables of the batch."""

    metadata: dict[str, Any] | None = None
    """Merged over the metadata of the batch."""

    schedule: Schedule | None = None
    priority: int | None = None


class RecordingMetadata(WireModel):
    """
    `stereo_mix` is a WAV file, `stereo_mix_ogg` the same audio as Opus in OGG; both are `null`
    until the recording is completed.
    """

    stereo_mix: SignedFile | None
    stereo_mix_ogg: SignedFile | None
    channels: RecordingChannels
    sample_rate_hz: int
    duration_ms: int | None
    detail: str | None
    """What is missing from the recording, or why there is none."""


class RecordingView(WireModel):
    """The recording starts with the call, so its times are those of the transcript."""

    id: UUID
    status: Literal["processing", "completed", "failed"] | str
    format: Literal["wav"]
    provider_recording_id: str | None
    """Id of a recording made by a carrier; null, as this platform makes its own."""

    metadata: RecordingMetadata


class SessionList(WireModel):
    sessions: list[SessionView]


class ShareLinkAnswer(WireModel):
    link: ShareLinkView


class ShareLinkFound(WireModel):
    link: ShareLinkView | None
    """`null`: the agent has none yet."""


class SkuEdit(WireModel):
    """The whole entry. A SKU that has never had a price costs nothing."""

    model_config = ConfigDict(
        extra="forbid",
    )
    id: str
    label: str
    best_for: str
    description: str
    features: list[str] | None = None
    stt: SkuModel
    llm: SkuModel
    tts: SkuModel
    voice: str
    supported_languages: list[str]
    sort_order: int = 100
    is_active: bool = True
    price_micros_per_minute: int | None = None
    """Valid from now on."""


class SkuList(WireModel):
    skus: list[SkuView]


class Spend(WireModel):
    """What calls cost, by the UTC day on which they ended."""

    by: Literal["day", "agent", "model"] | str
    from_: Annotated[str, Field(alias="from")]
    to: str
    total_usd: float
    """Of all calls of the period, also if there are more groups."""

    groups: list[SpendGroup]
    """The most expensive first, the newest days in their order; 1,000 at most."""


class TaxRateList(WireModel):
    tax_rates: list[TaxRateView]


class TelecomPriceList(WireModel):
    telecom_prices: list[TelecomPriceView]


class TenantPage(WireModel):
    tenants: list[TenantView]
    total: int
    limit: int
    offset: int


class TesterAnswer(WireModel):
    tester: TesterView


class TesterInvited(WireModel):
    tester: TesterView
    invite_sent: bool
    """`false`: the invitation exists, but its mail was not sent, so send it again."""


class TesterList(WireModel):
    testers: list[TesterView]
    """Newest first, without those that are revoked."""

    link: ShareLinkView | None
    link_feature: bool
    """Whether the installation has public links."""

    agent_uses_owner_keys: bool
    """
    Whether the agent runs on your own provider keys. Then every tester needs at least one free minute.
    """


class ToolCapabilities(WireModel):
    """A tool can run if the primary model can run it in every language of the agent."""

    agent_id: str
    language_models: list[LanguageModelView]
    tool_types: list[ToolTypeView]
    tools: list[BoundToolView]


class UnitPriceCreated(WireModel):
    status: Literal["created"]
    unit_price: UnitPriceView


class UnitPriceHistory(WireModel):
    unit_prices: list[UnitPriceView]
    """Newest first within a channel of a model."""


class UsageSummary(WireModel):
    voice_runtime: VoiceRuntime
    studio_ai: StudioAi
    post_call_intelligence: Quota
    """Analysing calls again. The analysis that follows a call is not counted."""


class VersionList(WireModel):
    versions: list[VersionSummary]
    total: int
    offset: int
    limit: int
    agent_id: UUID


class VoiceList(WireModel):
    voices: list[VoiceView]


class WebhookPage(WireModel):
    webhooks: list[WebhookView]
    total: int
    offset: int
    limit: int


class WorkerList(WireModel):
    workers: list[WorkerView]
    waiting: list[WaitingCalls]
    """Calls that wait for a worker, by tenant; the most first."""

    longest_wait_seconds: float
    """0 if no call waits."""


class AgentCreate(WireModel):
    """
    An agent's fields. Only ``name`` is required. Fields that can only be read, such as
    ``provider_config``, are ignored. The flat keys of apply-changes are accepted, too.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    name: str
    system_prompt: str | None = None
    voice: str = "Aoede"
    language: str = "en-US"
    supported_languages: list[str] | None = None
    agent_kind: Literal["custom", "managed"] | str = "custom"
    managed_sku_id: str | None = None
    llm_provider: str | None = None
    llm_model: str | None = None
    stt_provider: str | None = None
    stt_model: str | None = None
    tts_provider: str | None = None
    tts_model: str | None = None
    llm_fallback_provider: str | None = None
    llm_fallback_model: str | None = None
    stt_fallback_provider: str | None = None
    stt_fallback_model: str | None = None
    tts_fallback_provider: str | None = None
    tts_fallback_model: str | None = None
    custom_llm_url: str | None = None
    custom_voice_url: str | None = None
    custom_transcriber_url: str | None = None
    custom_voice_mode: Literal["svc", "compat"] | str = "svc"
    persona: PersonaInput | None = None
    playbook: PlaybookInput | None = None
    advanced: AdvancedInput | None = None
    features: Features | None = None
    post_call: PostCallInput | None = None
    tools: (
        list[
            Annotated[
                CallWebhookInput
                | Handoff
                | Transfer
                | EndCall
                | SendDtmf
                | SearchKnowledge
                | McpInput,
                Field(discriminator="type"),
            ]
        ]
        | None
    ) = None
    compiled_prompt: Any | None = None
    """Ignored if sent."""

    created_at: Any | None = None
    """Ignored if sent."""

    id: Any | None = None
    """Ignored if sent."""

    provider_config: Any | None = None
    """Ignored if sent."""

    published_version: Any | None = None
    """Ignored if sent."""

    updated_at: Any | None = None
    """Ignored if sent."""


class AgentUpdate(WireModel):
    """
    Any of the fields that create takes, at any depth: ``{"playbook": {"opener": "Hi"}}`` changes
    only the opener.

    Fields that you leave out keep their values. Arrays, including ``tools``, are replaced as a
    whole, and so is the JSON Schema of ``post_call.structured_extraction``. ``null`` clears a field
    that has no default, and is refused for one that has. A tool's header that you send back masked
    keeps its secret. Fields that can only be read are ignored, so you can send back what GET
    returned.
    """

    model_config = ConfigDict(
        extra="forbid",
    )
    name: str | None = None
    system_prompt: str | None = None
    voice: str | None = None
    language: str | None = None
    supported_languages: list[str] | None = None
    agent_kind: Literal["custom", "managed"] | str | None = None
    managed_sku_id: str | None = None
    llm_provider: str | None = None
    llm_model: str | None = None
    stt_provider: str | None = None
    stt_model: str | None = None
    tts_provider: str | None = None
    tts_model: str | None = None
    llm_fallback_provider: str | None = None
    llm_fallback_model: str | None = None
    stt_fallback_provider: str | None = None
    stt_fallback_model: str | None = None
    tts_fallback_provider: str | None = None
    tts_fallback_model: str | None = None
    custom_llm_url: str | None = None
    custom_voice_url: str | None = None
    custom_transcriber_url: str | None = None
    custom_voice_mode: Literal["svc", "compat"] | str | None = None
    persona: PersonaInput | None = None
    playbook: PlaybookInput | None = None
    advanced: AdvancedInput | None = None
    features: Features | None = None
    post_call: PostCallInput | None = None
    tools: (
        list[
            Annotated[
                CallWebhookInput
                | Handoff
                | Transfer
                | EndCall
                | SendDtmf
                | SearchKnowledge
                | McpInput,
                Field(discriminator="type"),
            ]
        ]
        | None
    ) = None
    compiled_prompt: Any | None = None
    """Ignored if sent."""

    created_at: Any | None = None
    """Ignored if sent."""

    id: Any | None = None
    """Ignored if sent."""

    provider_config: Any | None = None
    """Ignored if sent."""

    published_version: Any | None = None
    """Ignored if sent."""

    updated_at: Any | None = None
    """Ignored if sent."""


class AgentView(WireModel):
    """The full agent: its configuration and the fields that the service adds, secrets masked."""

    name: str
    system_prompt: str | None
    voice: str
    language: str
    supported_languages: list[str]
    agent_kind: Literal["custom", "managed"] | str
    managed_sku_id: str | None
    llm_provider: str | None
    llm_model: str | None
    stt_provider: str | None
    stt_model: str | None
    tts_provider: str | None
    tts_model: str | None
    llm_fallback_provider: str | None
    llm_fallback_model: str | None
    stt_fallback_provider: str | None
    stt_fallback_model: str | None
    tts_fallback_provider: str | None
    tts_fallback_model: str | None
    custom_llm_url: str | None
    custom_voice_url: str | None
    custom_transcriber_url: str | None
    custom_voice_mode: Literal["svc", "compat"] | str
    persona: PersonaOutput
    playbook: PlaybookOutput
    advanced: AdvancedOutput
    features: Features
    post_call: PostCallOutput
    tools: list[
        Annotated[
            CallWebhookOutput
            | Handoff
            | Transfer
            | EndCall
            | SendDtmf
            | SearchKnowledge
            | McpOutput,
            Field(discriminator="type"),
        ]
    ]
    id: UUID
    provider_config: dict[str, Any]
    compiled_prompt: str
    published_version: int | None
    created_at: AwareDatetime
    updated_at: AwareDatetime


class ApiKeyList(WireModel):
    api_keys: list[ApiKeyView]
    total: int
    offset: int
    limit: int


class BatchRequest(WireModel):
    """Calls to many phones with one agent."""

    model_config = ConfigDict(
        extra="forbid",
    )
    agent_id: UUID
    recipients: list[Recipient]
    name: str | None = None
    from_number: str | None = None
    """One of your numbers; by default the agent's number or your default number."""

    variables: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    schedule: Schedule | None = None
    priority: int = 5
    """Calls with a higher priority are dialed first."""

    retry: RetryRules | None = None
    post_call: PostCallInput | None = None


class CallDetail(WireModel):
    id: UUID
    room_name: str
    agent_id: UUID
    status: str
    created_at: AwareDatetime
    started_at: AwareDatetime | None
    ended_at: AwareDatetime | None
    bill_duration: float | None
    """Connected seconds."""

    billable_seconds: int | None
    """Connected seconds, rounded up to 30."""

    total_cost: float | None
    telecom_cost: float | None
    """
    The part of `total_cost` that is not `provider_cost`: the fee for the call, and the minutes of its phones on the installation's carrier accounts.
    """

    provider_cost: float | None
    provider_cost_breakdown: ProviderCostBreakdown | None
    provider_cost_calculated_at: AwareDatetime | None
    provider_cost_actual: float | None
    """
    What providers bill the installation for the call: what its models did, at the unit prices that were frozen when it was created. It is not what you pay. `null` while the call runs, and if the cost of a channel is not known.
    """

    provider_cost_actual_breakdown: ActualCostBreakdown | None
    """`null` while the call runs."""

    end_reason: str | None
    metadata: dict[str, Any]
    intelligence_status: str
    feedback: CallFeedback | None
    """`null` until somebody has rated the call."""

    participant_count: int
    primary_participant: PrimaryParticipant | None
    participants: list[CallParticipantView]
    agent: AgentName
    transcript: Transcript
    recording: RecordingView | None
    intelligence: IntelligenceView
    usage: list[ModelUsageView]
    collected_slots: dict[str, str]
    """The values that the playbook engine has collected, by slot name."""

    events: list[CallEventView]


class CallPage(WireModel):
    calls: list[CallView]
    total: int
    limit: int
    offset: int
    next_cursor: UUID | None


class CallRecording(WireModel):
    call_id: UUID
    recording: RecordingView


class CallRequest(WireModel):
    """The call that a client wants."""

    model_config = ConfigDict(
        extra="forbid",
    )
    agent_id: UUID | None = None
    """
    Required, except for phone calls with a publishable key: those always use the agent that the key names for phone calls.
    """

    participants: list[ParticipantInput]
    metadata: dict[str, Any] | None = None
    variables: dict[str, Any] | None = None
    locale: str | None = None
    """
    The language of the call, one of the agent's `supported_languages`. Without it: `persona.voiceConfig.language`, if that is one of them, or else `language`.
    """

    post_call: PostCallInput | None = None


class InvoiceDetail(WireModel):
    invoice: InvoiceView
    items: list[InvoiceItemView]


class InvoiceList(WireModel):
    invoices: list[InvoiceView]
    next_cursor: UUID | None


class JoinedCall(WireModel):
    id: UUID
    status: str
    agent: AgentName
    started_at: AwareDatetime | None
    ended_at: AwareDatetime | None
    end_reason: str | None
    duration_seconds: float | None
    """Connected time; `null` until the end."""

    intelligence_status: str
    """How far the analysis of the call has come."""

    summary: str | None
    recording: RecordingView | None
    feedback: CallFeedback | None


class NotificationDeliveryPage(WireModel):
    data: list[NotificationDeliveryView]
    total: int
    offset: int
    limit: int
