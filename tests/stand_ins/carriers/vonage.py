"""Vonage's Voice API, as its documentation describes it."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs
from uuid import uuid4

import jwt
import numpy as np
from aiohttp import web

from carriers.account import CarrierName
from tests.stand_ins.carriers.faults import Faults
from tests.stand_ins.carriers.line import Line
from tests.stand_ins.carriers.phone import Phone
from tests.stand_ins.carriers.sound import PHONE_HZ, Samples, doubled, halved
from tests.stand_ins.carriers.wire import (
    Clear,
    Connect,
    DialPhone,
    End,
    Headers,
    Instruction,
    Mark,
    Message,
    Play,
    Sound,
    Stage,
    Told,
)

if TYPE_CHECKING:
    from tests.stand_ins.carriers.carrier import StandInCarrier

_STATUSES: Mapping[Stage, tuple[str, str | None]] = {
    "initiated": ("started", None),
    "ringing": ("ringing", None),
    "answered": ("answered", None),
    "completed": ("completed", None),
    "busy": ("busy", None),
    "no_answer": ("unanswered", "timeout"),
    "canceled": ("cancelled", None),
    "rejected": ("rejected", "declined"),
    "unreachable": ("failed", "number_out_of_service"),
    "failed": ("failed", "internal_error"),
}
_FRAME_BYTES = {8000: 320, 16_000: 640}


class VonageWire:
    name = CarrierName.VONAGE
    returns_marks_on_clear = False
    call_ends_with_stream = True

    def __init__(self, api_key: str, api_secret: str, signature_secret: str) -> None:
        self._api_key = api_key
        self._api_secret = api_secret
        self._signature_secret = signature_secret
        self.applications: dict[str, dict[str, Any]] = {}

    def new_call_id(self) -> str:
        return str(uuid4())

    def routes(self, carrier: StandInCarrier) -> list[web.RouteDef]:
        rest = _Rest(self, carrier, self._api_key, self._api_secret)
        return [
            web.get("/v2/applications", rest.list_applications),
            web.post("/v2/applications", rest.create_application),
            web.get("/v2/applications/{id}", rest.application),
            web.put("/v2/applications/{id}", rest.replace_application),
            web.get("/account/numbers", rest.numbers),
            web.post("/number/update", rest.change_number),
            web.get("/v1/calls", rest.list_calls),
            web.post("/v1/calls", rest.dial),
            web.put("/v1/calls/{call}", rest.change_call),
            web.put("/v1/calls/{call}/dtmf", rest.keys),
        ]

    def question(self, line: Line) -> Mapping[str, Any]:
        return {
            "from": line.from_number.removeprefix("+"),
            "to": line.to_number.removeprefix("+"),
            "uuid": line.call_id,
            "conversation_uuid": f"CON-{line.call_id}",
            "region_url": "https://api-us-3.vonage.com",
        }

    def status(self, line: Line, stage: Stage) -> Mapping[str, Any] | None:
        content = dict(self.question(line)) | {
            "direction": line.direction,
            "timestamp": "2026-11-25T02:00:00.000Z",
        }
        if stage in ("human", "machine", "machine_ready"):
            content["call_uuid"] = content.pop("uuid")
            content["status"] = "human" if stage == "human" else "machine"
            if stage == "machine_ready":
                if not line.reference.get("waits_for_end"):
                    return None
                content["sub_state"] = "beep_start"
            return content
        if stage == "stream_failed":
            return content | {"status": "disconnected"}
        if stage not in _STATUSES:
            return None
        status, detail = _STATUSES[stage]
        content["status"] = status
        if detail is not None:
            content["detail"] = detail
        if line.is_over and stage == "completed":
            content |= {
                "duration": str(line.duration_seconds),
                "rate": "0.00450000",
                "price": "0.00015000",
                "network": "US-FIXED",
            }
        return content

    def signed(self, url: str, content: Mapping[str, Any], faults: Faults) -> tuple[Headers, bytes]:
        body = json.dumps(content).encode()
        headers = {"Content-Type": "application/json"}
        hashed = {"payload_hash": hashlib.sha256(body).hexdigest()}
        return headers | self._authorization(hashed, faults), body

    def read_answer(self, text: str) -> Instruction | None:
        actions = json.loads(text) if text.strip() else []
        if not actions:
            return End()
        first = actions[0]
        match first["action"]:
            case "stream":
                return Play(first["streamUrl"][0], then_hang_up=len(actions) == 1)
            case "connect":
                endpoint = first["endpoint"][0]
                if endpoint["type"] == "phone":
                    return DialPhone(f"+{endpoint['number']}", f"+{first['from']}")
                assert len(json.dumps(endpoint["headers"])) <= 512
                assert endpoint["authorization"] == {"type": "vonage"}
                return Connect(
                    endpoint["uri"],
                    endpoint["headers"].get("call_token", ""),
                    endpoint["headers"],
                    endpoint["content-type"],
                    first["eventUrl"][0],
                )
        return None

    def socket_address(self, connect: Connect) -> str:
        return connect.url

    def socket_headers(self, connect: Connect, faults: Faults) -> Headers:
        return {} if faults.unsigned_socket else self._authorization({}, faults)

    def opening(self, line: Line, connect: Connect) -> Sequence[Message]:
        line.stream_hz = int(connect.content_type.partition(";rate=")[2])
        connected = {
            "event": "websocket:connected",
            "content-type": connect.content_type,
            **connect.parameters,
        }
        return [json.dumps(connected)]

    def frame(self, line: Line, number: int, samples: Samples) -> Message:
        return (samples if line.stream_hz == PHONE_HZ else doubled(samples)).tobytes()

    def key(self, line: Line, digit: str) -> Message:
        return json.dumps({"event": "websocket:dtmf", "digit": digit, "duration": 260})

    def read(self, line: Line, message: Message) -> Told:
        if isinstance(message, bytes):
            if len(message) != _FRAME_BYTES[line.stream_hz]:
                return None
            samples = np.frombuffer(message, "<i2")
            return Sound(samples if line.stream_hz == PHONE_HZ else halved(samples))
        document = json.loads(message)
        match document.get("action"):
            case "notify":
                return Mark(json.dumps(document["payload"]))
            case "clear":
                return Clear()
        return None

    def mark_reached(self, line: Line, name: str) -> Message:
        return json.dumps({"event": "websocket:notify", "payload": json.loads(name)})

    def cleared(self, line: Line) -> Sequence[Message]:
        return ['{"event":"websocket:cleared"}']

    def closing(self, line: Line) -> Sequence[Message]:
        return ()

    def is_signed_by_application(self, authorization: str) -> bool:
        """A JWT with the private key of one of the account's applications."""
        token = authorization.removeprefix("Bearer ")
        try:
            claims = jwt.decode(token, options={"verify_signature": False})
            keys = self.applications[claims["application_id"]]["keys"]
            jwt.decode(token, keys["public_key"], algorithms=["RS256"])
        except (jwt.PyJWTError, ValueError, KeyError):
            return False
        return True

    def _authorization(self, more: Mapping[str, Any], faults: Faults) -> Headers:
        if faults.no_signature:
            return {}
        claims = {
            "iat": int(time.time()) - (3600 if faults.old_timestamp else 0),
            "jti": str(uuid4()),
            "iss": "Vonage",
            "api_key": self._api_key,
            **more,
        }
        secret = self._signature_secret
        if faults.wrong_signature:
            secret = secret[::-1]
        return {"Authorization": f"Bearer {jwt.encode(claims, secret, algorithm='HS256')}"}


