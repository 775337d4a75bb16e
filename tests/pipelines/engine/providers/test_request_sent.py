from __future__ import annotations

import asyncio

import httpx2
import openai
import pytest

from pipelines.engine.providers.request_sent import sends_now, tell_when_sent, watched
from tests.stand_ins.openai_wire import OpenAIWire, hangs


async def test_a_request_is_sent_when_all_of_it_is_out() -> None:
    is_held, may_go_on = asyncio.Event(), asyncio.Event()

    async def hold(request: httpx2.Request) -> None:
        is_held.set()
        await may_go_on.wait()

    async with (
        OpenAIWire([hangs()]).serving() as wire,
        httpx2.AsyncClient(event_hooks={"request": [hold]}) as http,
    ):
        client = openai.AsyncClient(api_key="k", base_url=wire.base_url, http_client=http)
        tell_when_sent(client)
        with watched() as request:
            asking = asyncio.create_task(
                client.chat.completions.create(model="m", messages=[], stream=True)
            )
        await is_held.wait()
        assert not request.is_sent
        may_go_on.set()
        await wire.is_asked.wait()
        assert request.is_sent
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


async def test_requests_that_go_out_at_the_same_time_are_kept_apart() -> None:
    async def ask(*, is_out: bool) -> None:
        if is_out:
            sends_now()

    with watched() as one:
        first = asyncio.create_task(ask(is_out=False))
    with watched() as other:
        second = asyncio.create_task(ask(is_out=True))
    await asyncio.gather(first, second)
    assert (one.is_sent, other.is_sent) == (False, True)


def test_a_request_that_nobody_watches_may_go_out() -> None:
    sends_now()
