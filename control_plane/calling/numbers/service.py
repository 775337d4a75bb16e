"""Registering numbers that a tenant has at a carrier, and giving them agents.

What the carrier has to do comes after the commit (``webhook_setup.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents import repository as agents
from control_plane.building.agents.models import Agent
from control_plane.calling.numbers import repository
from control_plane.calling.numbers.errors import (
    AgentNotInTenant,
    InvalidPhoneNumber,
    NumberNotFound,
    NumberTaken,
    TooManyNumbers,
    UnsupportedCountry,
)
from control_plane.calling.numbers.giving import announce
from control_plane.calling.numbers.models import Number
from control_plane.calling.numbers.phone_number import e164
from control_plane.identity.api_keys.countries import country_of
from control_plane.platform.audit.recording import record_change
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import Caller


@dataclass(frozen=True)
class Registered:
    number: Number
    is_new: bool


def checked_number(text: str) -> str:
    """The number in E.164.

    Raises:
        InvalidPhoneNumber: the message tells what is wrong and what would be right.
    """
    try:
        return e164(text)
    except ValueError as error:
        raise InvalidPhoneNumber(str(error)) from None


async def register(
    database: Database, caller: Caller, text: str, agent_id: UUID | None
) -> Registered:
    """Register a number, or change the agent of one that the tenant has already. Commits.

    Raises:
        InvalidPhoneNumber, UnsupportedCountry: the number cannot be used.
        NumberTaken: the operator or a carrier has proved it to be another tenant's.
        AgentNotInTenant: the tenant has no such agent.
        TooManyNumbers: the tenant's plan allows no more.
    """
    number = checked_number(text)
    if country_of(number) is None:
        raise UnsupportedCountry(
            f"{number} belongs to no country, as a satellite phone's or an international freephone "
            "number does; register a number of a country"
        )
    async with database.system_statements() as session:
        if await repository.is_proved_elsewhere(session, caller.tenant_id, number):
            raise NumberTaken
    async with database.tenant_session(caller.tenant_id) as session:
        agent = None if agent_id is None else await _agent(session, caller, agent_id)
        await repository.hold_registry(session, caller.tenant_id)
        kept = await repository.locked(session, caller.tenant_id, number)
        if kept is not None:
            if agent is not None:
                await _give_agent(session, caller, kept, agent)
            return Registered(kept, is_new=False)
        limit, used = await repository.quota_and_used(session, caller.tenant_id)
        if limit is not None and used >= limit:
            raise TooManyNumbers(limit, used)
        new = Number(
            id=uuid4(),
            tenant_id=caller.tenant_id,
            number=number,
            is_managed=False,
            is_default=False,
            user_id=caller.actor.id if caller.actor.kind == "user" else None,
        )
        await repository.add(session, new)
        kept = await repository.locked(session, caller.tenant_id, number)
        assert kept is not None, "nobody else registers for the tenant now"
        record_change(session, caller, "number.registered", target_id=number)
        if agent is not None:
            await _give_agent(session, caller, kept, agent)
        return Registered(kept, is_new=True)


async def attach(database: Database, caller: Caller, text: str, agent_id: UUID) -> Number:
    """Let an agent answer the number. Commits.

    Raises:
        InvalidPhoneNumber: ``text`` is no phone number.
        AgentNotInTenant: the tenant has no such agent.
        NumberNotFound: the tenant has not registered the number.
    """
    number = checked_number(text)
    async with database.tenant_session(caller.tenant_id) as session:
        agent = await _agent(session, caller, agent_id)
        kept = await _locked(session, caller, number)
        await _give_agent(session, caller, kept, agent)
        return kept


async def detach(database: Database, caller: Caller, text: str) -> Number:
    """Let no agent answer the number any more. Commits.

    Raises:
        InvalidPhoneNumber: ``text`` is no phone number.
        NumberNotFound: the tenant has not registered the number.
    """
    number = checked_number(text)
    async with database.tenant_session(caller.tenant_id) as session:
        kept = await _locked(session, caller, number)
        if kept.agent_id is not None:
            kept.agent_id = None
            await session.flush()
            record_change(session, caller, "number.detached", target_id=number)
        return kept


async def registered(database: Database, caller: Caller, text: str) -> Number:
    """
    Raises:
        InvalidPhoneNumber: ``text`` is no phone number.
        NumberNotFound: the tenant has not registered the number.
    """
    number = checked_number(text)
    async with database.tenant_session(caller.tenant_id) as session:
        found = await repository.find(session, caller.tenant_id, number)
    if found is None:
        raise NumberNotFound(_not_registered(number))
    return found


async def remove(session: AsyncSession, caller: Caller, text: str) -> str:
    """Forget the number, if the tenant has it. Returns it in E.164.

    Raises:
        InvalidPhoneNumber: ``text`` is no phone number.
    """
    number = checked_number(text)
    if await repository.remove(session, caller.tenant_id, number):
        record_change(session, caller, "number.removed", target_id=number)
    return number


async def _agent(session: AsyncSession, caller: Caller, agent_id: UUID) -> Agent:
    """Locked, so that it cannot be deleted before it has the number."""
    agent = await agents.find(session, caller.tenant_id, agent_id, for_update=True)
    if agent is None:
        raise AgentNotInTenant(f"You have no agent {agent_id}")
    return agent


async def _locked(session: AsyncSession, caller: Caller, number: str) -> Number:
    kept = await repository.locked(session, caller.tenant_id, number)
    if kept is None:
        raise NumberNotFound(_not_registered(number))
    return kept


async def _give_agent(session: AsyncSession, caller: Caller, number: Number, agent: Agent) -> None:
    if number.agent_id == agent.id:
        return
    number.agent_id = agent.id
    await session.flush()
    announce(session, number, agent)
    record_change(
        session,
        caller,
        "number.attached",
        target_id=number.number,
        changes={"agent_id": str(agent.id)},
    )


def _not_registered(number: str) -> str:
    return f"You have not registered {number}; register it with POST /v1/numbers"
