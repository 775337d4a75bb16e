"""The bridge's own port: carriers' webhooks, their media websockets, and the recorded sentences.

A plain ASGI application. The account in the path chooses the secret that a signature is checked
with; the address that was signed is built from the configured public one, never from headers.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from http import HTTPStatus
from typing import Any
from uuid import UUID

import structlog

from carriers.answers import Answer
from carriers.api import CarrierProblem, ProblemKind
from carriers.signed_request import CarrierRequest
from link.connection import LINK_ERRORS
from telemetry.metrics import CARRIER_REQUESTS
from telephony_bridge.link_patience import patiently
from telephony_bridge.media.sentences import Sentence, wav_file
from telephony_bridge.webhooks.accounts import Accounts, OpenAccount
from telephony_bridge.webhooks.media_door import MediaDoor, UpgradeRefused
from telephony_bridge.webhooks.webhooks import Afterwards, Webhooks
from telephony_bridge.webhooks.websocket_upgrade import MEDIA_SOCKET

MOST_BODY_BYTES = 65_536
BODY_SECONDS = 10.0
PAUSES_SECONDS = (0.3, 0.7, 1.5)
"""Between the tries of a command that a carrier could not take."""
_MAY_PASS = frozenset({ProblemKind.UNREACHABLE, ProblemKind.RATE_LIMITED})
_PATH = re.compile(r"/carriers/([a-z]{1,20})/([0-9a-f-]{36})/(voice|status|media)", re.ASCII)
_SENTENCE = re.compile(r"/sentences/([a-z_]{1,40})\.wav", re.ASCII)
_TRY_AGAIN = Answer("text/plain", "Not now. Try again.\n", 503)
_NOT_FOUND = Answer("text/plain", "Nothing is here.\n", 404)

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
_log = structlog.get_logger(__name__)


class BridgeApp:
    def __init__(
        self, public_url: str, accounts: Accounts, webhooks: Webhooks, door: MediaDoor
    ) -> None:
        self._public_url = public_url
        self._accounts = accounts
        self._webhooks = webhooks
        self._door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            answer, afterwards = await self._http(scope, receive)
            await _respond(send, answer, scope["method"])
            if afterwards is not None:
                await carry_out(afterwards)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)

    # -- webhooks ------------------------------------------------------------------------------

    async def _http(
        self, scope: Scope, receive: Receive
    ) -> tuple[Answer | _File, Afterwards | None]:
        path = scope["path"]
        if (sentence := _SENTENCE.fullmatch(path)) is not None:
            return _recording(sentence.group(1), scope["method"]), None
        place = _PATH.fullmatch(path)
        if place is None or place.group(3) == "media":
            return _NOT_FOUND, None
        if scope["method"] not in ("GET", "POST"):
            return Answer("text/plain", "Only GET and POST are answered.\n", 405), None
        try:
            body = await _body(receive)
            account = await self._account(place)
            if account is None:
                CARRIER_REQUESTS.labels("unknown").inc()
                return _NOT_FOUND, None
            request = self._request(scope, self._public_url, body)
            return await self._webhooks.answer(account, request, _count)
        except BodyRefused as refused:
            return Answer("text/plain", f"{refused}\n", refused.status), None
        except LINK_ERRORS as error:
            CARRIER_REQUESTS.labels("failed").inc()
            _log.warning("webhook_without_link", error=str(error))
            return _TRY_AGAIN, None

    async def _account(self, place: re.Match[str]) -> OpenAccount | None:
        try:
            account = await self._accounts.find(UUID(place.group(2)))
        except ValueError:
            return None
        if account is None or account.spec.name.value != place.group(1):
            return None
        return account

    def _request(self, scope: Scope, base_url: str, body: bytes = b"") -> CarrierRequest:
        query = scope["query_string"].decode("latin-1")
        raw_path = scope.get("raw_path") or scope["path"].encode()
        url = base_url + raw_path.decode("latin-1") + (f"?{query}" if query else "")
        headers: dict[str, str] = {}
        for raw_name, raw_value in scope["headers"]:
            name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        return CarrierRequest(scope.get("method", "GET"), url, headers, body)

    # -- media ---------------------------------------------------------------------------------

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()  # websocket.connect
        place = _PATH.fullmatch(scope["path"])
        try:
            account = None
            if place and place.group(3) == "media":
                account = await patiently(partial(self._account, place))
            if account is None:
                CARRIER_REQUESTS.labels("unknown").inc()
                await send({"type": "websocket.close"})
                return
            request = self._request(scope, "ws" + self._public_url.removeprefix("http"))
            try:
                admitted = await self._door.check(account, request)
            except UpgradeRefused as refused:
                CARRIER_REQUESTS.labels(refused.outcome).inc()
                _log.warning("media_refused", detail=str(refused))
                await send({"type": "websocket.close"})
                return
            CARRIER_REQUESTS.labels("accepted").inc()
            await send({"type": "websocket.accept"})
            await self._door.carry(admitted, scope["extensions"][MEDIA_SOCKET])
        except LINK_ERRORS as error:
            CARRIER_REQUESTS.labels("failed").inc()
            _log.warning("media_without_link", error=str(error))
            await send({"type": "websocket.close"})


class BodyRefused(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


async def _body(receive: Receive) -> bytes:
    """Raises ``BodyRefused``."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise BodyRefused(400, "The body did not come.")
                body += message.get("body", b"")
                if len(body) > MOST_BODY_BYTES:
                    raise BodyRefused(413, f"The body has more than {MOST_BODY_BYTES} bytes.")
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise BodyRefused(408, "The body did not come in time.") from None


