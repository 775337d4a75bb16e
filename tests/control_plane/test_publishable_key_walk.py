"""Walks every route with the owner's own publishable key (API spec, "Authentication", rule 3)."""

from __future__ import annotations

import pytest
from fastapi import FastAPI

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.every_route import POLICIES
from tests.control_plane.policies.policy import Access
from tests.control_plane.walking import Victim, victim_of

REFUSED = {
    Access.MEMBER: (403, "secret_key_required"),
    Access.ADMIN: (403, "secret_key_required"),
    Access.SESSION: (403, "session_required"),
    Access.OPERATOR: (401, "unauthorized"),
}


@pytest.fixture
async def owner(app: FastAPI, tenant: TenantClient, database: Database) -> Victim:
    return await victim_of(app, tenant, database)


async def test_it_opens_nothing_that_needs_more(owner: Victim) -> None:
    headers = await owner.client.publishable_key()
    wrong = {}
    for (method, path), policy in POLICIES.items():
        if policy.access in REFUSED:
            answer = await owner.visit(method, path, headers)
            if (answer.status_code, answer.json()["code"]) != REFUSED[policy.access]:
                wrong[method, path] = (answer.status_code, answer.text)
    assert wrong == {}


async def test_what_it_opens_are_web_calls_to_its_own_agents(owner: Victim) -> None:
    open_to_it = {route for route, policy in POLICIES.items() if policy.access is Access.ANY_KEY}
    assert open_to_it == {
        ("POST", "/v1/calls"),
        ("GET", "/v1/agents/{agent_id}/card"),
        ("PUT", "/v1/calls/{call_id}/feedback"),
    }
    everywhere = await owner.client.publishable_key()
    elsewhere = await owner.client.publishable_key(
        allowed_agent_ids=[str(await owner.client.published_agent())]
    )
    assert (await owner.visit("POST", "/v1/calls", everywhere)).status_code == 201
    assert (await owner.visit("POST", "/v1/calls", elsewhere)).status_code == 403
    card = "/v1/agents/{agent_id}/card"
    assert (await owner.visit("GET", card, everywhere)).status_code == 200
    assert (await owner.visit("GET", card, elsewhere)).status_code == 403
    # The owner's call was created with a secret key.
    feedback = "/v1/calls/{call_id}/feedback"
    assert (await owner.visit("PUT", feedback, everywhere)).status_code == 404
