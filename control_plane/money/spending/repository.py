"""Every query on meters."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Date, and_, case, cast, func, or_, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.spending.models import SpendingMeter

UNLIMITED = 2**62
_MINUTE = timedelta(minutes=1)


async def count(
    session: AsyncSession, tenant_id: UUID, kind: str, *, per_minute: int, per_day: int
) -> bool:
    """Count one request; ``False`` if the tenant has made so many in this minute or today. Waits
    for the tenant's other requests that are being counted."""
    meter, new = SpendingMeter, _new()
    counted = await session.scalar(
        insert(meter)
        .values(
            tenant_id=tenant_id,
            kind=kind,
            requests=1,
            day=_today(),
            requests_of_day=1,
            minute_began_at=func.now(),
            requests_of_minute=1,
        )
        .on_conflict_do_update(
            index_elements=[meter.tenant_id, meter.kind],
            set_={
                "requests": meter.requests + 1,
                "day": _today(),
                "requests_of_day": case((new["day"], 1), else_=meter.requests_of_day + 1),
                "minute_began_at": case((new["minute"], func.now()), else_=meter.minute_began_at),
                "requests_of_minute": case((new["minute"], 1), else_=meter.requests_of_minute + 1),
            },
            where=and_(
                or_(new["day"], meter.requests_of_day < (per_day or UNLIMITED)),
                or_(new["minute"], meter.requests_of_minute < (per_minute or UNLIMITED)),
            ),
        )
        .returning(meter.requests)
    )
    return counted is not None


async def used(session: AsyncSession, tenant_id: UUID, kind: str) -> tuple[int, int]:
    """How many requests of a kind the tenant has made today, and the seconds until its minute is
    over."""
    meter = SpendingMeter
    rest = func.extract("epoch", meter.minute_began_at + _MINUTE - func.now())
    today = case((meter.day == _today(), meter.requests_of_day), else_=0)
    found = await session.execute(
        select(today, func.ceil(rest)).where(meter.tenant_id == tenant_id, meter.kind == kind)
    )
    used_today, seconds = found.one()
    return int(used_today), int(seconds)


async def used_today(session: AsyncSession, tenant_id: UUID, kind: str) -> int:
    """How many requests of a kind the tenant has made today."""
    meter = SpendingMeter
    found: int | None = await session.scalar(
        select(meter.requests_of_day).where(
            meter.tenant_id == tenant_id, meter.kind == kind, meter.day == _today()
        )
    )
    return found or 0


def _new() -> dict[str, Any]:
    """Whether the day or the minute of the last request is over."""
    return {
        "day": SpendingMeter.day != _today(),
        "minute": SpendingMeter.minute_began_at <= func.now() - _MINUTE,
    }


def _today() -> Any:
    return cast(func.timezone("UTC", func.now()), Date)
