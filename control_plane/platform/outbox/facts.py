"""What the outbox hands to those who act on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

TEST_ORIGIN = "test"
"""The origin of a fact that says that nothing has happened: only webhooks are told it."""


@dataclass(frozen=True)
class Fact:
    """One row of the outbox. See ``OutboxEvent`` for ``data`` and ``origin``."""

    id: UUID
    tenant_id: UUID
    event: str
    data: dict[str, Any]
    origin: str
    occurred_at: datetime
    """Every fact has a time of its own, also beside others of its transaction."""
    position: int
    transaction_id: int
    """Facts are in the order of this and ``position``."""


class FactConsumer(Protocol):
    """Acts on facts in the transaction that also notes that they were read: what it writes there
    happens exactly once for each fact. It sends nothing itself, but writes down what to send."""

    async def consume(self, session: AsyncSession, facts: Sequence[Fact]) -> None:
        """``session`` is a system session; ``facts`` are of any tenants, in the order of the log.

        A consumer that raises is given the same facts again, and then one at a time. One that it
        refuses ``reader.MOST_TRIES`` times is skipped for all consumers, and logged as an error.
        """
