"""What the OpenAPI document says about each group of operations, in the order of a reference."""

from __future__ import annotations

_DESCRIPTIONS = {
    "agents": "Voice agents: configuration, versions, publishing, and their calls.",
    "agent builder": "Drafting an agent's configuration from a description or a company's page.",
    "catalogue": "Languages, models, voices and managed SKUs to choose from.",
    "calls": "Starting, listing, inspecting and ending calls.",
    "batches": "Up to 500 phone calls asked for at once.",
    "dialing queue": "Phone calls that wait for their turn.",
    "live view": "A call as it happens.",
    "realtime": "Media of browser participants (WHIP, RFC 9725).",
    "recordings": "What was recorded of a call.",
    "post-call": "Summary, sentiment, extraction and evaluation after a call.",
    "billing": "Balance and ledger.",
    "do not call": "Numbers that are never dialed.",
    "provider keys": "The tenant's own keys at providers.",
    "api keys": "Secret and publishable keys.",
    "accounts": "People, their sessions and their passwords.",
    "members": "Who belongs to a tenant, and in which role.",
    "audit log": "Who changed what.",
    "operator": "For whoever runs the installation.",
    "health": "For load balancers and supervisors.",
}

TAGS = [{"name": name, "description": about} for name, about in _DESCRIPTIONS.items()]
