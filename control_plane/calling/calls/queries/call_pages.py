"""Pages of calls, newest first.

There is one statement for each combination of filters, kept with its values as parameters, and
PostgreSQL makes the JSON of each call. Processor time of this process for a page of 200 calls
(of 50 calls), measured side by side:

====================================  ================
as here                               3.9 ms (2.9 ms)
the same statement built each time    8.7 ms (8.0 ms)
rows made into models and JSON here   14.6 ms (6.5 ms)
====================================  ================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Result,
    Row,
    Select,
    Text,
    bindparam,
    cast,
    func,
    literal_column,
    select,
    true,
    tuple_,
)
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.queries.call_fields import LISTED_COLUMNS, fields_of

Place = tuple[datetime, UUID]
"""Creation time and id of a call: its place in a list."""


@dataclass(frozen=True, kw_only=True)
class CallFilter:
    """Which calls a list shows: the tenant's calls that match every filter that is not ``None``,
    from behind ``after``."""

    tenant_id: UUID
    status: CallStatus | None = None
    agent_id: UUID | None = None
    after: Place | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Values for the statements; the names of the values tell which filters are set."""
        parameters: dict[str, Any] = {"tenant_id": self.tenant_id}
        if self.status is not None:
            parameters["status"] = self.status.value
        if self.agent_id is not None:
            parameters["agent_id"] = self.agent_id
        if self.after is not None:
            parameters["after_created_at"], parameters["after_id"] = self.after
        return parameters


async def place_of_call(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> Place | None:
    """A call's place in the lists; ``None`` if the tenant has no such call."""
    query = select(Call.created_at, Call.id).where(Call.tenant_id == tenant_id, Call.id == call_id)
    found = (await session.execute(query)).one_or_none()
    return None if found is None else (found.created_at, found.id)


async def page_of_calls(
    session: AsyncSession, wanted: CallFilter, limit: int, offset: int
) -> Sequence[Row[Any]]:
    """``LISTED_COLUMNS`` of each call of a page."""
    return await _page(session, _select_page, wanted, limit, offset)


async def documents_of_page(
    session: AsyncSession, wanted: CallFilter, limit: int, offset: int
) -> Sequence[Row[Any]]:
    """``id`` and ``document``, the JSON text of a ``CallView``, of each call of a page."""
    return await _page(session, _select_documents, wanted, limit, offset)


async def _page(
    session: AsyncSession,
    statement: Callable[[frozenset[str]], Select[Any]],
    wanted: CallFilter,
    limit: int,
    offset: int,
) -> Sequence[Row[Any]]:
    parameters = wanted.parameters
    page: Result[Any] = await session.execute(
        statement(frozenset(parameters)), parameters | {"limit": limit, "offset": offset}
    )
    return page.all()


@cache
def _select_page(filters: frozenset[str]) -> Select[Any]:
    """
    Args:
        filters: names of ``CallFilter.parameters``; ``limit`` and ``offset`` are parameters, too.
    """
    query = select(*LISTED_COLUMNS).where(Call.tenant_id == bindparam("tenant_id"))
    if "status" in filters:
        query = query.where(Call.status == bindparam("status"))
    if "agent_id" in filters:
        query = query.where(Call.agent_id == bindparam("agent_id"))
    if "after_id" in filters:
        after = tuple_(
            bindparam("after_created_at", type_=Call.created_at.type),
            bindparam("after_id", type_=Call.id.type),
        )
        query = query.where(tuple_(Call.created_at, Call.id) < after)
    return (
        query.order_by(Call.created_at.desc(), Call.id.desc())
        .limit(bindparam("limit"))
        .offset(bindparam("offset"))
    )


@cache
def _select_documents(filters: frozenset[str]) -> Select[Any]:
    """The parameters are those of ``_select_page``."""
    page = _select_page(filters).subquery("page")
    fields = fields_of(page).correlate(page).lateral("call")
    document = cast(func.row_to_json(literal_column(fields.name)), Text)
    return (
        select(page.c.id, document.label("document"))
        .join_from(page, fields, true())
        .order_by(page.c.created_at.desc(), page.c.id.desc())
    )
