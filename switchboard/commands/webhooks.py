"""``switchboard webhooks``: the account's webhooks."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from switchboard.commands.api.command import api_command
from switchboard.commands.options import Offset

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session

app = typer.Typer(
    help="List webhooks, test them, replay deliveries, and hear of events on your machine.",
    no_args_is_help=True,
)

WebhookId = Annotated[
    str, typer.Argument(metavar="ID", help="Id of the webhook: `switchboard webhooks list`.")
]
_FORMATS = ["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M:%S.%f%z"]


@app.command("list")
@api_command()
async def list_webhooks(
    session: Session,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many to show.")] = 50,
    offset: Offset = 0,
) -> None:
    """List the account's webhooks, newest first."""
    from switchboard.commands.webhook.view import show_webhooks

    session.show(await session.client.webhooks.page(limit=limit, offset=offset), show_webhooks)


@app.command("test")
@api_command()
async def send_sample(
    session: Session,
    webhook_id: WebhookId,
    event: Annotated[str, typer.Option(help="The event of the sample.")] = "call.completed",
) -> None:
    """Send a signed sample of an event now, and show the answer."""
    from switchboard.commands.webhook.view import show_test

    result = await session.client.webhooks.send_sample(webhook_id, {"event": event})
    session.show(result, show_test)


@app.command("replay")
@api_command()
async def replay(
    session: Session,
    webhook_id: WebhookId,
    begins: Annotated[
        datetime,
        typer.Option("--from", formats=_FORMATS, help="Like 2026-05-03T12:00:00Z."),
    ],
    ends: Annotated[
        datetime, typer.Option("--to", formats=_FORMATS, help="Events from before then.")
    ],
    everything: Annotated[
        bool, typer.Option("--everything", help="What was delivered as well.")
    ] = False,
) -> None:
    """Send the events of a span of time again: by default those that failed."""
    from switchboard.commands.webhook.view import show_replay

    span = {
        "from": begins.isoformat(),
        "to": ends.isoformat(),
        "only_failed": not everything,
    }
    session.show(await session.client.webhooks.replay_span(webhook_id, span), show_replay)


@app.command("listen")
@api_command(with_json=False)
async def listen(
    session: Session,
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Like http://localhost:3000/hooks.")
    ],
    events: Annotated[
        list[str] | None, typer.Option("--event", help="Only this event. Can be given often.")
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option(help="Signs what is forwarded. Left out: a new one is made and shown."),
    ] = None,
    redaction: Annotated[str, typer.Option(help="none, partial or full.")] = "partial",
) -> None:
    """Forward the account's events to an address of your own machine, signed as deliveries are,
    as they come. Ctrl-C stops it."""
    from switchboard.commands.webhook.listening import forward_events

    await forward_events(session, address, events or (), secret, redaction)
