"""What is done at a carrier after its webhook was answered: the carrier does not ask again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Literal
from uuid import UUID, uuid4

import pytest
from redis.asyncio import Redis

from carriers.answers import Answer, ApiCommand
from carriers.api import CarrierProblem, ProblemKind
from carriers.signed_request import CarrierRequest, Proof, Repeat
from carriers.telnyx.carrier import TELNYX
from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount
from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage, LostLeg
from contracts.inbound_calls import InboundAdmitted, InboundRefusal, InboundRefused
from contracts.versions import read_json
from telephony_bridge.account_carrier import DialedLegs
from telephony_bridge.tickets import LegTicket, Tickets
from telephony_bridge.webhooks import app
from telephony_bridge.webhooks.accounts import OpenAccount
from telephony_bridge.webhooks.app import PAUSES_SECONDS, _after, carry_out
from telephony_bridge.webhooks.seen import Seen
from telephony_bridge.webhooks.webhooks import Afterwards, Webhooks
from tests.telephony_bridge.conftest import PUBLIC_URL, ControlPlaneEnd, dial_request
from tests.telephony_bridge.twilio_line import CALLER, OUR_NUMBER

CALL_ID = "v3:call-1"


class Command:
    """Fails so often."""

    def __init__(self, failures: int, kind: ProblemKind) -> None:
        self._failures = failures
        self._kind = kind
        self.tries = 0

    async def __call__(self) -> None:
        self.tries += 1
        if self.tries <= self._failures:
            raise CarrierProblem(self._kind, "Not now.")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "PAUSES_SECONDS", (0.0,) * len(PAUSES_SECONDS))


@pytest.mark.parametrize("kind", [ProblemKind.UNREACHABLE, ProblemKind.RATE_LIMITED])
async def test_a_command_that_a_carrier_could_not_take_is_sent_again(kind: ProblemKind) -> None:
    command = Command(2, kind)
    await _after(command)
    assert command.tries == 3


async def test_a_carrier_that_stays_away_is_given_up() -> None:
    command = Command(100, ProblemKind.UNREACHABLE)
    await _after(command)
    assert command.tries == len(PAUSES_SECONDS) + 1


async def test_a_command_that_a_carrier_refuses_is_not_sent_again() -> None:
    command = Command(100, ProblemKind.REFUSED)
    await _after(command)
    assert command.tries == 1


class Telnyx:
    """An account at Telnyx that takes no command but to hang up, and its webhooks at our side."""

    def __init__(self, redis: Redis, kind: ProblemKind = ProblemKind.REFUSED) -> None:
        self.admitted = ControlPlaneEnd(redis).admitted
        self.decision: InboundAdmitted | InboundRefused = self.admitted
        self.hung_up: list[str] = []
        self.hangs_up = True
        self.reports: list[tuple[UUID, LegStage, DialOutcome | None, str | None]] = []
        self.tickets = Tickets(redis)
        self.account_id = uuid4()
        self._kind = kind
        self._dialed = DialedLegs(redis, "b-1")
        desk: Any = SimpleNamespace(ask=self._ask)
        machines: Any = None
        self._webhooks = Webhooks(
            PUBLIC_URL,
            Seen(redis),
            desk,
            self.tickets,
            self._dialed,
            machines,
            self._report,
            lambda: 0.0,
        )

    async def run(self, commands: Sequence[ApiCommand]) -> None:
        raise CarrierProblem(self._kind, "Telnyx did not answer the call: No.", "90034")

    async def hang_up(self, call_id: str) -> None:
        if not self.hangs_up:
            raise CarrierProblem(self._kind, "Telnyx did not hang up: No.")
        self.hung_up.append(call_id)

    async def webhook(self, direction: Literal["inbound", "outbound"]) -> tuple[Answer, Afterwards]:
        """Somebody calls us, or the phone that we have called is answered."""
        url = f"{PUBLIC_URL}/carriers/telnyx/{self.account_id}/voice"
        payload = {"call_control_id": CALL_ID, "direction": "incoming"}
        event = "call.initiated"
        if direction == "outbound":
            await self._dialed.remember(dial_request(self.admitted, self.account_id))
            url += f"?attempt={self.admitted.attempt_id}"
            event, payload["direction"] = "call.answered", "outgoing"
        payload |= {"from": CALLER, "to": OUR_NUMBER}
        body = json.dumps({"data": {"event_type": event, "payload": payload}}).encode()
        request = CarrierRequest("POST", url, {}, body)
        answer, afterwards = await self._webhooks.answer(self._account(), request, lambda _: None)
        assert afterwards is not None
        return answer, afterwards

    def _account(self) -> OpenAccount:
        document = CarrierAccount(
            account_id=self.account_id,
            revision=1,
            provider="telnyx",
            tenant_id=None,
            sealed_credentials="sealed",
            refuse_with="sentence",
        )
        signatures: Any = SimpleNamespace(
            check_webhook=lambda *_: Proof(uuid4().hex, Repeat.DUPLICATE, 60)
        )
        api: Any = self
        return OpenAccount(document, TELNYX, signatures, api)

    async def _ask(self, *_: object) -> InboundAdmitted | InboundRefused:
        return self.decision

    def _report(
        self, leg: LegTicket, stage: LegStage, outcome: DialOutcome | None, detail: str | None
    ) -> None:
        self.reports.append((leg.attempt_id, stage, outcome, detail))


@pytest.mark.parametrize("direction", ["inbound", "outbound"])
async def test_a_call_whose_carrier_refuses_to_connect_its_sound_has_failed_and_is_hung_up(
    redis: Redis, direction: Literal["inbound", "outbound"]
) -> None:
    telnyx = Telnyx(redis)
    _, afterwards = await telnyx.webhook(direction)
    await carry_out(afterwards)
    why = "Telnyx did not answer the call: No. (code 90034)"
    assert telnyx.reports == [(telnyx.admitted.attempt_id, LegStage.ENDED, DialOutcome.FAILED, why)]
    assert telnyx.hung_up == [CALL_ID]


async def test_a_call_that_its_carrier_neither_connects_nor_hangs_up_is_hung_up_later(
    redis: Redis,
) -> None:
    telnyx = Telnyx(redis)
    telnyx.hangs_up = False
    _, afterwards = await telnyx.webhook("outbound")
    await carry_out(afterwards)
    [(_, entry)] = await redis.xrange(redis_names.LOST_LEGS)
    left_open = read_json(LostLeg, entry[redis_names.FIELD])
    assert (left_open.account_id, left_open.carrier_call_id) == (telnyx.account_id, CALL_ID)


async def test_a_refused_caller_who_cannot_be_told_why_is_hung_up(redis: Redis) -> None:
    telnyx = Telnyx(redis)
    telnyx.decision = InboundRefused(kind=InboundRefusal.NO_AGENT, detail="as told")
    _, afterwards = await telnyx.webhook("inbound")
    await carry_out(afterwards)
    assert telnyx.hung_up == [CALL_ID]
    assert telnyx.reports == []


async def test_a_call_whose_sound_has_come_goes_on_although_its_carrier_does_not_answer(
    redis: Redis,
) -> None:
    telnyx = Telnyx(redis, ProblemKind.UNREACHABLE)
    answer, afterwards = await telnyx.webhook("outbound")
    token = answer.commands[0].body["stream_auth_token"]
    assert await telnyx.tickets.redeem(token, telnyx.account_id) is not None
    await carry_out(afterwards)
    assert telnyx.hung_up == []
    assert telnyx.reports == []
