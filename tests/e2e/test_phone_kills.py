"""Each process dies once, at the same moment for three phones: one rings, one is in conversation,
and one hangs up. No line stays open at the carrier, and every call ends in truth, in time, with its
bill.

Telnyx keeps a call when its media websocket breaks. A phone that rings is not dialed again, and a
worker is reserved for it.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from carriers.account import CarrierName
from contracts.money import billable_seconds, charge_micros
from switchboard.demo.checks import micros
from switchboard_client import SwitchboardError
from switchboard_client.models import CallDetail
from tests.e2e.phones import OUR_NUMBERS, PhoneSystem, phone_system
from tests.e2e.polling import until
from tests.stand_ins.carriers.carrier import DialedPhone, StandInCarrier
from tests.stand_ins.carriers.line import Line
from tests.stand_ins.carriers.phone import Phone

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

TELNYX, TWILIO = CarrierName.TELNYX, CarrierName.TWILIO
RINGS, TALKS, LEAVES = "+14155550151", "+14155550152", "+14155550153"
RING_SECONDS = 7.0
"""Longer than from the first ring to the kill, and than a killed process is away."""
ENDS_WITHIN = timedelta(seconds=30)
UNBILLED_SECONDS = 2.5
"""What is not known of a phone's time when its bridge or its worker dies."""
HUNG_UP = {("completed", "participant_disconnected")}
LEFT = HUNG_UP | {("completed", "client_disconnected")}
"""What hangs up may be noticed by its silence only."""
RING_LOST = {("failed", "twilio_failed")}
TALK_LOST = {("failed", "telnyx_failed")}
WORKER_LOST = {("failed", "worker_error")}


@pytest.fixture(scope="module")
def phones() -> Iterator[PhoneSystem]:
    with phone_system() as system:
        yield system


@dataclass
class Talk:
    """A phone's line, and when its call could still end by itself."""

    phone: Phone
    line: Line
    call_id: str
    over_at: datetime
    """When the process died, or the person hung up, if that was later."""
    known_ms: int = 0
    """How much of it the person had heard when the process died."""


async def back(phones: PhoneSystem, process: str, pid: int) -> None:
    """The supervisor has started the process again, and the API answers."""

    async def state() -> bool:
        if phones.switchboard.pids.get(process, pid) == pid:
            return False
        try:
            async with phones.switchboard.api() as api:
                await api.billing.balance()
        except SwitchboardError:
            return False
        return True

    await until(state, bool)


async def calls_of(phones: PhoneSystem, *numbers: str) -> dict[str, str]:
    """The newest call of each person."""
    async with phones.switchboard.api() as api:
        page = await api.calls.page(limit=10)
        details = [await api.calls.show(each.id) for each in page.calls]
    found: dict[str, str] = {}
    for call in reversed(details):
        found[call.participants[0].identity] = str(call.id)
    return {number: found[number] for number in numbers}


async def until_ringing(phones: PhoneSystem, call_id: str) -> None:
    async def status() -> str:
        async with phones.switchboard.api() as api:
            return str((await api.calls.show(call_id)).participants[0].status)

    await until(status, lambda now: now == "ringing")


async def talks_on_and_hangs_up(talk: Talk) -> None:
    phone = talk.phone
    await phone.until_heard(500)
    await phone.until_quiet()
    asked_at = phone.heard_ms
    phone.say("Hi, I would like to book an appointment.")
    await phone.until_said()
    await phone.until_heard(600, since_ms=asked_at + 500)
    talk.over_at = datetime.now(UTC)
    phone.hang_up()


