"""Tells which request an answer belongs to: the server does not. No I/O."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from livekit.agents import llm

from pipelines.engine.providers.google_live.answer import LiveAnswer

_Created = llm.GenerationCreatedEvent


class Answers:
    """The server makes one answer at a time, each within a turn of its own. A turn that nobody
    wants any more is left out until the server ends it.

    Args:
        unasked: called with an answer that begins without a request.
        ended: called with each answer that has ended.
    """

    def __init__(
        self, unasked: Callable[[_Created], None], ended: Callable[[LiveAnswer], None]
    ) -> None:
        self._unasked = unasked
        self._ended = ended
        self._asked: asyncio.Future[_Created] | None = None
        self._answer: LiveAnswer | None = None
        self._early: LiveAnswer | None = None
        self._is_early = False
        self._is_unwanted = False

    @property
    def is_coming(self) -> bool:
        """Whether the server is making an answer that somebody wants."""
        return self._answer is not None

    @property
    def is_due(self) -> bool:
        """Whether somebody waits for one, or for its end."""
        return self._answer is not None or self._asked is not None

    @property
    def needs_no_request(self) -> bool:
        """Whether the server makes the next answer, or has begun to, without being asked."""
        return self._is_early

    def ask(self) -> asyncio.Future[_Created]:
        """The next answer, or the one that has begun since ``comes_by_itself``. One that was asked
        for before is not wanted any more."""
        self._forget()
        asked: asyncio.Future[_Created] = asyncio.get_running_loop().create_future()
        early, self._early = self._early, None
        if self._is_early and early is not None:
            asked.set_result(early.event(is_asked=True))
        else:
            self.drop()
            self._asked = asked
            asked.add_done_callback(self._cancelled)
        self._is_early = False
        return asked

    def comes_by_itself(self) -> None:
        """The server has what it needs for the next answer, which will be asked for."""
        self._is_early = True

    def not_wanted(self) -> None:
        """The server makes an answer of which nothing will be heard."""
        self._is_unwanted = True

    def caller_speaks(self) -> None:
        """An answer that nobody has asked for yet is not wanted any more."""
        self._is_early = False
        if self._early is not None and self._early is self._answer:
            self.drop()
        self._early = None

    def drop(self) -> None:
        """The answer that is coming, if there is one, is not wanted any more."""
        if self._answer is not None:
            self._end()
            self._is_unwanted = True

    def present(self) -> LiveAnswer | None:
        """The answer to which comes what the server sends now; ``None`` if nobody wants that."""
        if self._asked is not None and self._asked.cancelled():
            self._cancelled(self._asked)
        if self._is_unwanted:
            return None
        if self._answer is None:
            self._answer = LiveAnswer()
            self._begun(self._answer)
        return self._answer

    def complete(self) -> None:
        """The server has sent all of the answer, or has ended its turn."""
        self._is_unwanted = False
        self._end()

    def close(self) -> None:
        self._forget()
        self._end()

    def _begun(self, answer: LiveAnswer) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.set_result(answer.event(is_asked=True))
        elif self._is_early:
            self._early = answer
        else:
            self._unasked(answer.event(is_asked=False))

    def _end(self) -> None:
        answer, self._answer = self._answer, None
        if answer is not None:
            answer.end()
            self._ended(answer)

    def _forget(self) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            asked.cancel()
            self._is_unwanted = True

    def _cancelled(self, asked: asyncio.Future[_Created]) -> None:
        if asked.cancelled() and asked is self._asked:
            self._asked = None
            self._is_unwanted = True
