"""Closed slots are not free, and running calls keep theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from contracts.heartbeat import WHY_CLAIMS_NOTHING, WhyClaimsNothing
from runtime.slots import WAITING_PER_SLOT, NoFreeSlot, Place, Slots


@pytest.fixture(autouse=True)
def short_reservation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.slots.RESERVED_SECONDS", 0.01)


async def test_a_slot_is_free_again_when_they_are_opened():
    slots = Slots(2)
    place = slots.admit()
    place.hold()
    slots.close("journals_full")
    waiting = asyncio.create_task(slots.wait_free())
    await asyncio.sleep(0)
    assert not waiting.done()
    place.leave()
    await asyncio.sleep(0)
    assert not waiting.done(), "a call that ends does not let another one in"
    slots.open("journals_full")
    await waiting
    assert (slots.usable, slots.used) == (2, 0)


async def test_slots_closed_for_two_reasons_stay_closed_until_both_are_gone():
    slots = Slots(2)
    slots.admit().hold()
    slots.close("frames_late")
    slots.close("journals_full")
    assert slots.reasons == ["journals_full", "frames_late"]
    slots.open("frames_late")
    assert (slots.usable, slots.reasons) == (1, ["journals_full"])
    slots.open("frames_late")
    assert slots.usable == 1
    slots.open("journals_full")
    assert (slots.usable, slots.reasons) == (2, [])


async def test_how_long_slots_have_been_closed_is_counted_from_the_first_reason():
    now = 50.0
    slots = Slots(2, clock=lambda: now)
    slots.admit().hold()
    assert slots.closed_seconds == 0.0
    slots.close("frames_late")
    now = 53.0
    slots.close("journals_full")
    slots.open("frames_late")
    now = 54.0
    assert slots.closed_seconds == 4.0
    slots.open("journals_full")
    assert slots.closed_seconds == 0.0


@pytest.mark.parametrize("reason", WHY_CLAIMS_NOTHING)
async def test_an_offer_of_a_call_that_has_its_place_is_answered_whatever_is_closed(
    reason: WhyClaimsNothing,
):
    slots = Slots(2)
    reserved, waiting = slots.admit(), slots.admit()
    slots.close(reason)
    with reserved.taken():
        pass
    await asyncio.sleep(0.03)
    assert waiting.state == "waiting"
    with waiting.taken():
        pass
    assert slots.used == 2


async def test_near_a_limit_the_next_claim_waits_until_the_last_ones_are_measured(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("runtime.headroom.ramp.MEASURED_AFTER_SECONDS", 0.05)
    strained = True
    slots = Slots(40, is_strained=lambda: strained)
    for _ in range(4):
        await slots.wait_free()
        slots.admit()
    waiting = asyncio.create_task(slots.wait_free())
    await asyncio.sleep(0)
    assert not waiting.done()
    await waiting
    strained = False
    async with asyncio.timeout(1):
        await slots.wait_free()


async def test_slots_that_close_while_a_claim_waits_for_its_turn_are_closed(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr("runtime.headroom.ramp.MEASURED_AFTER_SECONDS", 0.02)
    slots = Slots(40)
    for _ in range(8):
        slots.admit()
    waiting = asyncio.create_task(slots.wait_free())
    await asyncio.sleep(0)
    slots.close("journals_full")
    await asyncio.sleep(0.04)
    assert not waiting.done()
    slots.open("journals_full")
    await waiting


async def test_a_call_that_nobody_joins_has_a_slot_reserved_only_at_first():
    slots = Slots(1)
    slots.admit()
    assert (slots.used, slots.waiting) == (1, 1)
    async with asyncio.timeout(1):
        await slots.wait_free()
    assert (slots.used, slots.waiting) == (0, 1)


async def test_the_first_offer_takes_the_slot():
    slots = Slots(1)
    place = slots.admit()
    with place.taken():
        pass
    await asyncio.sleep(0.03)
    assert (slots.used, slots.waiting) == (1, 0)


class RefusedError(Exception):
    pass


def offer(place: Place, meanwhile: Callable[[], None]) -> None:
    """An offer during which something happens, and which is then refused."""
    with place.taken():
        meanwhile()
        raise RefusedError


def refuse(place: Place, meanwhile: Callable[[], None] = lambda: None) -> None:
    with pytest.raises(RefusedError):
        offer(place, meanwhile)


async def test_an_offer_that_is_refused_takes_no_slot_away():
    slots = Slots(2)
    phone, browser = slots.admit(), slots.admit()
    phone.hold()
    refuse(phone)
    assert slots.used == 2
    with browser.taken():
        refuse(browser)
        assert slots.used == 2
    refuse(browser)
    assert slots.used == 2


async def test_no_slot_is_kept_when_all_offers_are_refused():
    slots, used = Slots(1), []
    place = slots.admit()

    def refuse_another() -> None:
        refuse(place)
        used.append(slots.used)

    refuse(place, refuse_another)
    assert [*used, slots.used] == [1, 0]


async def test_a_late_offer_is_refused_while_no_slot_is_free():
    slots = Slots(1)
    late = slots.admit()
    await asyncio.sleep(0.03)
    punctual = slots.admit()
    with pytest.raises(NoFreeSlot), late.taken():
        pass
    with punctual.taken():
        pass
    with pytest.raises(NoFreeSlot), late.taken():
        pass
    punctual.leave()
    with late.taken():
        pass
    assert slots.used == 1


async def test_calls_that_wait_are_bounded_too():
    slots = Slots(1)
    places = [slots.admit() for _ in range(WAITING_PER_SLOT)]
    await asyncio.sleep(0.03)
    assert (slots.used, slots.usable) == (0, 0), "no capacity"
    assert slots.reasons == ["waiting_calls"]
    with places[0].taken():
        pass
    assert (slots.used, slots.usable) == (1, 1)
    places[0].leave()
    assert (slots.used, slots.usable) == (0, 1)


async def test_a_worker_with_calls_that_wait_is_not_idle():
    slots = Slots(1)
    place = slots.admit()
    await asyncio.sleep(0.03)
    idle = asyncio.create_task(slots.wait_idle())
    await asyncio.sleep(0)
    assert not idle.done()
    place.leave()
    await idle
