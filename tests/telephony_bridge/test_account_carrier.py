"""Dialing through an account: what its carrier tells, in whatever order it comes."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from redis.asyncio import Redis

from carriers.account import CarrierName
from carriers.api import CarrierProblem, DialRefused, ProblemKind
from carriers.call_events import StageReached
from contracts import redis_names
from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialRequest, LegStage, LostLeg
from contracts.inbound_calls import InboundAdmitted
from contracts.versions import read_json
from telephony_bridge import hang_up
from telephony_bridge.account_carrier import AccountCarrier, DialedCall, DialedLegs
from telephony_bridge.carrier import CarrierRefused, Ringing
from tests.telephony_bridge.conftest import PUBLIC_URL, dial_request
from tests.telephony_bridge.twilio_line import CALLER, OUR_NUMBER


class EagerCarrier:
    """An account, and its API, which tells that the phone rings before it answers the request, if
    it answers."""

    problem: ProblemKind | None = None
    tells = True
    refused_hang_ups = 0
    hang_ups = 0

    def __init__(self, legs: DialedLegs, request: DialRequest) -> None:
        self.spec = SimpleNamespace(name=CarrierName.TWILIO)
        self.account_id = request.account_id
        self.api = self
        self._legs = legs
        self._request = request

    async def find(self, account_id: Any) -> EagerCarrier:
        return self

    async def hang_up(self, call_id: str) -> None:
        self.hang_ups += 1
        if self.hang_ups <= self.refused_hang_ups:
            raise CarrierProblem(ProblemKind.UNREACHABLE, "Not now.")

    async def dial(self, wanted: Any) -> str:
        dialed = DialedCall(bridge_id="b-1", request=self._request)
        if self.tells:
            await self._legs.tell(dialed, StageReached("CA1", LegStage.RINGING, "ringing"))
        if self.problem is not None:
            problem = CarrierProblem(self.problem, "No answer in time.")
            raise DialRefused(DialOutcome.FAILED, problem)
        return "CA1"


def any_request() -> DialRequest:
    admitted = InboundAdmitted(
        call_id=uuid4(),
        tenant_id=uuid4(),
        participant_id=uuid4(),
        attempt_id=uuid4(),
        telephony_leg_id=uuid4(),
        from_number=CALLER,
        to_number=OUR_NUMBER,
    )
    return dial_request(admitted, uuid4())


async def test_a_status_that_comes_before_the_answer_to_the_request_counts(redis: Redis) -> None:
    legs, request = DialedLegs(redis, "b-1"), any_request()
    accounts: Any = EagerCarrier(legs, request)
    leg = await AccountCarrier(CarrierName.TWILIO, accounts, legs, PUBLIC_URL).dial(request)
    assert await anext(leg.states()) == Ringing()


async def test_every_replica_knows_the_carriers_id_of_a_dialed_call(redis: Redis) -> None:
    legs, request = DialedLegs(redis, "b-1"), any_request()
    accounts: Any = EagerCarrier(legs, request)
    await AccountCarrier(CarrierName.TWILIO, accounts, legs, PUBLIC_URL).dial(request)
    assert await DialedLegs(redis, "b-2").placed(request.attempt_id) == "CA1"


async def test_a_call_that_rings_goes_on_even_if_its_request_was_not_answered_in_time(
    redis: Redis,
) -> None:
    legs, request = DialedLegs(redis, "b-1"), any_request()
    accounts: Any = EagerCarrier(legs, request)
    accounts.problem = ProblemKind.UNREACHABLE
    leg = await AccountCarrier(CarrierName.TWILIO, accounts, legs, PUBLIC_URL).dial(request)
    assert await anext(leg.states()) == Ringing()
    assert await legs.placed(request.attempt_id) == "CA1"
    assert not await legs.was_given_up(request.attempt_id)


async def test_a_call_that_another_replica_heard_ringing_goes_on_without_an_answer(
    redis: Redis,
) -> None:
    legs, request = DialedLegs(redis, "b-1"), any_request()
    accounts: Any = EagerCarrier(DialedLegs(redis, "b-2"), request)
    accounts.problem = ProblemKind.UNREACHABLE
    leg = await AccountCarrier(CarrierName.TWILIO, accounts, legs, PUBLIC_URL).dial(request)
    await legs.read_told()
    assert await anext(leg.states()) == Ringing()
    assert leg.carrier_call_id == "CA1"
    assert not await legs.was_given_up(request.attempt_id)


async def test_a_call_of_which_nobody_can_be_asked_is_given_up(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def placed(_: Any) -> str:
        raise ConnectionError

    legs, request = DialedLegs(redis, "b-1"), any_request()
    accounts: Any = EagerCarrier(DialedLegs(redis, "b-2"), request)
    accounts.problem = ProblemKind.UNREACHABLE
    monkeypatch.setattr(legs, "placed", placed)
    with pytest.raises(CarrierRefused):
        await AccountCarrier(CarrierName.TWILIO, accounts, legs, PUBLIC_URL).dial(request)
    assert await legs.was_given_up(request.attempt_id)


@pytest.mark.parametrize("problem", [ProblemKind.RATE_LIMITED, ProblemKind.REFUSED])
async def test_a_call_that_its_carrier_only_does_not_take_now_may_be_dialed_in_a_moment(
    redis: Redis, problem: ProblemKind
) -> None:
    legs, request = DialedLegs(redis, "b-1"), any_request()
    accounts: Any = EagerCarrier(legs, request)
    accounts.problem, accounts.tells = problem, False
    with pytest.raises(CarrierRefused) as refused:
        await AccountCarrier(CarrierName.TWILIO, accounts, legs, PUBLIC_URL).dial(request)
    assert refused.value.is_too_soon is (problem is ProblemKind.RATE_LIMITED)


@pytest.mark.parametrize(
    ("problem", "is_given_up"), [(ProblemKind.UNREACHABLE, True), (ProblemKind.REFUSED, False)]
)
async def test_a_call_that_may_have_been_placed_is_given_up(
    redis: Redis, problem: ProblemKind, *, is_given_up: bool
) -> None:
    legs, request = DialedLegs(redis, "b-1"), any_request()
    accounts: Any = EagerCarrier(legs, request)
    accounts.problem, accounts.tells = problem, False
    with pytest.raises(CarrierRefused):
        await AccountCarrier(CarrierName.TWILIO, accounts, legs, PUBLIC_URL).dial(request)
    assert await DialedLegs(redis, "b-2").was_given_up(request.attempt_id) is is_given_up
    assert not legs.has(request.attempt_id)


@pytest.mark.parametrize(("refused", "is_given_up"), [(2, False), (3, True)])
async def test_a_call_that_its_carrier_does_not_hang_up_is_hung_up_again(
    redis: Redis, monkeypatch: pytest.MonkeyPatch, refused: int, *, is_given_up: bool
) -> None:
    monkeypatch.setattr(hang_up, "PAUSE_SECONDS", 0.0)
    legs, request = DialedLegs(redis, "b-1"), any_request()
    accounts: Any = EagerCarrier(legs, request)
    accounts.refused_hang_ups = refused
    leg = await AccountCarrier(CarrierName.TWILIO, accounts, legs, PUBLIC_URL).dial(request)
    with pytest.raises(CarrierRefused) if is_given_up else nullcontext():
        await leg.hang_up()
    assert accounts.hang_ups == 3
    assert await DialedLegs(redis, "b-2").was_given_up(request.attempt_id) is is_given_up
    left_open = [
        read_json(LostLeg, entry[redis_names.FIELD]).carrier_call_id
        for _, entry in await redis.xrange(redis_names.LOST_LEGS)
    ]
    assert left_open == (["CA1"] if is_given_up else [])
