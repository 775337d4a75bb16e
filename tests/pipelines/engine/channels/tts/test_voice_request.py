"""One request to a voice that says nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest

from pipelines.engine.channels.tts.hand_over import HandOver
from pipelines.engine.channels.tts.supervised_tts import RATE_HZ
from pipelines.engine.channels.tts.voice_deadline import VoiceDeadline
from pipelines.engine.channels.tts.voice_failure import VoiceFailed
from pipelines.engine.channels.tts.voice_request import VoiceRequest
from pipelines.settings import ProviderDeadlines


class HangingStream:
    """Calls ``when_given_up`` while nobody waits for it any more, but the wait is not over."""

    def __init__(self) -> None:
        self.when_given_up: Callable[[], None] = lambda: None

    def __aiter__(self) -> HangingStream:
        return self

    async def __anext__(self) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            self.when_given_up()


async def test_text_that_comes_while_a_voice_is_given_up_does_no_harm() -> None:
    stream = HangingStream()
    deadline = VoiceDeadline(ProviderDeadlines(tts_first_audio_seconds=0.01))
    request = VoiceRequest(
        cast(Any, stream), deadline, HandOver(RATE_HZ), lambda samples: None, RATE_HZ
    )
    failures: list[Exception] = []

    def text_comes() -> None:
        try:
            request.deadline_moved()
        except Exception as error:  # noqa: BLE001 - it would end the task that reads the text
            failures.append(error)

    stream.when_given_up = text_comes
    deadline.owes(asyncio.get_running_loop().time())
    with pytest.raises(VoiceFailed) as failed:
        await request.hear(lambda: None)
    assert failed.value.is_silence
    assert failures == []
