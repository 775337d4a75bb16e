"""A page of a list of calls.

A page has up to 1,000 calls and as many participants. Making objects of them that could be changed
and saved, or checking once more what comes from our own tables, would be most of the request, so it
is made of plain rows.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

from pydantic_core import to_json
from sqlalchemy import Row
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calls import reading
from control_plane.calls.call_fields import call_fields
from control_plane.errors import InvalidRequest


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
        after = await reading.place_of_call(session, tenant_id, cursor)
        if after is None:
            raise InvalidRequest.at("cursor", "is not the id of one of your calls")
    calls, total = await reading.page_of_calls(
        session,
        tenant_id,
        limit=limit,
        offset=offset,
        status=status,
        agent_id=agent_id,
        after=after,
    )
    shown = calls[:limit]
    people: dict[UUID, list[Row[Any]]] = defaultdict(list)
    for person in await reading.participants_of(session, tenant_id, [call.id for call in shown]):
        people[person.call_id].append(person)
    return to_json(
        {
            "calls": [call_fields(call, people[call.id]) for call in shown],
            "total": total,
            "limit": limit,
            "offset": offset,
            "next_cursor": shown[-1].id if len(calls) > limit else None,
        }
    )
