"""Inviting, changing and revoking testers."""

from __future__ import annotations

import math
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents import repository as agents
from control_plane.building.agents.errors import AgentNotFound
from control_plane.building.agents.models import Agent
from control_plane.calling.sharing.addresses import shown_page
from control_plane.calling.sharing.models import Tester
from control_plane.calling.sharing.testers import repository
from control_plane.calling.sharing.testers.checking import CheckedInvite
from control_plane.calling.sharing.testers.errors import (
    FreeMinutesRequired,
    InvalidTesterInput,
    TesterAddressLost,
    TesterAlreadyInvited,
    TesterLimitReached,
    TesterNotFound,
    TesterResendCooldown,
)
from control_plane.calling.sharing.testers.owner_keys import uses_owner_keys
from control_plane.identity.accounts.login.attempts import Limit
from control_plane.identity.accounts.tokens import hash_of
from control_plane.platform.audit.recording import record_change
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller

MAX_ACTIVE = 50
RESEND_COOLDOWN = timedelta(minutes=1)
MAILS_PER_TENANT = Limit("tester mail tenant", 500, 24 * 3600)
"""Mails to testers, first and repeated. The limit keeps tenants from sending spam through the
installation."""


async def agent_of(
    session: AsyncSession, caller: Caller, agent_id: UUID, *, for_update: bool = False
) -> Agent:
    """
    Raises:
        AgentNotFound
    """
    agent = await agents.find(session, caller.tenant_id, agent_id, for_update=for_update)
    if agent is None:
        raise AgentNotFound
    return agent


async def invite(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    wanted: CheckedInvite,
    token: str,
    settings: ControlPlaneSettings,
    now: datetime,
) -> tuple[Tester, Agent]:
    """The new tester, whose page opens with ``token``. A tester with this very token was invited by
    an earlier attempt of the same request, and is returned.

    Raises:
        AgentNotFound, FreeMinutesRequired, TesterAlreadyInvited, TesterLimitReached
    """
    # Its lock makes those who invite at once count one after the other.
    agent = await agent_of(session, caller, agent_id, for_update=True)
    _check_minutes(agent, wanted.minutes_limit)
    before = await repository.find_of_address(session, caller.tenant_id, agent_id, wanted.email)
    if before is not None and before.token_hash == hash_of(token):
        return before, agent
    if before is not None and before.is_active(now):
        raise TesterAlreadyInvited("Send the mail again, or revoke the invitation first")
    await _check_room(session, caller, agent_id, now)
    if before is not None:
        before.revoked_at = now
        await session.flush()
    tester = Tester(
        id=uuid4(),
        tenant_id=caller.tenant_id,
        agent_id=agent_id,
        email=wanted.email,
        sealed_token=settings.sealer.seal(token),
        token_hash=hash_of(token),
        minutes_limit=wanted.minutes_limit,
        invite_sent=False,
        expires_at=wanted.expires_at,
        created_at=now,
        sent_at=now,
    )
    session.add(tester)
    await session.flush()
    changes = {"email": wanted.email, "minutes_limit": wanted.minutes_limit}
    record_change(session, caller, "tester.invited", target_id=tester.id, changes=changes)
    return tester, agent


async def change(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    tester_id: UUID,
    sent: dict[str, Any],
    now: datetime,
) -> Tester:
    """
    Args:
        sent: ``minutes_limit``, ``expires_at`` or both, checked.

    Raises:
        AgentNotFound, TesterNotFound, FreeMinutesRequired
        TesterLimitReached: the invitation is over, and others have taken its place.
    """
    # A new expiry may make one more tester active, who counts as one who is invited does.
    agent = await agent_of(session, caller, agent_id, for_update="expires_at" in sent)
    tester = await _found(session, caller, agent_id, tester_id)
    if "expires_at" in sent and not tester.is_active(now):
        await _check_room(session, caller, agent_id, now)
    if "minutes_limit" in sent:
        _check_minutes(agent, sent["minutes_limit"])
        if sent["minutes_limit"] != tester.minutes_limit:
            tester.minutes_requested_at = None
    for name, value in sent.items():
        setattr(tester, name, value)
    await session.flush()
    changes = {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in sent.items()
    }
    record_change(session, caller, "tester.changed", target_id=tester.id, changes=changes)
    return tester


async def renew_mail(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    tester_id: UUID,
    settings: ControlPlaneSettings,
    now: datetime,
) -> tuple[Tester, Agent]:
    """The tester, to whom the mail may be sent again now.

    Raises:
        AgentNotFound, TesterNotFound
        InvalidTesterInput: the invitation is over, so what the mail says is not true.
        TesterAddressLost: the installation has lost the key of the address in the mail.
        TesterResendCooldown: the last mail is less than a minute old.
    """
    agent = await agent_of(session, caller, agent_id)
    tester = await _found(session, caller, agent_id, tester_id)
    if not tester.is_active(now):
        raise InvalidTesterInput.at("expires_at", "is over; set a later one, or null, first")
    if not shown_page(tester.sealed_token, settings):
        raise TesterAddressLost
    wait = tester.sent_at + RESEND_COOLDOWN - now
    if wait > timedelta(0):
        raise TesterResendCooldown(math.ceil(wait.total_seconds()))
    tester.sent_at = now
    await session.flush()
    record_change(session, caller, "tester.mailed_again", target_id=tester.id)
    return tester, agent


async def revoke(
    session: AsyncSession, caller: Caller, agent_id: UUID, tester_id: UUID, now: datetime
) -> None:
    """Revoking again changes nothing.

    Raises:
        AgentNotFound, TesterNotFound
    """
    await agent_of(session, caller, agent_id)
    tester = await repository.find(session, caller.tenant_id, agent_id, tester_id)
    if tester is None:
        raise TesterNotFound
    if tester.revoked_at is None:
        tester.revoked_at = now
        await session.flush()
        record_change(session, caller, "tester.revoked", target_id=tester.id)


async def _check_room(session: AsyncSession, caller: Caller, agent_id: UUID, now: datetime) -> None:
    """Whether one more tester can be active. Lock the agent before."""
    if await repository.count_active(session, caller.tenant_id, agent_id, now) >= MAX_ACTIVE:
        raise TesterLimitReached(
            f"An agent has at most {MAX_ACTIVE} testers; revoke one of them first",
            limit=MAX_ACTIVE,
            used=MAX_ACTIVE,
        )


def _check_minutes(agent: Agent, minutes_limit: int) -> None:
    if minutes_limit == 0 and uses_owner_keys(agent):
        raise FreeMinutesRequired(
            "The agent runs on your own provider keys, which a tester cannot pay for; give at "
            "least 1 minute"
        )


async def _found(session: AsyncSession, caller: Caller, agent_id: UUID, tester_id: UUID) -> Tester:
    tester = await repository.find(session, caller.tenant_id, agent_id, tester_id)
    if tester is None or tester.revoked_at is not None:
        raise TesterNotFound
    return tester