def _recording(name: str, method: str) -> Answer | _File:
    if name not in {sentence.value for sentence in Sentence} or method not in ("GET", "HEAD"):
        return _NOT_FOUND
    return _File(wav_file(Sentence(name)))


class _File:
    """A recording: an ``Answer`` has text."""

    content_type = "audio/wav"
    status = 200

    def __init__(self, content: bytes) -> None:
        self.content = content


async def _respond(send: Send, answer: Answer | _File, method: str) -> None:
    content = answer.content if isinstance(answer, _File) else answer.body.encode()
    headers = [
        (b"content-type", answer.content_type.encode()),
        (b"content-length", str(len(content)).encode()),
        (b"cache-control", b"no-store"),
    ]
    if answer.status >= HTTPStatus.BAD_REQUEST:
        # Something of the request may not have been read.
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else content})


async def carry_out(afterwards: Afterwards) -> None:
    """A call that its carrier does not let us hear has failed, and is hung up. A carrier that was
    only away may have done what it was asked: a call whose sound has come goes on."""
    problem = await _after(afterwards.do)
    if problem is None:
        return
    is_awaited = False
    try:
        is_awaited = await afterwards.report_failure(problem)
    except LINK_ERRORS as error:
        _log.warning("carrier_failure_not_reported", error=str(error))
    if not is_awaited and problem.kind in _MAY_PASS:
        return
    if await _after(afterwards.hang_up) is not None:
        try:
            await afterwards.leave_open()
        except LINK_ERRORS as error:
            _log.error("line_left_open", error=str(error))


async def _after(work: Callable[[], Awaitable[None]]) -> CarrierProblem | None:
    """More than once, if the carrier is away: it has its answer, and does not ask again. Returns
    why it is not done."""
    for pause_seconds in (*PAUSES_SECONDS, None):
        try:
            await work()
        except CarrierProblem as problem:
            if pause_seconds is None or problem.kind not in _MAY_PASS:
                _log.error("carrier_command_failed", error=problem.message, code=problem.code)
                return problem
            await asyncio.sleep(pause_seconds)
        else:
            return None
    return None


def _count(outcome: str) -> None:
    CARRIER_REQUESTS.labels(outcome).inc()
