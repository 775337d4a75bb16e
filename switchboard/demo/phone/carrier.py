"""A carrier on this machine that speaks Twilio's REST API: an account with one number.

The call itself is the caller's process (``switchboard.caller.phone_peer``), which signs its
webhooks with the same account. Source: https://www.twilio.com/docs/voice/api
"""

from __future__ import annotations

import asyncio
import base64
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import uvicorn

from switchboard.problems import Problem
from switchboard.services.ports import free_port

HOST = "127.0.0.1"
NUMBER = "+14155550100"
PERSON = "+14155550142"
"""Both are kept for stories. Source: the North American Numbering Plan, 555-0100 to 555-0199."""
_NUMBER_SID = "PN" + "0" * 32
_START_SECONDS = 10.0
_LONGEST_BODY = 65_536

_Receive = Callable[[], Awaitable[dict[str, Any]]]
_Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass
class DemoCarrier:
    """``voice_url`` and ``status_url`` are those that Switchboard sets for the number."""

    account_sid: str = field(default_factory=lambda: "AC" + secrets.token_hex(16))
    auth_token: str = field(default_factory=lambda: secrets.token_hex(16), repr=False)
    base_url: str = ""
    voice_url: str = ""
    status_url: str = ""
    hung_up: set[str] = field(default_factory=set)
    """The calls that Switchboard has ended."""

    async def __call__(self, scope: dict[str, Any], receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            return
        status, document = self._answer(scope, await _body(receive))
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(document).encode()})

    def _answer(self, scope: dict[str, Any], body: bytes) -> tuple[int, dict[str, Any]]:
        if dict(scope["headers"]).get(b"authorization") != self._authorization():
            return 401, {"code": 20003, "message": "Authenticate"}
        account = f"/2010-04-01/Accounts/{self.account_sid}"
        form = {name: values[0] for name, values in parse_qs(body.decode(), True).items()}
        match scope["method"], scope["path"].removeprefix(account):
            case "GET", ".json":
                return 200, {"sid": self.account_sid, "status": "active"}
            case "GET", "/IncomingPhoneNumbers.json":
                return 200, {"incoming_phone_numbers": [self._number()]}
            case "POST", path if path == f"/IncomingPhoneNumbers/{_NUMBER_SID}.json":
                self.voice_url = form.get("VoiceUrl", self.voice_url)
                self.status_url = form.get("StatusCallback", self.status_url)
                return 200, self._number()
            case "POST", path if path.startswith("/Calls/") and form.get("Status") == "completed":
                call_sid = path.removeprefix("/Calls/").removesuffix(".json")
                self.hung_up.add(call_sid)
                return 200, {"sid": call_sid, "status": "completed"}
        return 404, {"code": 20404, "message": "This carrier of the demo does not have that."}

    def _number(self) -> dict[str, Any]:
        return {"sid": _NUMBER_SID, "phone_number": NUMBER, "voice_url": self.voice_url}

    def _authorization(self) -> bytes:
        pair = f"{self.account_sid}:{self.auth_token}".encode()
        return b"Basic " + base64.b64encode(pair)


@asynccontextmanager
async def demo_carrier() -> AsyncIterator[DemoCarrier]:
    """Listens for the length of the block."""
    carrier = DemoCarrier()
    port = free_port()
    carrier.base_url = f"http://{HOST}:{port}"
    server = _Server(
        uvicorn.Config(carrier, host=HOST, port=port, lifespan="off", log_config=None, ws="none")
    )
    serving = asyncio.create_task(server.serve(), name="demo-carrier")
    try:
        async with asyncio.timeout(_START_SECONDS):
            while not server.started:
                if serving.done():
                    raise Problem(f"The demo's carrier cannot listen on {carrier.base_url}.")
                await asyncio.sleep(0.02)
        yield carrier
    finally:
        server.should_exit = True
        await asyncio.wait([serving], timeout=2)
        serving.cancel()


class _Server(uvicorn.Server):
    """Signals are the demo's."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def _body(receive: _Receive) -> bytes:
    body = b""
    while len(body) <= _LONGEST_BODY:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    return body