class _Rest:
    def __init__(
        self, wire: VonageWire, carrier: StandInCarrier, api_key: str, api_secret: str
    ) -> None:
        self._wire = wire
        self._carrier = carrier
        basic = base64.b64encode(f"{api_key}:{api_secret}".encode()).decode()
        self._basic = f"Basic {basic}"

    async def list_applications(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        rows = [_shown(each) for each in self._wire.applications.values()]
        size, page = int(request.query["page_size"]), int(request.query.get("page", "1"))
        rows = rows[(page - 1) * size : page * size]
        return web.json_response({"page": page, "_embedded": {"applications": rows}})

    async def create_application(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        application = {**await request.json(), "id": str(uuid4())}
        self._wire.applications[application["id"]] = application
        return web.json_response(_shown(application), status=201)

    async def application(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        application = self._wire.applications.get(request.match_info["id"])
        return web.json_response(_shown(application)) if application else _not_found()

    async def replace_application(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        old = self._wire.applications.get(request.match_info["id"])
        if old is None:
            return _not_found()
        new = {**await request.json(), "id": old["id"]}
        new["keys"] = {**old["keys"], **new.get("keys", {})}
        self._wire.applications[old["id"]] = new
        return web.json_response(_shown(new))

    async def numbers(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        part = request.query.get("pattern", "")
        rows = [
            {"country": "US", "msisdn": number.removeprefix("+")}
            | ({"moHttpUrl": bound.sms_url} if bound.sms_url else {})
            for number, bound in self._carrier.numbers.items()
            if part in number
        ]
        return web.json_response({"count": len(rows), "numbers": rows} if rows else {})

    async def change_number(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        form = {name: values[0] for name, values in parse_qs(await request.text()).items()}
        bound = self._carrier.numbers.get(f"+{form['msisdn']}")
        application = self._wire.applications.get(form["app_id"])
        if bound is None or application is None or form["country"] != "US":
            document = {"error-code": "420", "error-code-label": "method failed"}
            return web.json_response(document, status=420)
        webhooks = application["capabilities"]["voice"]["webhooks"]
        bound.voice_url = webhooks["answer_url"]["address"]
        bound.status_url = webhooks["event_url"]["address"]
        bound.sms_url = form.get("moHttpUrl", "")
        return web.json_response({"error-code": "200", "error-code-label": "success"})

    async def list_calls(self, request: web.Request) -> web.Response:
        if (refusal := self._call_refusal(request)) is not None:
            return refusal
        return web.json_response({"count": 0, "_embedded": {"calls": []}})

    async def dial(self, request: web.Request) -> web.Response:
        if (refusal := self._call_refusal(request)) is not None:
            return refusal
        body = await request.json()
        to_number = body["to"][0]["number"]
        if not to_number.isdigit() or len(to_number) < 7:
            document = {
                "title": "Bad Request",
                "detail": "The to number is not valid.",
                "invalid_parameters": [{"name": "to[0].number", "reason": "not a number"}],
            }
            return web.json_response(document, status=400)
        advanced = "advanced_machine_detection" in body
        line = Line(
            self._wire.new_call_id(),
            "outbound",
            f"+{body['from']['number']}",
            f"+{to_number}",
            Phone(),
            body["answer_url"][0],
            body["event_url"][0],
            float(body["ringing_timer"]),
            advanced or "machine_detection" in body,
            {"waits_for_end": advanced},
        )
        self._carrier.dial(line)
        document = {"uuid": line.call_id, "status": "started", "direction": "outbound"}
        return web.json_response(document, status=201)

    async def change_call(self, request: web.Request) -> web.Response:
        if (refusal := self._call_refusal(request)) is not None:
            return refusal
        line = self._carrier.lines.get(request.match_info["call"])
        if line is None or line.is_over:
            return _not_found()
        body = await request.json()
        if body["action"] == "hangup":
            stage: Stage = "completed" if line.answered_at is not None else "canceled"
            self._carrier.spawn(self._carrier.end(line, stage))
        elif body["action"] == "transfer":
            ncco = json.dumps(body["destination"]["ncco"])
            await self._carrier.obey(line, self._wire.read_answer(ncco) or End())
        return web.Response(status=204)

    async def keys(self, request: web.Request) -> web.Response:
        if (refusal := self._call_refusal(request)) is not None:
            return refusal
        line = self._carrier.lines.get(request.match_info["call"])
        if line is None or line.is_over:
            return _not_found()
        line.sent_keys += (await request.json())["digits"]
        return web.json_response({"message": "DTMF sent", "uuid": line.call_id})

    def _refusal(self, request: web.Request) -> web.Response | None:
        if request.headers.get("Authorization") != self._basic:
            return _unauthorized("You did not provide correct credentials.")
        if self._carrier.is_suspended:
            document = {"title": "Forbidden", "detail": "Your account is suspended."}
            return web.json_response(document, status=403)
        return None

    def _call_refusal(self, request: web.Request) -> web.Response | None:
        if not self._wire.is_signed_by_application(request.headers.get("Authorization", "")):
            return _unauthorized("Unauthorized")
        return None


def _shown(application: Mapping[str, Any]) -> dict[str, Any]:
    return {**application, "_links": {"self": {"href": f"/v2/applications/{application['id']}"}}}


def _unauthorized(detail: str) -> web.Response:
    return web.json_response({"title": "Unauthorized", "detail": detail}, status=401)


def _not_found() -> web.Response:
    return web.json_response({"title": "Not found.", "detail": "There is none."}, status=404)
