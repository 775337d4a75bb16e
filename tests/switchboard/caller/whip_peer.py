"""A small far end for the caller: WHIP over HTTP, an agent that speaks recordings and can be cut in
on, and the API routes that place a call. Real HTTP, real WebRTC, no models."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from contracts.live_messages import CallOver, LiveMessage
from switchboard.caller.speech_queue import PreparedLine, SpeechQueue
from switchboard.caller.turn_end import TurnEndDetector
from switchboard_client.webrtc.connection import mono
from switchboard_client.webrtc.frame import FRAME_SECONDS, Samples
from switchboard_client.webrtc.outgoing_track import OutgoingTrack
from tests.loopback_listener import loopback_listener

API_KEY = "sb_secret_test"
AGENT_ID = "7f3c8f0e-0d1e-4a3b-9d55-2f1f1f6a9c11"
CALL_ID = "b1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f"
TOKEN = "access-token"
REPLY_AFTER_SECONDS = 0.4


class FarEnd:
    """Says ``lines`` in order: the first once connected, each next one ``REPLY_AFTER_SECONDS``
    after the caller fell silent. Falls silent at once when the caller speaks into it."""

    def __init__(self, lines: list[Samples], *, hangs_up: bool = False) -> None:
        self.lines = [PreparedLine.of("", line) for line in lines]
        self.hangs_up = hangs_up
        self.heard: list[Samples] = []
        self.deletions: list[str] = []
        self.ended: list[str] = []
        self.interruptions = 0
        self.hung_up_at = 0.0
        self.url = ""
        self._voice = SpeechQueue()
        self._peer: RTCPeerConnection | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def place(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {API_KEY}":
            return _problem(401, "invalid_api_key", "The API key is not valid.")
        body = await request.json()
        if body["agent_id"] != AGENT_ID:
            return _problem(404, "agent_not_found", "There is no such agent.")
        participant = {
            "id": CALL_ID,
            "role": "caller",
            "transport": "webrtc",
            "identity": body["participants"][0]["identity"],
            "status": "invited",
            "from_number": None,
            "metadata": {},
            "access": {"url": f"{self.url}/v1/rtc/call-1", "token": TOKEN},
        }
        return JSONResponse(
            {
                "id": CALL_ID,
                "room_name": f"call-{CALL_ID}",
                "status": "connecting",
                "agent": {"id": AGENT_ID, "name": "Test agent"},
                "participants": [participant],
            },
            status_code=201,
        )

    async def offer(self, request: Request) -> Response:
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
        assert request.headers["content-type"] == "application/sdp"
        peer = self._peer = RTCPeerConnection()
        peer.addTrack(OutgoingTrack(self._voice))
        peer.on("track", self._listen)
        peer.on("datachannel", self._channel_opened)
        offer = (await request.body()).decode()
        await peer.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        await peer.setLocalDescription(await peer.createAnswer())
        return Response(
            peer.localDescription.sdp,
            status_code=201,
            media_type="application/sdp",
            headers={"Location": "/v1/rtc/call-1/legs/1"},
        )

    async def remove(self, request: Request) -> Response:
        self.deletions.append(request.headers["authorization"])
        await self.aclose()
        return Response()

    async def end(self, request: Request) -> Response:
        call_id = request.path_params["call_id"]
        self.ended.append(call_id)
        return JSONResponse({"status": "ended", "id": call_id, "message": "The call is over."})

    async def aclose(self) -> None:
        if self._peer:
            await self._peer.close()

    def _channel_opened(self, channel: object) -> None:
        self._channel = channel

    def _listen(self, track: MediaStreamTrack) -> None:
        task = asyncio.ensure_future(self._converse(track))
        self._tasks.add(task)

    async def _converse(self, track: MediaStreamTrack) -> None:
        turn_end = TurnEndDetector(REPLY_AFTER_SECONDS)
        waiting = list(self.lines)
        self._voice.say(waiting.pop(0))
        while True:
            try:
                frame = await track.recv()
            except MediaStreamError:
                return
            turn = turn_end.push(mono(frame), time.monotonic())
            if turn_end.speaking_since is not None and not self._voice.is_silent:
                self._voice.clear()
                self.interruptions += 1
            if turn:
                self.heard.append(turn.audio)
                if waiting:
                    self._voice.say(waiting.pop(0))
                elif self.hangs_up:
                    await self.hang_up()

    async def hang_up(self) -> None:
        self.hung_up_at = time.monotonic()
        over = LiveMessage(body=CallOver(end_reason="end_call_tool"))
        self._channel.send(over.model_dump_json())
        await asyncio.sleep(10 * FRAME_SECONDS)
        await self.aclose()


@asynccontextmanager
async def serving(far_end: FarEnd) -> AsyncIterator[str]:
    """Serve on a free port of 127.0.0.1; yields the address."""
    listener = loopback_listener()
    far_end.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = Starlette(
        routes=[
            Route("/v1/calls", far_end.place, methods=["POST"]),
            Route("/v1/calls/{call_id}/end", far_end.end, methods=["POST"]),
            Route("/v1/rtc/call-1", far_end.offer, methods=["POST"]),
            Route("/v1/rtc/call-1/legs/1", far_end.remove, methods=["DELETE"]),
        ]
    )
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    serving_task = asyncio.create_task(server.serve([listener]))
    try:
        yield far_end.url
    finally:
        server.should_exit = True
        await serving_task
        await far_end.aclose()


def _problem(status: int, code: str, detail: str) -> Response:
    return JSONResponse(
        {"status": status, "code": code, "detail": detail, "title": code},
        status_code=status,
        media_type="application/problem+json",
    )
