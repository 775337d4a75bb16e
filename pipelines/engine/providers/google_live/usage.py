"""What Google tells of an answer's tokens, as the engine's metrics."""

from __future__ import annotations

import time
from collections.abc import Sequence

from google.genai import types
from livekit.agents.metrics import RealtimeModelMetrics

_Counts = Sequence[types.ModalityTokenCount] | None


def metrics_of(usage: types.UsageMetadata, label: str) -> RealtimeModelMetrics:
    """Thoughts are output, and what tools returned is input, as Google bills them."""
    read = (usage.prompt_token_count or 0) + (usage.tool_use_prompt_token_count or 0)
    written = (usage.response_token_count or 0) + (usage.thoughts_token_count or 0)
    read_audio = _audio(usage.prompt_tokens_details) + _audio(usage.tool_use_prompt_tokens_details)
    cached = usage.cached_content_token_count or 0
    cached_audio = _audio(usage.cache_tokens_details)
    written_audio = _audio(usage.response_tokens_details)
    return RealtimeModelMetrics(
        label=label,
        request_id="",
        timestamp=time.time(),
        input_tokens=read,
        output_tokens=written,
        total_tokens=read + written,
        input_token_details=RealtimeModelMetrics.InputTokenDetails(
            audio_tokens=read_audio,
            text_tokens=read - read_audio,
            cached_tokens=cached,
            cached_tokens_details=RealtimeModelMetrics.CachedTokenDetails(
                audio_tokens=cached_audio, text_tokens=cached - cached_audio
            ),
        ),
        output_token_details=RealtimeModelMetrics.OutputTokenDetails(
            audio_tokens=written_audio, text_tokens=written - written_audio
        ),
    )


def _audio(counts: _Counts) -> int:
    audio = types.MediaModality.AUDIO
    return sum(each.token_count or 0 for each in counts or () if each.modality is audio)
