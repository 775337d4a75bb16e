"""A page of a list of calls, of the JSON that PostgreSQL makes of each call."""

from __future__ import annotations

from uuid import UUID

from pydantic_core import to_json
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calling.calls.queries import call_records
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
    """A ``CallPage`` as JSON: calls that fit the filters, newest first, from behind the call that
    ``cursor`` names.

    Raises:
        InvalidRequest: ``cursor`` names no call of the tenant's.
    """
    after = None
    if cursor is not None:
        after = await call_records.place_of_call(session, tenant_id, cursor)
        if after is None:
            raise InvalidRequest.at("cursor", "is not the id of one of your calls")
    wanted = CallFilter(tenant_id=tenant_id, status=status, agent_id=agent_id, after=after)
    # One more than shown tells whether a page follows.
    calls = await call_records.documents_of_page(session, wanted, limit + 1, offset)
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
