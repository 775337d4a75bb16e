"""Twilio's REST API. Source: https://www.twilio.com/docs/voice/api"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from carriers.account import CarrierName, TwilioCredentials
from carriers.answers import ApiCommand
from carriers.api import (
    CarrierProblem,
    Dial,
    DialRefused,
    MachineDetection,
    ProblemKind,
    WebhookAddresses,
)
from carriers.json_message import find_row, text_of
from carriers.rest import CarrierRest, Reply
from carriers.settings import CarrierSettings
from carriers.twilio.answer import dial_element
from carriers.twilio.statuses import REFUSALS
from carriers.xml_document import xml_answer
from contracts.dial_outcome import DialOutcome

ALREADY_OVER = "20404"
NOT_IN_PROGRESS = "21220"
MAX_RING_SECONDS = 600
_KINDS = {
    "20003": ProblemKind.WRONG_CREDENTIALS,
    "20005": ProblemKind.ACCOUNT_SUSPENDED,
    "20429": ProblemKind.RATE_LIMITED,
    "13227": ProblemKind.NOT_ALLOWED,
    "21215": ProblemKind.NOT_ALLOWED,
    "32205": ProblemKind.NOT_ALLOWED,
    "21219": ProblemKind.NOT_ALLOWED,
}
_IN_PLACE_OF_WEBHOOKS = {"voice_application_sid": "VoiceApplicationSid", "trunk_sid": "TrunkSid"}
"""What answers a number's calls if it is set, whatever the number's webhooks are. Source:
https://www.twilio.com/docs/phone-numbers/api/incomingphonenumber-resource"""
_DETECTION = {
    MachineDetection.DETECT: "Enable",
    MachineDetection.DETECT_AND_WAIT: "DetectMessageEnd",
}


