"""``/v1/agents/{agent_id}/testers`` and ``/v1/agents/{agent_id}/share-link``."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from switchboard_client.models import (
    ShareLinkAnswer,
    ShareLinkChange,
    ShareLinkFound,
    TesterAnswer,
    TesterChange,
    TesterInvited,
    TesterList,
)
from switchboard_client.operation import Body, Operation, delete, get, given, patch, post, put
from switchboard_client.request import at

Id = UUID | str


def link(agent_id: Id) -> Operation[ShareLinkFound]:
    """The agent's public link with its minutes; ``link`` is ``None`` if it has none yet."""
    return get(at("/v1/agents/{}/share-link", agent_id), ShareLinkFound)


def change_link(agent_id: Id, change: ShareLinkChange | Body) -> Operation[ShareLinkAnswer]:
    """Create the public link, or change the fields that are in ``change``."""
    return put(at("/v1/agents/{}/share-link", agent_id), ShareLinkAnswer, change)


def regenerate_link(
    agent_id: Id, *, idempotency_key: str | None = None
) -> Operation[ShareLinkAnswer]:
    """Give the link a new address. The old one stops working at once."""
    place = at("/v1/agents/{}/share-link/regenerate", agent_id)
    return post(place, ShareLinkAnswer).once(idempotency_key)


def testers(agent_id: Id) -> Operation[TesterList]:
    """The agent's testers with their minutes, and its public link."""
    return get(at("/v1/agents/{}/testers", agent_id), TesterList)


def invite(
    agent_id: Id,
    email: str,
    *,
    minutes_limit: int = 0,
    expires_at: datetime | None = None,
    idempotency_key: str | None = None,
) -> Operation[TesterInvited]:
    """Invite somebody by mail to talk to the agent."""
    body = given(email=email, minutes_limit=minutes_limit, expires_at=_iso(expires_at))
    return post(at("/v1/agents/{}/testers", agent_id), TesterInvited, body).once(idempotency_key)


def change_tester(
    agent_id: Id, tester_id: Id, change: TesterChange | Body
) -> Operation[TesterAnswer]:
    """Change the fields that are in ``change``: ``minutes_limit``, ``expires_at``."""
    return patch(at("/v1/agents/{}/testers/{}", agent_id, tester_id), TesterAnswer, change)


def resend(
    agent_id: Id, tester_id: Id, *, idempotency_key: str | None = None
) -> Operation[TesterInvited]:
    """Send the mail again, at most once a minute."""
    place = at("/v1/agents/{}/testers/{}/resend", agent_id, tester_id)
    return post(place, TesterInvited).once(idempotency_key)


def revoke(agent_id: Id, tester_id: Id) -> Operation[dict[str, Any]]:
    """Revoke an invitation for good. The answer is empty."""
    return delete(at("/v1/agents/{}/testers/{}", agent_id, tester_id), dict, {})


def _iso(time: datetime | None) -> str | None:
    return time.isoformat() if isinstance(time, datetime) else time
