"""Schemathesis's login: by turns a secret key and a dashboard session, each of a fresh account.

A fresh account every few seconds, because what is tried includes revoking the very key in use.
"""

from __future__ import annotations

import asyncio
import os
from itertools import count
from typing import Any
from uuid import UUID

import httpx2
import schemathesis

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.own_api import OwnApi

API_URL = "SWITCHBOARD_FUZZ_API_URL"
DATABASE_URL = "SWITCHBOARD_FUZZ_DATABASE_URL"
REDIS_URL = "SWITCHBOARD_FUZZ_REDIS_URL"
STREAMS = ("/v1/calls/{call_id}/stream", "/v1/notifications/stream")
REFRESH_SECONDS = 10
_turns = count()


@schemathesis.hook
def before_call(
    _context: schemathesis.HookContext, case: schemathesis.Case[Any], _kwargs: dict[str, Any]
) -> None:
    """Streams would go on for a quarter of an hour."""
    if case.operation.path in STREAMS:
        case.query = {**(case.query or {}), "follow": "false"}


@schemathesis.auth(refresh_interval=REFRESH_SECONDS)
class FreshAccount:
    def get(
        self, _case: schemathesis.Case[Any], _context: schemathesis.AuthContext
    ) -> dict[str, str]:
        api = OwnApi(
            url=os.environ[API_URL],
            database_url=os.environ[DATABASE_URL],
            app_url=os.environ[DATABASE_URL],
            system_url=os.environ[DATABASE_URL],
            redis_url=os.environ[REDIS_URL],
        )
        tenant_id, key = api.open_account()
        if next(_turns) % 2:
            return {"Authorization": f"Bearer {key}"}
        return asyncio.run(_session_of(api, tenant_id, key))

    def set(
        self,
        case: schemathesis.Case[Any],
        data: dict[str, str],
        _context: schemathesis.AuthContext,
    ) -> None:
        case.headers.update(data)


async def _session_of(api: OwnApi, tenant_id: UUID, key: str) -> dict[str, str]:
    database = Database(api.database_url)
    try:
        async with httpx2.AsyncClient() as http:
            owner = await dashboard_client(TenantClient(tenant_id, key, http), database, "owner")
            return owner.headers
    finally:
        await database.aclose()
