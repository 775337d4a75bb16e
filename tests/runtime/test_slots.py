"""Closed slots are not free, and running calls keep theirs."""

from __future__ import annotations

import asyncio

from runtime.slots import Slots


async def test_a_slot_is_free_again_when_they_are_opened():
    slots = Slots(2)
    slots.take()
    slots.close()
    waiting = asyncio.create_task(slots.wait_free())
    await asyncio.sleep(0)
    assert not waiting.done()
    slots.release()
    await asyncio.sleep(0)
    assert not waiting.done(), "a call that ends does not let another one in"
    slots.open()
    await waiting
    assert (slots.usable, slots.used) == (2, 0)
