"""A call's frozen plan on its way to a worker."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID


class PlanDocument(NamedTuple):
    """It is sent as it was stored. A ``CallPlan`` that was read and written again would lack what
    another release has added."""

    tenant_id: UUID
    call_id: UUID
    funded_until_ms: int | None
    """See ``contracts.call_offer.CallOffer``."""
    json: str