async def assert_billed(phones: PhoneSystem, call: CallDetail, talk: Talk) -> None:
    """One charge for what was talked, exact; none if nobody was reached."""
    async with phones.switchboard.api() as api:
        transactions = (await api.billing.transactions()).transactions
    charges = [each for each in transactions if str(each.call_id) == talk.call_id]
    if not talk.phone.heard_ms:
        assert not charges
        assert call.total_cost == 0
        return
    duration = call.bill_duration or 0.0
    assert talk.known_ms / 1000 - UNBILLED_SECONDS <= duration <= talk.line.duration_seconds + 1
    assert call.billable_seconds == billable_seconds(round(duration * 1000))
    [charge] = charges
    rate = sum(price["micros_per_minute"] for price in charge.metadata["prices"])
    assert -micros(charge.amount_usd) == charge_micros(call.billable_seconds, rate)
    assert micros(call.total_cost or 0) == -micros(charge.amount_usd)


async def three_phones(
    phones: PhoneSystem,
    name: CarrierName,
    carrier: StandInCarrier,
    rings_at: StandInCarrier,
    *,
    rings_on: bool,
) -> tuple[Talk, Talk, Talk]:
    """One that rings at Twilio, and two in conversation."""
    now = datetime.now(UTC)
    inbound: dict[str, tuple[Phone, Line]] = {}
    for number in (TALKS, LEAVES):
        phone = Phone()
        inbound[number] = phone, carrier.call_in(number, OUR_NUMBERS[name], phone)
    for phone, _ in inbound.values():
        await phone.until_heard(500)
    ringing = Phone()
    rings_at.phones[RINGS] = DialedPhone(ringing, ring_seconds=RING_SECONDS, rings_on=rings_on)
    dialed = await phones.call_out(TWILIO, RINGS)
    await until_ringing(phones, dialed)
    [line] = [each for each in rings_at.lines.values() if each.phone is ringing]
    ids = await calls_of(phones, TALKS, LEAVES)
    talks, leaves = (Talk(*inbound[number], ids[number], now) for number in (TALKS, LEAVES))
    return Talk(ringing, line, dialed, now), talks, leaves


@pytest.mark.parametrize(
    ("process", "name", "rings_end", "talks_end", "leaves_end"),
    [
        ("bridge", TELNYX, RING_LOST, TALK_LOST, TALK_LOST),
        ("worker-1", TWILIO, HUNG_UP, WORKER_LOST, WORKER_LOST),
        ("valkey", TWILIO, HUNG_UP, HUNG_UP, LEFT),
        ("api", TWILIO, HUNG_UP, HUNG_UP, LEFT),
    ],
)
async def test_a_process_that_is_killed_leaves_no_line_open_and_no_call_without_its_end(
    phones: PhoneSystem,
    process: str,
    name: CarrierName,
    rings_end: set[tuple[str, str]],
    talks_end: set[tuple[str, str]],
    leaves_end: set[tuple[str, str]],
) -> None:
    async with AsyncExitStack() as stack:
        rings_at = carrier = await stack.enter_async_context(phones.carrier(TWILIO))
        if name is not TWILIO:
            carrier = await stack.enter_async_context(phones.carrier(name))
        rings_on = rings_end is RING_LOST
        three = await three_phones(phones, name, carrier, rings_at, rings_on=rings_on)
        rings, talks, leaves = three
        pid = phones.switchboard.pid(process)
        for each in three:
            each.known_ms, each.over_at = each.phone.heard_ms, datetime.now(UTC)
        os.kill(pid, signal.SIGKILL)
        leaves.phone.hang_up()
        go_on = [each for each, end in ((rings, rings_end), (talks, talks_end)) if end is HUNG_UP]
        await asyncio.gather(*(talks_on_and_hangs_up(each) for each in go_on))
        for each in three:
            await asyncio.wait_for(each.line.ended.wait(), 60)
        await back(phones, process, pid)
        for each, end in zip(three, (rings_end, talks_end, leaves_end), strict=True):
            call = await phones.ended(each.call_id)
            assert call.ended_at is not None
            lasted = call.ended_at - each.over_at
            print(f"{process}: {each.line.to_number} {call.end_reason} after {lasted}")
            assert (call.status, call.end_reason) in end
            assert lasted < ENDS_WITHIN
            await assert_billed(phones, call, each)
        assert carrier.open_lines == rings_at.open_lines == 0
