"""Writes ``docs/query-plans.md``: how PostgreSQL answers ``GET /v1/calls`` with a million calls.

The statements are those that the API sends, with its role, row-level security and all.

    python -m bench.query_plans [--calls 1000000]
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection
from sqlalchemy.ext.asyncio import AsyncSession

from bench.million_calls import Filled, api_with_calls
from contracts.call_status import CallStatus
from control_plane.calling.calls.queries.call_counts import count_calls
from control_plane.calling.calls.queries.call_pages import (
    CallFilter,
    Place,
    documents_of_page,
    place_of_call,
)
from control_plane.platform.database import Database

DOCUMENT = Path(__file__).parent.parent / "docs" / "query-plans.md"
LIMIT = 200
_EXPLAIN = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS) "
_INTRODUCTION = """# Query plans of the lists of calls

For developers who change `GET /v1/calls` or its indexes. This page shows how PostgreSQL finds each
page of the list, so that you can see whether a change makes it read more.

`python -m bench.query_plans` writes this page. It creates one tenant with {calls:,} calls of
{agents} agents and shows, for each plan, the rows that it processed and the pages of the database
that it read (`Buffers`). Every filter has an index in the order of the list. A page of the list
therefore reads its own calls with their participants and nothing else, wherever its cursor is.

The total is a sum of counts that triggers maintain
(`control_plane/calling/calls/queries/call_counts.py`).

With an `offset`, PostgreSQL reads and skips that many entries of the index, so the cost grows with
the offset. That is why the lists have cursors, and take no offset over 10,000.
"""


@dataclass(frozen=True)
class Page:
    title: str
    status: CallStatus | None = None
    agent: int | None = None
    from_the_middle: bool = True
    offset: int = 0


PAGES = (
    Page("No filter, from the newest call", from_the_middle=False),
    Page("No filter, from a cursor in the middle"),
    Page("Filter by status, from a cursor", status=CallStatus.BUSY),
    Page("Filter by a status that no call has", status=CallStatus.RINGING, from_the_middle=False),
    Page("Filter by an agent with half of the calls, from a cursor", agent=0),
    Page("Filter by an agent with few calls, from a cursor", agent=-1),
    Page("Filter by agent and status, from a cursor", status=CallStatus.FAILED, agent=0),
    Page("No filter, offset 1,000", from_the_middle=False, offset=1000),
)


@contextmanager
def statements_of(session: AsyncSession) -> Iterator[list[tuple[str, Any]]]:
    """What is sent to PostgreSQL meanwhile."""
    sent: list[tuple[str, Any]] = []
    engine = session.get_bind().engine

    @event.listens_for(engine, "before_cursor_execute")
    def note(
        _connection: Connection, _cursor: Any, statement: str, parameters: Any, *_rest: Any
    ) -> None:
        sent.append((statement, parameters))

    yield sent
    event.remove(engine, "before_cursor_execute", note)


async def plan_of(session: AsyncSession, statement: str, parameters: Any) -> str:
    connection = await session.connection()
    rows = await connection.exec_driver_sql(_EXPLAIN + statement, parameters)
    lines = [row[0] for row in rows]
    # What was needed to plan is read once and kept by the connection.
    return "\n".join(lines[: next((n for n, x in enumerate(lines) if x == "Planning:"), None)])


async def explained_page(filled: Filled, page: Page, session: AsyncSession) -> str:
    after: Place | None = None
    if page.from_the_middle:
        after = await place_of_call(session, filled.tenant_id, filled.places[1])
    wanted = CallFilter(
        tenant_id=filled.tenant_id,
        status=page.status,
        agent_id=None if page.agent is None else filled.agent_ids[page.agent],
        after=after,
    )
    with statements_of(session) as sent:
        await documents_of_page(session, wanted, LIMIT, page.offset)
    return section(page.title, await plan_of(session, *sent[0]))


async def explained_total(
    filled: Filled, title: str, status: CallStatus | None, session: AsyncSession
) -> str:
    with statements_of(session) as sent:
        await count_calls(session, filled.tenant_id, status, None)
    return section(title, await plan_of(session, *sent[0]))


def section(title: str, plan: str) -> str:
    """Values of this run are left out, so that two runs can be compared."""
    text = re.sub(r"'\{[0-9a-f,-]+\}'", "'{…}'", plan)
    text = re.sub(r"'[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}'", "'…'", text)
    text = re.sub(r"'\d{4}-\d\d-\d\d [^']*'", "'…'", text)
    return f"## {title}\n\n```text\n{text}\n```\n"


async def document(filled: Filled) -> str:
    database = Database(filled.api.database_url, deadline_seconds=60)
    async with database.tenant_session(filled.tenant_id) as session:
        sections = [
            _INTRODUCTION.format(calls=filled.calls, agents=len(filled.agent_ids)),
            *[await explained_page(filled, page, session) for page in PAGES],
            await explained_total(filled, "Total without a filter", None, session),
            await explained_total(filled, "Total of a status", CallStatus.BUSY, session),
        ]
    await database.aclose()
    return "\n".join(sections)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=1_000_000)
    with api_with_calls(parser.parse_args().calls) as filled:
        DOCUMENT.write_text(asyncio.run(document(filled)))


if __name__ == "__main__":
    main()
