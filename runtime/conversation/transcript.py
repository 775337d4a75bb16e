"""The call's transcript as it grows: what is shown live, and what is recorded.

The caller's words are shown as they are recognised, and recorded when the turn is over. The agent's
words are shown as they are played, and only what was heard is recorded.
"""

from __future__ import annotations

from dataclasses import dataclass

from contracts.events import Speaker, TranscriptSegment
from contracts.live_messages import Interrupted, LiveTranscript
from runtime.conversation.conversation import CallRecord


@dataclass(frozen=True)
class RecordedTurn:
    """A finished utterance: its place in the record, and its number in the live messages."""

    sequence: int
    utterance: int


class Transcript:
    """Times are ms from ``call.started``. If ``keep`` is false, nothing is recorded."""

    def __init__(self, record: CallRecord, *, keep: bool = True) -> None:
        self._record = record
        self._keep = keep
        self._segments = 0
        self._utterances = 0
        self._open: dict[Speaker, int] = {}
        """The unfinished utterance of each side."""
        self._user_words: list[str] = []
        """Final words that are not part of a turn yet."""
        self._user_since_ms: int | None = None
        self._agent_words = ""
        self._agent_since_ms: int | None = None

    def user_started(self, at_ms: int) -> None:
        """The caller began to speak. Only the first time in a turn counts."""
        if self._user_since_ms is None:
            self._user_since_ms = at_ms

    def user_words(self, text: str, *, is_final: bool, at_ms: int) -> None:
        """The recogniser's newest piece. An interim piece replaces the interim piece before it."""
        self.user_started(at_ms)
        words = [*self._user_words, text.strip()]
        if is_final and text.strip():
            self._user_words = words
        self._show("user", " ".join(word for word in words if word), at_ms, is_final=False)

    def user_turn(
        self, text: str, *, started_at_ms: int | None, ended_at_ms: int | None, now_ms: int
    ) -> None:
        """The engine accepted the caller's turn as ``text``. Earlier words that nobody answered are
        not in it; they are recorded as a separate segment before it."""
        unanswered = " ".join(self._user_words).removesuffix(text.strip()).strip()
        since_ms = self._user_since_ms if self._user_since_ms is not None else now_ms
        if unanswered and unanswered != " ".join(self._user_words):
            self._finish("user", unanswered, since_ms, started_at_ms or now_ms)
        self._finish(
            "user",
            text.strip(),
            started_at_ms if started_at_ms is not None else since_ms,
            ended_at_ms if ended_at_ms is not None else now_ms,
        )
        self._user_words = []
        self._user_since_ms = None

    def agent_words(self, text: str, *, at_ms: int) -> None:
        """More words of the agent are being played."""
        if self._agent_since_ms is None:
            self._agent_since_ms = at_ms
        self._agent_words += text
        self._show("agent", self._agent_words.strip(), at_ms, is_final=False)

    def agent_turn(
        self,
        text: str,
        *,
        started_at_ms: int | None,
        ended_at_ms: int | None,
        interrupted: bool,
        now_ms: int,
    ) -> RecordedTurn | None:
        """The agent stopped. The caller heard ``text``; returns ``None`` if that is empty."""
        since_ms = self._agent_since_ms if self._agent_since_ms is not None else now_ms
        spoken = self._finish(
            "agent",
            text.strip(),
            started_at_ms if started_at_ms is not None else since_ms,
            ended_at_ms if ended_at_ms is not None else now_ms,
            interrupted=interrupted,
        )
        if interrupted:
            self._record.live(Interrupted(at_ms=ended_at_ms if ended_at_ms is not None else now_ms))
        self._agent_words = ""
        self._agent_since_ms = None
        return spoken

    def close(self, now_ms: int) -> None:
        """Record the caller's words that are in no turn, and the agent's words that were played but
        that the engine has not reported."""
        if self._agent_words.strip() and self._agent_since_ms is not None:
            self._finish(
                "agent", self._agent_words.strip(), self._agent_since_ms, now_ms, interrupted=True
            )
        if self._user_words and self._user_since_ms is not None:
            self._finish("user", " ".join(self._user_words), self._user_since_ms, now_ms)
        self._user_words = []
        self._agent_words = ""

    def _finish(
        self,
        speaker: Speaker,
        text: str,
        started_at_ms: int,
        ended_at_ms: int,
        *,
        interrupted: bool = False,
    ) -> RecordedTurn | None:
        if not text:
            return None
        sequence = self._segments if self._keep else None
        self._show(speaker, text, ended_at_ms, is_final=True, sequence=sequence)
        spoken = RecordedTurn(self._segments, self._open.pop(speaker))
        if self._keep:
            self._record.fact(
                TranscriptSegment(
                    sequence=self._segments,
                    speaker=speaker,
                    text=text,
                    started_at_ms=started_at_ms,
                    ended_at_ms=max(started_at_ms, ended_at_ms),
                    interrupted=interrupted,
                )
            )
        self._segments += 1
        return spoken

    def _show(
        self,
        speaker: Speaker,
        text: str,
        at_ms: int,
        *,
        is_final: bool,
        sequence: int | None = None,
    ) -> None:
        if speaker not in self._open:
            self._open[speaker] = self._utterances
            self._utterances += 1
        self._record.live(
            LiveTranscript(
                utterance=self._open[speaker],
                speaker=speaker,
                text=text,
                is_final=is_final,
                at_ms=at_ms,
                sequence=sequence,
            )
        )
