"""Everything that happens in one call: written to its journal, and shown live where allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import structlog

from contracts.events import EventBody
from contracts.live_messages import LiveBody, LiveMessage
from runtime.call.live_updates import is_for_participants, is_for_viewers, live_body_of
from runtime.call.unsaid import without_words
from runtime.media.room import Room

logger = structlog.get_logger(__name__)


class EventLog(Protocol):
    """The part of ``runtime.journal.journal.Journal`` that a call writes to."""

    @property
    def has_ended(self) -> bool: ...

    def append(self, body: EventBody, /) -> object: ...


class FactLog:
    """``publish`` gets what viewers outside the room may see. No method waits or raises."""

    def __init__(
        self,
        journal: EventLog,
        publish: Callable[[LiveMessage], None],
        *,
        keeps_words: bool,
    ) -> None:
        self.room: Room | None = None
        """Where participants are shown what happens, once it is open."""
        self._journal = journal
        self._publish = publish
        self.keeps_words = keeps_words
        """Whether anything that is said may be kept. Once it is false it stays so: the agents that
        talk later know what was said, and repeat it."""
        self._held: list[EventBody] | None = None

    def hold(self) -> None:
        """Keep facts back until ``let_go``: perhaps there will be no call."""
        self._held = []

    def keep_no_more_words(self) -> None:
        """An agent that keeps no transcript talks from now on."""
        self.keeps_words = False

    def let_go(self) -> None:
        """Write what was held back. Idempotent."""
        held, self._held = self._held or [], None
        for body in held:
            self.fact(body)

    def fact(self, body: EventBody) -> None:
        """Write ``body`` to the journal and show it, unless facts are held back. After
        ``call.ended`` it is only logged.

        Unless words are kept, the journal gets nothing of what was said.
        """
        if self._held is not None:
            self._held.append(body)
            return
        if self._journal.has_ended:
            logger.warning("call.fact_too_late", type=body.type)
            return
        kept = body if self.keeps_words else without_words(body)
        if kept is not None:
            self._journal.append(kept)
        if (shown := live_body_of(body)) is not None:
            self.live(shown)

    def live(self, body: LiveBody, *, in_private: bool = False) -> None:
        """Show ``body`` to participants and viewers, without writing it to the journal.

        Args:
            in_private: whether the agent speaks to a person alone.
        """
        message = LiveMessage(body=body)
        if self.room is not None and is_for_participants(body, in_private=in_private):
            self.room.broadcast(message)
        if is_for_viewers(body, keeps_words=self.keeps_words):
            self._publish(message)
