"""People at the dashboard: members of a tenant with an open session."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx2

from control_plane.identity.accounts import repository as accounts
from control_plane.identity.accounts.sessions.authentication import CSRF_HEADER, SESSION_COOKIE
from control_plane.identity.accounts.sessions.service import open_session
from control_plane.identity.accounts.tokens import csrf_token_of
from control_plane.identity.members.models import Membership
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import RequestOrigin, Role
from tests.control_plane.conftest import TenantClient


@dataclass(frozen=True)
class DashboardClient:
    """One person's browser, logged in to one tenant."""

    tenant_id: UUID
    user_id: UUID
    email: str
    token: str
    http: httpx2.AsyncClient

    @property
    def headers(self) -> dict[str, str]:
        """The cookie and the CSRF token: enough for every route."""
        return {
            "Cookie": f"{SESSION_COOKIE}={self.token}",
            CSRF_HEADER: csrf_token_of(self.token, self.tenant_id),
        }

    async def request(self, method: str, path: str, **options: Any) -> httpx2.Response:
        return await self.http.request(method, path, headers=self.headers, **options)

    async def get(self, path: str, **options: Any) -> httpx2.Response:
        return await self.request("GET", path, **options)

    async def post(self, path: str, body: object = None) -> httpx2.Response:
        return await self.request("POST", path, json=body)

    async def patch(self, path: str, body: object = None) -> httpx2.Response:
        return await self.request("PATCH", path, json=body)

    async def delete(self, path: str) -> httpx2.Response:
        return await self.request("DELETE", path)


async def dashboard_client(
    tenant: TenantClient, database: Database, role: Role, *, email: str | None = None
) -> DashboardClient:
    """A further member of ``tenant``, new unless ``email`` is known, with a session.

    Made in the database, because a login would take the time of a password hash.
    """
    email = email or f"{role}-{uuid4().hex}@example.com"
    async with database.system_session() as session:
        user = await accounts.find_or_add(session, email)
        user.email_confirmed_at = user.email_confirmed_at or datetime.now(UTC)
        await session.merge(Membership(tenant_id=tenant.tenant_id, user_id=user.id, role=role))
        await session.flush()
        opened = await open_session(
            session,
            user_id=user.id,
            tenant_id=tenant.tenant_id,
            origin=RequestOrigin(address="192.0.2.1", user_agent="Browser of the tests"),
            ttl_seconds=3600,
            now=datetime.now(UTC),
        )
    return DashboardClient(tenant.tenant_id, user.id, email, opened.token, tenant.http)
