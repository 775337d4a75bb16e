"""A finished call on a terminal: its record, its events, its bill and the checks."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from switchboard.demo.checks import Check
from switchboard.demo.evidence import Evidence
from switchboard.demo.webhook_inbox import Verified
from switchboard_client.models import CallEventView


def show_record(console: Console, evidence: Evidence) -> None:
    call = evidence.call
    _heading(console, "The call", f"GET /v1/calls/{call.id}")
    rows = {
        "status": f"{call.status} ({call.end_reason})",
        "connected": f"{call.bill_duration:.1f} s" if call.bill_duration else "never",
        "understood": ", ".join(f"{name}: {value}" for name, value in call.collected_slots.items())
        or "nothing",
        "transcript": f"{len(evidence.transcript.segments)} segments",
    }
    console.print(_pairs(rows))
    _heading(console, "The events", "GET /v1/calls/:id/events")
    console.print(_events(evidence.events))
    _heading(console, "The bill", "GET /v1/calls/:id/bill, /v1/billing/balance")
    console.print(_bill(evidence))


def show_delivery(console: Console, delivery: Verified) -> None:
    """A webhook as the demo itself received it."""
    event = delivery.event
    _heading(console, "The webhook", "received at an address of this demo, signature verified")
    rows = {
        "event": event.event,
        "timestamp": event.timestamp.isoformat(),
        "signature": delivery.signature,
        "summary": event.data.summary or "none",
        "cost": f"${event.data.cost:.6f}",
    }
    console.print(_pairs(rows))


def show_checks(console: Console, checks: Sequence[Check]) -> None:
    _heading(console, "Checked", "latencies measured on the caller's waveform")
    for check in checks:
        mark, style = ("✓", "green") if check.passed else ("✗", "red")
        if not check.was_measured:
            mark, style = "–", "yellow"
        line = Text.assemble("   ", (mark, style), f" {check.claim}  ", (check.detail, "dim"))
        console.print(line, soft_wrap=True)


def _heading(console: Console, title: str, source: str) -> None:
    console.print()
    console.print(Text.assemble("  ", (title, "bold"), "  ", (source, "dim")))


def _pairs(rows: dict[str, str]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=True)
    for name, value in rows.items():
        table.add_row(Text(f"   {name}", style="dim"), Text(value))
    return table


def _events(events: Sequence[CallEventView]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=True)
    for event in sorted(events, key=lambda event: event.created_at):
        time = event.created_at.strftime("%H:%M:%S")
        style = {"warning": "yellow", "error": "red"}.get(event.level, "")
        table.add_row(
            Text(f"   {time}", style="dim"),
            Text(event.source, style="dim"),
            Text(event.message, style=style),
        )
    return table


def _bill(evidence: Evidence) -> Table:
    """From the charge back to the catalogue: what was held, what the call's plan had frozen, and
    the price rows, whose parts add up to the charge."""
    bill = evidence.bill
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=True)
    if bill.charge is not None:
        paid = f"charged for {bill.charge.seconds} s, transaction {bill.charge.transaction_id}"
        table.add_row("   Charge", f"${bill.charge.amount:.6f}", Text(paid, style="dim"))
    if bill.telecom_cost is not None and bill.phone_cost:
        parts = f"of it telecom_cost, with ${bill.phone_cost:.6f} for the phone's minutes"
        table.add_row("   Telecom", f"${bill.telecom_cost:.6f}", Text(parts, style="dim"))
    if bill.hold is not None:
        table.add_row(
            "   Hold", f"${bill.hold.amount:.6f}", Text(f"of the balance, {bill.hold.state}", "dim")
        )
    for agent in bill.agents:
        frozen = f"a minute of {agent.agent_name}, version {agent.agent_version}"
        table.add_row("   Plan", f"${agent.price_per_min:.6f}", Text(frozen, style="dim"))
        for row in agent.prices:
            since = "" if row.valid_from is None else f", valid from {row.valid_from:%Y-%m-%d}"
            table.add_row(
                Text(f"     {row.component}", style="dim"),
                f"${row.cost or 0:.6f}",
                Text(
                    f"{row.provider}/{row.model} at ${row.price_per_min:.6f} a minute{since}", "dim"
                ),
            )
    before, after = evidence.balance_before.balance_usd, evidence.balance_after.balance_usd
    table.add_row("   Balance", f"${before:.6f} → ${after:.6f}")
    return table
