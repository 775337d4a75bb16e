"""What the commands of ``switchboard calls`` do, through the public API."""

from __future__ import annotations

from rich.table import Column, Table
from rich.text import Text

from switchboard.commands.call_view import show_call
from switchboard.commands.session import Session
from switchboard.commands.tables import dollars, id_column, local_time, minutes


async def list_calls(
    session: Session, *, limit: int, offset: int, status: str | None, agent_id: str | None
) -> None:
    page = await session.client.calls.page(
        limit=limit, offset=offset, status=status, agent_id=agent_id
    )
    if session.as_json:
        session.document(page.model_dump(mode="json"))
        return
    if page.total == 0:
        session.notes.print("No calls: switchboard call --agent ID makes one", style="dim")
        return
    table = Table(
        id_column(),
        "Status",
        "Created",
        Column("Length", justify="right"),
        Column("Cost", justify="right"),
        "With",
        "End",
        box=None,
        pad_edge=False,
    )
    for call in page.calls:
        person = call.primary_participant
        table.add_row(
            str(call.id),
            call.status,
            local_time(call.created_at),
            minutes(call.bill_duration),
            dollars(call.total_cost),
            Text(person.identity if person else "–"),
            Text(call.end_reason or "–"),
        )
    session.console.print(table)
    if len(page.calls) < page.total:
        session.notes.print(f"{len(page.calls)} of {page.total}; see --offset.", style="dim")


async def show(session: Session, call_id: str) -> None:
    call = await session.client.calls.show(call_id)
    if session.as_json:
        session.document(call.model_dump(mode="json"))
    else:
        show_call(session.console, call)


async def end(session: Session, call_id: str) -> None:
    ended = await session.client.calls.end(call_id)
    if session.as_json:
        session.document(ended.model_dump(mode="json"))
    else:
        session.console.print(Text(ended.message), soft_wrap=True)
