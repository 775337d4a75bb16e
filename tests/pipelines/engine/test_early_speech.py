"""The first words are synthesised before they are said, and only used for what is really said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator

import pytest
from livekit import rtc
from livekit.agents.types import USERDATA_TTS_STARTED_TIME

from pipelines.engine.early_speech import EarlySpeech

TEXT = "Hello, this is Ada. How can I help you?"


class Voice:
    """One frame for each piece of text."""

    def __init__(self, fails: bool = False) -> None:
        self.asked: list[str] = []
        self._fails = fails

    async def synthesise(self, text: AsyncIterable[str]) -> AsyncIterator[rtc.AudioFrame]:
        async for piece in text:
            self.asked.append(piece)
            if self._fails:
                raise RuntimeError("no voice")
            frame = rtc.AudioFrame(bytes(960), 24_000, 1, 480)
            frame.userdata[USERDATA_TTS_STARTED_TIME] = 1.0
            yield frame


async def said(*pieces: str) -> AsyncIterator[str]:
    for piece in pieces:
        yield piece


async def text_of(pieces: AsyncIterable[str]) -> str:
    return "".join([piece async for piece in pieces])


async def test_the_sound_is_made_at_once_and_given_when_the_text_is_said() -> None:
    voice = Voice()
    early = EarlySpeech(TEXT, voice.synthesise)
    await asyncio.sleep(0)
    assert voice.asked == [TEXT]
    is_same, _ = await early.matches(said(TEXT[:10], TEXT[10:]))
    assert is_same
    frames = [frame async for frame in early.frames()]
    assert [frame.samples_per_channel for frame in frames] == [480]
    assert USERDATA_TTS_STARTED_TIME not in frames[0].userdata
    await early.aclose()


@pytest.mark.parametrize(
    "pieces",
    [("Something", " else"), ("Hello, this is Bob. ", "How"), (TEXT, " Really."), (TEXT[:-1],), ()],
)
async def test_another_text_does_not_get_it_and_loses_no_word(pieces: tuple[str, ...]) -> None:
    early = EarlySpeech(TEXT, Voice().synthesise)
    is_same, again = await early.matches(said(*pieces))
    assert not is_same
    assert await text_of(again) == "".join(pieces)
    await early.aclose()


async def test_another_text_is_read_no_further_than_to_the_difference() -> None:
    """An answer that a model still writes is not held up."""
    early = EarlySpeech(TEXT, Voice().synthesise)

    async def written() -> AsyncIterator[str]:
        yield "Hello, "
        yield "caller"
        raise AssertionError("read too far")

    assert not (await early.matches(written()))[0]
    await early.aclose()


async def test_a_sound_that_could_not_be_made_leaves_the_text_to_be_said_as_any_other() -> None:
    early = EarlySpeech(TEXT, Voice(fails=True).synthesise)
    is_same, again = await early.matches(said(TEXT))
    assert is_same
    assert [frame async for frame in early.frames()] == []
    assert await text_of(again) == TEXT


async def test_what_nobody_waits_for_is_stopped() -> None:
    began = asyncio.Event()

    async def endless(text: AsyncIterable[str]) -> AsyncIterator[rtc.AudioFrame]:
        began.set()
        await asyncio.Event().wait()
        yield rtc.AudioFrame(bytes(960), 24_000, 1, 480)

    early = EarlySpeech(TEXT, endless)
    await began.wait()
    await early.aclose()
    assert [frame async for frame in early.frames()] == []
