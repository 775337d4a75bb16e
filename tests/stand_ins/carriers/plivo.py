"""Plivo, as its documentation describes it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

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
    from tests.stand_ins.carriers.carrier import StandInCarrier

_ENDS: Mapping[Stage, tuple[str, str, str]] = {
    "completed": ("completed", "4000", "Normal Hangup"),
    "busy": ("busy", "3010", "Busy Line"),
    "no_answer": ("no-answer", "6010", "Ring Timeout Reached"),
    "canceled": ("cancel", "1000", "Cancelled"),
    "rejected": ("failed", "3020", "Rejected"),
    "unreachable": ("failed", "3050", "Unallocated number"),
    "failed": ("failed", "5000", "Network Error"),
}


class PlivoWire:
    name = CarrierName.PLIVO
    returns_marks_on_clear = False
    call_ends_with_stream = True

    def __init__(self, auth_id: str, auth_token: str) -> None:
        self._auth_id = auth_id
        self._auth_token = auth_token
        self._sequence = itertools.count(1)
        self.applications: dict[str, dict[str, Any]] = {}

    def new_call_id(self) -> str:
        return str(uuid4())

    def routes(self, carrier: StandInCarrier) -> list[web.RouteDef]:
        rest = _Rest(self, carrier, self._auth_id, self._auth_token)
        root = "/v1/Account/{account}"
        return [
            web.get(f"{root}/", rest.account),
            web.get(f"{root}/Application/", rest.find_applications),
            web.post(f"{root}/Application/", rest.create_application),
            web.post(f"{root}/Application/{{id}}/", rest.change_application),
            web.get(f"{root}/Number/{{number}}/", rest.number),
            web.post(f"{root}/Number/{{number}}/", rest.change_number),
            web.post(f"{root}/Call/", rest.dial),
            web.post(f"{root}/Call/{{call}}/", rest.transfer),
            web.post(f"{root}/Call/{{call}}/DTMF/", rest.keys),
            web.delete(f"{root}/{{kind:Call|Request}}/{{call}}/", rest.hang_up),
        ]

    def question(self, line: Line) -> Mapping[str, Any]:
        inbound = line.direction == "inbound"
        status = "ringing" if inbound else "in-progress"
        return self._call(line, "StartApp", status)

    def status(self, line: Line, stage: Stage) -> Mapping[str, Any] | None:
        if stage == "ringing":
            return self._call(line, "Ring", "ringing")
        if stage in ("human", "machine"):
            machine = "true" if stage == "machine" else "false"
            return {**self._call(line, "MachineDetection", "in-progress"), "Machine": machine}
        if stage == "stream_failed":
            return self._call(line, "DroppedStream", "in-progress")
        if stage in _ENDS:
            status, code, name = _ENDS[stage]
            return {
                **self._call(line, "Hangup", status),
                "HangupCauseCode": code,
                "HangupCauseName": name,
                "HangupSource": "Caller",
                "Duration": str(line.duration_seconds),
                "BillDuration": str(-(-line.duration_seconds // 60) * 60),
            }
        return None

    def signed(self, url: str, content: Mapping[str, Any], faults: Faults) -> tuple[Headers, bytes]:
        parts = urlsplit(url)
        text = parts._replace(query="").geturl() + "?"
        if parts.query:
            pairs = sorted(parse_qs(parts.query, keep_blank_values=True).items())
            text += "&".join(f"{name}={value}" for name, values in pairs for value in values) + "."
        text += "".join(name + str(content[name]) for name in sorted(content))
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        return headers | self._signature(text, faults), urlencode(content).encode()

    def read_answer(self, text: str) -> Instruction | None:
        found = elements(text)
        if found and found[0].tag == "Stream":
            stream = found[0]
            url = stream.text or ""
            token = parse_qs(urlsplit(url).query).get("call_token", [""])[0]
            return Connect(
                url,
                token,
                content_type=stream.attrib["contentType"],
                status_url=stream.attrib.get("statusCallbackUrl"),
            )
        return common_instruction(found)

    def socket_address(self, connect: Connect) -> str:
        base = connect.url.partition("?")[0]
        return f"{base}?{urlencode({'call_token': connect.token})}"

    def socket_headers(self, connect: Connect, faults: Faults) -> Headers:
        if faults.unsigned_socket:
            return {}
        return self._signature(self.socket_address(connect), faults)

    def opening(self, line: Line, connect: Connect) -> Sequence[Message]:
        encoding, _, rate = connect.content_type.partition(";rate=")
        start = {
            "callId": line.call_id,
            "streamId": line.stream_id,
            "accountId": "10013336",
            "tracks": ["inbound"],
            "mediaFormat": {"encoding": encoding, "sampleRate": int(rate)},
        }
        document = {"sequenceNumber": 0, "event": "start", "start": start, "extra_headers": ""}
        return [json.dumps(document)]

    def frame(self, line: Line, number: int, samples: Samples) -> Message:
        media = {
            "track": "inbound",
            "timestamp": str((number - 1) * 20),
            "chunk": number,
            "payload": base64.b64encode(to_mulaw(samples)).decode(),
        }
        return self._event(line, "media", media=media)

    def key(self, line: Line, digit: str) -> Message:
        return self._event(
            line, "dtmf", dtmf={"track": "inbound", "digit": digit, "timestamp": "0"}
        )

    def read(self, line: Line, message: Message) -> Told:
        if not isinstance(message, str):
            return None
        document = json.loads(message)
        match document.get("event"):
            case "playAudio":
                media = document["media"]
                if (media["contentType"], media["sampleRate"]) != ("audio/x-mulaw", 8000):
                    return None
                return Sound(from_mulaw(base64.b64decode(media["payload"])))
            case "checkpoint" if document.get("streamId") == line.stream_id:
                return Mark(document["name"])
            case "clearAudio" if document.get("streamId") == line.stream_id:
                return Clear()
        return None

    def mark_reached(self, line: Line, name: str) -> Message:
        return self._event(line, "playedStream", name=name)

    def cleared(self, line: Line) -> Sequence[Message]:
        return [self._event(line, "clearedAudio")]

    def closing(self, line: Line) -> Sequence[Message]:
        # Plivo's own library knows no "stop": the socket is only closed.
        return ()

    def _event(self, line: Line, event: str, **content: Any) -> str:
        document = {
            "event": event,
            "sequenceNumber": next(self._sequence),
            "streamId": line.stream_id,
            "extra_headers": "",
        }
        return json.dumps(document | content)

    def _call(self, line: Line, event: str, status: str) -> Mapping[str, Any]:
        content = {
            "CallUUID": line.call_id,
            "From": line.from_number.removeprefix("+"),
            "To": line.to_number.removeprefix("+"),
            "Direction": line.direction,
            "CallStatus": status,
            "Event": event,
            "ParentAuthID": self._auth_id,
        }
        if line.direction == "outbound":
            content["RequestUUID"] = line.call_id
        return content

    def _signature(self, text: str, faults: Faults) -> Headers:
        if faults.no_signature:
            return {}
        nonce = str(uuid4().int)[:20]
        token = "not the token" if faults.wrong_signature else self._auth_token
        digest = hmac.new(token.encode(), f"{text}.{nonce}".encode(), hashlib.sha256).digest()
        signature = base64.b64encode(digest).decode()
        return {"X-Plivo-Signature-V3": signature, "X-Plivo-Signature-V3-Nonce": nonce}


class _Rest:
    def __init__(
        self, wire: PlivoWire, carrier: StandInCarrier, auth_id: str, auth_token: str
    ) -> None:
        self._wire = wire
        self._carrier = carrier
        self._auth_id = auth_id
        basic = base64.b64encode(f"{auth_id}:{auth_token}".encode()).decode()
        self._authorization = f"Basic {basic}"

    async def account(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        return web.json_response(
            {"auth_id": self._auth_id, "cash_credits": "12.50", "auto_recharge": False}
        )

    async def find_applications(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        name = request.query.get("app_name", "")
        rows = self._wire.applications.values()
        found = [each for each in rows if each["app_name"].startswith(name)]
        return web.json_response({"api_id": "x", "meta": {}, "objects": found})

    async def create_application(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        identifier = str(77 + len(self._wire.applications))
        body = await request.json()
        if not re.fullmatch(r"[A-Za-z0-9_-]+", body["app_name"]):
            return web.json_response({"error": "app_name is not valid"}, status=400)
        self._wire.applications[identifier] = {**body, "app_id": identifier}
        return web.json_response({"message": "created", "app_id": identifier}, status=201)

    async def change_application(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        application = self._wire.applications.get(request.match_info["id"])
        if application is None:
            return _not_found()
        application.update(await request.json())
        return web.json_response({"message": "changed"}, status=202)

    async def number(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        number = request.match_info["number"]
        if f"+{number}" not in self._carrier.numbers:
            return _not_found()
        return web.json_response({"number": number})

    async def change_number(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        bound = self._carrier.numbers.get(f"+{request.match_info['number']}")
        application = self._wire.applications.get((await request.json())["app_id"])
        if bound is None or application is None:
            return _not_found()
        bound.voice_url = application["answer_url"]
        bound.status_url = application["hangup_url"]
        return web.json_response({"message": "changed"}, status=202)

    async def dial(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        body = await request.json()
        if not body["to"].isdigit() or len(body["to"]) < 8:
            return web.json_response({"error": "to parameter is not valid"}, status=400)
        line = Line(
            self._wire.new_call_id(),
            "outbound",
            f"+{body['from']}",
            f"+{body['to']}",
            Phone(),
            body["answer_url"],
            body["hangup_url"],
            float(body["ring_timeout"]),
            "machine_detection" in body,
        )
        self._carrier.dial(line)
        return web.json_response(
            {"message": "call fired", "request_uuid": line.call_id}, status=201
        )

    async def transfer(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        line = self._open_line(request)
        if line is None:
            return _not_found()
        url = (await request.json())["aleg_url"]
        self._carrier.spawn(self._transfer(line, url))
        return web.json_response({"message": "transfer executed"}, status=202)

    async def keys(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        line = self._open_line(request)
        if line is None:
            return _not_found()
        line.sent_keys += (await request.json())["digits"]
        return web.json_response({"message": "digits sent"}, status=202)

    async def hang_up(self, request: web.Request) -> web.Response:
        if (refusal := self._refusal(request)) is not None:
            return refusal
        line = self._open_line(request)
        # Before it is answered, a call is known by its request only.
        kind = "Request" if line is not None and line.answered_at is None else "Call"
        if line is None or request.match_info["kind"] != kind:
            return _not_found()
        stage: Stage = "canceled" if line.answered_at is None else "completed"
        self._carrier.spawn(self._carrier.end(line, stage))
        return web.Response(status=204)

    async def _transfer(self, line: Line, url: str) -> None:
        content = self._wire.question(line)
        delivered = await self._carrier.deliver(url, content)
        if delivered.status == 200:
            instruction = self._wire.read_answer(delivered.text) or End()
            await self._carrier.obey(line, instruction)

    def _open_line(self, request: web.Request) -> Line | None:
        line = self._carrier.lines.get(request.match_info["call"])
        return None if line is None or line.is_over else line

    def _refusal(self, request: web.Request) -> web.Response | None:
        wrong_account = request.match_info["account"] != self._auth_id
        if wrong_account or request.headers.get("Authorization") != self._authorization:
            return web.Response(
                status=401,
                text="Could not verify your access level for that URL.\n"
                "You have to login with proper credentials",
            )
        if self._carrier.is_suspended:
            return web.json_response({"error": "account is suspended"}, status=403)
        return None


def _not_found() -> web.Response:
    return web.json_response({"api_id": "x", "error": "not found"}, status=404)
