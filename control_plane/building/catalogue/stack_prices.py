"""The price rows of a stack: which it needs, and which a call's plan freezes. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol
from uuid import UUID

from contracts.call_plan import PriceRow, ResolvedStack
from control_plane.building.catalogue.prices import NO_CHARGE, PLATFORM_FEE, sku_price_name
from pipelines.stack import CHANNELS

PriceName = tuple[str, str, str]
"""Component, provider and model."""


class PriceMissing(LookupError):
    """A component of a stack has no price, so the catalogue is incomplete."""


class ValidPrice(Protocol):
    @property
    def id(self) -> UUID: ...
    @property
    def micros_per_minute(self) -> int: ...


def prices_needed(stack: ResolvedStack, sku_id: str | None) -> list[PriceName]:
    """Every price that ``price_rows_of`` may need."""
    billed = _billed(stack, sku_id)
    return [
        ("platform", *PLATFORM_FEE),
        *billed,
        *((component, *NO_CHARGE) for component, _, _ in billed),
    ]


def price_rows_of(
    stack: ResolvedStack, sku_id: str | None, valid: Mapping[PriceName, ValidPrice]
) -> tuple[PriceRow, ...]:
    """The rows to freeze in a plan, taken from the ``valid`` prices.

    A managed SKU has a single row, ``managed_sku``. A custom agent has a row for the platform's fee
    and one for each channel, or one llm row if a realtime model serves all three. A channel on the
    tenant's own key or endpoint has a row, too: it names the provider and the model, costs $0, and
    its ``price_id`` is that of the catalogue's ``NO_CHARGE`` row.

    Raises:
        PriceMissing: a component has no valid price.
    """
    fee = [] if sku_id is not None else [("platform", *PLATFORM_FEE)]
    own = set() if sku_id is not None else _on_own_keys(stack)
    rows = []
    for component, provider, model in [*_billed(stack, sku_id), *fee]:
        priced = (component, provider, model)
        free = component in own or (component == "managed_sku" and priced not in valid)
        price = valid.get((component, *NO_CHARGE) if free else priced)
        if price is None:
            raise PriceMissing(f"no {component} price row for {provider}/{model}")
        rows.append(
            PriceRow.model_validate(
                {
                    "price_id": price.id,
                    "component": component,
                    "provider": provider,
                    "model": model,
                    "micros_per_minute": price.micros_per_minute,
                }
            )
        )
    return tuple(rows)


def _billed(stack: ResolvedStack, sku_id: str | None) -> list[PriceName]:
    if sku_id is not None:
        return [("managed_sku", *sku_price_name(sku_id))]
    channels = ("llm",) if stack.mode == "realtime" else CHANNELS
    primaries = [(channel, getattr(stack, channel).primary) for channel in channels]
    return [(channel, primary.provider, primary.model) for channel, primary in primaries]


def _on_own_keys(stack: ResolvedStack) -> set[str]:
    return {channel for channel in CHANNELS if getattr(stack, channel).primary.key_source == "own"}
