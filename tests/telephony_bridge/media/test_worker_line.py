"""What a bridge takes from a worker's websocket."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from contracts.phone_media import (
    SUBPROTOCOL,
    FromWorker,
    HangUp,
    LegAddress,
    LegFormat,
    LegOpened,
    WorkerMessage,
)
from telephony_bridge.media.worker_line import _Door, _opened

MULAW = LegFormat(encoding="mulaw", sample_hz=8_000)
OPENED = LegOpened(
    from_person=MULAW,
    to_person=MULAW,
    direction="inbound",
    carrier="twilio",
    from_number="+14155550142",
    to_number="+14155550100",
)


async def test_frames_and_documents_come_and_what_cannot_be_read_is_skipped() -> None:
    async def worker(connection: ServerConnection) -> None:
        await connection.recv()  # ``leg.opened``
        await connection.send("not a document")
        await connection.send(["in ", "pieces"])
        await connection.send([b"in ", b"pieces"])
        await connection.send(b"a frame")
        await connection.send(WorkerMessage(body=HangUp()).model_dump_json())

    heard: list[bytes | FromWorker] = []
    leg = LegAddress(uuid4(), uuid4(), uuid4())
    async with serve(worker, "127.0.0.1", 0, subprotocols=[Subprotocol(SUBPROTOCOL)]) as server:
        port = server.sockets[0].getsockname()[1]
        line = await _opened(_Door(f"ws://127.0.0.1:{port}", "s"), leg, OPENED, heard.append)
        how = await asyncio.wait_for(line.closed(), 10)
    assert heard == [b"a frame", HangUp()]
    assert how == "1000"
    line.send(b"too late: nothing happens")
