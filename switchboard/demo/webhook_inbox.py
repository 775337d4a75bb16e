"""An address on this machine at which the demo receives the webhooks of its own call."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import h11

from switchboard_client.models import CallCompletedEvent
from switchboard_client.webhooks import verify

# On Linux, every address of 127.0.0.0/8 is this machine. Webhooks may reach this one only, at which
# nothing else listens; on other systems there is just one address.
HOST = "127.83.66.1" if sys.platform == "linux" else "127.0.0.1"
ARRIVES_WITHIN_SECONDS = 60.0
_LONGEST_BODY = 1_000_000


@dataclass(frozen=True)
class Received:
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Verified:
    """A delivery whose signature is right."""

    event: CallCompletedEvent
    signature: str


@dataclass
class WebhookInbox:
    url: str = ""
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    received: asyncio.Queue[Received] = field(default_factory=asyncio.Queue)

    async def completed(self, call_id: str) -> Verified | None:
        """The ``call.completed`` of a call, once its signature was checked; ``None``: it did not
        come in time.

        Raises:
            SignatureInvalid: something came that was not signed with the secret.
        """
        try:
            async with asyncio.timeout(ARRIVES_WITHIN_SECONDS):
                while True:
                    got = await self.received.get()
                    event = verify(got.body, got.headers, self.secret)
                    if isinstance(event, CallCompletedEvent) and str(event.data.call_id) == call_id:
                        return Verified(event, got.headers["x-svc-signature"])
        except TimeoutError:
            return None


@asynccontextmanager
async def webhook_inbox() -> AsyncIterator[WebhookInbox]:
    """Listens for the length of the block."""
    inbox = WebhookInbox()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await _serve(inbox, reader, writer)
        except (h11.RemoteProtocolError, ConnectionError, asyncio.IncompleteReadError):
            # Whoever it was gets no answer. A delivery is tried again.
            return
        finally:
            writer.close()

    server = await asyncio.start_server(serve, HOST, 0)
    inbox.url = f"http://{HOST}:{server.sockets[0].getsockname()[1]}/webhooks"
    try:
        yield inbox
    finally:
        server.close()


async def _serve(
    inbox: WebhookInbox, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    connection = h11.Connection(h11.SERVER)
    while True:
        request, body = await _request(connection, reader)
        if request is None:
            return
        headers = {name.decode(): value.decode("latin-1") for name, value in request.headers}
        inbox.received.put_nowait(Received(headers, body))
        answer = h11.Response(status_code=204, headers=[("Content-Length", "0")])
        writer.write(
            (connection.send(answer) or b"") + (connection.send(h11.EndOfMessage()) or b"")
        )
        await writer.drain()
        if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
            return
        connection.start_next_cycle()


async def _request(
    connection: h11.Connection, reader: asyncio.StreamReader
) -> tuple[h11.Request | None, bytes]:
    request: h11.Request | None = None
    body = bytearray()
    while len(body) <= _LONGEST_BODY:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(65_536))
        elif isinstance(event, h11.Request):
            request = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            return request, bytes(body)
        else:
            return None, b""
    return None, b""


@contextmanager
def webhooks_may_reach(host: str) -> Iterator[None]:
    """Lets the processes that are started in the block send webhooks to ``http://host``."""
    wanted = {
        "SWITCHBOARD_ENVIRONMENT": "test",
        "SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS": ",".join(
            filter(None, (os.environ.get("SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS"), f"{host}/32"))
        ),
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
