"""Telnyx's Call Control, as its documentation describes it."""

from __future__ import annotations

import base64
import itertools
import json
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aiohttp import web
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from carriers.account import CarrierName
from tests.stand_ins.carriers.faults import Faults
from tests.stand_ins.carriers.line import Line
from tests.stand_ins.carriers.phone import Phone
from tests.stand_ins.carriers.sound import Samples, from_mulaw, to_mulaw
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
    Refuse,
    Sound,
    Stage,
    Told,
)

if TYPE_CHECKING:
    from tests.stand_ins.carriers.carrier import StandInCarrier

_CAUSES: Mapping[Stage, str] = {
    "completed": "normal_clearing",
    "busy": "user_busy",
    "no_answer": "timeout",
    "canceled": "originator_cancel",
    "rejected": "call_rejected",
    "unreachable": "unallocated_number",
    "failed": "unspecified",
}
_DETECTION: Mapping[Stage, tuple[str, str]] = {
    "human": ("call.machine.detection.ended", "human"),
    "machine": ("call.machine.detection.ended", "machine"),
    "machine_ready": ("call.machine.greeting.ended", "beep_detected"),
}


class TelnyxWire:
    name = CarrierName.TELNYX
    returns_marks_on_clear = True
    call_ends_with_stream = False

    def __init__(self, api_key: str, private_key: Ed25519PrivateKey) -> None:
        self._api_key = api_key
        self._private_key = private_key
        self._calls = itertools.count(1)
        self._sequence = itertools.count(1)
        self.applications: dict[str, dict[str, Any]] = {}
        self.profiles: list[str] = ["profile-1"]

    def new_call_id(self) -> str:
        return f"v3:call-{next(self._calls)}"

    def routes(self, carrier: StandInCarrier) -> list[web.RouteDef]:
        rest = _Rest(self, carrier, self._api_key)
        return [
            web.get("/v2/balance", rest.balance),
            web.get("/v2/outbound_voice_profiles", rest.voice_profiles),
            web.get("/v2/call_control_applications", rest.find_applications),
            web.post("/v2/call_control_applications", rest.create_application),
            web.get("/v2/call_control_applications/{id}", rest.application),
            web.patch("/v2/call_control_applications/{id}", rest.change_application),
            web.get("/v2/phone_numbers", rest.numbers),
            web.patch("/v2/phone_numbers/{id}", rest.change_number),
            web.post("/v2/calls", rest.dial),
            web.post("/v2/calls/{call}/actions/{action}", rest.command),
        ]

    def question(self, line: Line) -> Mapping[str, Any]:
        if line.direction == "inbound":
            return self._event(line, "call.initiated", direction="incoming", state="parked")
        return self._event(line, "call.answered")

    def status(self, line: Line, stage: Stage) -> Mapping[str, Any] | None:
        if stage == "initiated":
            return self._event(line, "call.initiated", direction="outgoing", state="bridging")
        if stage == "answered":
            # Of a call that we dialed, it is the question itself.
            return self._event(line, "call.answered") if line.direction == "inbound" else None
        if stage in _DETECTION:
            event, result = _DETECTION[stage]
            if stage == "machine_ready" and not line.reference.get("waits_for_end"):
                return None
            return self._event(line, event, result=result)
        if stage == "played":
            return self._event(line, "call.playback.ended", status="completed")
        if stage == "stream_failed":
            return self._event(line, "streaming.failed", failure_reason="connection_failed")
        if stage in _CAUSES:
            return self._event(
                line,
                "call.hangup",
                hangup_cause=_CAUSES[stage],
                hangup_source="caller",
                sip_hangup_cause="200",
            )
        return None

    def signed(self, url: str, content: Mapping[str, Any], faults: Faults) -> tuple[Headers, bytes]:
        meta = {"attempt": 1, "delivered_to": url}
        body = json.dumps({"data": content, "meta": meta}).encode()
        timestamp = str(int(time.time()) - (3600 if faults.old_timestamp else 0))
        key = self._private_key
        if faults.wrong_signature:
            key = Ed25519PrivateKey.from_private_bytes(b"\x63" * 32)
        signature = key.sign(timestamp.encode() + b"|" + body)
        headers = {"Content-Type": "application/json"}
        if not faults.no_signature:
            headers["telnyx-signature-ed25519"] = base64.b64encode(signature).decode()
            headers["telnyx-timestamp"] = timestamp
        return headers, body

    def read_answer(self, text: str) -> Instruction | None:
        return None

    def socket_address(self, connect: Connect) -> str:
        return connect.url

    def socket_headers(self, connect: Connect, faults: Faults) -> Headers:
        if faults.unsigned_socket:
            return {}
        return {"x-telnyx-streaming-auth-token": connect.token}

    def opening(self, line: Line, connect: Connect) -> Sequence[Message]:
        start = {
            "user_id": "3e6f995f-85f7-4705-9741-53b116d28237",
            "call_control_id": line.call_id,
            "call_session_id": f"session-of-{line.call_id}",
            "from": line.from_number,
            "to": line.to_number,
            "tags": [],
            "client_state": line.reference.get("client_state", ""),
            "custom_parameters": {},
            "media_format": {"encoding": "PCMU", "sample_rate": 8000, "channels": 1},
        }
        connected = {
            "event": "connected",
            "version": "1.0.0",
            "x-telnyx-streaming-auth-token": connect.token,
        }
        return [json.dumps(connected), self._message(line, "start", start=start)]

    def frame(self, line: Line, number: int, samples: Samples) -> Message:
        media = {
            "track": "inbound",
            "chunk": str(number),
            "timestamp": str((number - 1) * 20),
            "payload": base64.b64encode(to_mulaw(samples)).decode(),
        }
        return self._message(line, "media", media=media)

    def key(self, line: Line, digit: str) -> Message:
        return self._message(line, "dtmf", dtmf={"digit": digit})

    def read(self, line: Line, message: Message) -> Told:
        if not isinstance(message, str):
            return None
        document = json.loads(message)
        match document.get("event"):
            case "media":
                return Sound(from_mulaw(base64.b64decode(document["media"]["payload"])))
            case "mark":
                return Mark(document["mark"]["name"])
            case "clear":
                return Clear()
        return None

    def mark_reached(self, line: Line, name: str) -> Message:
        return self._message(line, "mark", mark={"name": name})

    def cleared(self, line: Line) -> Sequence[Message]:
        return ()

    def closing(self, line: Line) -> Sequence[Message]:
        stop = {"user_id": "3e6f995f-85f7-4705-9741-53b116d28237", "call_control_id": line.call_id}
        return [self._message(line, "stop", stop=stop)]

    def _message(self, line: Line, event: str, **content: Any) -> str:
        number = str(next(self._sequence))
        document = {"event": event, "sequence_number": number, "stream_id": line.stream_id}
        return json.dumps(document | content)

    def _event(self, line: Line, event: str, **payload: Any) -> Mapping[str, Any]:
        return {
            "event_type": event,
            "id": str(uuid4()),
            "occurred_at": "2026-11-25T02:00:00.000000Z",
            "record_type": "event",
            "payload": {
                "call_control_id": line.call_id,
                "call_leg_id": f"leg-of-{line.call_id}",
                "call_session_id": f"session-of-{line.call_id}",
                "connection_id": "1494404757140276705",
                "from": line.from_number,
                "to": line.to_number,
                "client_state": line.reference.get("client_state"),
                **payload,
            },
        }


