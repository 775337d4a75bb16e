"""A tenant with one record of each kind, and a way to visit any route with somebody's key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import httpx2
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from sqlalchemy import update

from contracts.call_status import CallStatus
from control_plane.calling.calls.models import Call, CallLogEntry, Segment
from control_plane.money.billing import service as billing
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.every_route import POLICIES, leavers
from tests.control_plane.policies.policy import SECRET_NAME


@dataclass(frozen=True)
class Victim:
    """A tenant with one record of each kind, and the ids of those."""

    app: FastAPI
    client: TenantClient
    ids: Mapping[str, object]
    marks: frozenset[str]
    """Texts that no other tenant may see."""

    async def visit(self, method: str, path: str, headers: Mapping[str, str]) -> httpx2.Response:
        """Ask a route for the victim's records with somebody's key."""
        answer = await self._visit(method, path, headers)
        assert_documented(self.app, method, path, answer)
        return answer

    async def _visit(self, method: str, path: str, headers: Mapping[str, str]) -> httpx2.Response:
        policy = POLICIES[method, path]
        pattern = path.replace("{address:path}", "agents")
        address = pattern.format(**self.ids) + policy.query.format(**self.ids)
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


async def victim_of(app: FastAPI, tenant: TenantClient, database: Database) -> Victim:
    """Fill ``tenant`` with records, every text in them ``SECRET_NAME``."""
    agent_id = await tenant.published_agent(
        name=SECRET_NAME, system_prompt=SECRET_NAME, persona={"companyName": SECRET_NAME}
    )
    key = await tenant.post("/v1/api-keys", {"name": SECRET_NAME, "kind": "publishable"})
    call = await tenant.post(
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
    await _have_said_something(database, tenant.tenant_id, ids["call_id"])
    for leave_records in leavers():
        ids |= await leave_records(tenant, database, ids)
    # The names of a provider and of a file are in paths, and no secrets. A parked event's number is
    # one that stands in any answer, and removing a phone number repeats it to anybody.
    common = ("provider", "file", "parked_event_id", "number", "phone_number", "share_token")
    own = (str(value) for name, value in ids.items() if name not in common)
    marks = {SECRET_NAME, str(tenant.tenant_id), *own}
    return Victim(app, tenant, ids, frozenset(marks))


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


def assert_documented(app: FastAPI, method: str, path: str, answer: httpx2.Response) -> None:
    """The OpenAPI document names the status, and for a problem its code."""
    document = app.openapi()
    if path not in document["paths"]:
        return
    response = document["paths"][path][method.lower()]["responses"].get(str(answer.status_code))
    assert response is not None, f"{method} {path} does not document {answer.status_code}"
    if answer.status_code >= 400:
        schema = response["content"]["application/problem+json"]["schema"]
        names = [each["$ref"].rpartition("/")[2] for each in schema.get("oneOf", [schema])]
        parts = [document["components"]["schemas"][name]["allOf"][1] for name in names]
        codes = {part["properties"]["code"]["const"] for part in parts}
        code = answer.json()["code"]
        assert code in codes, f"{method} {path} does not document {answer.status_code} {code}"


def routes_of(app: FastAPI) -> set[tuple[str, str]]:
    return {
        (method, route.path)
        for route in iter_route_contexts(app.routes)
        for method in route.methods or ()
        if route.path is not None and method not in ("HEAD", "OPTIONS")
    }
