"""Answers that the engine could not make, and that it keeps silent about.

If a part of an answer raises, the engine logs it and goes on listening. The caller hears nothing,
and after some silence the call would end as if it were complete.
"""

from __future__ import annotations

import structlog
from livekit.agents import SpeechCreatedEvent
from livekit.agents.voice import SpeechHandle

from contracts.events import Logged
from runtime.call.end_cause import CallFailure
from runtime.conversation.conversation import CallRecord

logger = structlog.get_logger(__name__)

MOST_IN_A_ROW = 2


class FailedAnswers:
    """Fails the call after ``MOST_IN_A_ROW``. Sentences of ours between them do not count."""

    def __init__(self, record: CallRecord) -> None:
        self._record = record
        self._in_a_row = 0

    def speech_created(self, event: SpeechCreatedEvent) -> None:
        if event.source == "generate_reply":
            event.speech_handle.add_done_callback(self._done)

    def _done(self, speech: SpeechHandle) -> None:
        error = speech.exception()
        if error is None:
            # One that was cut off, or not wanted, may not have got far enough to fail.
            if not speech.interrupted:
                self._in_a_row = 0
            return
        self._in_a_row += 1
        kind = type(error).__name__
        logger.error("conversation.answer_failed", exc_info=error)
        self._record.fact(Logged(level="error", message=f"An answer failed: {kind}"))
        if self._in_a_row == MOST_IN_A_ROW:
            self._record.failed(CallFailure(f"{MOST_IN_A_ROW} answers failed: {kind}"))
