"""Webhooks on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from switchboard.commands.tables import id_column, list_table, local_time, show_page

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session
    from switchboard_client.models import ReplayQueued, WebhookPage, WebhookTestResult


def show_webhooks(session: Session, page: WebhookPage) -> None:
    table = list_table(id_column(), "Address", "Events", "Registered")
    for webhook in page.webhooks:
        table.add_row(
            str(webhook.id),
            Text(webhook.url),
            ", ".join(webhook.events),
            local_time(webhook.created_at),
        )
    show_page(session, table, page.total, when_empty="No webhooks yet: POST /v1/webhooks")


def show_test(session: Session, result: WebhookTestResult) -> None:
    code = "no answer" if result.status_code is None else f"answer {result.status_code}"
    sentence = f"{result.status.capitalize()}: {code} after {result.duration_ms} ms."
    session.console.print(Text(" ".join([sentence, result.error or ""]).strip()), soft_wrap=True)
    if result.answer:
        session.console.print(Text(result.answer), soft_wrap=True)


def show_replay(session: Session, queued: ReplayQueued) -> None:
    sentence = f"{queued.count} deliveries are sent again."
    if queued.next_from is not None:
        sentence += f" More are left: repeat it with --from {queued.next_from.isoformat()}"
    session.console.print(Text(sentence), soft_wrap=True)
