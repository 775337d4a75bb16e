"""Telnyx's REST API. Source: https://developers.telnyx.com/api-reference"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx2

from carriers.account import CarrierName, TelnyxCredentials
from carriers.answers import ApiCommand
from carriers.api import (
    CarrierProblem,
    Dial,
    DialRefused,
    MachineDetection,
    ProblemKind,
    WebhookAddresses,
)
from carriers.json_message import find_row, id_of, member, text_of
from carriers.rest import CarrierRest, Reply
from carriers.settings import CarrierSettings
from carriers.telnyx.statuses import REFUSALS
from contracts.dial_outcome import DialOutcome

ALREADY_OVER = "90018"
NOT_ANSWERED_YET = "90034"
ANSWER_PAUSES_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6)
"""Telnyx takes the command to answer before the call is up. Until it is, others are refused."""
MAX_RING_SECONDS = 600
_APPLICATIONS = "/v2/call_control_applications"
_DETECTION = {
    MachineDetection.DETECT: "detect",
    MachineDetection.DETECT_AND_WAIT: "greeting_end",
}


class TelnyxApi:
    def __init__(
        self,
        credentials: TelnyxCredentials,
        settings: CarrierSettings,
        client: httpx2.AsyncClient,
    ) -> None:
        self._credentials = credentials
        self._key = credentials.api_key.get_secret_value()
        self._rest = CarrierRest(
            client, "Telnyx", settings.base_url(CarrierName.TELNYX), settings.request_seconds
        )

    async def verify(self) -> None:
        await self._done("GET", "/v2/balance", "show the account")

    async def prepare_account(self, webhooks: WebhookAddresses) -> TelnyxCredentials:
        """The Call Control application with our webhooks, and what it may dial by."""
        profile = self._credentials.outbound_voice_profile_id or await self._profile()
        body: dict[str, Any] = {
            "application_name": webhooks.application_name,
            "webhook_event_url": webhooks.voice_url,
            "webhook_api_version": "2",
            "active": True,
        }
        if profile is not None:
            body["outbound"] = {"outbound_voice_profile_id": profile}
        connection = self._credentials.connection_id
        if connection is None:
            connection = await self._application(webhooks.application_name)
        if connection is None:
            reply = await self._done("POST", _APPLICATIONS, "create an application", body)
            connection = id_of(member(reply.document, "data"))
        else:
            path = f"{_APPLICATIONS}/{quote(connection, safe='')}"
            reply = await self._done("GET", path, "show the application")
            if self._credentials.connection_id is not None:
                # The name belongs to the account's owner, and Telnyx wants it in every change.
                own_name = text_of(member(reply.document, "data"), "application_name")
                body["application_name"] = own_name or webhooks.application_name
            await self._done("PATCH", path, "change the application", body)
        if connection is None:
            raise CarrierProblem(ProblemKind.REFUSED, "Telnyx gave its new application no id.")
        return self._credentials.model_copy(
            update={"connection_id": connection, "outbound_voice_profile_id": profile}
        )

    async def owns_number(self, number: str) -> bool:
        return await self._number(number) is not None

    async def bind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        connection = self._connection()
        resource = await self._number(number)
        if resource is None:
            raise CarrierProblem(
                ProblemKind.NOT_FOUND, f"The account at Telnyx does not have the number {number}."
            )
        path = f"/v2/phone_numbers/{quote(id_of(resource) or '', safe='')}"
        await self._done("PATCH", path, "bind the number", {"connection_id": connection})

    async def unbind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        """Nothing: the application serves other numbers too."""

    async def dial(self, dial: Dial) -> str:
        body: dict[str, Any] = {
            "to": dial.to_number,
            "from": dial.from_number,
            "webhook_url": dial.voice_url,
            "webhook_url_method": "POST",
            "timeout_secs": min(max(dial.ring_timeout_seconds, 5), MAX_RING_SECONDS),
            "command_id": dial.reference,
            "client_state": base64.b64encode(dial.reference.encode()).decode(),
        }
        if dial.machine_detection in _DETECTION:
            body["answering_machine_detection"] = _DETECTION[dial.machine_detection]
        try:
            body["connection_id"] = self._connection()
            reply = await self._send("POST", "/v2/calls", body)
        except CarrierProblem as unplaced:
            raise DialRefused(DialOutcome.FAILED, unplaced) from unplaced
        call_id = text_of(member(reply.document, "data"), "call_control_id")
        if not reply.is_success or call_id is None:
            problem = self._problem(reply, "place the call")
            raise DialRefused(REFUSALS.get(problem.code or "", DialOutcome.FAILED), problem)
        return call_id

    async def hang_up(self, call_id: str) -> None:
        # Without an id: a hang-up that is tried again must not be ignored.
        await self.run([ApiCommand(f"/v2/calls/{quote(call_id, safe='')}/actions/hangup", {})])

    async def send_dtmf(self, call_id: str, digits: str) -> None:
        # Without an id: the same keys may be sent twice.
        path = f"/v2/calls/{quote(call_id, safe='')}/actions/send_dtmf"
        await self._done("POST", path, "send the keys", {"digits": digits})

    async def transfer(
        self, call_id: str, to_number: str, from_number: str, transfer_url: str
    ) -> None:
        path = f"/v2/calls/{quote(call_id, safe='')}/actions/transfer"
        body = {"to": to_number, "from": from_number}
        await self._done("POST", path, "transfer the call", body)

    async def run(self, commands: Sequence[ApiCommand]) -> None:
        for each in commands:
            reply = await self._commanded(each)
            if not reply.is_success:
                problem = self._problem(reply, f"{each.path.rsplit('/', 1)[-1]} the call")
                if problem.code == ALREADY_OVER or reply.status == 404:
                    return
                raise problem

    async def _commanded(self, command: ApiCommand) -> Reply:
        reply = await self._send("POST", command.path, command.body)
        # Without the id: it must not be ignored as one that came before.
        again = {name: value for name, value in command.body.items() if name != "command_id"}
        for pause_seconds in ANSWER_PAUSES_SECONDS:
            if self._problem(reply, "obey").code != NOT_ANSWERED_YET:
                break
            await asyncio.sleep(pause_seconds)
            reply = await self._send("POST", command.path, again)
        return reply

    async def _profile(self) -> str | None:
        """The only outbound voice profile of the account; ``None`` if there is a choice."""
        reply = await self._done("GET", "/v2/outbound_voice_profiles", "show voice profiles")
        profiles = _rows(reply)
        return id_of(profiles[0]) if len(profiles) == 1 else None

    async def _application(self, name: str) -> str | None:
        query = {"filter[application_name][contains]": name}
        reply = await self._done("GET", _APPLICATIONS, "show its applications", query=query)
        return id_of(find_row(reply.document.get("data"), "application_name", name))

    async def _number(self, number: str) -> Mapping[str, Any] | None:
        query = {"filter[phone_number]": number}
        reply = await self._done("GET", "/v2/phone_numbers", f"look up {number}", query=query)
        return find_row(reply.document.get("data"), "phone_number", number)

    def _connection(self) -> str:
        if self._credentials.connection_id is None:
            raise CarrierProblem(
                ProblemKind.REFUSED, "The account at Telnyx has no application of ours yet."
            )
        return self._credentials.connection_id

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
        return await self._rest.send(method, path, bearer=self._key, query=query, document=body)

    def _problem(self, reply: Reply, what: str) -> CarrierProblem:
        errors = reply.document.get("errors")
        first = errors[0] if isinstance(errors, list) and errors else {}
        error = first if isinstance(first, dict) else {}
        code = error.get("code")
        return self._rest.problem(
            reply,
            what,
            said=text_of(error, "detail") or text_of(error, "title"),
            code=str(code) if isinstance(code, int | str) else None,
        )


def _rows(reply: Reply) -> list[Mapping[str, Any]]:
    rows = reply.document.get("data")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
