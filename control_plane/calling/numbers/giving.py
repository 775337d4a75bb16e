"""Numbers that the operator gives to tenants."""

from __future__ import annotations

from collections.abc import Collection, Set
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents import repository as agents
from control_plane.building.agents.models import Agent
from control_plane.calling.carriers.repository import accounts_of
from control_plane.calling.numbers import repository
from control_plane.calling.numbers.errors import NumberTaken
from control_plane.calling.numbers.models import Number
from control_plane.calling.numbers.schemas import ManagedNumber
from control_plane.identity.tenants import repository as tenants
from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.outbox.events import add_notification_event


async def give_number(
    session: AsyncSession, tenant_id: UUID, wanted: ManagedNumber, carriers: Set[str]
) -> tuple[Number, bool]:
    """Give the tenant a number, or change the number's settings; returns it and whether it is new.

    Needs a system session.

    Raises:
        TenantNotFound, NumberTaken.
        InvalidRequest: the installation has no such carrier, or the tenant no such agent.
    """
    # The tenant is locked, so that two requests cannot both make their number the default.
    if await tenants.find(session, tenant_id, for_update=True) is None:
        raise TenantNotFound
    accounts = {each.provider: each for each in await accounts_of(session, None)}
    carrier = _carrier(wanted.carrier, carriers | accounts.keys())
    account = accounts.get(carrier) if carrier is not None else None
    agent_id = wanted.agent_id
    # The agent is locked, so that it cannot be deleted before it has the number.
    agent = None
    if agent_id is not None:
        agent = await agents.find(session, tenant_id, agent_id, for_update=True)
        if agent is None:
            raise InvalidRequest.at("agent_id", "is not an agent of the tenant")
    if wanted.is_default:
        await repository.clear_default(session, tenant_id)
    number = Number(
        id=uuid4(),
        tenant_id=tenant_id,
        number=wanted.number,
        carrier=carrier,
        carrier_account_id=None if account is None else account.id,
        verified_by="operator",
        agent_id=agent_id,
        is_managed=True,
        is_default=wanted.is_default,
        max_concurrent_calls=wanted.max_concurrent_calls,
    )
    if await repository.is_proved_elsewhere(session, tenant_id, wanted.number):
        raise NumberTaken
    is_new = await repository.add(session, number)
    kept = await repository.locked(session, tenant_id, wanted.number)
    if kept is None:
        raise NumberTaken
    if agent is not None and (is_new or kept.agent_id != agent.id):
        announce(session, kept, agent)
    if not is_new:
        kept.carrier = carrier
        kept.carrier_account_id = number.carrier_account_id
        kept.is_managed = True
        kept.verified_by = "operator"
        kept.agent_id = agent_id
        kept.is_default = wanted.is_default
        kept.max_concurrent_calls = wanted.max_concurrent_calls
        await session.flush()
    return kept, is_new


def announce(session: AsyncSession, number: Number, agent: Agent) -> None:
    """``agent.number_assigned`` goes to the outbox."""
    add_notification_event(
        session,
        number.tenant_id,
        "agent.number_assigned",
        title=f"{agent.name} has a number",
        message=f"The number {number.number} belongs to {agent.name} now.",
        metadata={"agent_id": str(agent.id), "number": number.number},
    )


def _carrier(wanted: str | None, carriers: Collection[str]) -> str | None:
    if wanted is not None and wanted not in carriers:
        known = ", ".join(sorted(carriers)) or "none"
        raise InvalidRequest.at("carrier", f"is not a carrier of this installation ({known})")
    if wanted is None and len(carriers) > 1:
        raise InvalidRequest.at("carrier", f"must be one of {', '.join(sorted(carriers))}")
    return wanted or next(iter(carriers), None)
