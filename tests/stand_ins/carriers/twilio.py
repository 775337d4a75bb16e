"""Twilio, as its documentation describes it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

from aiohttp import web

from carriers.account import CarrierName
from tests.stand_ins.carriers.faults import Faults
from tests.stand_ins.carriers.line import Line
from tests.stand_ins.carriers.phone import Phone
from tests.stand_ins.carriers.sound import Samples, from_mulaw, to_mulaw
from tests.stand_ins.carriers.wire import (
    Clear,
    Connect,
    End,
    Headers,
    Instruction,
    Mark,
    Message,
    Sound,
    Stage,
    Told,
)
from tests.stand_ins.carriers.xml_answer import common_instruction, elements

if TYPE_CHECKING:
    from tests.stand_ins.carriers.carrier import BoundNumber, StandInCarrier

_STATUSES: Mapping[Stage, str] = {
    "initiated": "initiated",
    "ringing": "ringing",
    "answered": "in-progress",
    "completed": "completed",
    "busy": "busy",
    "no_answer": "no-answer",
    "canceled": "canceled",
    "rejected": "busy",
    "unreachable": "failed",
    "failed": "failed",
}
_ANSWERED_BY: Mapping[Stage, str] = {
    "human": "human",
    "machine": "machine_start",
    "machine_ready": "machine_end_beep",
}


class TwilioWire:
    name = CarrierName.TWILIO
    returns_marks_on_clear = True
    call_ends_with_stream = True

    def __init__(self, account_sid: str, auth_token: str) -> None:
        self._account_sid = account_sid
        self._auth_token = auth_token
        self._calls = itertools.count(1)
        self._sequence = itertools.count(0)

    def new_call_id(self) -> str:
        return f"CA{next(self._calls):032x}"

    def routes(self, carrier: StandInCarrier) -> list[web.RouteDef]:
        rest = _Rest(self, carrier, self._account_sid, self._auth_token)
        root = "/2010-04-01/Accounts/{account}"
        return [
            web.get(f"{root}.json", rest.account),
            web.get(f"{root}/IncomingPhoneNumbers.json", rest.numbers),
            web.post(f"{root}/IncomingPhoneNumbers/{{number}}.json", rest.change_number),
            web.post(f"{root}/Calls.json", rest.dial),
            web.post(f"{root}/Calls/{{call}}.json", rest.change_call),
        ]

    def question(self, line: Line) -> Mapping[str, Any]:
        inbound = line.direction == "inbound"
        return self._call(line, "ringing" if inbound else "in-progress")

    def status(self, line: Line, stage: Stage) -> Mapping[str, Any] | None:
        if stage in _ANSWERED_BY:
            if stage == "machine" and line.reference.get("waits_for_end"):
                return None
            return {
                "CallSid": line.call_id,
                "AccountSid": self._account_sid,
                "AnsweredBy": _ANSWERED_BY[stage],
                "MachineDetectionDuration": "2400",
            }
        if stage == "stream_failed":
            return {
                "CallSid": line.call_id,
                "AccountSid": self._account_sid,
                "StreamSid": line.stream_id,
                "StreamEvent": "stream-error",
                "StreamError": "The WebSocket handshake failed.",
            }
        # A number's status callback tells only the end of an inbound call.
        early = stage in ("initiated", "ringing", "answered")
        if stage not in _STATUSES or (line.direction == "inbound" and early):
            return None
        content = dict(self._call(line, _STATUSES[stage])) | {
            "CallbackSource": "call-progress-events",
            "SequenceNumber": str(next(self._sequence)),
            "Timestamp": "Wed, 25 Nov 2026 02:00:00 +0000",
        }
        if line.is_over:
            content["CallDuration"] = str(line.duration_seconds)
            if stage == "unreachable":
                content["SipResponseCode"] = "404"
        return content

    def signed(self, url: str, content: Mapping[str, Any], faults: Faults) -> tuple[Headers, bytes]:
        text = url + "".join(name + str(content[name]) for name in sorted(content))
        headers = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
        headers |= self._signature(text, faults)
        return headers, urlencode(content).encode()

    def read_answer(self, text: str) -> Instruction | None:
        found = elements(text)
        if found and found[0].tag == "Connect":
            stream = found[0][0]
            parameters = {each.attrib["name"]: each.attrib["value"] for each in stream}
            return Connect(
                stream.attrib["url"],
                parameters.get("call_token", ""),
                parameters,
                status_url=stream.attrib.get("statusCallback"),
            )
        return common_instruction(found)

    def socket_address(self, connect: Connect) -> str:
        return connect.url.partition("?")[0]

    def socket_headers(self, connect: Connect, faults: Faults) -> Headers:
        if faults.unsigned_socket:
            return {}
        return self._signature(self.socket_address(connect), faults)

    def opening(self, line: Line, connect: Connect) -> Sequence[Message]:
        start = {
            "accountSid": self._account_sid,
            "streamSid": line.stream_id,
            "callSid": line.call_id,
            "tracks": ["inbound"],
            "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1},
            "customParameters": dict(connect.parameters),
        }
        return [
            json.dumps({"event": "connected", "protocol": "Call", "version": "1.0.0"}),
            self._event(line, "start", start=start),
        ]

    def frame(self, line: Line, number: int, samples: Samples) -> Message:
        media = {
            "track": "inbound",
            "chunk": str(number),
            "timestamp": str((number - 1) * 20),
            "payload": base64.b64encode(to_mulaw(samples)).decode(),
        }
        return self._event(line, "media", media=media)

    def key(self, line: Line, digit: str) -> Message:
        return self._event(line, "dtmf", dtmf={"track": "inbound_track", "digit": digit})

    def read(self, line: Line, message: Message) -> Told:
        if not isinstance(message, str):
            return None
        document = json.loads(message)
        if document.get("streamSid") != line.stream_id:
            return None
        match document.get("event"):
            case "media":
                return Sound(from_mulaw(base64.b64decode(document["media"]["payload"])))
            case "mark":
                return Mark(document["mark"]["name"])
            case "clear":
                return Clear()
        return None

    def mark_reached(self, line: Line, name: str) -> Message:
        return self._event(line, "mark", mark={"name": name})

    def cleared(self, line: Line) -> Sequence[Message]:
        return ()

    def closing(self, line: Line) -> Sequence[Message]:
        stop = {"accountSid": self._account_sid, "callSid": line.call_id}
        return [self._event(line, "stop", stop=stop)]

    def call(self, line: Line) -> dict[str, Any]:
        status = _STATUSES[line.ended_as or (line.stages[-1] if line.stages else "initiated")]
        return {"sid": line.call_id, "status": status, "to": line.to_number}

    def _call(self, line: Line, status: str) -> Mapping[str, Any]:
        return {
            "CallSid": line.call_id,
            "AccountSid": self._account_sid,
            "ApiVersion": "2010-04-01",
            "From": line.from_number,
            "To": line.to_number,
            "Direction": "inbound" if line.direction == "inbound" else "outbound-api",
            "CallStatus": status,
            "FromCountry": "US",
            "ToCountry": "US",
        }

    def _event(self, line: Line, event: str, **content: Any) -> str:
        number = str(next(self._sequence))
        document = {"event": event, "sequenceNumber": number, "streamSid": line.stream_id}
        return json.dumps(document | content)

    def _signature(self, text: str, faults: Faults) -> Headers:
        if faults.no_signature:
            return {}
        token = "not the token" if faults.wrong_signature else self._auth_token
        digest = hmac.new(token.encode(), text.encode(), hashlib.sha1).digest()
        return {"X-Twilio-Signature": base64.b64encode(digest).decode()}


class _Rest:
    def __init__(
        self, wire: TwilioWire, carrier: StandInCarrier, account_sid: str, auth_token: str
    ) -> None:
        self._wire = wire
        self._carrier = carrier
        self._account_sid = account_sid
        basic = base64.b64encode(f"{account_sid}:{auth_token}".encode()).decode()
        self._authorization = f"Basic {basic}"

    async def account(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        status = "suspended" if self._carrier.is_suspended else "active"
        return web.json_response({"sid": self._account_sid, "status": status, "type": "Full"})

    async def numbers(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        part = request.query.get("PhoneNumber", "")
        found = [
            self._number(number, bound)
            for number, bound in self._carrier.numbers.items()
            if part in number
        ]
        return web.json_response({"incoming_phone_numbers": found})

    async def change_number(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        number = request.match_info["number"].replace("PN", "+", 1)
        bound = self._carrier.numbers.get(number)
        if bound is None:
            return _error(404, 20404, "The requested resource was not found")
        form = await request.post()
        bound.voice_url = str(form.get("VoiceUrl", bound.voice_url))
        bound.status_url = str(form.get("StatusCallback", bound.status_url))
        for name in ("VoiceApplicationSid", "TrunkSid"):
            bound.answered_by[name] = str(form.get(name, bound.answered_by.get(name, "")))
        return web.json_response(self._number(number, bound))

    async def dial(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        form = parse_qs(await request.text(), keep_blank_values=True)
        to_number, from_number = form["To"][0], form["From"][0]
        if not to_number.removeprefix("+").isdigit() or len(to_number) < 8:
            return _error(400, 21211, f"The 'To' number {to_number} is not a valid phone number.")
        if from_number not in self._carrier.numbers:
            return _error(400, 21210, f"The source phone number {from_number} is not yours.")
        if to_number.startswith("+252"):
            return _error(400, 21215, "Account not authorized to call this country.")
        detection = form.get("MachineDetection", [""])[0]
        line = Line(
            self._wire.new_call_id(),
            "outbound",
            from_number,
            to_number,
            Phone(),
            form["Url"][0],
            form["StatusCallback"][0],
            float(form["Timeout"][0]),
            detection != "",
            {"waits_for_end": detection == "DetectMessageEnd"},
        )
        self._carrier.dial(line)
        return web.json_response(self._wire.call(line), status=201)

    async def change_call(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        line = self._carrier.lines.get(request.match_info["call"])
        if line is None or line.is_over:
            return _error(404, 20404, "The requested resource was not found")
        form = await request.post()
        if "Twiml" in form:
            instruction = self._wire.read_answer(str(form["Twiml"])) or End()
            await self._carrier.obey(line, instruction)
        elif form.get("Status") == "completed":
            answered = line.answered_at is not None
            stage: Stage = "completed" if answered else "canceled"
            self._carrier.spawn(self._carrier.end(line, stage))
        return web.json_response(self._wire.call(line))

    def _refusal(self, request: web.Request) -> web.Response | None:
        wrong_account = request.match_info["account"].removesuffix(".json") != self._account_sid
        if wrong_account or request.headers.get("Authorization") != self._authorization:
            return _error(401, 20003, "Authenticate")
        return None

    @staticmethod
    def _number(number: str, bound: BoundNumber) -> dict[str, Any]:
        return {
            "sid": number.replace("+", "PN", 1),
            "phone_number": number,
            "voice_url": bound.voice_url,
            "status_callback": bound.status_url,
            "voice_application_sid": bound.answered_by.get("VoiceApplicationSid", ""),
            "trunk_sid": bound.answered_by.get("TrunkSid", "") or None,
        }


def _error(status: int, code: int, message: str) -> web.Response:
    more_info = f"https://www.twilio.com/docs/errors/{code}"
    document = {"code": code, "message": message, "more_info": more_info, "status": status}
    return web.json_response(document, status=status)
