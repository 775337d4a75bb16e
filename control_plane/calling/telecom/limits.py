"""Whether a tenant may call a number: its countries, the rate of a minute, today's spending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.numbers.models import Number
from control_plane.calling.telecom import repository
from control_plane.calling.telecom.errors import (
    PhoneCountryNotAllowed,
    PhoneDailySpendReached,
    PhoneRateAboveCeiling,
)
from control_plane.calling.telecom.models import PhoneSettings, TelecomPrice
from control_plane.identity.api_keys.countries import country_of


def countries_of(settings: PhoneSettings | None, numbers: Iterable[Number]) -> frozenset[str]:
    """Where a tenant calls: the countries that it has set, or those of its own numbers."""
    if settings is not None and settings.allowed_countries is not None:
        return frozenset(settings.allowed_countries)
    found = (country_of(number.number) for number in numbers)
    return frozenset(country for country in found if country is not None)


@dataclass(frozen=True)
class NumberLimits:
    """What a tenant allows of each number that it calls."""

    countries: frozenset[str]
    rate_ceiling_micros_per_minute: int | None
    """``None``: a minute may cost anything."""

    @classmethod
    def of(cls, settings: PhoneSettings | None, numbers: Iterable[Number]) -> NumberLimits:
        """
        Args:
            numbers: the tenant's own.
        """
        ceiling = None if settings is None else settings.rate_ceiling_micros_per_minute
        return cls(countries_of(settings, numbers), ceiling)

    def check(self, number: str, price: TelecomPrice | None) -> None:
        """
        Args:
            number: E.164.
            price: of a minute to it; ``None``: it has none.

        Raises:
            PhoneCountryNotAllowed, PhoneRateAboveCeiling.
        """
        country = country_of(number)
        if country not in self.countries:
            raise PhoneCountryNotAllowed(number, country, sorted(self.countries))
        ceiling = self.rate_ceiling_micros_per_minute
        if ceiling is not None and price is not None and price.micros_per_minute > ceiling:
            raise PhoneRateAboveCeiling(number, price.micros_per_minute, ceiling)


async def check_phone_limits(
    session: AsyncSession,
    tenant_id: UUID,
    numbers: Iterable[Number],
    prices: Mapping[str, TelecomPrice | None],
) -> None:
    """
    Args:
        numbers: the tenant's own.
        prices: by the number to call (E.164), its price; ``None``: it has none.

    Raises:
        PhoneCountryNotAllowed, PhoneRateAboveCeiling, PhoneDailySpendReached.
    """
    settings = await repository.settings_of(session, tenant_id)
    limits = NumberLimits.of(settings, numbers)
    for number, price in prices.items():
        limits.check(number, price)
    if settings is not None and settings.daily_spend_cap_micros is not None:
        spent = await spent_today_micros(session, tenant_id)
        if spent >= settings.daily_spend_cap_micros:
            raise PhoneDailySpendReached(settings.daily_spend_cap_micros, spent)


async def may_spend_today(session: AsyncSession, tenant_id: UUID) -> bool:
    """Whether today's spending is below the tenant's cap."""
    settings = await repository.settings_of(session, tenant_id)
    if settings is None or settings.daily_spend_cap_micros is None:
        return True
    return await spent_today_micros(session, tenant_id) < settings.daily_spend_cap_micros


async def spent_today_micros(session: AsyncSession, tenant_id: UUID) -> int:
    """Since midnight, UTC."""
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return await repository.spent_micros(session, tenant_id, midnight)