class _Rest:
    def __init__(self, wire: TelnyxWire, carrier: StandInCarrier, api_key: str) -> None:
        self._wire = wire
        self._carrier = carrier
        self._authorization = f"Bearer {api_key}"
        self._commands: set[str] = set()

    async def balance(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        return _data({"record_type": "balance", "balance": "300.00", "currency": "USD"})

    async def voice_profiles(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        return _data([{"id": profile} for profile in self._wire.profiles])

    async def find_applications(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        part = request.query.get("filter[application_name][contains]", "")
        applications = self._wire.applications.values()
        return _data([each for each in applications if part in each["application_name"]])

    async def create_application(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        identifier = str(1494404757140276705 + len(self._wire.applications))
        application = {**await request.json(), "id": identifier}
        self._wire.applications[identifier] = application
        return _data(application, status=201)

    async def application(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        application = self._wire.applications.get(request.match_info["id"])
        return _data(application) if application else _error(404, "10005", "Resource not found")

    async def change_application(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        application = self._wire.applications.get(request.match_info["id"])
        if application is None:
            return _error(404, "10005", "Resource not found")
        body = await request.json()
        if "application_name" not in body:
            return _error(422, "10004", "application_name is required")
        application.update(body)
        return _data(application)

    async def numbers(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        number = request.query.get("filter[phone_number]", "")
        found = [each for each in self._carrier.numbers if number in each]
        return _data([{"id": each.removeprefix("+"), "phone_number": each} for each in found])

    async def change_number(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        bound = self._carrier.numbers.get(f"+{request.match_info['id']}")
        application = self._wire.applications.get((await request.json())["connection_id"])
        if bound is None or application is None:
            return _error(404, "10005", "Resource not found")
        bound.voice_url = bound.status_url = application["webhook_event_url"]
        return _data({"id": request.match_info["id"]})

    async def dial(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        body = await request.json()
        if not body["to"].removeprefix("+").isdigit() or len(body["to"]) < 8:
            return _error(422, "10016", "Phone number must be in +E164 format.")
        if body["connection_id"] not in self._wire.applications:
            return _error(422, "10015", "Invalid value for connection_id (Call Control App ID)")
        for line in self._carrier.lines.values():
            if line.reference.get("command_id") == body["command_id"]:
                return _data({"call_control_id": line.call_id})
        detection = body.get("answering_machine_detection", "disabled")
        line = Line(
            self._wire.new_call_id(),
            "outbound",
            body["from"],
            body["to"],
            Phone(),
            body["webhook_url"],
            body["webhook_url"],
            float(body["timeout_secs"]),
            detection != "disabled",
            {
                "client_state": body["client_state"],
                "command_id": body["command_id"],
                "waits_for_end": detection == "greeting_end",
            },
        )
        self._carrier.dial(line)
        return _data({"call_control_id": line.call_id, "record_type": "call"})

    async def command(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        line = self._carrier.lines.get(request.match_info["call"])
        if line is None:
            return _error(404, "10005", "Resource not found")
        if line.is_over:
            return _error(422, "90018", "Call has already ended")
        body = await request.json()
        action = request.match_info["action"]
        repeated = body.get("command_id") in self._commands
        if not repeated:
            if body.get("command_id"):
                self._commands.add(body["command_id"])
            self._obey(line, action, body)
        return _data({"result": "ok"})

    def _obey(self, line: Line, action: str, body: Mapping[str, Any]) -> None:
        instruction: Instruction | None = None
        match action:
            case "answer" | "streaming_start" if "stream_url" in body:
                line.status_url = body.get("webhook_url", line.status_url)
                instruction = Connect(
                    body["stream_url"], body["stream_auth_token"], content_type="PCMU"
                )
            case "reject":
                cause = body["cause"]
                instruction = Refuse("busy" if cause == "USER_BUSY" else "rejected")
            case "playback_start":
                instruction = Play(body["audio_url"], then_hang_up=False)
            case "transfer":
                instruction = DialPhone(body["to"], body["from"])
            case "hangup" if line.answered_at is None:
                self._carrier.spawn(self._carrier.end(line, "canceled"))
            case "hangup":
                instruction = End()
            case "send_dtmf":
                line.sent_keys += body["digits"]
        if instruction is not None:
            self._carrier.spawn(self._carrier.obey(line, instruction))

    def _refusal(self, request: web.Request) -> web.Response | None:
        if request.headers.get("Authorization") != self._authorization:
            return _error(401, "10009", "Authentication failed")
        if self._carrier.is_suspended:
            return _error(403, "10010", "The account is suspended. Please contact support.")
        return None


def _data(content: object, status: int = 200) -> web.Response:
    return web.json_response({"data": content}, status=status)


def _error(status: int, code: str, detail: str) -> web.Response:
    error = {"code": code, "title": detail.split(".")[0], "detail": detail}
    return web.json_response({"errors": [error]}, status=status)
