"""``switchboard webhooks listen``: events on the developer's own machine.

The installation cannot reach that machine. So this asks for what is new, and makes of each event
the request that the installation would make.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING

import httpx2
from rich.text import Text

from control_plane.notifying.webhooks.signing import signed_headers
from switchboard.problems import Problem
from switchboard_client import ApiError, ServerUnreachable

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session
    from switchboard_client.models import EventView, NewEvents

ASK_SECONDS = 1.0
ANSWER_SECONDS = 3.0
"""As long as the installation waits."""
PASSING = (429, 502, 503, 504)


async def forward_events(
    session: Session,
    address: str,
    events: Collection[str],
    secret: str | None,
    redaction_level: str,
) -> None:
    """Until it is cancelled.

    Args:
        events: only these; all of them if it is empty.

    Raises:
        Problem: ``address`` is no address.
        SwitchboardError: the API refused, or did not answer the first time.
    """
    _check(address)
    webhooks = session.client.webhooks
    cursor = (await webhooks.events(redaction_level=redaction_level)).next_cursor
    key = secret or secrets.token_urlsafe(24)
    if secret is None:
        session.notes.print(Text(f"Signed with the secret {key}"), soft_wrap=True)
    session.notes.print(Text(f"Listening; forwarding to {address}. Ctrl-C stops."), soft_wrap=True)
    async with httpx2.AsyncClient(timeout=ANSWER_SECONDS, follow_redirects=False) as http:
        while True:
            new = await _new_events(session, cursor, redaction_level)
            for event in new.events:
                if not events or event.event in events:
                    await _forward(session, http, address, event, key)
            if new.next_cursor == cursor or not new.events:
                await asyncio.sleep(ASK_SECONDS)
            cursor = new.next_cursor


async def _new_events(session: Session, cursor: str, redaction_level: str) -> NewEvents:
    """Waits while the API is away, for example because it is started again.

    Raises:
        SwitchboardError: the API refused.
    """
    is_away = False
    while True:
        try:
            return await session.client.webhooks.events(
                cursor=cursor, redaction_level=redaction_level
            )
        except (ServerUnreachable, ApiError) as error:
            if isinstance(error, ApiError) and error.status not in PASSING:
                raise
            if not is_away:
                session.notes.print(Text(f"Waiting for the API: {error}"), soft_wrap=True)
            is_away = True
            await asyncio.sleep(ASK_SECONDS)


def _check(address: str) -> None:
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL as wrong:
        raise Problem(f"{address} is no address: {wrong}") from wrong
    if url.scheme not in ("http", "https") or not url.host:
        raise Problem(
            f"{address} is no address of a web server.", "Give one such as http://localhost:3000/."
        )


async def _forward(
    session: Session, http: httpx2.AsyncClient, address: str, event: EventView, secret: str
) -> None:
    body = event.body.encode()
    headers = signed_headers(
        event=event.event,
        message_id=f"msg_{event.id.hex}",
        body=body,
        secrets=[secret],
        now=datetime.now(UTC),
    )
    begun = monotonic()
    try:
        answer = await http.post(address, content=body, headers=headers)
        told, style = f"{answer.status_code}", "green" if answer.is_success else "red"
    except httpx2.HTTPError as failed:
        told, style = f"no answer: {str(failed) or type(failed).__name__}", "red"
    took_ms = round((monotonic() - begun) * 1000)
    line = Text.assemble(
        (f"{datetime.now():%H:%M:%S}  ", "dim"),
        f"{event.event}  ",
        (told, style),
        f"  {took_ms} ms",
    )
    session.console.print(line, soft_wrap=True)
    session.console.print(Text(f"          {event.body}", style="dim"), soft_wrap=True)
