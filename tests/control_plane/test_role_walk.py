"""Walks every route with dashboard sessions of each role, and without their CSRF token."""

from __future__ import annotations

import httpx2
import pytest
from fastapi import FastAPI

from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import Role
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.policies.every_route import POLICIES
from tests.control_plane.policies.policy import Access
from tests.control_plane.walking import Victim, victim_of

OPEN_TO: dict[Access, frozenset[Role]] = {
    Access.ANY_KEY: frozenset({"owner", "admin", "member"}),
    Access.MEMBER: frozenset({"owner", "admin", "member"}),
    Access.ADMIN: frozenset({"owner", "admin"}),
    Access.SESSION: frozenset({"owner", "admin", "member"}),
    Access.OPERATOR: frozenset(),
    Access.CALL_TOKEN: frozenset(),
}
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


@pytest.fixture
async def records(app: FastAPI, tenant: TenantClient, database: Database) -> Victim:
    return await victim_of(app, tenant, database)


@pytest.mark.parametrize("role", ["owner", "admin", "member"])
async def test_each_role_opens_what_its_policy_says(
    records: Victim, database: Database, role: Role
) -> None:
    wrong = {}
    for (method, path), policy in POLICIES.items():
        if policy.access not in OPEN_TO:
            continue
        # A new one each time: some routes end the session that they are visited with.
        visitor = await dashboard_client(records.client, database, role)
        answer = await records.visit(method, path, visitor.headers)
        is_open = answer.status_code not in (401, 403) or _is_of_the_record(answer)
        if is_open is not (role in OPEN_TO[policy.access]):
            wrong[method, path] = (answer.status_code, answer.text)
    assert wrong == {}


async def test_a_member_is_told_that_the_role_is_missing(
    records: Victim, database: Database
) -> None:
    member = await dashboard_client(records.client, database, "member")
    wrong = {}
    for (method, path), policy in POLICIES.items():
        if policy.access is Access.ADMIN:
            answer = await records.visit(method, path, member.headers)
            if (answer.status_code, answer.json()["code"]) != (403, "role_required"):
                wrong[method, path] = (answer.status_code, answer.text)
    assert wrong == {}


async def test_a_session_changes_nothing_without_its_csrf_token(
    records: Victim, database: Database
) -> None:
    owner = await dashboard_client(records.client, database, "owner")
    cookie_alone = {"Cookie": owner.headers["Cookie"]}
    by_session = (Access.ANY_KEY, Access.MEMBER, Access.ADMIN, Access.SESSION)
    wrong = {}
    for (method, path), policy in POLICIES.items():
        if policy.access in by_session and method not in SAFE_METHODS:
            answer = await records.visit(method, path, cookie_alone)
            if (answer.status_code, answer.json()["code"]) != (403, "csrf_token_required"):
                wrong[method, path] = (answer.status_code, answer.text)
    assert wrong == {}


def _is_of_the_record(answer: httpx2.Response) -> bool:
    """Whether it is refused because of what it names, which the API specification wants as 403."""
    return answer.status_code == 403 and answer.json()["code"] == "agent_not_in_tenant"
