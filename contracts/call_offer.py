"""Control plane → workers: a call that one of them may run, and until when.

An offer is one entry of the dispatch stream, in two fields: the plan as it was frozen
(``redis_names.FIELD``) and this header (``redis_names.HEADER_FIELD``). Release 0.1 sends no header.

The header stands beside the plan, not around it. The plan is long and is sent as it was stored,
without being parsed or escaped again, and a worker that cannot read the plan can still say which
call it belongs to.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, PositiveInt

OFFER_TTL = timedelta(seconds=30)
"""How long a call waits for a worker."""


class CallOffer(BaseModel):
    """A call that is offered again gets a new offer, with a new deadline."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[1] = 1
    call_id: UUID
    tenant_id: UUID
    offered_at: AwareDatetime
    expires_at: AwareDatetime
    """After this time no worker begins the call, because the control plane has given it up."""
    funded_until_ms: PositiveInt | None = None
    """Connected milliseconds that the call's reserve pays for when it is offered. ``None``: no
    limit, because the call costs nothing or release 0.1 offers it.
    ``contracts.commands.ExtendFunds`` raises it while the call runs."""

    @classmethod
    def made(
        cls, call_id: UUID, tenant_id: UUID, at: datetime, funded_until_ms: int | None = None
    ) -> CallOffer:
        """The offer that is made at ``at``, which has a time zone."""
        return cls(
            call_id=call_id,
            tenant_id=tenant_id,
            offered_at=at,
            expires_at=at + OFFER_TTL,
            funded_until_ms=funded_until_ms,
        )

    def has_expired(self, now: datetime) -> bool:
        return now > self.expires_at
