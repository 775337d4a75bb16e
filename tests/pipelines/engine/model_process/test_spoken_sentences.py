"""A sentence is spoken once for all who wait for it, and kept for a while."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest

from pipelines.engine.model_process.spoken_sentences import KEPT_SECONDS, SpokenSentences
from pipelines.engine.providers.local.speech_models import ModelError
from tests.runtime import virtual_time


class Voice:
    def __init__(self) -> None:
        self.spoken: list[str] = []
        self.cancelled: list[str] = []
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def say(self, sentence: str) -> bytes:
        self.spoken.append(sentence)
        try:
            await self.may_end.wait()
        except asyncio.CancelledError:
            self.cancelled.append(sentence)
            raise
        if sentence == "forbidden":
            raise ModelError(sentence)
        return sentence.encode()


async def heard(sentences: SpokenSentences, voice: Voice, sentence: str) -> bytes:
    return await sentences.sound(sentence, lambda: voice.say(sentence))


async def test_it_is_spoken_once_for_those_who_come_together_and_later() -> None:
    sentences, voice = SpokenSentences(), Voice()
    together = await asyncio.gather(*(heard(sentences, voice, "hello") for _ in range(8)))
    assert [*together, await heard(sentences, voice, "hello")] == [b"hello"] * 9
    assert voice.spoken == ["hello"]


def test_it_is_forgotten_after_ten_minutes() -> None:
    async def main() -> None:
        sentences, voice = SpokenSentences(), Voice()
        await heard(sentences, voice, "hello")
        await asyncio.sleep(KEPT_SECONDS - 1)
        await heard(sentences, voice, "hello")
        assert voice.spoken == ["hello"]
        await asyncio.sleep(2)
        assert not sentences._sentences, "not only when it is asked for again"

    virtual_time.run(main())


async def test_nothing_is_left_of_what_has_made_room() -> None:
    sentences = SpokenSentences(most_bytes=10)
    kept: list[weakref.ref[asyncio.Task[object]]] = []

    async def speak() -> bytes:
        task = asyncio.current_task()
        assert task is not None
        kept.append(weakref.ref(task))
        return b"12345678"

    for sentence in ("first", "second"):
        await sentences.sound(sentence, speak)
    gc.collect()
    assert [each() is None for each in kept] == [True, False]


async def test_the_oldest_make_room() -> None:
    sentences, voice = SpokenSentences(most_bytes=10), Voice()
    for sentence in ("aaaa", "bbbb", "cccc", "bbbb", "aaaa"):
        await heard(sentences, voice, sentence)
    assert voice.spoken == ["aaaa", "bbbb", "cccc", "aaaa"]


async def test_who_is_cancelled_takes_it_from_nobody() -> None:
    sentences, voice = SpokenSentences(), Voice()
    voice.may_end.clear()
    first = asyncio.create_task(heard(sentences, voice, "hello"))
    second = asyncio.create_task(heard(sentences, voice, "hello"))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    voice.may_end.set()
    assert await second == b"hello"
    assert voice.spoken == ["hello"]


async def test_when_nobody_waits_any_more_it_is_not_spoken() -> None:
    sentences, voice = SpokenSentences(), Voice()
    voice.may_end.clear()
    waiting = [asyncio.create_task(heard(sentences, voice, "hello")) for _ in range(2)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    for each in waiting:
        each.cancel()
    await asyncio.wait(waiting)
    await asyncio.sleep(0)
    assert voice.cancelled == ["hello"]
    voice.may_end.set()
    assert await heard(sentences, voice, "hello") == b"hello"


async def test_a_refusal_is_told_to_all_and_not_kept() -> None:
    sentences, voice = SpokenSentences(), Voice()
    refused = await asyncio.gather(
        *(heard(sentences, voice, "forbidden") for _ in range(2)), return_exceptions=True
    )
    assert [type(each) for each in refused] == [ModelError, ModelError]
    with pytest.raises(ModelError):
        await heard(sentences, voice, "forbidden")
    assert voice.spoken == ["forbidden"] * 2
