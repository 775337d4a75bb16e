"""``python -m switchboard.phone_sentences``: records the telephony bridge's sentences again.

With the offline voice, at 8 kHz and about -20 dBFS. Needed only when their texts change.
"""

from __future__ import annotations

import wave

import numpy as np

from switchboard.caller.resampling import downsampled, to_pcm, to_waveform
from switchboard.caller.speech_models import Voice
from switchboard_client.webrtc.frame import SAMPLE_RATE_HZ
from telephony_bridge.media.sentences import RECORDED_HZ, TEXTS, recording_path

_LOUDNESS = 0.1
_EDGE_SECONDS = 0.2
"""Of silence before and after: carriers cut the first moments of an answered line."""


def record() -> None:
    voice = Voice()
    for sentence, text in TEXTS.items():
        spoken = to_waveform(voice.speak(text).audio)
        narrow = downsampled(spoken, SAMPLE_RATE_HZ // RECORDED_HZ)
        narrow = narrow * (_LOUDNESS / float(np.sqrt(np.mean(narrow**2))))
        edge = np.zeros(round(_EDGE_SECONDS * RECORDED_HZ))
        samples = to_pcm(np.concatenate((edge, np.clip(narrow, -1, 1), edge)))
        path = recording_path(sentence)
        path.parent.mkdir(exist_ok=True)
        with wave.open(str(path), "wb") as recording:
            recording.setnchannels(1)
            recording.setsampwidth(2)
            recording.setframerate(RECORDED_HZ)
            recording.writeframes(samples.astype("<i2").tobytes())


if __name__ == "__main__":
    record()
