"""Walks every route of the API as a stranger: no record of another tenant is ever shown.

``tests.control_plane.policies`` says for each route who may use it. A route that is not there fails
the test, so that nobody adds one without deciding.
"""

from __future__ import annotations

import pytest
from fastapi import FastAPI

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.every_route import POLICIES
from tests.control_plane.policies.policy import Access
from tests.control_plane.walking import Victim, routes_of, victim_of


@pytest.fixture
async def victim(app: FastAPI, other_tenant: TenantClient, database: Database) -> Victim:
    return await victim_of(app, other_tenant, database)


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
        if policy.access is Access.EVERYONE:
            # A body can be refused all the same: a wrong password, a token that nobody made.
            refused = policy.refused_with
            is_right = answer.is_success if refused is None else answer.status_code == refused
        else:
            is_right = answer.status_code == 401
        if not is_right:
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
