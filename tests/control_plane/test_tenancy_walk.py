"""Walks every route of the API as a stranger: no record of another tenant is ever shown.

``tests.control_plane.policies`` says for each route who may use it. A route that is not there fails
the test, so that nobody adds one without deciding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from sqlalchemy import update

from contracts.call_status import CallStatus
from control_plane.billing import service as billing
from control_plane.calls.models import Call, CallLogEntry, Segment
from control_plane.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.every_route import POLICIES, leavers
from tests.control_plane.policies.policy import SECRET_NAME, Access


@dataclass(frozen=True)
class Victim:
    """A tenant with one record of each kind, and the ids of those."""

    client: TenantClient
    ids: Mapping[str, object]
    marks: frozenset[str]
    """Texts that no other tenant may see."""

    async def visit(self, method: str, path: str, headers: Mapping[str, str]) -> httpx2.Response:
        """Ask a route for the victim's records with somebody's key."""
        policy = POLICIES[method, path]
        address = path.format(**self.ids) + policy.query.format(**self.ids)
        if policy.content is not None:
            csv = {"Content-Type": "text/csv", **headers}
            return await self.client.http.request(
                method, address, headers=csv, content=policy.content
            )
        body = self.filled_body(dict(policy.body)) or None
        return await self.client.http.request(method, address, headers=headers, json=body)

    def filled_body(self, value: Any) -> Any:
        match value:
            case str():
                return value.format(**self.ids) if value.startswith("{") else value
            case list():
                return [self.filled_body(item) for item in value]
            case dict():
                return {name: self.filled_body(item) for name, item in value.items()}
            case _:
                return value


@pytest.fixture
async def victim(other_tenant: TenantClient, database: Database) -> Victim:
    agent_id = await other_tenant.published_agent(
        name=SECRET_NAME, system_prompt=SECRET_NAME, persona={"companyName": SECRET_NAME}
    )
    key = await other_tenant.post("/v1/api-keys", {"name": SECRET_NAME, "kind": "publishable"})
    call = await other_tenant.post(
        "/v1/calls",
        {
            "agent_id": str(agent_id),
            "participants": [{"transport": "webrtc", "identity": SECRET_NAME}],
            "metadata": {"project": SECRET_NAME},
        },
    )
    assert call.status_code == 201, call.text
    ids: dict[str, Any] = {
        "agent_id": agent_id,
        "key_id": UUID(key.json()["id"]),
        "call_id": UUID(call.json()["id"]),
        "participant_id": UUID(call.json()["participants"][0]["id"]),
    }
    await _have_said_something(database, other_tenant.tenant_id, ids["call_id"])
    for leave_records in leavers():
        ids |= await leave_records(other_tenant, database, ids)
    marks = {SECRET_NAME, str(other_tenant.tenant_id), *map(str, ids.values())}
    return Victim(other_tenant, ids, frozenset(marks))


async def _have_said_something(database: Database, tenant_id: UUID, call_id: UUID) -> None:
    """What media workers and money leave behind: a running call, its words, a ledger entry."""
    async with database.system_session() as session:
        await session.execute(
            update(Call).where(Call.id == call_id).values(status=CallStatus.IN_PROGRESS)
        )
        session.add(
            Segment(
                call_id=call_id,
                sequence=0,
                tenant_id=tenant_id,
                speaker="user",
                text=SECRET_NAME,
                started_at_ms=0,
                ended_at_ms=900,
                interrupted=False,
            )
        )
        session.add(
            CallLogEntry(
                tenant_id=tenant_id,
                call_id=call_id,
                level="info",
                source="lifecycle",
                message=SECRET_NAME,
                created_at=datetime.now(UTC),
            )
        )
        await billing.grant(session, tenant_id, 1_000_000, SECRET_NAME)


def routes_of(app: FastAPI) -> set[tuple[str, str]]:
    return {
        (method, route.path)
        for route in iter_route_contexts(app.routes)
        for method in route.methods or ()
        if route.path is not None and method not in ("HEAD", "OPTIONS")
    }


def test_every_route_has_a_policy(app: FastAPI) -> None:
    assert routes_of(app) == set(POLICIES)


async def test_a_stranger_sees_nothing(victim: Victim, tenant: TenantClient) -> None:
    assert await _shown_to_a_stranger(victim, tenant) == {}


async def test_the_queries_own_filters_are_enough(
    victim: Victim, tenant: TenantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first wall alone: with row-level security out of the way, the queries still keep
    tenants apart. (``test_row_level_security`` shows the second wall alone.)"""
    monkeypatch.setattr(Database, "tenant_session", lambda self, _: self.system_session())
    assert await _shown_to_a_stranger(victim, tenant) == {}


async def _shown_to_a_stranger(
    victim: Victim, tenant: TenantClient
) -> dict[tuple[str, str], tuple[int, set[str], str]]:
    """By route: the unexpected status, and what leaked."""
    wrong = {}
    for (method, path), policy in POLICIES.items():
        answer = await victim.visit(method, path, tenant.headers)
        is_refused = answer.status_code == policy.refused_with
        # A refusal may repeat the ids that the stranger sent.
        known = {str(value) for value in victim.ids.values()} if is_refused else set()
        leaked = {mark for mark in victim.marks if mark in answer.text} - known
        if leaked or not (is_refused if policy.refused_with else answer.is_success):
            wrong[method, path] = (answer.status_code, leaked, answer.text)
    return wrong


async def test_without_a_key_nothing_is_done(victim: Victim) -> None:
    wrong = {}
    for (method, path), policy in POLICIES.items():
        answer = await victim.visit(method, path, {})
        if answer.status_code != (200 if policy.access is Access.EVERYONE else 401):
            wrong[method, path] = (answer.status_code, answer.text)
    assert wrong == {}


async def test_the_owners_own_publishable_key_is_403(victim: Victim) -> None:
    headers = await victim.client.publishable_key()
    wrong = {}
    for (method, path), policy in POLICIES.items():
        if policy.access in (Access.MEMBER, Access.ADMIN):
            answer = await victim.visit(method, path, headers)
            if (answer.status_code, answer.json()["code"]) != (403, "secret_key_required"):
                wrong[method, path] = (answer.status_code, answer.text)
    assert wrong == {}


async def test_the_owner_does_see_the_records(victim: Victim) -> None:
    """Without this the walk would pass on an API that shows nothing to anybody."""
    wrong = {}
    for (method, path), policy in POLICIES.items():
        if (
            method == "GET"
            and policy.access in (Access.MEMBER, Access.ADMIN)
            and policy.names_records
        ):
            answer = await victim.visit(method, path, victim.client.headers)
            if not (answer.is_success and any(mark in answer.text for mark in victim.marks)):
                wrong[method, path] = (answer.status_code, answer.text)
    assert wrong == {}
