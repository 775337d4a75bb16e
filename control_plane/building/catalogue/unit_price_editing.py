"""The operator's edits of unit prices."""

from __future__ import annotations

from datetime import UTC, datetime

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.catalogue import repository, unit_price_repository
from control_plane.building.catalogue.errors import PriceExists
from control_plane.building.catalogue.models import UnitPriceRecord
from control_plane.building.catalogue.unit_price_schemas import UnitPriceCreate
from control_plane.building.catalogue.unit_prices import (
    UnitPriceEntry,
    fault_of_model,
    fault_of_units,
)
from control_plane.platform.errors import InvalidRequest

log = structlog.get_logger(__name__)


async def add_unit_price(session: AsyncSession, wanted: UnitPriceCreate) -> UnitPriceRecord:
    """Add a unit price that replaces the previous one from its time on.

    Raises:
        InvalidRequest: the time has passed, the model does not serve the channel or has no unit
            prices, or the units are not those that the channel is billed by.
        PriceExists: a unit price with exactly that time exists.
    """
    now = datetime.now(UTC)
    valid_from = wanted.valid_from or now
    if valid_from < now:
        raise InvalidRequest.at(
            "valid_from", "is in the past. Leave it out to change the unit price now"
        )
    await _check_model(session, wanted)
    entry = UnitPriceEntry(
        (wanted.channel, wanted.provider, wanted.model), wanted.micros_per, valid_from
    )
    added = await unit_price_repository.add(session, entry)
    if added is None:
        raise PriceExists(f"There is already a {entry} from {valid_from.isoformat()} on.")
    log.info("unit_price_added", price=str(entry), micros_per=wanted.micros_per)
    return added


async def _check_model(session: AsyncSession, wanted: UnitPriceCreate) -> None:
    model = await repository.find_model(session, wanted.provider, wanted.model)
    if model is None or wanted.channel not in model.channels:
        raise InvalidRequest.at(
            "model",
            f"the catalogue has no {wanted.channel} model {wanted.provider}/{wanted.model}",
        )
    fault = fault_of_units(wanted.channel, wanted.micros_per)
    if fault is not None:
        raise InvalidRequest.at("micros_per", fault)
    fault = fault_of_model(model.provider, model.modality, wanted.channel, wanted.micros_per)
    if fault is not None:
        raise InvalidRequest.at("model", fault)
