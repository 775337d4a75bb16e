"""Records what the console's listen button plays, for a new voice of this machine:
``python -m tests.control_plane.console.speak_samples``."""

from __future__ import annotations

import asyncio
from pathlib import Path

import av
import numpy as np

from control_plane.console.routes import STATIC
from pipelines.engine.providers.local.loaded_models import load_here
from pipelines.engine.providers.local.speech_models import Voice

SENTENCE = "Hello, thank you for calling. How can I help you today?"
LOCALE = "en-US"
OPUS_BITS_PER_SECOND = 32_000
SAMPLES = STATIC / "voices"


async def spoken(voice: Voice) -> bytes:
    """Mono 16-bit PCM."""
    return b"".join([piece async for piece in voice.speak(SENTENCE, locale=LOCALE)])


def write_opus(pcm: bytes, sample_rate: int, file: Path) -> None:
    with av.open(str(file), "w", format="ogg") as container:
        stream = container.add_stream("libopus", rate=48_000, layout="mono")
        stream.bit_rate = OPUS_BITS_PER_SECOND
        resampler = av.AudioResampler(format="s16", layout="mono", rate=48_000)
        samples = np.frombuffer(pcm, np.int16).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate = sample_rate
        for resampled in [*resampler.resample(frame), *resampler.resample(None)]:
            container.mux(stream.encode(resampled))
        container.mux(stream.encode(None))


async def main() -> None:
    models = await load_here()
    try:
        for name, voice in (("hibari", models.hibari), ("espeak", models.espeak)):
            if voice is not None:
                write_opus(await spoken(voice), voice.sample_rate, SAMPLES / f"{name}.ogg")
    finally:
        await models.aclose()


if __name__ == "__main__":
    asyncio.run(main())
