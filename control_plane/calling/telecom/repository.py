"""Every query on the phone network's prices and on tenants' limits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import chain
from uuid import UUID

from sqlalchemy import ARRAY, Text, any_, extract, func, literal, select
from sqlalchemy.dialects.postgresql import distinct_on, insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import Call
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.calling.telecom.models import PhoneSettings, TelecomPrice


async def price_of(
    session: AsyncSession, provider: str, direction: str, number: str, at: datetime
) -> TelecomPrice | None:
    """The newest price of the longest prefix that ``number`` (E.164) begins with."""
    return (await prices_of(session, provider, direction, [number], at)).get(number)


async def prices_of(
    session: AsyncSession, provider: str, direction: str, numbers: Collection[str], at: datetime
) -> dict[str, TelecomPrice]:
    """``price_of`` each of many numbers that has a price."""
    prefixes = {number: [number[:end] for end in range(len(number), 0, -1)] for number in numbers}
    found = await session.scalars(
        select(TelecomPrice)
        .ext(distinct_on(TelecomPrice.prefix))
        .where(
            TelecomPrice.provider == provider,
            TelecomPrice.direction == direction,
            TelecomPrice.prefix == any_(literal(sorted({*chain(*prefixes.values())}), ARRAY(Text))),
            TelecomPrice.valid_from <= at,
        )
        .order_by(TelecomPrice.prefix, TelecomPrice.valid_from.desc())
    )
    newest = {price.prefix: price for price in found}
    return {
        number: newest[longest]
        for number, its_prefixes in prefixes.items()
        if (longest := next((each for each in its_prefixes if each in newest), None)) is not None
    }


async def current_prices(session: AsyncSession) -> Sequence[TelecomPrice]:
    """The newest row of each prefix."""
    name = (TelecomPrice.provider, TelecomPrice.direction, TelecomPrice.prefix)
    found = await session.scalars(
        select(TelecomPrice).ext(distinct_on(*name)).order_by(*name, TelecomPrice.valid_from.desc())
    )
    return found.all()


async def settings_of(session: AsyncSession, tenant_id: UUID) -> PhoneSettings | None:
    return await session.get(PhoneSettings, tenant_id)


async def put_settings(session: AsyncSession, settings: PhoneSettings) -> None:
    values = {
        "allowed_countries": settings.allowed_countries,
        "daily_spend_cap_micros": settings.daily_spend_cap_micros,
        "rate_ceiling_micros_per_minute": settings.rate_ceiling_micros_per_minute,
    }
    await session.execute(
        insert(PhoneSettings)
        .values(tenant_id=settings.tenant_id, **values)
        .on_conflict_do_update(
            index_elements=[PhoneSettings.tenant_id], set_=values | {"updated_at": func.now()}
        )
    )


async def spent_micros(session: AsyncSession, tenant_id: UUID, since: datetime) -> int:
    """What the tenant's phones have cost since then: calls that are over, and of each leg that is
    active the minutes until now, at least one."""
    settled = await session.scalar(
        select(func.coalesce(func.sum(Call.telecom_cost_micros), 0)).where(
            Call.tenant_id == tenant_id, Call.ended_at >= since
        )
    )
    minutes = func.greatest(extract("epoch", func.now() - DialingJob.stage_at) / 60, 1)
    running = await session.scalar(
        select(
            func.coalesce(func.sum(func.ceil(DialingJob.telecom_micros_per_minute * minutes)), 0)
        ).where(
            DialingJob.tenant_id == tenant_id,
            DialingJob.state == JobState.ACTIVE,
            DialingJob.telecom_micros_per_minute > 0,
        )
    )
    return int(settled or 0) + int(running or 0)
