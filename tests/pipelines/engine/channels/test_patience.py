from __future__ import annotations

import asyncio

import pytest

from pipelines.engine.channels.patience import Patience
from tests.runtime import virtual_time


def test_a_wait_ends_at_the_deadline() -> None:
    async def main() -> None:
        patience = Patience(2.0)
        with pytest.raises(TimeoutError), patience:
            await asyncio.sleep(60)
        assert asyncio.get_running_loop().time() == pytest.approx(2.0)
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0

    virtual_time.run(main())


def test_each_piece_moves_the_deadline() -> None:
    async def main() -> None:
        patience = Patience(2.0)
        for _ in range(10):
            with patience:
                await asyncio.sleep(1.4)
            patience.allow(1.5)
        with pytest.raises(TimeoutError), patience:
            await asyncio.sleep(60)
        assert asyncio.get_running_loop().time() == pytest.approx(15.5)

    virtual_time.run(main())


def test_a_deadline_can_come_nearer() -> None:
    async def main() -> None:
        patience = Patience(100.0)
        with patience:
            await asyncio.sleep(1)
        patience.allow(1.0)
        with pytest.raises(TimeoutError), patience:
            await asyncio.sleep(60)
        assert asyncio.get_running_loop().time() == pytest.approx(2.0)

    virtual_time.run(main())


def test_time_between_two_waits_wakes_nobody() -> None:
    async def main() -> None:
        patience = Patience(1.0)
        with patience:
            await asyncio.sleep(0.5)
        await asyncio.sleep(5)
        patience.allow(1.0)
        with patience:
            await asyncio.sleep(0.5)

    virtual_time.run(main())


def test_a_cancellation_from_outside_stays_one() -> None:
    async def main() -> None:
        async def wait() -> None:
            with Patience(2.0):
                await asyncio.sleep(60)

        task = asyncio.create_task(wait())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    virtual_time.run(main())
