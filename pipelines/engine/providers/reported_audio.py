"""Reports how much audio a recogniser was given, for plugins that do not tell."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from livekit import rtc
    from livekit.agents import stt

REPORTED_SECONDS = 1
"""Together. What comes after the last report of a stream is lost."""


def report_audio(model: stt.STT[Any]) -> None:
    """Let the streams of ``model`` report their audio, as other plugins do, in the engine's
    metrics."""
    from livekit.agents.metrics import STTMetrics

    open_stream = model.stream

    def reporting_stream(**options: Any) -> stt.RecognizeStream:
        stream = open_stream(**options)
        push_frame = stream.push_frame
        unreported_samples = 0

        def push_and_report(frame: rtc.AudioFrame) -> None:
            nonlocal unreported_samples
            push_frame(frame)
            unreported_samples += frame.samples_per_channel
            if unreported_samples >= REPORTED_SECONDS * frame.sample_rate:
                metrics = STTMetrics(
                    label=model.label,
                    request_id="",
                    timestamp=time.time(),
                    duration=0.0,
                    audio_duration=unreported_samples / frame.sample_rate,
                    streamed=True,
                )
                unreported_samples = 0
                model.emit("metrics_collected", metrics)

        stream.push_frame = push_and_report  # type: ignore[method-assign]
        return stream

    model.stream = reporting_stream  # type: ignore[method-assign]
