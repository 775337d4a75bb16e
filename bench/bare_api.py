"""The least that FastAPI and SQLAlchemy need to answer the same questions from the same tables.

No keys, no tenants, no limits, no request ids: what Switchboard's routes are compared with.
"""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from control_plane.building.agents.models import Agent
from control_plane.calling.calls.models import Call, CallParticipant

DATABASE_URL = "BENCH_DATABASE_URL"


class Item(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    name: str
    voice: str
    llm_provider: str | None
    llm_model: str | None
    agent_kind: str
    language: str
    created_at: datetime


class Page(BaseModel):
    agents: list[Item]
    total: int


class Whole(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    name: str
    config: dict[str, Any]
    provider_config: dict[str, Any]
    compiled_prompt: str
    created_at: datetime
    updated_at: datetime


class Person(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    role: str
    transport: str
    identity: str
    status: str


class ListedCall(BaseModel):
    id: UUID
    room_name: str
    agent_id: UUID
    status: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    connected_ms: int | None
    billable_seconds: int | None
    total_cost_micros: int | None
    end_reason: str | None
    metadata: dict[str, Any]
    participants: list[Person]


class NewCall(BaseModel):
    tenant_id: UUID
    metadata: dict[str, Any]


class NewCallId(BaseModel):
    id: UUID


def create_app() -> FastAPI:
    engine = create_async_engine(
        os.environ[DATABASE_URL],
        # As the login owns the tables but row-level security is forced, it needs a role.
        connect_args={"options": "-c role=switchboard_system"},
    )
    app = FastAPI()

    @app.get("/agents/{agent_id}")
    async def read(agent_id: UUID) -> Whole:
        async with AsyncSession(engine) as session:
            return Whole.model_validate(await session.get_one(Agent, agent_id))

    @app.get("/agents")
    async def page(tenant_id: UUID, limit: int) -> Page:
        async with AsyncSession(engine) as session:
            listed = (Agent.tenant_id == tenant_id, Agent.deleted_at.is_(None))
            total = await session.scalar(select(func.count()).select_from(Agent).where(*listed))
            rows = await session.execute(
                select(*(getattr(Agent, name) for name in Item.model_fields))
                .where(*listed)
                .order_by(Agent.created_at.desc(), Agent.id)
                .limit(limit)
            )
            return Page(agents=[Item.model_validate(row) for row in rows], total=total or 0)

    @app.get("/calls")
    async def list_calls(tenant_id: UUID, limit: int) -> list[ListedCall]:
        async with AsyncSession(engine) as session:
            newest = (
                select(Call)
                .where(Call.tenant_id == tenant_id)
                .order_by(Call.created_at.desc(), Call.id.desc())
                .limit(limit)
            )
            calls = (await session.scalars(newest)).all()
            people: dict[UUID, list[Person]] = {call.id: [] for call in calls}
            invited = select(CallParticipant).where(CallParticipant.call_id.in_(people))
            for person in await session.scalars(invited):
                people[person.call_id].append(Person.model_validate(person))
            plain = ListedCall.model_fields.keys() - {"metadata", "participants"}
            return [
                ListedCall(
                    metadata=call.details,
                    participants=people[call.id],
                    **{name: getattr(call, name) for name in plain},
                )
                for call in calls
            ]

    @app.post("/calls", status_code=201)
    async def insert_call(wanted: NewCall) -> NewCallId:
        async with AsyncSession(engine, expire_on_commit=False) as session, session.begin():
            call = Call(
                id=uuid4(),
                tenant_id=wanted.tenant_id,
                agent_id=uuid4(),
                room_name="room",
                status="connecting",
                details=wanted.metadata,
                plan={},
            )
            session.add(call)
        return NewCallId(id=call.id)

    return app
