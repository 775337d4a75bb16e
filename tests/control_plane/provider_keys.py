"""The API of an installation whose operator has keys for providers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from control_plane.app import create_app
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient


@asynccontextmanager
async def api_with_keys(
    tenant: TenantClient, settings: ControlPlaneSettings, *providers: str
) -> AsyncIterator[httpx2.AsyncClient]:
    """The tenant's client of another application on the same database."""
    app = create_app(settings.model_copy(update={"provider_keys": frozenset(providers)}))
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(
            transport=httpx2.ASGITransport(app=app),
            base_url="http://switchboard.test",
            headers=tenant.headers,
        ) as http,
    ):
        yield http
