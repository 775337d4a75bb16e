"""Twilio as a bridge meets it: signed webhooks, a media websocket, and what its REST API was asked.

The signature is made with nothing of ours.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import json
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import httpx2
import numpy as np
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.stand_ins.carriers.playout import Playout
from tests.stand_ins.carriers.sound import FRAME_MS, PHONE_HZ, from_mulaw

ACCOUNT_SID = "AC" + "0" * 32
AUTH_TOKEN = "0123456789abcdef"
CALL_SID = "CA" + "1" * 32
CALLER, OUR_NUMBER = "+14155550142", "+14155550100"
SILENCE = b"\xff" * 160
LOUD = 300


def signature(url: str, form: dict[str, str], auth_token: str = AUTH_TOKEN) -> str:
    text = url + "".join(name + form[name] for name in sorted(form))
    return base64.b64encode(
        hmac.new(auth_token.encode(), text.encode(), hashlib.sha1).digest()
    ).decode()


@dataclass
class TwilioLine:
    """``public_url`` is what Twilio signs; requests go to ``local_url``."""

    public_url: str
    local_url: str
    account_id: str
    auth_token: str = AUTH_TOKEN

    def address(self, place: str, base: str) -> str:
        return f"{base}/carriers/twilio/{self.account_id}/{place}"

    async def webhook(
        self, form: dict[str, str], place: str = "voice", query: str = "", **headers: str
    ) -> httpx2.Response:
        signed = signature(self.address(place, self.public_url) + query, form, self.auth_token)
        async with httpx2.AsyncClient(trust_env=False, timeout=20) as client:
            return await client.post(
                self.address(place, self.local_url) + query,
                content=urlencode(form),
                headers={
                    "content-type": "application/x-www-form-urlencoded",
                    "x-twilio-signature": signed,
                    **headers,
                },
            )

    async def call_in(self, call_sid: str = CALL_SID) -> httpx2.Response:
        return await self.webhook(
            {
                "CallSid": call_sid,
                "AccountSid": ACCOUNT_SID,
                "From": CALLER,
                "To": OUR_NUMBER,
                "Direction": "inbound",
                "CallStatus": "ringing",
            }
        )

    @contextlib.asynccontextmanager
    async def media(
        self, token: str, call_sid: str = CALL_SID, held_ms: int | None = None
    ) -> AsyncIterator[MediaSocket]:
        """
        Args:
            held_ms: play what comes, so much later, and return the marks.
        """
        public = self.address("media", "ws" + self.public_url.removeprefix("http"))
        local = self.address("media", "ws" + self.local_url.removeprefix("http"))
        signed = signature(public, {}, self.auth_token)
        async with connect(
            local, additional_headers={"x-twilio-signature": signed}, proxy=None
        ) as connection:
            socket = MediaSocket(connection)
            await socket.start(token, call_sid)
            tasks = [asyncio.create_task(socket.listen())]
            if held_ms is not None:
                socket.playout = Playout(PHONE_HZ, held_ms)
                tasks.append(asyncio.create_task(socket.play()))
            try:
                yield socket
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.wait(tasks)


def token_in(answer: httpx2.Response) -> str:
    """The one-time token in TwiML that connects a stream."""
    found = re.search(r'name="call_token" value="([0-9a-zA-Z]+)"', answer.text)
    assert found is not None, answer.text
    return found.group(1)


@dataclass
class MediaSocket:
    connection: ClientConnection
    heard: bytearray = field(default_factory=bytearray)
    """µ-law that Twilio would play."""
    clears: int = 0
    is_closed: asyncio.Event = field(default_factory=asyncio.Event)
    playout: Playout | None = None
    played_ms: int = 0
    """How long the phone has sounded, without silence."""
    _sent: int = 0

    async def start(self, token: str, call_sid: str) -> None:
        await self._send({"event": "connected", "protocol": "Call", "version": "1.0.0"})
        await self._send(
            {
                "event": "start",
                "sequenceNumber": "1",
                "streamSid": "MZ1",
                "start": {
                    "accountSid": ACCOUNT_SID,
                    "streamSid": "MZ1",
                    "callSid": call_sid,
                    "tracks": ["inbound"],
                    "mediaFormat": {
                        "encoding": "audio/x-mulaw",
                        "sampleRate": 8000,
                        "channels": 1,
                    },
                    "customParameters": {"call_token": token},
                },
            }
        )

    async def say(self, payload: bytes = SILENCE) -> None:
        self._sent += 1
        await self._send(
            {
                "event": "media",
                "sequenceNumber": str(self._sent + 1),
                "streamSid": "MZ1",
                "media": {
                    "track": "inbound",
                    "chunk": str(self._sent),
                    "timestamp": str(self._sent * 20),
                    "payload": base64.b64encode(payload).decode(),
                },
            }
        )

    async def press(self, digit: str) -> None:
        dtmf = {"track": "inbound_track", "digit": digit}
        await self._send({"event": "dtmf", "streamSid": "MZ1", "dtmf": dtmf})

    async def stop(self) -> None:
        await self._send({"event": "stop", "streamSid": "MZ1", "stop": {"callSid": CALL_SID}})

    async def listen(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for message in self.connection:
                document = json.loads(message)
                if document["event"] == "media":
                    payload = base64.b64decode(document["media"]["payload"])
                    self.heard += payload
                    if self.playout is not None:
                        self.playout.push(from_mulaw(payload))
                elif document["event"] == "mark" and self.playout is not None:
                    self.playout.mark(document["mark"]["name"])
                elif document["event"] == "clear":
                    self.clears += 1
                    for name in self.playout.clear() if self.playout is not None else ():
                        await self._return_mark(name)
        self.is_closed.set()

    async def play(self) -> None:
        """In real time, to the phone's ear."""
        assert self.playout is not None
        loop = asyncio.get_running_loop()
        began, number = loop.time(), 0
        with contextlib.suppress(ConnectionClosed):
            while True:
                number += 1
                frame, marks = self.playout.tick()
                self.played_ms += FRAME_MS if np.abs(frame.astype(int)).max() > LOUD else 0
                for name in marks:
                    await self._return_mark(name)
                await asyncio.sleep(max(0.0, began + number * FRAME_MS / 1000 - loop.time()))

    async def _return_mark(self, name: str) -> None:
        await self._send({"event": "mark", "streamSid": "MZ1", "mark": {"name": name}})

    async def _send(self, document: dict[str, Any]) -> None:
        await self.connection.send(json.dumps(document))
