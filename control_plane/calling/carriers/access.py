"""Asking carriers, with the credentials of one account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated
from urllib.parse import urlsplit
from uuid import UUID

import httpx2
from fastapi import Depends, Request

from carriers.account import AnyCredentials
from carriers.api import CarrierApi, WebhookAddresses
from carriers.registry import carrier_of
from carriers.rest import carrier_client
from contracts.carrier_accounts import status_url, voice_url
from control_plane.platform.settings import ControlPlaneSettings

LONGEST_APPLICATION_NAME = 60


class CarrierAccess:
    """Each process of the API has one."""

    def __init__(self, settings: ControlPlaneSettings) -> None:
        self._settings = settings
        self._client: httpx2.AsyncClient | None = None

    def api(self, credentials: AnyCredentials) -> CarrierApi:
        if self._client is None:
            self._client = carrier_client()
        make = carrier_of(credentials.provider).api
        return make(credentials, self._settings.carriers, self._client)

    def webhooks(self, provider: str, account_id: UUID) -> WebhookAddresses | None:
        """Our addresses for an account; ``None`` if the installation has no address for
        carriers."""
        url = self._settings.bridge_public_url
        if url is None:
            return None
        name = f"Switchboard {urlsplit(url).hostname} {account_id.hex[:8]}"
        return WebhookAddresses(
            voice_url=voice_url(url, provider, account_id),
            status_url=status_url(url, provider, account_id),
            application_name=name[-LONGEST_APPLICATION_NAME:],
        )

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.aclose()


@asynccontextmanager
async def carrier_access(settings: ControlPlaneSettings) -> AsyncIterator[CarrierAccess]:
    """For a process that asks now and then."""
    access = CarrierAccess(settings)
    try:
        yield access
    finally:
        await access.aclose()


async def _access_of(request: Request) -> CarrierAccess:
    access: CarrierAccess = request.app.state.carrier_access
    return access


AppCarriers = Annotated[CarrierAccess, Depends(_access_of)]
