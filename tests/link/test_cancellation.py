"""No cancellation is lost, whatever a library makes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from link.cancellation import remembered_cancellation


class Outage(Exception):
    pass


async def obeys() -> None:
    await asyncio.Event().wait()


async def forgets() -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        return


async def takes_it_for_an_outage() -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        raise Outage from None


@pytest.mark.parametrize("wait", [obeys, forgets, takes_it_for_an_outage])
async def test_a_task_cancelled_inside_the_block_ends(wait: Callable[[], Awaitable[None]]) -> None:
    async def work() -> None:
        with remembered_cancellation():
            await wait()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


async def test_an_error_of_a_task_that_nobody_cancelled_stays_what_it_is() -> None:
    with pytest.raises(Outage), remembered_cancellation():
        raise Outage


async def test_a_cancelled_task_can_still_clean_up() -> None:
    cleaned_up = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            with remembered_cancellation():
                await asyncio.sleep(0)
            cleaned_up.set()

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert cleaned_up.is_set()


async def test_a_timeout_around_the_block_is_still_a_timeout() -> None:
    async def work() -> None:
        async with asyncio.timeout(0):
            with remembered_cancellation():
                await forgets()

    with pytest.raises(TimeoutError):
        await work()
