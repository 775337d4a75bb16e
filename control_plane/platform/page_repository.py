"""One page of a list, with the list's total."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlalchemy import Select, func
from sqlalchemy.ext.asyncio import AsyncSession

Record = TypeVar("Record")


async def page_of(
    session: AsyncSession, query: Select[Record], *, limit: int, offset: int
) -> tuple[Sequence[Record], int]:
    """The records of ``query`` from ``offset`` on, at most ``limit``, and how many it has in total.

    Args:
        query: selects one mapped class, with the list's conditions and order.
    """
    total = await session.scalar(
        query.with_only_columns(func.count(), maintain_column_froms=True).order_by(None)
    )
    records = await session.scalars(query.limit(limit).offset(offset))
    return records.all(), total or 0
