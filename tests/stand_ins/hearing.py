"""What the local recogniser understands of sound."""

from __future__ import annotations

import re

import numpy as np
from livekit import rtc

from pipelines.engine.providers.local.speech_models import HEARING_RATE
from pipelines.engine.shared_models import WarmModels
from tests.stand_ins.voice_faults import VOICE_HZ, Samples

_INVENTED = re.compile(r"\W*\b(?:thank you|music)\W*$", re.IGNORECASE)
"""It hears that in the silence after a sentence. No text of a test may end with it."""


async def transcript(models: WarmModels, sound: Samples) -> str:
    """Of mono ``sound`` at ``VOICE_HZ``."""
    assert models.local.moonshine is not None
    resampler = rtc.AudioResampler(VOICE_HZ, HEARING_RATE)
    frame = rtc.AudioFrame(sound.tobytes(), VOICE_HZ, 1, sound.size)
    frames = [*resampler.push(frame), *resampler.flush()]
    samples = np.concatenate([np.frombuffer(each.data, np.int16) for each in frames])
    return _INVENTED.sub("", await models.local.moonshine.transcribe(samples))
