"""The caller's lines as sound, made before the call so that no answer waits for the voice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from switchboard.caller.speech_models import Recogniser, Voice
from switchboard.caller.speech_queue import PreparedLine
from switchboard_client.webrtc.frame import Samples


class PreparedSpeech:
    """A loaded recogniser, and the sound of each line."""

    def __init__(self, recogniser: Recogniser, lines: dict[str, PreparedLine]) -> None:
        self._recogniser = recogniser
        self._lines = lines

    def line(self, text: str) -> PreparedLine:
        """
        Raises:
            KeyError: ``text`` is not one of the prepared lines.
        """
        return self._lines[text]

    def transcribe(self, audio: Samples) -> str:
        """The words in ``audio``. Blocks for about a twentieth of its length."""
        return self._recogniser.transcribe(audio)


async def prepare_speech(lines: Iterable[str]) -> PreparedSpeech:
    """Load both models and speak ``lines``, all in threads.

    Raises:
        MissingModel: a model is not installed.
        ValueError: a line holds nothing that can be spoken.
    """
    prepared, recogniser = await asyncio.gather(
        asyncio.to_thread(_prepared, tuple(lines)), asyncio.to_thread(Recogniser)
    )
    return PreparedSpeech(recogniser, prepared)


def _prepared(lines: tuple[str, ...]) -> dict[str, PreparedLine]:
    voice = Voice()
    return {line: voice.speak(line) for line in lines}
