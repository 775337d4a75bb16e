"""An attempt tells each stage once, in order, and always comes to an end."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialRequest, LegStage
from telephony_bridge import attempt as attempt_module
from telephony_bridge.attempt import Attempt
from telephony_bridge.carrier import CarrierRefused
from tests.stand_ins.simulated_carrier import (
    ANSWERS_AND_HANGS_UP,
    BUSY,
    DEAF,
    FAILS,
    LOSES_CONNECTION,
    NO_ANSWER,
    REJECTS,
    RINGS_ON,
    UNREACHABLE,
    Behaviour,
    SimulatedCarrier,
    SimulatedLeg,
)

CALLEE = "+14155550142"
Told = list[tuple[LegStage, DialOutcome | None]]


def attempt_at(carrier: SimulatedCarrier, told: Told, ring_timeout_seconds: float = 60) -> Attempt:
    request = DialRequest(
        attempt_id=uuid4(),
        telephony_leg_id=uuid4(),
        call_id=uuid4(),
        tenant_id=uuid4(),
        participant_id=uuid4(),
        carrier=carrier.name,
        to_number=CALLEE,
        from_number="+14155550100",
        ring_timeout_seconds=60,
        dial_before=datetime.now(UTC),
    ).model_copy(update={"ring_timeout_seconds": ring_timeout_seconds})
    return Attempt(request, carrier, lambda stage, outcome, _: told.append((stage, outcome)))


@pytest.mark.parametrize(
    ("behaviour", "stages"),
    [
        (BUSY, [(LegStage.ENDED, DialOutcome.BUSY)]),
        (UNREACHABLE, [(LegStage.ENDED, DialOutcome.UNREACHABLE)]),
        (FAILS, [(LegStage.ENDED, DialOutcome.FAILED)]),
        (NO_ANSWER, [(LegStage.RINGING, None), (LegStage.ENDED, DialOutcome.NO_ANSWER)]),
        (REJECTS, [(LegStage.RINGING, None), (LegStage.ENDED, DialOutcome.REJECTED)]),
        (LOSES_CONNECTION, [(LegStage.RINGING, None), (LegStage.ENDED, DialOutcome.FAILED)]),
        (
            ANSWERS_AND_HANGS_UP,
            [(LegStage.RINGING, None), (LegStage.ANSWERED, None), (LegStage.ENDED, None)],
        ),
        (
            Behaviour(rings=3, hangs_up=True, repeats=True),
            [(LegStage.RINGING, None), (LegStage.ANSWERED, None), (LegStage.ENDED, None)],
        ),
    ],
)
async def test_what_a_carrier_says(behaviour: Behaviour, stages: Told) -> None:
    carrier, told = SimulatedCarrier(), Told()
    carrier.tell(CALLEE, behaviour)
    await attempt_at(carrier, told).run()
    assert told == stages


async def test_a_phone_that_rings_on_is_hung_up_and_was_not_answered() -> None:
    carrier, told = SimulatedCarrier(), Told()
    carrier.tell(CALLEE, RINGS_ON)
    await attempt_at(carrier, told, ring_timeout_seconds=0.05).run()
    assert told[-1] == (LegStage.ENDED, DialOutcome.NO_ANSWER)
    assert carrier.open_lines == 0


async def test_a_conversation_outlasts_the_time_to_ring() -> None:
    carrier, told = SimulatedCarrier(), Told()
    attempt = attempt_at(carrier, told, ring_timeout_seconds=1.0)
    running = asyncio.create_task(attempt.run())
    done, _ = await asyncio.wait({running}, timeout=1.3)
    assert not done
    attempt.hang_up()
    await running
    assert told[-1] == (LegStage.ENDED, None)


@pytest.mark.parametrize(
    ("behaviour", "outcome"), [(RINGS_ON, DialOutcome.CANCELED), (Behaviour(), None)]
)
async def test_hanging_up(behaviour: Behaviour, outcome: DialOutcome | None) -> None:
    carrier, told = SimulatedCarrier(), Told()
    carrier.tell(CALLEE, behaviour)
    last = LegStage.RINGING if outcome else LegStage.ANSWERED

    def on_stage(stage: LegStage, how: DialOutcome | None, _: str | None) -> None:
        told.append((stage, how))
        if stage is last:
            attempt.hang_up()

    attempt = Attempt(attempt_at(carrier, told).request, carrier, on_stage)
    await attempt.run()
    assert told[-1] == (LegStage.ENDED, outcome)
    assert carrier.open_lines == 0


async def test_a_carrier_that_does_not_hear_the_hang_up_does_not_hold_the_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(attempt_module, "HANG_UP_PATIENCE_SECONDS", 0.01)
    carrier, told = SimulatedCarrier(), Told()
    carrier.tell(CALLEE, DEAF)
    await attempt_at(carrier, told, ring_timeout_seconds=0.05).run()
    assert told[-1] == (LegStage.ENDED, DialOutcome.NO_ANSWER)


@pytest.mark.parametrize(("behaviour", "was_given_up"), [(DEAF, True), (RINGS_ON, False)])
async def test_a_call_that_goes_on_after_its_hang_up_is_hung_up_when_its_carrier_tells_of_it(
    monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour, *, was_given_up: bool
) -> None:
    if was_given_up:
        monkeypatch.setattr(attempt_module, "HANG_UP_PATIENCE_SECONDS", 0.01)
    carrier, told = SimulatedCarrier(), Told()
    carrier.tell(CALLEE, behaviour)
    await attempt_at(carrier, told, ring_timeout_seconds=0.05).run()
    [leg] = carrier.legs
    assert leg.was_given_up is was_given_up


async def test_a_call_that_is_ended_while_its_carrier_takes_it_is_hung_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def slowly(carrier: SimulatedCarrier, request: DialRequest) -> SimulatedLeg:
        attempt.hang_up()
        return await at_once(carrier, request)

    at_once = SimulatedCarrier.dial
    monkeypatch.setattr(SimulatedCarrier, "dial", slowly)
    carrier, told = SimulatedCarrier(), Told()
    carrier.tell(CALLEE, RINGS_ON)
    attempt = attempt_at(carrier, told)
    await attempt.run()
    assert told[-1] == (LegStage.ENDED, DialOutcome.CANCELED)
    assert carrier.open_lines == 0


async def test_an_adapter_may_ask_for_longer_than_the_carrier_may_take_to_confirm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def slowly(leg: SimulatedLeg) -> None:
        await asyncio.sleep(0.5)
        await at_once(leg)

    at_once = SimulatedLeg.hang_up
    monkeypatch.setattr(SimulatedLeg, "hang_up", slowly)
    monkeypatch.setattr(attempt_module, "HANG_UP_PATIENCE_SECONDS", 0.2)
    carrier, told = SimulatedCarrier(), Told()
    carrier.tell(CALLEE, RINGS_ON)
    await attempt_at(carrier, told, ring_timeout_seconds=0.05).run()
    assert told[-1] == (LegStage.ENDED, DialOutcome.NO_ANSWER)
    assert carrier.open_lines == 0


@pytest.mark.parametrize(
    ("patience", "is_stopped", "dials", "last"),
    [
        (timedelta(minutes=1), False, 3, (LegStage.ENDED, None)),
        (timedelta(minutes=1), True, 1, (LegStage.ENDED, DialOutcome.FAILED)),
        (timedelta(0), False, 1, (LegStage.ENDED, DialOutcome.FAILED)),
    ],
)
async def test_a_call_that_its_carrier_takes_only_in_another_second_waits_for_its_turn(
    monkeypatch: pytest.MonkeyPatch,
    patience: timedelta,
    *,
    is_stopped: bool,
    dials: int,
    last: tuple[LegStage, DialOutcome | None],
) -> None:
    """Until ``dial_before``, or until nobody wants it any more."""
    asked = 0

    async def three_a_second(carrier: SimulatedCarrier, request: DialRequest) -> SimulatedLeg:
        nonlocal asked
        asked += 1
        if asked < 3:
            raise CarrierRefused(DialOutcome.FAILED, "Too many requests.", is_too_soon=True)
        return await at_once(carrier, request)

    at_once = SimulatedCarrier.dial
    monkeypatch.setattr(SimulatedCarrier, "dial", three_a_second)
    monkeypatch.setattr(attempt_module, "TURN_SECONDS", 0)
    carrier, told = SimulatedCarrier(), Told()
    carrier.tell(CALLEE, ANSWERS_AND_HANGS_UP)
    attempt = attempt_at(carrier, told)
    attempt.request = attempt.request.model_copy(
        update={"dial_before": datetime.now(UTC) + patience}
    )
    if is_stopped:
        attempt.hang_up()
    await attempt.run()
    assert asked == dials
    assert told[-1] == last


class _Broken(SimulatedCarrier):
    async def dial(self, request: DialRequest) -> SimulatedLeg:
        raise OSError("what no adapter may raise")


class _BreaksLater(SimulatedCarrier):
    async def dial(self, request: DialRequest) -> SimulatedLeg:
        leg = await super().dial(request)
        leg.hang_up = self._raise  # type: ignore[method-assign]
        return leg

    async def _raise(self) -> None:
        raise OSError("what no adapter may raise")


async def test_an_adapter_that_breaks_ends_its_attempt_and_no_other() -> None:
    """They run in one group of tasks, with all phones of the bridge."""
    told = Told()
    await attempt_at(_Broken(), told).run()
    assert told == [(LegStage.ENDED, DialOutcome.FAILED)]


async def test_a_leg_that_an_adapter_cannot_hang_up_is_given_up_and_reported() -> None:
    carrier, told = _BreaksLater(), Told()
    carrier.tell(CALLEE, RINGS_ON)
    await attempt_at(carrier, told, ring_timeout_seconds=0.05).run()
    assert told[-1] == (LegStage.ENDED, DialOutcome.NO_ANSWER)
    [leg] = carrier.legs
    assert leg.was_given_up