class TwilioApi:
    def __init__(
        self,
        credentials: TwilioCredentials,
        settings: CarrierSettings,
        client: httpx2.AsyncClient,
    ) -> None:
        self._credentials = credentials
        self._rest = CarrierRest(
            client, "Twilio", settings.base_url(CarrierName.TWILIO), settings.request_seconds
        )
        self._auth = (credentials.account_sid, credentials.auth_token.get_secret_value())
        self._account = f"/2010-04-01/Accounts/{credentials.account_sid}"

    async def verify(self) -> None:
        what = "show the account"
        reply = await self._rest.send("GET", f"{self._account}.json", auth=self._auth)
        if not reply.is_success:
            raise self._problem(reply, what)
        status = text_of(reply.document, "status")
        if status != "active":
            is_over = status in ("suspended", "closed")
            raise self._rest.problem(
                reply,
                what,
                said=f"its status is {status!r}",
                kind=ProblemKind.ACCOUNT_SUSPENDED if is_over else ProblemKind.REFUSED,
            )

    async def prepare_account(self, webhooks: WebhookAddresses) -> TwilioCredentials:
        """Nothing is shared: each number has its own webhooks."""
        return self._credentials

    async def owns_number(self, number: str) -> bool:
        return await self._number(number) is not None

    async def bind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        resource = await self._owned_number(number)
        unset = {form: "" for name, form in _IN_PLACE_OF_WEBHOOKS.items() if resource.get(name)}
        await self._set_webhooks(resource, webhooks.voice_url, webhooks.status_url, unset)

    async def unbind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        resource = await self._number(number)
        if resource is not None and resource.get("voice_url") == webhooks.voice_url:
            await self._set_webhooks(resource, "", "", {})

    async def dial(self, dial: Dial) -> str:
        form: dict[str, Any] = {
            "To": dial.to_number,
            "From": dial.from_number,
            "Url": dial.voice_url,
            "Method": "POST",
            "StatusCallback": dial.status_url,
            "StatusCallbackMethod": "POST",
            "StatusCallbackEvent": ["initiated", "ringing", "answered", "completed"],
            "Timeout": str(min(dial.ring_timeout_seconds, MAX_RING_SECONDS)),
        }
        if dial.machine_detection in _DETECTION:
            form |= {
                "MachineDetection": _DETECTION[dial.machine_detection],
                "AsyncAmd": "true",
                "AsyncAmdStatusCallback": dial.status_url,
                "AsyncAmdStatusCallbackMethod": "POST",
            }
        try:
            reply = await self._rest.send(
                "POST", f"{self._account}/Calls.json", auth=self._auth, form=form
            )
        except CarrierProblem as unplaced:
            raise DialRefused(DialOutcome.FAILED, unplaced) from unplaced
        call_sid = text_of(reply.document, "sid")
        if not reply.is_success or call_sid is None:
            problem = self._problem(reply, "place the call")
            raise DialRefused(REFUSALS.get(problem.code or "", DialOutcome.FAILED), problem)
        return call_sid

    async def hang_up(self, call_id: str) -> None:
        # ``completed`` ends a call that rings, too.
        await self._update_call(call_id, {"Status": "completed"}, "hang up")

    async def send_dtmf(self, call_id: str, digits: str) -> None:
        raise CarrierProblem(
            ProblemKind.REFUSED,
            "Twilio cannot send keys into a call with a media stream: send them as sound.",
        )

    async def transfer(
        self, call_id: str, to_number: str, from_number: str, transfer_url: str
    ) -> None:
        twiml = xml_answer(dial_element(to_number, from_number)).body
        reply = await self._call(call_id, {"Twiml": twiml})
        if not reply.is_success:
            raise self._problem(reply, "transfer the call")

    async def run(self, commands: Sequence[ApiCommand]) -> None:
        """Twilio's answers are documents: there are no commands."""

    async def _update_call(self, call_id: str, form: Mapping[str, Any], what: str) -> None:
        reply = await self._call(call_id, form)
        is_over = reply.status == 404 or _code(reply) in (ALREADY_OVER, NOT_IN_PROGRESS)
        if not reply.is_success and not is_over:
            raise self._problem(reply, what)

    async def _call(self, call_id: str, form: Mapping[str, Any]) -> Reply:
        path = f"{self._account}/Calls/{quote(call_id, safe='')}.json"
        return await self._rest.send("POST", path, auth=self._auth, form=form)

    async def _number(self, number: str) -> Mapping[str, Any] | None:
        reply = await self._rest.send(
            "GET",
            f"{self._account}/IncomingPhoneNumbers.json",
            auth=self._auth,
            query={"PhoneNumber": number},
        )
        if not reply.is_success:
            raise self._problem(reply, f"look up {number}")
        return find_row(reply.document.get("incoming_phone_numbers"), "phone_number", number)

    async def _owned_number(self, number: str) -> Mapping[str, Any]:
        resource = await self._number(number)
        if resource is None:
            raise CarrierProblem(
                ProblemKind.NOT_FOUND, f"The account at Twilio does not have the number {number}."
            )
        return resource

    async def _set_webhooks(
        self,
        resource: Mapping[str, Any],
        voice_url: str,
        status_url: str,
        unset: Mapping[str, str],
    ) -> None:
        sid = quote(str(resource.get("sid")), safe="")
        reply = await self._rest.send(
            "POST",
            f"{self._account}/IncomingPhoneNumbers/{sid}.json",
            auth=self._auth,
            form={
                "VoiceUrl": voice_url,
                "VoiceMethod": "POST",
                "StatusCallback": status_url,
                "StatusCallbackMethod": "POST",
                **unset,
            },
        )
        if not reply.is_success:
            raise self._problem(reply, "set the number's webhooks")

    def _problem(self, reply: Reply, what: str) -> CarrierProblem:
        code = _code(reply)
        return self._rest.problem(
            reply,
            what,
            said=text_of(reply.document, "message"),
            code=code,
            kind=_KINDS.get(code or ""),
        )


def _code(reply: Reply) -> str | None:
    code = reply.document.get("code")
    return str(code) if isinstance(code, int | str) else None
