"""The welcome credit of people who sign up: once for each person who has confirmed their address.

A mail address costs nothing. So on a public address the credit is off unless the operator turns it
on, and a network gets only a few of them a day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

import structlog
from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.login import attempt_repository
from control_plane.identity.accounts.login.attempts import Limit, network_of
from control_plane.identity.accounts.models import User
from control_plane.identity.tenants.opening import TenantOpened
from control_plane.platform.http.client_address import provider_network_of
from control_plane.platform.settings import ControlPlaneSettings

WELCOMES_PER_ADDRESS = Limit("welcome address", 2, 24 * 3600)
WELCOMES_PER_NETWORK = Limit("welcome network", 10, 24 * 3600)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Welcome:
    settings: ControlPlaneSettings
    post: TenantOpened

    async def offer(
        self, session: AsyncSession, user: User, tenant_id: UUID, address: str | None, now: datetime
    ) -> None:
        """After a sign-up: the user's new tenant gets the credit, now or when the user confirms
        their address. Needs a system session in which the user's row is locked."""
        if not self.settings.welcomes_sign_ups or user.welcomed_at is not None:
            return
        user.welcome_tenant_id = user.welcome_tenant_id or tenant_id
        # An address that is not public can be reached only by people whom the operator lets in.
        if user.email_confirmed_at is not None or not self.settings.is_public:
            await self.give(session, user, address, now)

    async def give(
        self, session: AsyncSession, user: User, address: str | None, now: datetime
    ) -> bool:
        """Post the credit that waits for the user; ``False`` if none does, or if too many were
        posted for people at this address or in its network. Needs a system session in which the
        user's row is locked."""
        if user.welcome_tenant_id is None or user.welcomed_at is not None:
            return False
        if self.settings.is_public and await _is_too_often(session, address, now):
            _log.warning("welcome_credit_withheld", user_id=str(user.id), address=address)
            return False
        user.welcomed_at = now
        await self.post(session, user.welcome_tenant_id, is_welcome=True)
        return True


async def _is_too_often(session: AsyncSession, address: str | None, now: datetime) -> bool:
    """Counts in the caller's transaction, so that only what is posted counts."""
    counters = (
        WELCOMES_PER_ADDRESS.of(network_of(address)),
        WELCOMES_PER_NETWORK.of(provider_network_of(address or "") or "unknown"),
    )
    for position, counter in enumerate(counters):
        counted = await attempt_repository.count(
            session, counter.key_hash, now, window_seconds=counter.limit.window_seconds
        )
        if counted.attempts > counter.limit.attempts:
            for earlier in counters[: position + 1]:
                await attempt_repository.take_off(session, earlier.key_hash)
            return True
    return False


async def welcome_of(request: Request) -> Welcome:
    state = request.app.state
    return Welcome(state.settings, state.on_tenant_opened)


AppWelcome = Annotated[Welcome, Depends(welcome_of)]
