"""Carriers' APIs for tests of what the control plane does with their answers. What they send over
the wire is tested with the carriers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from carriers.account import AnyCredentials, PlivoCredentials, revealed
from carriers.answers import ApiCommand
from carriers.api import CarrierProblem, Dial, ProblemKind, WebhookAddresses
from control_plane.calling.carriers.access import CarrierAccess

TWILIO = {"account_sid": "AC" + "0" * 32, "auth_token": "a-token-of-the-tenant"}
PLIVO = {"auth_id": "MA0000000000", "auth_token": "another-token"}
BRIDGE_URL = "https://phones.switchboard.test"


@dataclass
class FakeCarrier:
    """One account at a carrier."""

    numbers: set[str] = field(default_factory=set)
    verify_problem: CarrierProblem | None = None
    wrong_secrets: set[str] = field(default_factory=set)
    """Credentials that it does not accept."""
    bind_problem: Exception | None = None
    answers: asyncio.Event = field(default_factory=asyncio.Event)
    """Until it is set, the carrier does not answer."""
    bound: dict[str, str] = field(default_factory=dict)
    """Number → the address that its inbound calls go to."""
    asked: int = 0
    """How often it was asked for anything."""
    applications_made: int = 0

    def __post_init__(self) -> None:
        self.answers.set()


class FakeApi:
    def __init__(self, carrier: FakeCarrier, credentials: AnyCredentials) -> None:
        self._carrier = carrier
        self._credentials = credentials

    async def verify(self) -> None:
        self._carrier.asked += 1
        await self._carrier.answers.wait()
        if self._carrier.verify_problem is not None:
            raise self._carrier.verify_problem
        if self._carrier.wrong_secrets & set(revealed(self._credentials).values()):
            raise CarrierProblem(ProblemKind.WRONG_CREDENTIALS, "It does not accept these.")

    async def prepare_account(self, webhooks: WebhookAddresses) -> AnyCredentials:
        await self.verify()
        if isinstance(self._credentials, PlivoCredentials):
            self._carrier.applications_made += self._credentials.application_id is None
            return self._credentials.model_copy(update={"application_id": "made-for-us"})
        return self._credentials

    async def owns_number(self, number: str) -> bool:
        await self.verify()
        return number in self._carrier.numbers

    async def bind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        if self._carrier.bind_problem is not None:
            raise self._carrier.bind_problem
        self._carrier.bound[number] = webhooks.voice_url

    async def unbind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        self._carrier.bound.pop(number, None)

    async def dial(self, dial: Dial) -> str:
        raise NotImplementedError("the control plane dials through bridges")

    async def hang_up(self, call_id: str) -> None:
        raise NotImplementedError("the control plane hangs up through bridges")

    async def send_dtmf(self, call_id: str, digits: str) -> None:
        raise NotImplementedError("the control plane sends nothing into calls")

    async def transfer(
        self, call_id: str, to_number: str, from_number: str, transfer_url: str
    ) -> None:
        raise NotImplementedError("the control plane transfers nothing")

    async def run(self, commands: Sequence[ApiCommand]) -> None:
        raise NotImplementedError("the control plane answers no webhook")


class FakeAccess:
    """In place of ``CarrierAccess``: one carrier for each provider."""

    def __init__(self, real: CarrierAccess) -> None:
        self._real = real
        self.twilio = FakeCarrier()
        self.plivo = FakeCarrier()

    def api(self, credentials: AnyCredentials) -> FakeApi:
        carrier = self.plivo if credentials.provider == "plivo" else self.twilio
        return FakeApi(carrier, credentials)

    def webhooks(self, provider: str, account_id: UUID) -> WebhookAddresses | None:
        return self._real.webhooks(provider, account_id)
