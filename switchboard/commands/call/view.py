"""Calls on a terminal: their facts and their transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Column
from rich.text import Text

from switchboard.command_name import command_name
from switchboard.commands.tables import (
    dollars,
    facts_table,
    id_column,
    list_table,
    local_time,
    minutes,
    show_page,
)
from switchboard.transcript_line import transcript_line

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session
    from switchboard_client.models import CallDetail, CallEndedView, CallPage, EvaluationView


def show_calls(session: Session, page: CallPage) -> None:
    table = list_table(
        id_column(),
        "Status",
        "Created",
        Column("Length", justify="right"),
        Column("Cost", justify="right"),
        "With",
        "End",
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
    make_one = f"No calls yet. Make one: {command_name()} call --agent ID"
    show_page(session, table, page.total, when_empty=make_one)


def show_call(session: Session, call: CallDetail) -> None:
    table = facts_table()
    for label, value in _facts(call).items():
        if value:
            table.add_row(label, Text(value))
    session.console.print(table)
    if call.transcript.segments:
        session.console.print()
        for segment in call.transcript.segments:
            line = transcript_line(segment.started_at_ms, segment.speaker, segment.text)
            session.console.print(line)


def show_ended(session: Session, ended: CallEndedView) -> None:
    session.console.print(Text(ended.message), soft_wrap=True)


def _facts(call: CallDetail) -> dict[str, str | None]:
    found = call.intelligence
    return {
        "ID": str(call.id),
        "Status": call.status,
        "Agent": f"{call.agent.name} ({call.agent.id})",
        "With": ", ".join(
            f"{each.identity} ({each.transport}, {each.status})" for each in call.participants
        ),
        "Created": local_time(call.created_at),
        "Ended": local_time(call.ended_at) if call.ended_at else None,
        "End reason": call.end_reason,
        "Connected": None if call.bill_duration is None else minutes(call.bill_duration),
        "Cost": None if call.total_cost is None else dollars(call.total_cost),
        "Recording": call.recording.status if call.recording else None,
        "Analysis": found.status,
        "Summary": found.summary,
        "Sentiment": found.sentiment,
        "Evaluation": _verdict(found.evaluation),
        "Understood": ", ".join(f"{name}: {said}" for name, said in call.collected_slots.items()),
    }


def _verdict(found: EvaluationView | None) -> str | None:
    if found is None:
        return None
    return f"{'passed' if found.passed else 'failed'}, {found.score:.2f}: {found.reasoning}"
