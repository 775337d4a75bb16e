"""What a minute costs to each of many numbers: one query for each carrier that is asked about."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.dialing.models import OUTBOUND
from control_plane.calling.telecom.models import TelecomPrice
from control_plane.calling.telecom.repository import prices_of


class PriceList:
    """
    Args:
        numbers: all that will be asked about, E.164.
        at: a moment, with a time zone. Later prices do not count.
    """

    def __init__(self, session: AsyncSession, numbers: Collection[str], at: datetime) -> None:
        self._session = session
        self._numbers = numbers
        self._at = at
        self._prices: dict[str, dict[str, TelecomPrice]] = {}
        """By carrier and number."""

    async def price_of(self, carrier: str, number: str) -> TelecomPrice | None:
        """``None``: a minute to ``number`` has no price at ``carrier``."""
        if carrier not in self._prices:
            self._prices[carrier] = await prices_of(
                self._session, carrier, OUTBOUND, self._numbers, self._at
            )
        return self._prices[carrier].get(number)
