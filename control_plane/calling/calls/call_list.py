"""A page of a list of calls as JSON; PostgreSQL makes the JSON of each call."""

from __future__ import annotations

from uuid import UUID

from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calling.calls.queries import call_pages
from control_plane.calling.calls.queries.call_counts import count_calls
from control_plane.calling.calls.queries.call_pages import CallFilter, Place
from control_plane.platform.errors import InvalidRequest


async def place_of_cursor(
    session: AsyncSession, tenant_id: UUID, cursor: UUID | None
) -> Place | None:
    """The place in the lists of the call with the id ``cursor``; ``None`` without a cursor.

    Raises:
        InvalidRequest: the tenant has no call with the id ``cursor``.
    """
    if cursor is None:
        return None
    place = await call_pages.place_of_call(session, tenant_id, cursor)
    if place is None:
        raise InvalidRequest.at("cursor", "is not the id of one of your calls")
    return place


async def list_page(
    session: AsyncSession,
    tenant_id: UUID,
    *,
    limit: int,
    offset: int,
    cursor: UUID | None,
    status: CallStatus | None = None,
    agent_id: UUID | None = None,
) -> bytes:
    """A ``CallPage`` as JSON: the calls that match the filters, newest first.

    Args:
        cursor: the id of a call; the page starts with the next older one.

    Raises:
        InvalidRequest: the tenant has no call with the id ``cursor``.
    """
    after = await place_of_cursor(session, tenant_id, cursor)
    wanted = CallFilter(tenant_id=tenant_id, status=status, agent_id=agent_id, after=after)
    # One more than is shown, to know whether another page follows.
    calls = await call_pages.documents_of_page(session, wanted, limit + 1, offset)
    shown = calls[:limit]
    rest = to_json(
        {
            "total": await count_calls(session, tenant_id, status, agent_id),
            "limit": limit,
            "offset": offset,
            "next_cursor": shown[-1].id if len(calls) > limit else None,
        }
    )
    documents = ",".join(call.document for call in shown)
    return b'{"calls":[' + documents.encode() + b"]," + rest.removeprefix(b"{")
