"""Gemini: Google's language and speech models that need one API key.

Google Cloud's speech products (Chirp, ``latest_long``, WaveNet) need a service account instead of a
key. They are not supported.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from pipelines.engine.providers.reported_audio import report_audio
from pipelines.engine.providers.request_sent import sends_now
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.engine.providers.whole_stream import WholeStream

if TYPE_CHECKING:
    from google.genai import Client
    from google.genai.types import GenerateContentResponse, HttpOptions
    from livekit.agents import llm, stt, tts
    from livekit.agents.llm import RealtimeModel

Model = TypeVar("Model")

_TIMEOUT_MS = 10_000
_DEFAULT_VOICE = "Aoede"
_CLOSE_SECONDS = 1.0
"""That a server has to answer when its socket is closed."""
_TYPES = (
    *("AudioTranscriptionConfig", "Blob", "Candidate", "Content", "FunctionCall"),
    *("FunctionDeclaration", "FunctionResponse", "GenerateContentConfig"),
    *("GenerateContentResponse", "HttpOptions", "HttpRetryOptions", "LiveClientContent"),
    *("LiveConnectConfig", "LiveConnectParameters", "LiveSendRealtimeInputParameters"),
    *("LiveServerContent", "LiveServerMessage", "LiveServerToolCall", "Part"),
    *("RealtimeInputConfig", "SpeechConfig", "Tool", "Transcription", "UsageMetadata"),
)
"""Of the SDK: what calls are made with."""


def _complete_types() -> None:
    """The SDK completes a type when it is first used, which takes up to 18 ms each."""
    from google.genai import types

    for name in _TYPES:
        getattr(types, name).model_rebuild()


def _request_options(request: ModelRequest, *, timeout_ms: int | None = None) -> HttpOptions:
    """For one request of a client."""
    from google.genai.types import HttpOptions, HttpRetryOptions

    return HttpOptions(
        base_url=request.base_url,
        timeout=timeout_ms,
        # Otherwise the SDK tries a refused connection again, after 1 to 10 s.
        retry_options=HttpRetryOptions(attempts=1),
    )


def _client_options(request: ModelRequest, *, timeout_ms: int | None = None) -> HttpOptions:
    tls = request.models.tls
    options = _request_options(request, timeout_ms=timeout_ms)
    # Each client would read all certificates of the world three times.
    options.client_args = {"verify": tls}
    options.async_client_args = {"verify": tls, "ssl": tls, "close_timeout": _CLOSE_SECONDS}
    return options


def _client(request: ModelRequest, *, timeout_ms: int | None = None) -> Client:
    from google.genai import Client

    options = _client_options(request, timeout_ms=timeout_ms)
    return Client(api_key=request.api_key(), vertexai=False, http_options=options)


def _with_client(plugin: Any, client: Client, build: Callable[[], Model]) -> Model:
    """Build a model of ``plugin``, a module, with ``client``. It would make a client of its own,
    with its own address, without a time limit, and in a tenth of a second of the event loop."""
    its_own = plugin.Client
    plugin.Client = lambda **_: client
    try:
        return build()
    finally:
        plugin.Client = its_own


def _build_llm(request: ModelRequest) -> llm.LLM[Any]:
    from livekit.plugins.google import llm as plugin

    def build() -> plugin.LLM:
        return plugin.LLM(
            model=request.choice.model,
            api_key=request.api_key(),
            vertexai=False,
            http_options=_request_options(request),
        )

    model = _with_client(plugin, _client(request), build)
    models = model._client.aio.models
    generate = models.generate_content_stream

    async def generate_whole(**options: Any) -> Any:
        sends_now()
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
        http_options=_client_options(request),
    )
    report_audio(model)
    return model


def _build_tts(request: ModelRequest) -> tts.TTS[Any]:
    from livekit.plugins.google.beta import gemini_tts as plugin

    def build() -> plugin.TTS:
        return plugin.TTS(
            model=request.choice.model,
            voice_name=request.choice.voice or _DEFAULT_VOICE,
            api_key=request.api_key(),
            vertexai=False,
        )

    return _with_client(plugin, _client(request, timeout_ms=_TIMEOUT_MS), build)


def _build_realtime(request: ModelRequest) -> RealtimeModel:
    from pipelines.engine.providers.google_live.model import GoogleLive

    return GoogleLive(
        _client(request),
        request.choice.model,
        request.choice.voice or _DEFAULT_VOICE,
        request.models.settings.deadlines.connect_seconds,
    )


GOOGLE = ProviderSpec(
    name="google",
    stt=_build_stt,
    llm=_build_llm,
    tts=_build_tts,
    realtime=_build_realtime,
    plugin="livekit.plugins.google",
    sdk=(
        "google.genai",
        "google.cloud.speech_v1",
        "google.cloud.speech_v2",
        "google.cloud.texttospeech",
    ),
    prepare=_complete_types,
)
