"""Reads a CSV export line by line while it arrives, blocking and awaited."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from uuid import UUID

import httpx2

from switchboard_client.request import Request, query
from switchboard_client.transport import (
    AsyncTransport,
    Transport,
    arguments_of,
    reply_of,
    unreachable,
)

_ROUTE = "/v1/billing/export.csv"
_TIMEOUT = httpx2.Timeout(15.0, read=60.0)


def request_of(
    *,
    from_: datetime | None = None,
    to: datetime | None = None,
    agent_id: UUID | str | None = None,
    status: str | None = None,
) -> Request:
    wanted = query(from_=from_, to=to, agent_id=agent_id, status=status)
    return Request("GET", _ROUTE, wanted, headers={"Accept": "text/csv"})


def lines(transport: Transport, request: Request) -> Iterator[str]:
    """The lines without their ends, the header first. An export is not asked for twice: lines that
    were read would come again.

    Raises:
        ApiError: the API refused it.
        ServerUnreachable: there was no answer, or it broke off.
    """
    try:
        with transport.http.stream(**arguments_of(request), timeout=_TIMEOUT) as answer:
            if not answer.is_success:
                answer.read()
                raise reply_of(answer).error()
            yield from answer.iter_lines()
    except httpx2.RequestError as error:
        raise unreachable(transport.http.base_url, error) from error


async def lines_async(transport: AsyncTransport, request: Request) -> AsyncIterator[str]:
    """As ``lines``."""
    try:
        async with transport.http.stream(**arguments_of(request), timeout=_TIMEOUT) as answer:
            if not answer.is_success:
                await answer.aread()
                raise reply_of(answer).error()
            async for line in answer.aiter_lines():
                yield line
    except httpx2.RequestError as error:
        raise unreachable(transport.http.base_url, error) from error
