"""The groups of operations in the OpenAPI document, in the order of a reference."""

from __future__ import annotations

_DESCRIPTIONS = {
    "agents": "Voice agents: configuration, versions, publishing, and their calls.",
    "agent builder": "Drafting an agent's configuration from a description or a web page.",
    "catalogue": "Languages, models, voices and managed SKUs to choose from.",
    "chat": "Talking to an agent in text, to try it. Free, and no call.",
    "calls": "Starting, listing, inspecting and ending calls.",
    "batches": "Up to 500 phone calls in one request.",
    "dialing queue": "Phone calls that wait to be dialed.",
    "live view": "A call as it happens.",
    "realtime": "Media of browser participants (WHIP, RFC 9725).",
    "sharing": "Public links to agents, invited testers, and what both may do.",
    "recordings": "Recordings of calls.",
    "post-call": "Summary, sentiment, extraction and evaluation after a call.",
    "billing": "Balance, ledger, top-ups and invoices.",
    "notifications": "What happened, and over which channels the tenant hears of it.",
    "webhooks": "Signed events to your addresses, every delivery of them, and replays.",
    "carriers": "Your accounts at phone carriers.",
    "numbers": "Phone numbers, who answers them, and what calls to phones may cost.",
    "do not call": "Numbers that are never dialed.",
    "data protection": "Erasing a caller's data, and how long data is kept.",
    "provider keys": "The tenant's own keys for providers.",
    "api keys": "Secret and publishable keys.",
    "accounts": "Users, their sessions and their passwords.",
    "members": "The users of a tenant, with their roles, and invitations.",
    "audit log": "Who changed what.",
    "operator": "For the operator of the installation.",
    "gateway events": "Where payment gateways report what happened. Not for your programs.",
    "health": "For load balancers and supervisors.",
}

TAGS = [{"name": name, "description": about} for name, about in _DESCRIPTIONS.items()]
