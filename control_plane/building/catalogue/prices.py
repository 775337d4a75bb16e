"""The names of price rows. A row never changes; one with a later ``valid_from`` replaces it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID, uuid5

from control_plane.building.catalogue.entries import Price

_PRICE_IDS = UUID("0d2f1c6e-6d0e-5d3a-9a54-3b1f5b1f6f10")
_OURS = "switchboard"

PLATFORM_FEE = (_OURS, "platform")
"""Provider and model of custom agents' flat fee."""
NO_CHARGE = (_OURS, "no_charge")
"""Provider and model of the $0 rows, for channels on the tenant's own key and for managed SKUs
without a price."""


def sku_price_name(sku_id: str) -> tuple[str, str]:
    """Provider and model of a managed SKU's price."""
    return (_OURS, sku_id)


def price_id(component: str, name: tuple[str, str], valid_from: datetime) -> UUID:
    """The same on every installation."""
    provider, model = name
    moment = valid_from.astimezone(UTC).isoformat()
    return uuid5(_PRICE_IDS, f"{component}/{provider}/{model}@{moment}")


class DatedPrice(NamedTuple):
    """A price without the name of what it is for."""

    id: UUID
    micros_per_minute: int
    valid_from: datetime


class PriceEntry(NamedTuple):
    """A price with what it is for: ``name`` is provider and model."""

    name: tuple[str, str]
    price: Price

    @property
    def id(self) -> UUID:
        return price_id(self.price.component, self.name, self.price.valid_from)

    @property
    def row(self) -> dict[str, object]:
        provider, model = self.name
        return {
            "id": self.id,
            "component": self.price.component,
            "provider": provider,
            "model": model,
            "micros_per_minute": self.price.micros_per_minute,
            "valid_from": self.price.valid_from,
        }

    def __str__(self) -> str:
        provider, model = self.name
        return f"{self.price.component} price of {provider}/{model}"
