"""What an agent will say first, synthesised while its caller still connects."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable

import structlog
from livekit import rtc
from livekit.agents import utils
from livekit.agents.types import USERDATA_TTS_STARTED_TIME

MOST_CHARACTERS = 500
"""A longer text is synthesised when it is said: its sound would take megabytes until then."""

Synthesis = Callable[[AsyncIterable[str]], AsyncIterable[rtc.AudioFrame]]

logger = structlog.get_logger(__name__)


class EarlySpeech:
    """One text's sound, which is being made. Await ``aclose`` if it was not used."""

    def __init__(self, text: str, synthesise: Synthesis) -> None:
        """
        Args:
            text: as the voice gets it, with all rules of pronunciation applied.
        """
        self._text = text
        self._frames = utils.aio.Chan[rtc.AudioFrame]()
        self._making = asyncio.create_task(self._make(synthesise), name="early-speech")

    async def matches(self, said: AsyncIterator[str]) -> tuple[bool, AsyncIterable[str]]:
        """Whether ``said`` is the text, and the same text once more. Reads no further than to the
        first difference."""
        read: list[str] = []
        length = 0
        async for piece in said:
            read.append(piece)
            if not self._text.startswith(piece, length):
                return False, _chained(read, said)
            length += len(piece)
        return length == len(self._text), _chained(read, said)

    async def frames(self) -> AsyncIterator[rtc.AudioFrame]:
        """The sound; nothing if it could not be made."""
        async for frame in self._frames:
            # The engine would take the time until the caller was there for the voice's delay.
            frame.userdata.pop(USERDATA_TTS_STARTED_TIME, None)
            yield frame

    async def aclose(self) -> None:
        await utils.aio.cancel_and_wait(self._making)

    async def _make(self, synthesise: Synthesis) -> None:
        try:
            async for frame in synthesise(_chained([self._text])):
                self._frames.send_nowait(frame)
        except Exception as error:  # noqa: BLE001 - it is made again when it is said
            logger.warning("early_speech.failed", error=repr(error))
        finally:
            self._frames.close()


async def _chained(read: list[str], rest: AsyncIterator[str] | None = None) -> AsyncIterator[str]:
    for piece in read:
        yield piece
    if rest is not None:
        async for piece in rest:
            yield piece
