"""Closed slots are not free, and running calls keep theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from runtime.slots import WAITING_PER_SLOT, NoFreeSlot, Place, Slots


@pytest.fixture(autouse=True)
def short_reservation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runtime.slots.RESERVED_SECONDS", 0.01)


async def test_a_slot_is_free_again_when_they_are_opened():
    slots = Slots(2)
    place = slots.admit()
    place.hold()
    slots.close()
    waiting = asyncio.create_task(slots.wait_free())
    await asyncio.sleep(0)
    assert not waiting.done()
    place.leave()
    await asyncio.sleep(0)
    assert not waiting.done(), "a call that ends does not let another one in"
    slots.open()
    await waiting
    assert (slots.usable, slots.used) == (2, 0)


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
