"""This machine's microphone and loudspeaker, through the optional ``sounddevice``."""

from __future__ import annotations

import queue
from types import TracebackType
from typing import Any, Self

import numpy as np

from switchboard.caller.activity import MICROPHONE_SPEECH_RMS, SpeechActivity
from switchboard.caller.speech_queue import SentSpeech
from switchboard.problems import Problem
from switchboard_client.webrtc.frame import FRAME_SAMPLES, SAMPLE_RATE_HZ, Samples, silence

_MOST_FRAMES_WAITING = 5
"""100 ms. What exceeds it is dropped, so that a slow start does not delay the whole call."""
_PAUSE_WITHIN_SPEECH_SECONDS = 0.7


class MicrophoneProblem(Problem):
    """There is no usable microphone or loudspeaker."""


class Microphone:
    """Both devices, open while in use as a context manager.

    The devices' own threads only exchange frames with the event loop's thread through queues.
    """

    def __init__(self) -> None:
        """
        Raises:
            MicrophoneProblem: ``sounddevice`` or a device is missing.
        """
        self._heard: queue.Queue[Samples] = queue.Queue(_MOST_FRAMES_WAITING)
        self._to_play: queue.Queue[Samples] = queue.Queue(_MOST_FRAMES_WAITING)
        self._activity = SpeechActivity(MICROPHONE_SPEECH_RMS, _PAUSE_WITHIN_SPEECH_SECONDS)
        self._stream = self._opened()

    def __enter__(self) -> Self:
        self._stream.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stream.close()

    def next_frame(self, sent_at: float) -> Samples:
        try:
            frame = self._heard.get_nowait()
        except queue.Empty:
            frame = silence()
        self._activity.push(frame, sent_at)
        return frame

    def play(self, frame: Samples) -> None:
        """Hand one received frame to the loudspeaker."""
        _put_dropping_oldest(self._to_play, frame)

    @property
    def spoken(self) -> list[SentSpeech]:
        """What was said so far; pauses of up to 0.7 s do not split it."""
        return [
            SentSpeech("", interval.started_at, interval.ended_at)
            for interval in self._activity.intervals
        ]

    def _opened(self) -> Any:
        try:
            import sounddevice
        except ImportError as error:
            raise MicrophoneProblem(
                "--mic needs the package sounddevice.",
                "Install it with `uv pip install 'switchboard[microphone]'`.",
            ) from error
        except OSError as error:
            raise MicrophoneProblem(
                "--mic needs the PortAudio library, which is not on this machine.",
                "On Debian and Ubuntu: `apt install libportaudio2`.",
            ) from error

        try:
            return sounddevice.Stream(
                samplerate=SAMPLE_RATE_HZ,
                blocksize=FRAME_SAMPLES,
                channels=1,
                dtype="int16",
                callback=self._exchange,
            )
        except (sounddevice.PortAudioError, ValueError) as error:
            raise MicrophoneProblem(
                f"No microphone or loudspeaker can be used: {error}.",
                "`python -m sounddevice` lists the devices of this machine. Without one, "
                "use --say, or the call page in a browser on another machine.",
            ) from error

    def _exchange(self, heard: Any, played: Any, _frames: int, _time: Any, _status: Any) -> None:
        _put_dropping_oldest(self._heard, np.array(heard[:, 0]))
        try:
            played[:, 0] = self._to_play.get_nowait()
        except queue.Empty:
            played.fill(0)


def _put_dropping_oldest(frames: queue.Queue[Samples], frame: Samples) -> None:
    while True:
        try:
            frames.put_nowait(frame)
        except queue.Full:
            try:
                frames.get_nowait()
            except queue.Empty:
                continue
        else:
            return
