"""Plivo's REST API. Source: https://www.plivo.com/docs/voice/api"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from carriers.account import CarrierName, PlivoCredentials
from carriers.answers import ApiCommand
from carriers.api import (
    CarrierProblem,
    Dial,
    DialRefused,
    MachineDetection,
    ProblemKind,
    WebhookAddresses,
)
from carriers.json_message import find_row, id_of, text_of
from carriers.phone_number import without_plus
from carriers.rest import CarrierRest, Reply
from carriers.settings import CarrierSettings
from contracts.dial_outcome import DialOutcome

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
"""What the name of an application cannot have. Source:
https://docs.plivo.com/docs/account/api/application/create-an-application"""


class PlivoApi:
    def __init__(
        self,
        credentials: PlivoCredentials,
        settings: CarrierSettings,
        client: httpx2.AsyncClient,
    ) -> None:
        self._credentials = credentials
        self._rest = CarrierRest(
            client, "Plivo", settings.base_url(CarrierName.PLIVO), settings.request_seconds
        )
        self._auth = (credentials.auth_id, credentials.auth_token.get_secret_value())
        self._account = f"/v1/Account/{credentials.auth_id}"

    async def verify(self) -> None:
        what = "show the account"
        reply = await self._done("GET", "/", what)
        credit = reply.document.get("cash_credits")
        if reply.document.get("auto_recharge") is False and _is_spent(credit):
            raise self._rest.problem(
                reply, what, said=f"its balance is {credit}", kind=ProblemKind.NO_CREDIT
            )

    async def prepare_account(self, webhooks: WebhookAddresses) -> PlivoCredentials:
        """The application with our webhooks."""
        body = {
            "answer_url": webhooks.voice_url,
            "answer_method": "POST",
            "hangup_url": webhooks.status_url,
            "hangup_method": "POST",
        }
        name = _NOT_IN_NAMES.sub("-", webhooks.application_name)
        application = self._credentials.application_id
        if application is None:
            application = await self._application(name)
        if application is not None:
            path = f"/Application/{quote(application, safe='')}/"
            await self._done("POST", path, "change the application", body)
        else:
            body["app_name"] = name
            reply = await self._done("POST", "/Application/", "create an application", body)
            application = id_of(reply.document, "app_id")
        if application is None:
            raise CarrierProblem(ProblemKind.REFUSED, "Plivo gave its new application no id.")
        return self._credentials.model_copy(update={"application_id": application})

    async def owns_number(self, number: str) -> bool:
        reply = await self._send("GET", _number_path(number))
        if reply.status == 404:
            return False
        if not reply.is_success:
            raise self._problem(reply, f"look up {number}")
        return True

    async def bind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        application = self._credentials.application_id
        if application is None:
            raise CarrierProblem(
                ProblemKind.REFUSED, "The account at Plivo has no application of ours yet."
            )
        reply = await self._send("POST", _number_path(number), {"app_id": application})
        if reply.status == 404:
            raise CarrierProblem(
                ProblemKind.NOT_FOUND, f"The account at Plivo does not have the number {number}."
            )
        if not reply.is_success:
            raise self._problem(reply, "bind the number")

    async def unbind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        """Nothing: the application serves other numbers too."""

    async def dial(self, dial: Dial) -> str:
        body: dict[str, Any] = {
            "from": without_plus(dial.from_number),
            "to": without_plus(dial.to_number),
            "answer_url": dial.voice_url,
            "answer_method": "POST",
            "ring_url": dial.status_url,
            "ring_method": "POST",
            "hangup_url": dial.status_url,
            "hangup_method": "POST",
            "ring_timeout": dial.ring_timeout_seconds,
        }
        if dial.machine_detection is not MachineDetection.OFF:
            body |= {
                "machine_detection": "true",
                "machine_detection_url": dial.status_url,
                "machine_detection_method": "POST",
            }
        try:
            reply = await self._send("POST", "/Call/", body)
        except CarrierProblem as unplaced:
            raise DialRefused(DialOutcome.FAILED, unplaced) from unplaced
        call_id = id_of(reply.document, "request_uuid")
        if not reply.is_success or call_id is None:
            problem = self._problem(reply, "place the call")
            is_number = reply.status == 400 and "to parameter" in problem.message.lower()
            raise DialRefused(DialOutcome.UNREACHABLE if is_number else DialOutcome.FAILED, problem)
        return call_id

    async def hang_up(self, call_id: str) -> None:
        # Until it rings, Plivo knows a call that we dialed only as a request.
        for kind in ("Call", "Request"):
            reply = await self._send("DELETE", f"/{kind}/{quote(call_id, safe='')}/")
            if reply.is_success:
                return
            if reply.status != 404:
                raise self._problem(reply, "hang up")

    async def send_dtmf(self, call_id: str, digits: str) -> None:
        path = f"/Call/{quote(call_id, safe='')}/DTMF/"
        await self._done("POST", path, "send the keys", {"digits": digits, "leg": "aleg"})

    async def transfer(
        self, call_id: str, to_number: str, from_number: str, transfer_url: str
    ) -> None:
        body = {"legs": "aleg", "aleg_url": transfer_url, "aleg_method": "POST"}
        path = f"/Call/{quote(call_id, safe='')}/"
        await self._done("POST", path, "transfer the call", body)

    async def run(self, commands: Sequence[ApiCommand]) -> None:
        """Plivo's answers are documents: there are no commands."""

    async def _application(self, name: str) -> str | None:
        reply = await self._done(
            "GET", "/Application/", "show its applications", query={"app_name": name}
        )
        return id_of(find_row(reply.document.get("objects"), "app_name", name), "app_id")

    async def _done(
        self,
        method: str,
        path: str,
        what: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Reply:
        reply = await self._send(method, path, body, query)
        if not reply.is_success:
            raise self._problem(reply, what)
        return reply

    async def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Reply:
        return await self._rest.send(
            method, self._account + path, auth=self._auth, query=query, document=body
        )

    def _problem(self, reply: Reply, what: str) -> CarrierProblem:
        # A refusal of credentials is plain text.
        said = text_of(reply.document, "error") or (None if reply.document else reply.text)
        return self._rest.problem(reply, what, said=said)


def _number_path(number: str) -> str:
    return f"/Number/{quote(without_plus(number), safe='')}/"


def _is_spent(credit: object) -> bool:
    try:
        return float(str(credit)) <= 0
    except ValueError:
        return False
