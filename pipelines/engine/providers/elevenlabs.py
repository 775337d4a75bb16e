"""ElevenLabs speech recognition and voices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.stack.phonetic_voices import notation_of
from pipelines.texts.language import primary_language

if TYPE_CHECKING:
    from livekit.agents import stt, tts

_REALTIME_MODEL = "scribe_v2_realtime"
_COMMIT_AFTER_SILENCE_SECONDS = 0.5
_MOST_KEY_TERMS = 50
_LONGEST_KEY_TERM = 20
"""Limits of the realtime API. It refuses sessions that exceed them."""
_TAKES_LANGUAGE = ("eleven_flash_v2_5", "eleven_turbo_v2_5", "eleven_v3", "eleven_v4")
"""Voice models that accept a language. The others detect it and refuse the setting."""


def _build_stt(request: ModelRequest) -> stt.STT[Any]:
    from livekit.agents import NOT_GIVEN
    from livekit.plugins import elevenlabs

    key_terms = [word for word in request.keywords if len(word) <= _LONGEST_KEY_TERM][
        :_MOST_KEY_TERMS
    ]
    return elevenlabs.STT(
        model=request.choice.model,
        language_code=primary_language(request.plan.locale),
        api_key=request.api_key(),
        base_url=request.base_url,
        http_session=request.models.http_session,
        tag_audio_events=False,
        # Without it, the model waits for a commit message that the engine does not send.
        server_vad=(
            {"vad_silence_threshold_secs": _COMMIT_AFTER_SILENCE_SECONDS}
            if request.choice.model == _REALTIME_MODEL
            else NOT_GIVEN
        ),
        keyterms=key_terms or NOT_GIVEN,
    )


def _build_tts(request: ModelRequest) -> tts.TTS[Any]:
    from livekit.agents import NOT_GIVEN
    from livekit.plugins import elevenlabs

    model = request.choice.model
    language = primary_language(request.plan.locale)
    has_phonemes = any(entry.ipa for entry in request.plan.agent.advanced.pronunciations)
    notation = notation_of(request.choice, request.plan.locale)
    return elevenlabs.TTS(
        model=model,
        voice_id=request.choice.voice or elevenlabs.DEFAULT_VOICE_ID,
        language=language if model.startswith(_TAKES_LANGUAGE) else NOT_GIVEN,
        enable_ssml_parsing=has_phonemes and notation is not None,
        # PCM at the engine's own rate needs no decoding.
        encoding="pcm_24000",
        api_key=request.api_key(),
        base_url=request.base_url,
        http_session=request.models.http_session,
    )


ELEVENLABS = ProviderSpec(
    name="elevenlabs", stt=_build_stt, tts=_build_tts, plugin="livekit.plugins.elevenlabs"
)
