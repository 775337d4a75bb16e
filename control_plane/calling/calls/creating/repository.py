"""The queries that creating a call needs: what decides whether it may be made, and its insertion.

Both statements are built once and kept, because building them takes as long as running them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Insert,
    Select,
    Text,
    Uuid,
    and_,
    bindparam,
    cast,
    column,
    func,
    insert,
    literal,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB, array
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from contracts.call_plan import CallPlan
from contracts.call_status import CallStatus
from control_plane.building.agents.models import Agent, AgentVersion
from control_plane.building.catalogue.models import CatalogueEditionNumber
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.calling.calls.creating.call_caps import OpenCalls, Stranger
from control_plane.calling.calls.creating.creation_facts import CreationFacts, HandoffFacts
from control_plane.calling.calls.models import Call, CallLogEntry, CallParticipant
from control_plane.calling.calls.plan_document import PlanDocument
from control_plane.calling.pauses.models import AgentPause, PlatformSwitches
from control_plane.platform.database import table_of
from control_plane.platform.tenancy.models import Plan, Tenant


async def creation_facts(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID,
    stranger: Stranger | None,
    *,
    counted: bool,
) -> CreationFacts:
    """The facts for a call of the agent, which need not exist.

    Args:
        counted: whether open calls are counted; without that there are none in the facts.
    """
    connection = await session.connection()
    bound = _counted_for(tenant_id if counted else None, stranger)
    bound |= {"tenant": tenant_id, "agent": agent_id}
    found = await connection.execute(_select_facts(), bound)
    return CreationFacts(*found.one())


async def agents_to_hand_over_to(
    session: AsyncSession, tenant_id: UUID, agent_ids: Collection[UUID]
) -> dict[UUID, HandoffFacts]:
    """What decides whether each of these agents can take over. Those that the tenant does not have
    are left out."""
    found = await session.execute(
        select(
            Agent.id,
            Agent.name,
            AgentPause.reason,
            AgentVersion.version,
            AgentVersion.digest,
        )
        .outerjoin(AgentPause, AgentPause.agent_id == Agent.id)
        .outerjoin(
            AgentVersion,
            and_(
                AgentVersion.agent_id == Agent.id, AgentVersion.version == Agent.published_version
            ),
        )
        .where(Agent.tenant_id == tenant_id, Agent.id.in_(agent_ids), Agent.deleted_at.is_(None))
    )
    return {row[0]: HandoffFacts(*row[1:]) for row in found}


async def open_calls(
    session: AsyncSession, tenant_id: UUID, stranger: Stranger | None
) -> OpenCalls:
    connection = await session.connection()
    found = await connection.execute(_select_open_calls(), _counted_for(tenant_id, stranger))
    counts: list[int] = found.scalar_one()
    return OpenCalls(*counts)


def _counted_for(tenant_id: UUID | None, stranger: Stranger | None) -> dict[str, Any]:
    return {
        "counted_tenant": tenant_id,
        "key": None if stranger is None else stranger.key_id,
        "address": None if stranger is None else stranger.address,
    }


async def insert_call(
    session: AsyncSession,
    plan: CallPlan,
    document: PlanDocument,
    status: CallStatus,
    participants: Sequence[CallParticipant],
    warnings: Sequence[str],
    stranger: Stranger | None,
    payer_id: UUID | None = None,
) -> None:
    """Insert a call with its participants and the first lines of its event log.

    Args:
        document: ``plan`` as it is stored and sent.
        participants: those of the call; they belong to no session.
        warnings: more lines for the event log.
        stranger: who creates it with a publishable key.
        payer_id: the tenant who pays for it; ``None``: its own.
    """
    connection = await session.connection()
    await connection.execute(
        _insert_call(),
        {
            "new_id": plan.call_id,
            "new_tenant": plan.tenant_id,
            "new_agent": plan.agent_id,
            "new_room": plan.room_name,
            "new_status": status.value,
            "new_payer": payer_id,
            "new_key": None if stranger is None else stranger.key_id,
            "new_address": None if stranger is None else stranger.address,
            "new_time": plan.created_at,
            "new_metadata": plan.metadata,
            "new_plan": document.json,
            "new_funded": document.funded_until_ms,
            "new_participants": [_participant(each) for each in participants],
            "new_lines": [
                _line("info", "Call created"),
                *(_line("warning", warning) for warning in warnings),
            ],
        },
    )


def _participant(participant: CallParticipant) -> dict[str, Any]:
    return {
        "id": str(participant.id),
        "position": participant.position,
        "role": participant.role,
        "transport": participant.transport,
        "identity": participant.identity,
        "status": participant.status,
        "metadata": participant.details,
    }


def _line(level: str, message: str) -> dict[str, Any]:
    return {"id": str(uuid4()), "level": level, "message": message}


@cache
def _select_facts() -> Select[*tuple[Any, ...]]:
    """One statement takes 0.9 ms of processor time, the seven simple queries that it replaces take
    2.6 ms, and building it for each call would take another 0.6 ms."""
    own_keys = (
        select(func.jsonb_object_agg(ProviderKey.provider, ProviderKey.sealed_key, type_=JSONB))
        .where(ProviderKey.tenant_id == Tenant.id, Plan.byok_allowed)
        .correlate(Tenant, Plan)
        .scalar_subquery()
    )
    own_server = (
        select(
            func.jsonb_build_object(
                "base_url", ProviderKey.base_url, "models", ProviderKey.models, type_=JSONB
            )
        )
        .where(
            ProviderKey.tenant_id == Tenant.id,
            ProviderKey.base_url.is_not(None),
            Plan.byok_allowed,
        )
        .correlate(Tenant, Plan)
        .scalar_subquery()
    )
    at_once = func.coalesce(Tenant.calls_at_once, Plan.calls_at_once)
    not_joined = func.coalesce(Tenant.calls_not_joined, Plan.calls_not_joined)
    return (
        select(
            PlatformSwitches.calls_enabled,
            PlatformSwitches.message,
            Agent.id.is_not(None),
            AgentPause.reason,
            AgentVersion.version,
            AgentVersion.digest,
            Tenant.tier,
            func.coalesce(own_keys, func.jsonb_build_object(type_=JSONB)),
            own_server,
            CatalogueEditionNumber.number,
            at_once,
            not_joined,
            Plan.dispatch_weight,
            _select_open_calls().scalar_subquery(),
        )
        .select_from(Tenant)
        .join(Plan, Plan.id == Tenant.plan_id)
        .join(PlatformSwitches, true())
        .join(CatalogueEditionNumber, true())
        .outerjoin(
            Agent,
            and_(
                Agent.tenant_id == Tenant.id,
                Agent.id == bindparam("agent"),
                Agent.deleted_at.is_(None),
            ),
        )
        .outerjoin(AgentPause, AgentPause.agent_id == Agent.id)
        .outerjoin(
            AgentVersion,
            and_(
                AgentVersion.agent_id == Agent.id, AgentVersion.version == Agent.published_version
            ),
        )
        .where(Tenant.id == bindparam("tenant"))
    )


_OPEN = (CallStatus.CONNECTING, CallStatus.RINGING, CallStatus.IN_PROGRESS)


@cache
def _select_open_calls() -> Select[Any]:
    """An array of the fields of ``OpenCalls``. The index by tenant and status finds the rows."""
    call = aliased(Call)
    key = call.publishable_key_id == bindparam("key", type_=Uuid)
    address = call.client_address == bindparam("address", type_=Text)
    not_joined = call.status == CallStatus.CONNECTING.value
    counts: list[ColumnElement[int]] = []
    for whose in (true(), key, address):
        counts += [
            func.count().filter(whose),
            func.count().filter(and_(whose, not_joined)),
        ]
    return select(array(counts)).where(
        call.tenant_id == bindparam("counted_tenant", type_=Uuid),
        call.status.in_([status.value for status in _OPEN]),
    )


@cache
def _insert_call() -> Insert:
    """One statement for all three tables. It takes 1.5 ms of processor time, building it for each
    call another 0.8 ms; inserting the same rows as objects takes 3.0 ms."""
    tenant, call_id = bindparam("new_tenant", type_=Uuid), bindparam("new_id", type_=Uuid)
    time = bindparam("new_time", type_=table_of(Call).c.created_at.type)
    call = insert(table_of(Call)).values(
        id=call_id,
        tenant_id=tenant,
        agent_id=bindparam("new_agent"),
        room_name=bindparam("new_room"),
        status=bindparam("new_status"),
        created_at=time,
        payer_tenant_id=bindparam("new_payer", type_=Uuid),
        publishable_key_id=bindparam("new_key", type_=Uuid),
        client_address=bindparam("new_address", type_=Text),
        metadata=bindparam("new_metadata"),
        plan=cast(bindparam("new_plan", type_=Text), JSONB),
        applied_seq=literal(0),
        funded_until_ms=bindparam("new_funded", type_=BigInteger),
        intelligence_status=literal("pending"),
        collected_slots=literal({}, JSONB),
        usage=literal({}, JSONB),
    )
    participants = _records(
        "new_participants",
        {
            "id": Uuid(),
            "position": BigInteger(),
            "role": Text(),
            "transport": Text(),
            "identity": Text(),
            "status": Text(),
            "metadata": JSONB(),
        },
    )
    lines = _records("new_lines", {"id": Uuid(), "level": Text(), "message": Text()})
    insert_participants = insert(table_of(CallParticipant)).from_select(
        ["tenant_id", "call_id", *participants.c.keys()], select(tenant, call_id, *participants.c)
    )
    insert_lines = insert(table_of(CallLogEntry)).from_select(
        ["tenant_id", "call_id", "created_at", "source", *lines.c.keys()],
        select(tenant, call_id, time, literal("lifecycle"), *lines.c),
    )
    return call.add_cte(insert_participants.cte("participants"), insert_lines.cte("lines"))


def _records(name: str, types: dict[str, Any]) -> Any:
    """A JSON array of objects as a table: one parameter, however many objects there are."""
    columns = [column(field, type_) for field, type_ in types.items()]
    given = func.jsonb_to_recordset(bindparam(name, type_=JSONB)).table_valued(*columns)
    return given.render_derived(with_types=True)
