import asyncio

import aiohttp

from bench.bare_calls import HEARD_HZ, build_session, conversation
from bench.memory_caller import MemoryCaller, Noticed
from bench.vendors.vendors_process import serving_vendors
from tests.pipelines.engine.speech import spoken


async def test_the_bare_session_answers_a_caller_in_memory() -> None:
    noticed = Noticed(is_measured=True)
    line = spoken("Yes, I would like to come tomorrow.")
    caller = MemoryCaller(0, [line], noticed, read_hz=HEARD_HZ, write_hz=24_000)
    with serving_vendors("instant") as vendors:
        async with aiohttp.ClientSession() as http:
            session = build_session(vendors.base_urls, http)
            async with (
                asyncio.timeout(30),
                conversation(session, caller, "You are a receptionist.", in_step=True),
            ):
                while not noticed.voice_to_voice_ms:  # noqa: ASYNC110 - a caller has no event
                    await asyncio.sleep(0.05)
    assert 0 < noticed.voice_to_voice_ms[0] < 5_000
