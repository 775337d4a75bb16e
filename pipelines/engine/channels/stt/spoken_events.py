"""The events of one recogniser after another, as if they came from one. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from livekit.agents.stt import SpeechEvent, SpeechEventType

_WITH_TEXT = frozenset(
    {
        SpeechEventType.INTERIM_TRANSCRIPT,
        SpeechEventType.PREFLIGHT_TRANSCRIPT,
        SpeechEventType.FINAL_TRANSCRIPT,
    }
)


def has_words(event: SpeechEvent) -> bool:
    if event.type not in _WITH_TEXT or not event.alternatives:
        return False
    return bool(event.alternatives[0].text.strip())


class SpokenEvents:
    """Starts and ends of speech come in turns, whoever told of the last one."""

    def __init__(self) -> None:
        self._is_speaking = False

    def pass_on(self, event: SpeechEvent, *, is_speaking: bool) -> Iterator[SpeechEvent]:
        """
        Args:
            is_speaking: whether the event's recogniser has, with it, told the start of speech and
                no end.
        """
        if event.type in (SpeechEventType.START_OF_SPEECH, SpeechEventType.END_OF_SPEECH):
            if is_speaking != self._is_speaking:
                self._is_speaking = is_speaking
                yield event
            return
        if not has_words(event):
            yield event
            return
        # Another recogniser may have begun the utterance, or ended it before these words.
        if is_speaking and not self._is_speaking:
            self._is_speaking = True
            yield SpeechEvent(SpeechEventType.START_OF_SPEECH)
        yield event
        if not is_speaking:
            yield from self.end()

    def end(self) -> Iterator[SpeechEvent]:
        """Nobody speaks."""
        if self._is_speaking:
            self._is_speaking = False
            yield SpeechEvent(SpeechEventType.END_OF_SPEECH)
