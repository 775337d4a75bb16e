"""Vonage's REST API. Source: https://developer.vonage.com/en/api (Voice, Application, Numbers)"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

import httpx2
from pydantic import SecretStr

from carriers.account import CarrierName, VonageCredentials
from carriers.answers import ApiCommand
from carriers.api import (
    CarrierProblem,
    Dial,
    DialRefused,
    MachineDetection,
    ProblemKind,
    WebhookAddresses,
)
from carriers.json_message import find_row, member, text_of
from carriers.phone_number import without_plus
from carriers.rest import CarrierRest, Reply
from carriers.settings import CarrierSettings
from carriers.vonage.answer import connect_phone_action
from carriers.vonage.application import find_application, updated_application
from carriers.vonage.application_key import application_token, new_private_key, public_key
from carriers.vonage.webhook import for_dialed_call
from contracts.dial_outcome import DialOutcome

PAGE_SIZE = 100
MAX_PAGES = 10
MAX_RING_SECONDS = 120
_APPLICATIONS = "/v2/applications"


class VonageApi:
    def __init__(
        self,
        credentials: VonageCredentials,
        settings: CarrierSettings,
        client: httpx2.AsyncClient,
    ) -> None:
        self._credentials = credentials
        self._auth = (credentials.api_key, credentials.api_secret.get_secret_value())
        self._rest = CarrierRest(
            client, "Vonage", settings.base_url(CarrierName.VONAGE), settings.request_seconds
        )
        self._numbers = CarrierRest(
            client, "Vonage", settings.vonage_numbers_base_url(), settings.request_seconds
        )

    async def verify(self) -> None:
        """Vonage cannot be asked about the signature secret: the first webhook proves it."""
        query = {"page_size": "1"}
        await self._account_request("GET", _APPLICATIONS, "show the account", query=query)
        if self._credentials.application_id is None:
            return
        reply = await self._rest.send("GET", "/v1/calls", bearer=await self._token(), query=query)
        if not reply.is_success:
            raise self._problem(
                reply, "accept the application's private key", kind=_key_problem(reply)
            )

    async def prepare_account(self, webhooks: WebhookAddresses) -> VonageCredentials:
        """The application with our webhooks and with signed callbacks, and its key.

        A new key replaces that of an application with our name: only we can have had it.
        """
        application_id, private_key = self._credentials.application_id, None
        if application_id is None:
            application_id = await self._application(webhooks.application_name)
            private_key = await asyncio.to_thread(new_private_key)
        public = None if private_key is None else public_key(private_key)
        if application_id is None:
            body = updated_application({"name": webhooks.application_name}, webhooks, public)
            reply = await self._account_request(
                "POST", _APPLICATIONS, "create an application", body
            )
            application_id = text_of(reply.document, "id")
        else:
            path = f"{_APPLICATIONS}/{quote(application_id, safe='')}"
            reply = await self._account_request("GET", path, "show the application")
            body = updated_application(reply.document, webhooks, public)
            await self._account_request("PUT", path, "change the application", body)
        if application_id is None:
            raise CarrierProblem(ProblemKind.REFUSED, "Vonage gave its new application no id.")
        update: dict[str, Any] = {"application_id": application_id}
        if private_key is not None:
            update["private_key"] = SecretStr(private_key)
        return self._credentials.model_copy(update=update)

    async def owns_number(self, number: str) -> bool:
        return await self._number(number) is not None

    async def bind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        application_id, _ = self._application_key()
        resource = await self._number(number)
        if resource is None:
            raise CarrierProblem(
                ProblemKind.NOT_FOUND, f"The account at Vonage does not have the number {number}."
            )
        form = {
            "country": str(resource.get("country", "")),
            "msisdn": without_plus(number),
            "app_id": application_id,
        }
        what = "bind the number"
        if (sms_webhook := text_of(resource, "moHttpUrl")) is not None:
            # What a change does not name is removed. Vonage asks the webhook before it takes it.
            form["moHttpUrl"] = sms_webhook
            what += ", whose SMS webhook has to answer"
        reply = await self._numbers.send("POST", "/number/update", auth=self._auth, form=form)
        if not reply.is_success or reply.document.get("error-code", "200") != "200":
            raise self._problem(reply, what)

    async def unbind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        """Nothing: the application serves other numbers too."""

    async def dial(self, dial: Dial) -> str:
        body: dict[str, Any] = {
            "to": [{"type": "phone", "number": without_plus(dial.to_number)}],
            "from": {"type": "phone", "number": without_plus(dial.from_number)},
            "answer_url": [for_dialed_call(dial.voice_url)],
            "answer_method": "POST",
            "event_url": [dial.status_url],
            "event_method": "POST",
            "ringing_timer": min(dial.ring_timeout_seconds, MAX_RING_SECONDS),
        }
        if dial.machine_detection is MachineDetection.DETECT:
            body["machine_detection"] = "continue"
        elif dial.machine_detection is MachineDetection.DETECT_AND_WAIT:
            # The mode that does not delay the answer.
            body["advanced_machine_detection"] = {"behavior": "continue", "mode": "default"}
        try:
            reply = await self._call_request("POST", "/v1/calls", body)
        except CarrierProblem as unplaced:
            raise DialRefused(DialOutcome.FAILED, unplaced) from unplaced
        call_id = text_of(reply.document, "uuid")
        if not reply.is_success or call_id is None:
            problem = self._problem(reply, "place the call")
            is_number = reply.status == 400 and "to" in _invalid_fields(reply)
            raise DialRefused(DialOutcome.UNREACHABLE if is_number else DialOutcome.FAILED, problem)
        return call_id

    async def hang_up(self, call_id: str) -> None:
        reply = await self._call_request("PUT", _call_path(call_id), {"action": "hangup"})
        if not reply.is_success and reply.status != 404:
            raise self._problem(reply, "hang up")

    async def send_dtmf(self, call_id: str, digits: str) -> None:
        path = f"{_call_path(call_id)}/dtmf"
        reply = await self._call_request("PUT", path, {"digits": digits})
        if not reply.is_success:
            raise self._problem(reply, "send the keys")

    async def transfer(
        self, call_id: str, to_number: str, from_number: str, transfer_url: str
    ) -> None:
        actions = [connect_phone_action(to_number, from_number)]
        body = {"action": "transfer", "destination": {"type": "ncco", "ncco": actions}}
        reply = await self._call_request("PUT", _call_path(call_id), body)
        if not reply.is_success:
            raise self._problem(reply, "transfer the call")

    async def run(self, commands: Sequence[ApiCommand]) -> None:
        """Vonage's answers are documents: there are no commands."""

    async def _application(self, name: str) -> str | None:
        for page in range(1, MAX_PAGES + 1):
            reply = await self._account_request(
                "GET",
                _APPLICATIONS,
                "show its applications",
                query={"page_size": str(PAGE_SIZE), "page": str(page)},
            )
            rows = member(reply.document, "_embedded").get("applications")
            found = find_application(rows, name)
            if found is not None or not isinstance(rows, list) or len(rows) < PAGE_SIZE:
                return found
        return None

    async def _number(self, number: str) -> Mapping[str, Any] | None:
        reply = await self._numbers.send(
            "GET", "/account/numbers", auth=self._auth, query={"pattern": without_plus(number)}
        )
        if not reply.is_success:
            raise self._problem(reply, f"look up {number}")
        return find_row(reply.document.get("numbers"), "msisdn", without_plus(number))

    async def _account_request(
        self,
        method: str,
        path: str,
        what: str,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Reply:
        reply = await self._rest.send(method, path, auth=self._auth, query=query, document=body)
        if not reply.is_success:
            raise self._problem(reply, what)
        return reply

    async def _call_request(self, method: str, path: str, body: Mapping[str, Any]) -> Reply:
        return await self._rest.send(method, path, bearer=await self._token(), document=body)

    async def _token(self) -> str:
        # Signing takes a millisecond or two of an event loop that carries sound.
        return await asyncio.to_thread(application_token, *self._application_key())

    def _application_key(self) -> tuple[str, str]:
        credentials = self._credentials
        if credentials.application_id is None or credentials.private_key is None:
            raise CarrierProblem(
                ProblemKind.REFUSED, "The account at Vonage has no application of ours yet."
            )
        return credentials.application_id, credentials.private_key.get_secret_value()

    def _problem(self, reply: Reply, what: str, kind: ProblemKind | None = None) -> CarrierProblem:
        document = reply.document
        said = (
            text_of(document, "detail")
            or text_of(document, "title")
            or text_of(document, "error-code-label")
            or text_of(document, "error_title")
        )
        code = text_of(document, "error-code")
        return self._rest.problem(reply, what, said=said, code=code, kind=kind)


def _call_path(call_id: str) -> str:
    return f"/v1/calls/{quote(call_id, safe='')}"


def _key_problem(reply: Reply) -> ProblemKind | None:
    """The account itself was accepted before."""
    return ProblemKind.NOT_ALLOWED if reply.status == 401 else None


def _invalid_fields(reply: Reply) -> set[str]:
    rows = reply.document.get("invalid_parameters")
    return {
        str(row.get("name", "")).split(".")[0].split("[")[0]
        for row in (rows if isinstance(rows, list) else ())
        if isinstance(row, dict)
    }
