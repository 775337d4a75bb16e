"""A call on a terminal: what is known of it, and what was said."""

from __future__ import annotations

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from switchboard.commands.tables import dollars, local_time, minutes
from switchboard_client.models import CallDetail, EvaluationView

SPEAKERS = {"agent": ("agent", "bold cyan"), "user": ("caller", "bold green")}


def show_call(console: Console, call: CallDetail) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in _facts(call).items():
        if value:
            table.add_row(label, Text(value))
    console.print(table)
    if call.transcript.segments:
        console.print()
        for segment in call.transcript.segments:
            console.print(utterance(segment.started_at_ms, segment.speaker, segment.text))


def utterance(at_ms: int, speaker: str, text: str, latency_ms: int | None = None) -> Table:
    """A line: when, who, how long the answer took, what."""
    name, style = SPEAKERS.get(speaker, (speaker, ""))
    line = Table.grid(
        Column(width=7, justify="right"),
        Column(width=6),
        Column(width=7, justify="right"),
        Column(overflow="fold"),
        padding=(0, 2, 0, 0),
    )
    line.add_row(
        Text(minutes(at_ms / 1000), style="dim"),
        Text(name, style=style),
        Text("" if latency_ms is None else f"{latency_ms} ms", style="dim"),
        Text(text),
    )
    return line


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
