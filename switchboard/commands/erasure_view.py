"""Erasures on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from switchboard.commands.tables import (
    facts_table,
    id_column,
    list_table,
    local_time,
    show_page,
)

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session
    from switchboard_client.models import ErasurePage, ErasureView


def show_erasure(session: Session, erasure: ErasureView) -> None:
    table = facts_table()
    table.add_row("Id", str(erasure.id))
    table.add_row("Status", erasure.status)
    table.add_row("Calls erased", str(erasure.calls))
    table.add_row("Requested", f"{local_time(erasure.requested_at)}, {erasure.requested_by.label}")
    table.add_row("Completed", local_time(erasure.completed_at))
    if erasure.waits_for:
        table.add_row("Waits for", Text(erasure.waits_for))
    if erasure.proof_sha256:
        table.add_row("Proof's SHA-256", erasure.proof_sha256)
    session.console.print(table)


def show_erasures(session: Session, page: ErasurePage) -> None:
    table = list_table(id_column(), "Requested", "Status", "Calls")
    for erasure in page.erasures:
        table.add_row(
            str(erasure.id), local_time(erasure.requested_at), erasure.status, str(erasure.calls)
        )
    show_page(session, table, page.total, when_empty="Nothing was erased yet.")
