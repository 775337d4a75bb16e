"""Deleting many rows a few at a time. A statement that outlasts its transaction's deadline is
undone, and the next one would have still more to delete."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, delete, literal, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute


async def delete_some(
    session: AsyncSession,
    key: InstrumentedAttribute[Any],
    is_due: ColumnElement[bool],
    *,
    most: int,
) -> int:
    """Delete rows of the table of ``key``, which identifies each, and return how many, which are
    ``most`` at most."""
    some = select(key).where(is_due).limit(most)
    deleted = await session.scalars(
        delete(key.class_)
        # Once more, because a row may just have got another life.
        .where(key.in_(some), is_due)
        .returning(literal(1))
        .execution_options(synchronize_session=False)
    )
    return len(deleted.all())
