"""The caller's own voice and recogniser, both offline: Hibari speaks, Moonshine recognises.

Blocking: call these from an executor.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from switchboard.caller.resampling import downsampled, to_pcm, to_waveform, upsampled
from switchboard.caller.speech_queue import PreparedLine
from switchboard.problems import Problem
from switchboard_client.webrtc.frame import Samples

_PEAK = 0.5
"""Of full scale. Hibari speaks at about a quarter; a voice on the telephone is louder."""
_INSTALL = "Install it with `uv pip install 'switchboard[offline]'`."


class MissingModel(Problem):
    """A speech model of the caller is not installed."""


class Voice:
    """Text to speech at the caller's sample rate."""

    def __init__(self) -> None:
        """Loads the model (0.4 s).

        Raises:
            MissingModel: the voice is not installed.
        """
        try:
            from hibari import Hibari
        except ImportError as error:
            raise MissingModel("The caller's voice (hibari-tts) is missing.", _INSTALL) from error
        self._hibari: Any = Hibari()

    def speak(self, text: str) -> PreparedLine:
        """The same text always sounds the same.

        Raises:
            ValueError: ``text`` holds nothing that can be spoken.
        """
        waveform = upsampled(self._hibari(text, seed=0), 2)
        peak = float(np.abs(waveform).max(initial=0.0))
        return PreparedLine.of(text, to_pcm(waveform * (_PEAK / peak) if peak else waveform))


class Recogniser:
    """Speech to text of one finished turn."""

    def __init__(self) -> None:
        """Loads the model (0.8 s).

        Raises:
            MissingModel: the recogniser is not installed.
        """
        try:
            from moonshine_voice import ModelArch, Transcriber, get_assets_path
        except ImportError as error:
            raise MissingModel(
                "The caller's recogniser (moonshine-voice) is missing.", _INSTALL
            ) from error
        self._transcriber: Any = Transcriber(
            model_path=str(get_assets_path() / "tiny-en"), model_arch=ModelArch.TINY
        )

    def transcribe(self, audio: Samples) -> str:
        """The words in ``audio`` (48 kHz). Empty when there are none."""
        waveform = downsampled(to_waveform(audio), 3)
        result = self._transcriber.transcribe_without_streaming(waveform, 16_000)
        return " ".join(line.text.strip() for line in result.lines if line.text.strip())
