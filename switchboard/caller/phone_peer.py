"""The caller as a person with a phone, and as the phone's carrier: Twilio's side of the wire.

It asks our number's webhook what to do, signed as Twilio signs, and opens the media websocket that
the answer names. Sound is G.711 at 8 kHz. It uses nothing of our adapter for Twilio. Sources:
https://www.twilio.com/docs/usage/security, https://www.twilio.com/docs/voice/media-streams
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from contracts.live_messages import LiveMessage
from contracts.phone_media import FRAME_MS, LegFormat
from runtime.media.audio.telephone_codec import TelephoneDecoder, TelephoneEncoder
from switchboard.caller.job import PhoneLine
from switchboard.caller.reports import EndedBy, Report
from switchboard.problems import Problem
from switchboard_client.webrtc.connection import ReceivedFrame
from switchboard_client.webrtc.outgoing_track import SoundSource

_MULAW = LegFormat(encoding="mulaw", sample_hz=8_000)
_PATIENCE_SECONDS = 15.0
"""Twilio's own, for an answer."""


class PhonePeer:
    """Takes the place of ``CallerPeer``. Nothing shows live messages on a phone."""

    end_of_sound: EndedBy = "agent"

    def __init__(
        self,
        line: PhoneLine,
        source: SoundSource,
        on_message: Callable[[LiveMessage], None],
        report: Callable[[Report], None],
    ) -> None:
        self._line = line
        self._source = source
        self._call_sid = "CA" + secrets.token_hex(16)
        self._stream_sid = "MZ" + secrets.token_hex(16)
        self._encoder = TelephoneEncoder(_MULAW)
        self._decoder = TelephoneDecoder(_MULAW)
        self._socket: ClientConnection | None = None
        self._speaking: asyncio.Task[None] | None = None
        self._sequence = 0

    async def connect(self, url: str, token: str) -> float:
        """Ring our number, and connect the stream.

        Args:
            url: the number's webhook.
            token: of the account; signs.

        Raises:
            Problem: the call was refused, or the stream could not be connected.
        """
        answer = await self._post(url, token, {**self._fields(), "CallStatus": "ringing"})
        stream = _stream_in(answer)
        signed = signature(token, stream.attrib["url"], {})
        try:
            self._socket = await connect(
                stream.attrib["url"],
                additional_headers={"X-Twilio-Signature": signed},
                proxy=None,
                open_timeout=_PATIENCE_SECONDS,
            )
        except (OSError, InvalidHandshake, TimeoutError) as error:
            raise Problem(f"The phone's sound could not be connected: {error}.") from error
        await self._send({"event": "connected", "protocol": "Call", "version": "1.0.0"})
        parameters = {each.attrib["name"]: each.attrib["value"] for each in stream}
        await self._send(self._start(parameters))
        self._speaking = asyncio.create_task(self._speak(), name="phone-speaks")
        return time.monotonic()

    async def listen(self) -> AsyncIterator[ReceivedFrame]:
        """What is played to the phone, until the line is closed."""
        assert self._socket is not None
        with suppress(ConnectionClosed):
            async for message in self._socket:
                document = json.loads(message)
                if document["event"] == "mark":
                    await self._send(document)
                elif document["event"] == "media":
                    payload = base64.b64decode(document["media"]["payload"])
                    samples = self._decoder.decode(payload)
                    if samples is not None:
                        yield ReceivedFrame(samples, time.monotonic())

    async def leave(self) -> None:
        """Hang up, and tell as Twilio does that the call is over. Idempotent."""
        if self._socket is None:
            return
        socket, self._socket = self._socket, None
        if self._speaking is not None:
            self._speaking.cancel()
            await asyncio.wait([self._speaking])
        stop = {"accountSid": self._line.account_sid, "callSid": self._call_sid}
        with suppress(ConnectionClosed):
            await socket.send(
                json.dumps({"event": "stop", "streamSid": self._stream_sid, "stop": stop})
            )
        await socket.close()
        ended = {**self._fields(), "CallStatus": "completed", "CallbackSource": "call-progress"}
        with suppress(Problem):
            await self._post(self._line.status_url, self._line.auth_token, ended)

    async def _speak(self) -> None:
        began_at = time.monotonic()
        number = 0
        with suppress(ConnectionClosed):
            while True:
                number += 1
                payload = self._encoder.encode(self._source.next_frame(time.monotonic()))
                media = {
                    "track": "inbound",
                    "chunk": str(number),
                    "timestamp": str(number * FRAME_MS),
                    "payload": base64.b64encode(payload).decode(),
                }
                await self._send({"event": "media", "media": media})
                wait_seconds = began_at + number * FRAME_MS / 1000 - time.monotonic()
                await asyncio.sleep(max(0.0, wait_seconds))

    async def _send(self, document: dict[str, Any]) -> None:
        if self._socket is None:
            return
        self._sequence += 1
        numbers = {"sequenceNumber": str(self._sequence), "streamSid": self._stream_sid}
        await self._socket.send(json.dumps({**document, **numbers}))

    def _start(self, parameters: dict[str, str]) -> dict[str, Any]:
        return {
            "event": "start",
            "start": {
                "accountSid": self._line.account_sid,
                "streamSid": self._stream_sid,
                "callSid": self._call_sid,
                "tracks": ["inbound"],
                "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
                "customParameters": parameters,
            },
        }

    def _fields(self) -> dict[str, str]:
        return {
            "CallSid": self._call_sid,
            "AccountSid": self._line.account_sid,
            "From": self._line.from_number,
            "To": self._line.to_number,
            "Direction": "inbound",
        }

    async def _post(self, url: str, auth_token: str, form: dict[str, str]) -> str:
        try:
            async with httpx2.AsyncClient(trust_env=False, timeout=_PATIENCE_SECONDS) as http:
                signed = signature(auth_token, url, form)
                answer = await http.post(url, data=form, headers={"X-Twilio-Signature": signed})
        except httpx2.HTTPError as error:
            raise Problem(f"Our number's webhook {url} does not answer: {error}.") from error
        if not answer.is_success:
            raise Problem(f"Our number's webhook answered {answer.status_code}: {answer.text}")
        return answer.text


def signature(auth_token: str, url: str, form: dict[str, str]) -> str:
    """What Twilio signs a request with; of a websocket, ``form`` is empty."""
    signed = url + "".join(name + form[name] for name in sorted(form))
    digest = hmac.new(auth_token.encode(), signed.encode(), hashlib.sha1).digest()
    return base64.b64encode(digest).decode()


def _stream_in(answer: str) -> ElementTree.Element:
    """
    Raises:
        Problem: the answer does not connect a stream.
    """
    try:
        # Of our own bridge on this machine.
        found = ElementTree.fromstring(answer).find("Connect/Stream")
    except ElementTree.ParseError:
        found = None
    if found is None:
        raise Problem(
            "The call was not taken.", f"See the logs of jobs and of the bridge. Answer: {answer}"
        )
    return found
