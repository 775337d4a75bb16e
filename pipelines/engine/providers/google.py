"""Gemini: Google's language and speech models that need one API key.

Google Cloud's speech products (Chirp, ``latest_long``, WaveNet) need a service account instead of a
key. They are not supported.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.reported_audio import report_audio
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.engine.providers.whole_stream import WholeStream

if TYPE_CHECKING:
    from google.genai.types import GenerateContentResponse, HttpOptions
    from livekit.agents import llm, stt, tts

_TIMEOUT_MS = 10_000
_DEFAULT_VOICE = "Aoede"


def _http_options(request: ModelRequest, *, timeout_ms: int | None = None) -> HttpOptions:
    from google.genai.types import HttpOptions, HttpRetryOptions

    return HttpOptions(
        base_url=request.base_url,
        timeout=timeout_ms,
        # Otherwise the SDK tries a refused connection again, after 1 to 10 s.
        retry_options=HttpRetryOptions(attempts=1),
    )


def _build_llm(request: ModelRequest) -> llm.LLM[Any]:
    from livekit.plugins import google

    model = google.LLM(
        model=request.choice.model,
        api_key=request.api_key(),
        vertexai=False,
        http_options=_http_options(request),
    )
    models = model._client.aio.models
    generate = models.generate_content_stream

    async def generate_whole(**options: Any) -> Any:
        return WholeStream(_with_thoughts(await generate(**options)), _is_end)

    models.generate_content_stream = generate_whole  # type: ignore[method-assign]
    return model


async def _with_thoughts(
    responses: AsyncIterable[GenerateContentResponse],
) -> AsyncIterator[GenerateContentResponse]:
    """Counts thoughts as output, as other providers do and as Google bills them. Its API counts
    them apart (``UsageMetadata.thoughtsTokenCount``), and the plugin leaves them out."""
    async for response in responses:
        usage = response.usage_metadata
        if usage is not None and usage.thoughts_token_count:
            answer_tokens = usage.candidates_token_count or 0
            usage.candidates_token_count = answer_tokens + usage.thoughts_token_count
        yield response


def _is_end(response: GenerateContentResponse) -> bool:
    """Also if it was refused: then there is no answer to end."""
    candidates = response.candidates or ()
    return response.prompt_feedback is not None or any(each.finish_reason for each in candidates)


def _build_stt(request: ModelRequest) -> stt.STT[Any]:
    from livekit.plugins import google

    model = google.beta.GeminiSTT(
        model=request.choice.model,
        language=request.plan.locale,
        custom_vocabulary=list(request.keywords),
        api_key=request.api_key(),
        vertexai=False,
        http_options=_http_options(request),
    )
    report_audio(model)
    return model


def _build_tts(request: ModelRequest) -> tts.TTS[Any]:
    from google.genai import Client
    from livekit.plugins import google

    key = request.api_key()
    voice = google.beta.GeminiTTS(
        model=request.choice.model,
        voice_name=request.choice.voice or _DEFAULT_VOICE,
        api_key=key,
        vertexai=False,
    )
    # The plugin cannot set an address, and its own client has no timeout.
    voice._client = Client(
        api_key=key, vertexai=False, http_options=_http_options(request, timeout_ms=_TIMEOUT_MS)
    )
    return voice


GOOGLE = ProviderSpec(
    name="google",
    stt=_build_stt,
    llm=_build_llm,
    tts=_build_tts,
    plugin="livekit.plugins.google",
    sdk=(
        "google.genai",
        "google.cloud.speech_v1",
        "google.cloud.speech_v2",
        "google.cloud.texttospeech",
    ),
)
