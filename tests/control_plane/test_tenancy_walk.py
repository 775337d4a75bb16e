"""Walks every route of the API as a stranger: no record of another tenant is ever shown.

``POLICIES`` says for each route who may use it. A route that is not in the table fails the test, so
that nobody adds one without deciding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any
from uuid import UUID

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from tests.control_plane.conftest import TenantClient

SECRET_NAME = "Project Nightingale"
"""Stands in every text of the victim's records that its owner can write."""


class Access(Enum):
    EVERYONE = auto()
    """No key; shows nothing of any tenant."""
    OPERATOR = auto()
    SECRET_KEY = auto()
    ANY_KEY = auto()


@dataclass(frozen=True)
class Policy:
    access: Access
    refused_with: int | None = None
    """Status for a stranger's key with foreign ids; ``None``: the route answers with the stranger's
    own records."""
    body: Mapping[str, Any] = field(default_factory=dict)
    """JSON to send. ``"{agent_id}"`` stands for the foreign agent's id."""


EVERYONE = Policy(Access.EVERYONE)
OWN_RECORDS = Policy(Access.SECRET_KEY)
FOREIGN_IS_404 = Policy(Access.SECRET_KEY, refused_with=404)

POLICIES: dict[tuple[str, str], Policy] = {
    ("GET", "/openapi.json"): EVERYONE,
    ("GET", "/docs"): EVERYONE,
    ("GET", "/docs/oauth2-redirect"): EVERYONE,
    ("GET", "/redoc"): EVERYONE,
    ("GET", "/healthz"): EVERYONE,
    ("GET", "/readyz"): EVERYONE,
    ("GET", "/call"): EVERYONE,
    ("GET", "/call/config.json"): EVERYONE,
    ("POST", "/v1/operator/tenants"): Policy(
        Access.OPERATOR, 401, {"name": "x", "owner_email": "x@example.com"}
    ),
    ("POST", "/v1/api-keys"): Policy(
        Access.SECRET_KEY,
        400,
        {"name": "x", "kind": "publishable", "allowed_agent_ids": ["{agent_id}"]},
    ),
    ("GET", "/v1/api-keys"): OWN_RECORDS,
    ("DELETE", "/v1/api-keys/{key_id}"): FOREIGN_IS_404,
    ("POST", "/v1/agents"): Policy(Access.SECRET_KEY, body={"name": "Mine"}),
    ("GET", "/v1/agents"): OWN_RECORDS,
    ("GET", "/v1/agents/{agent_id}"): FOREIGN_IS_404,
    ("PUT", "/v1/agents/{agent_id}"): Policy(Access.SECRET_KEY, 404, {"name": "Mine"}),
    ("PATCH", "/v1/agents/{agent_id}"): Policy(Access.SECRET_KEY, 404, {"name": "Mine"}),
    ("POST", "/v1/agents/{agent_id}/publish"): FOREIGN_IS_404,
}


@dataclass(frozen=True)
class Victim:
    """A tenant with one record of each kind, and the ids of those."""

    client: TenantClient
    ids: Mapping[str, UUID]
    marks: frozenset[str]
    """Texts that no other tenant may see."""

    def filled(self, path: str) -> str:
        return path.format(**self.ids)

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
async def victim(other_tenant: TenantClient) -> Victim:
    agent_id = await other_tenant.published_agent(
        name=SECRET_NAME, system_prompt=SECRET_NAME, persona={"companyName": SECRET_NAME}
    )
    key = await other_tenant.post("/v1/api-keys", {"name": SECRET_NAME, "kind": "publishable"})
    ids = {"agent_id": agent_id, "key_id": UUID(key.json()["id"])}
    marks = {SECRET_NAME, str(other_tenant.tenant_id), *map(str, ids.values())}
    return Victim(other_tenant, ids, frozenset(marks))


def routes_of(app: FastAPI) -> set[tuple[str, str]]:
    return {
        (method, route.path)
        for route in iter_route_contexts(app.routes)
        for method in route.methods or ()
        if route.path is not None and method not in ("HEAD", "OPTIONS")
    }


def test_every_route_has_a_policy(app: FastAPI) -> None:
    assert routes_of(app) == set(POLICIES)


@pytest.mark.parametrize(("method", "path"), sorted(POLICIES))
async def test_a_stranger_sees_nothing(
    victim: Victim, tenant: TenantClient, method: str, path: str
) -> None:
    policy = POLICIES[method, path]
    answer = await tenant.request(method, victim.filled(path), json=_body(policy, victim))

    if policy.refused_with is None:
        assert answer.status_code < 300, answer.text
    else:
        assert answer.status_code == policy.refused_with, answer.text
    sent = {str(value) for value in victim.ids.values()}
    shown = {mark for mark in victim.marks if mark in answer.text}
    assert shown <= (sent if policy.refused_with else set())


@pytest.mark.parametrize(("method", "path"), sorted(POLICIES))
async def test_without_a_key_nothing_is_done(
    victim: Victim, http: httpx2.AsyncClient, method: str, path: str
) -> None:
    policy = POLICIES[method, path]
    answer = await http.request(method, victim.filled(path), json=_body(policy, victim))

    expected = {200} if policy.access is Access.EVERYONE else {401}
    assert {answer.status_code} == expected, answer.text


@pytest.mark.parametrize(
    ("method", "path"),
    sorted(route for route, policy in POLICIES.items() if policy.access is Access.SECRET_KEY),
)
async def test_the_owners_own_publishable_key_is_403(
    victim: Victim, method: str, path: str
) -> None:
    headers = await victim.client.publishable_key()
    answer = await victim.client.http.request(
        method,
        victim.filled(path),
        headers=headers,
        json=_body(POLICIES[method, path], victim),
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "secret_key_required")


@pytest.mark.parametrize(
    ("method", "path"),
    sorted(
        (method, path)
        for (method, path), policy in POLICIES.items()
        if method == "GET" and policy.access in (Access.SECRET_KEY, Access.ANY_KEY)
    ),
)
async def test_the_owner_does_see_the_records(victim: Victim, method: str, path: str) -> None:
    """Without this the walk would pass on an API that shows nothing to anybody."""
    answer = await victim.client.request(method, victim.filled(path))
    assert answer.status_code == 200
    assert any(mark in answer.text for mark in victim.marks)


def _body(policy: Policy, victim: Victim) -> Any:
    return victim.filled_body(dict(policy.body)) or None
