"""The events that a webhook can subscribe to. Source: API spec, "Events", "Subscriptions"."""

from __future__ import annotations

CALL_EVENTS = ("call.started", "call.failed", "call.completed", "call.intelligence.ready")
NOTIFICATION_EVENTS = (
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
)
"""Their data has the form of a notification."""
EMITTED_EVENTS = CALL_EVENTS + NOTIFICATION_EVENTS
RESERVED_EVENTS = (
    "campaign.created",
    "campaign.launched",
    "campaign.paused",
    "campaign.completed",
    "campaign.batch.queued",
    "campaign.batch.completed",
    "campaign.attempt.completed",
    "campaign.followup.completed",
    "campaign.report.ready",
    "campaign.suggestion.created",
    "batch.completed",
    "custom.alert",
)
"""Accepted, and never sent: nothing here has campaigns."""
EVENT_NAMES = EMITTED_EVENTS + RESERVED_EVENTS
ONLY_IF_PREFERRED = frozenset({"billing.low_balance", "billing.balance_depleted"})
"""Sent only where the notification preference ``webhook`` is on."""


def unknown_events(names: list[str]) -> str | None:
    """What is wrong with ``names``, as the rest of a sentence; ``None`` if they all exist."""
    unknown = sorted({name for name in names if name not in EVENT_NAMES})
    if not unknown:
        return None
    shown = ", ".join(f"'{name[:80]}'" for name in unknown[:5])
    return f"has unknown names: {shown}. The events are {', '.join(EMITTED_EVENTS)}"
