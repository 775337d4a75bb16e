"""A page of a list of calls as JSON; PostgreSQL makes the JSON of each call."""

from __future__ import annotations

from uuid import UUID

from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calling.calls.queries import call_pages
from control_plane.calling.calls.queries.call_counts import count_calls
from control_plane.calling.calls.queries.call_pages import CallFilter
from control_plane.platform.errors import InvalidRequest


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
    after = None
    if cursor is not None:
        after = await call_pages.place_of_call(session, tenant_id, cursor)
        if after is None:
            raise InvalidRequest.at("cursor", "is not the id of one of your calls")
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
