"""One request to the model process that is not answered yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pipelines.engine.model_process.frames import Frame
from pipelines.engine.model_process.messages import Answer, Piece, Request, Speak
from pipelines.engine.providers.local.speech_models import ModelError, ModelsAway


class PendingRequest:
    """
    Args:
        now: a monotonic clock, in seconds.
    """

    def __init__(self, message: Request, sound: bytes, now: Callable[[], float]) -> None:
        self.message = message
        """What to ask again after a loss: of a text, only the sentences that have not come."""
        self.is_answered = False
        self.since = now()
        """When it was asked, or when the last sentence came."""
        self._sound = sound
        self._now = now
        self._was_lost = False
        self._answers: asyncio.Queue[tuple[Answer, bytes] | ModelError] = asyncio.Queue()
        self._limit: asyncio.TimerHandle | None = None

    def frame(self) -> Frame:
        return self.message.frame(self._sound)

    @property
    def is_over(self) -> bool:
        """Whether the last answer was taken."""
        return self.is_answered and self._answers.empty()

    async def answer(self) -> tuple[Answer, bytes]:
        """The next one, with its sound.

        Raises:
            ModelsAway: the time is over.
            ModelError: it was refused.
        """
        answer = await self._answers.get()
        if isinstance(answer, ModelError):
            raise answer
        return answer

    def answered(self, answer: Answer, sound: bytes) -> None:
        self.since = self._now()
        self._was_lost = False
        if isinstance(answer, Piece) and isinstance(self.message, Speak):
            self.message = self.message.model_copy(update={"skip": self.message.skip + 1})
        else:
            self.is_answered = True
        self._answers.put_nowait((answer, sound))

    def refused(self, error: ModelError) -> None:
        """It cannot be asked."""
        self._answers.put_nowait(error)

    def limit(self, seconds: float) -> None:
        """Wait no longer than this for the next answer."""
        self._give_up_after(seconds, f"the model process did not answer within {seconds:g} s")

    def lost(self, seconds: float) -> None:
        """The connection was lost. Wait no longer than this, even if it is lost again."""
        if not self._was_lost:
            self._was_lost = True
            self._give_up_after(seconds, f"the model process was away for {seconds:g} s")

    def close(self) -> None:
        if self._limit is not None:
            self._limit.cancel()

    def _give_up_after(self, seconds: float, reason: str) -> None:
        self.close()
        loop = asyncio.get_running_loop()
        self._limit = loop.call_later(seconds, self._answers.put_nowait, ModelsAway(reason))
