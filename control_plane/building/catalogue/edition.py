"""The current catalogue in memory. Every edit makes a new edition of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import PriceRow, ResolvedStack, UnitPrice
from control_plane.building.catalogue import (
    price_repository,
    repository,
    unit_price_repository,
)
from control_plane.building.catalogue.prices import DatedPrice
from control_plane.building.catalogue.stack_prices import PriceName, price_rows_of, prices_needed
from control_plane.building.catalogue.unit_prices import (
    DatedUnitPrice,
    UnitPriceName,
    unit_prices_of,
)
from pipelines.stack import StackCatalogue

_Dated = TypeVar("_Dated", DatedPrice, DatedUnitPrice)


@dataclass(frozen=True)
class CatalogueEdition:
    number: int
    """``catalogue_editions.number``, which every edit of the catalogue or its prices increments."""
    stacks: StackCatalogue
    prices: Mapping[PriceName, Sequence[DatedPrice]]
    """The latest first. Some may only become valid in the future."""
    unit_prices: Mapping[UnitPriceName, Sequence[DatedUnitPrice]]
    """In the same order."""

    def price_rows(
        self, stack: ResolvedStack, sku_id: str | None, at: datetime
    ) -> tuple[PriceRow, ...]:
        """What a minute of ``stack`` costs at ``at``.

        Raises:
            PriceMissing: a component has no price that is valid at that time.
        """
        valid = {
            name: price
            for name in prices_needed(stack, sku_id)
            for price in [_valid_at(self.prices.get(name, ()), at)]
            if price is not None
        }
        return price_rows_of(stack, sku_id, valid)

    def unit_prices_at(
        self, stacks: Iterable[ResolvedStack], at: datetime
    ) -> tuple[UnitPrice, ...]:
        """What providers bill the installation for the models of ``stacks`` at ``at``, as far as
        the catalogue knows. One row for each model."""
        found = {
            (price.channel, price.provider, price.model): price
            for stack in stacks
            for price in unit_prices_of(
                stack, lambda name: _valid_at(self.unit_prices.get(name, ()), at)
            )
        }
        return tuple(found.values())


class CatalogueCache:
    """Keeps the edition that was needed last. Each process has one."""

    def __init__(self) -> None:
        self._edition: CatalogueEdition | None = None

    async def edition(self, session: AsyncSession, number: int) -> CatalogueEdition:
        """The edition with the number that ``session`` has just read.

        What is loaded is never older than its number. If an edit is committed in between, the next
        call has a higher number and loads everything again.
        """
        if self._edition is None or self._edition.number != number:
            self._edition = await load_edition(session, number)
        return self._edition


async def load_edition(session: AsyncSession, number: int) -> CatalogueEdition:
    stacks = await repository.stack_catalogue(session)
    prices = await price_repository.dated_prices(session)
    unit_prices = await unit_price_repository.dated_unit_prices(session)
    return CatalogueEdition(number, stacks, prices, unit_prices)


def _valid_at(latest_first: Sequence[_Dated], at: datetime) -> _Dated | None:
    return next((price for price in latest_first if price.valid_from <= at), None)
