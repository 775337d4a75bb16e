import asyncio

import pytest

from runtime.link.closable_queue import ClosableQueue


async def test_items_come_in_order_and_the_end_comes_after_them() -> None:
    queue = ClosableQueue[int]()
    queue.put(1)
    queue.put(2)
    queue.close()
    queue.put(3)
    assert [item async for item in queue] == [1, 2]


async def test_a_waiting_consumer_gets_the_next_item() -> None:
    queue = ClosableQueue[int]()
    waiting = asyncio.create_task(anext(queue))
    await asyncio.sleep(0)
    queue.put(1)
    assert await waiting == 1


async def test_closing_ends_a_waiting_consumer() -> None:
    queue = ClosableQueue[int]()

    async def consume() -> list[int]:
        return [item async for item in queue]

    waiting = asyncio.create_task(consume())
    await asyncio.sleep(0)
    queue.close()
    queue.close()
    assert await waiting == []


async def test_a_cancelled_consumer_does_not_end_the_queue() -> None:
    queue = ClosableQueue[int]()
    waiting = asyncio.create_task(anext(queue))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    queue.put(1)
    assert await anext(queue) == 1


async def test_with_a_capacity_the_oldest_item_gives_way() -> None:
    queue = ClosableQueue[int](capacity=2)
    for item in range(5):
        queue.put(item)
    queue.close()
    assert [item async for item in queue] == [3, 4]
