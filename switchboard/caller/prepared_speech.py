"""The caller's lines as sound, made before the call so that no answer waits for the voice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from switchboard.caller.speech_models import Recogniser, Voice
from switchboard.caller.utterances import Utterance
from switchboard_client.webrtc.frame import Samples


class PreparedSpeech:
    """Loaded models and finished utterances."""

    def __init__(self, recogniser: Recogniser, utterances: dict[str, Utterance]) -> None:
        self._recogniser = recogniser
        self._utterances = utterances

    def utterance(self, text: str) -> Utterance:
        """Raises:
        KeyError: ``text`` was not among the lines prepared.
        """
        return self._utterances[text]

    def transcribe(self, audio: Samples) -> str:
        """Blocking: about a twentieth of the audio's length."""
        return self._recogniser.transcribe(audio)


async def prepare_speech(lines: Iterable[str]) -> PreparedSpeech:
    """Load both models and speak ``lines``, all in threads.

    Raises:
        MissingModel: a model is not installed.
        ValueError: a line holds nothing that can be spoken.
    """
    utterances, recogniser = await asyncio.gather(
        asyncio.to_thread(_spoken, tuple(lines)), asyncio.to_thread(_warm_recogniser)
    )
    return PreparedSpeech(recogniser, utterances)


def _spoken(lines: tuple[str, ...]) -> dict[str, Utterance]:
    voice = Voice()
    return {line: voice.speak(line) for line in lines}


def _warm_recogniser() -> Recogniser:
    return Recogniser()
