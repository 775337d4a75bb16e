"""What the plan's view shows of how a tenant pays, which the domain of payments knows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession


@dataclass(frozen=True)
class PaymentPreferences:
    gateway: str | None = None
    """``None``: no gateway is configured, or the tenant has not chosen one."""
    currency: str = "USD"
    usd_to_inr_rate: float | None = None


PreferencesOf = Callable[[AsyncSession, UUID], Awaitable[PaymentPreferences]]


async def _preferences(request: Request) -> PreferencesOf:
    found: PreferencesOf = request.app.state.payment_preferences
    return found


PaymentPreferencesOf = Annotated[PreferencesOf, Depends(_preferences)]
