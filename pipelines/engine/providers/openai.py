"""OpenAI, and servers with the same API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.engine.providers.request_sent import tell_when_sent
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec
from pipelines.engine.providers.tool_call_ids import ToolCallIds
from pipelines.engine.providers.whole_stream import WholeStream
from pipelines.stack.reasoning import reasons_by_itself
from pipelines.stack.worker_capabilities import REALTIME_TRANSCRIBERS
from pipelines.texts.language import primary_language

if TYPE_CHECKING:
    import openai
    from livekit.agents import llm, stt, tts
    from openai.types.chat import ChatCompletionChunk

_TIMEOUT_SECONDS = 10.0
_DEFAULT_VOICE = "alloy"
_NO_REASONING = "none"
_HEARS_WHILE_SPOKEN = ("gpt-4o", "gpt-live-transcribe", "gpt-realtime-whisper")
"""Models that transcribe over the realtime API. The others get each utterance as a file."""
_ENDS_NO_TURN = ("gpt-live-transcribe", "gpt-realtime-whisper")
"""Realtime models that do not detect the end of an utterance."""
_TAKES_KEYWORDS = ("gpt-transcribe", "gpt-live-transcribe")
"""Models with a field for expected words. The others get them as a prompt."""


def _client(request: ModelRequest) -> openai.AsyncClient:
    """A client on the process's shared connections. It need not be closed after a call."""
    import httpx2
    import openai

    return openai.AsyncClient(
        api_key=request.api_key(),
        base_url=request.base_url,
        timeout=httpx2.Timeout(_TIMEOUT_SECONDS),
        max_retries=0,
        http_client=request.models.http_client,
    )


def _build_llm(request: ModelRequest) -> llm.LLM[Any]:
    from livekit.agents import NOT_GIVEN
    from livekit.plugins import openai

    model = request.choice.model
    reasoning: Any = _NO_REASONING if reasons_by_itself(model) else NOT_GIVEN
    client = _client(request)
    prepare_chat(client)
    return openai.LLM(model=model, client=client, reasoning_effort=reasoning)


def prepare_chat(client: openai.AsyncClient) -> None:
    """Skip what the SDK does to each message and tool: it compares them with its types to rename
    fields, of which a conversation has none. With every turn there is more to compare: for 13
    messages it kept the loop from the audio of all calls for 4 ms.

    An answer that ends too soon is an error. Tool calls get ids of their own. It is known when a
    request is out."""
    import openai

    tell_when_sent(client)
    create = client.chat.completions.create

    async def create_as_it_is(
        *, messages: Any, tools: Any = openai.omit, extra_body: Any = None, **options: Any
    ) -> Any:
        body = {**(extra_body or {}), "messages": messages}
        if tools is not openai.omit:
            body["tools"] = tools
        answer = await create(messages=(), extra_body=body, **options)
        if not isinstance(answer, openai.AsyncStream):
            return answer
        return WholeStream(answer, _is_end, ToolCallIds(messages).amend, _goes_on)

    client.chat.completions.create = create_as_it_is  # type: ignore[method-assign]


def _is_end(chunk: ChatCompletionChunk) -> bool:
    # Some servers with this API give no reason to finish, but their usage. Others give that all
    # along, beside the words.
    has_usage = chunk.usage is not None and not _goes_on(chunk)
    return has_usage or any(choice.finish_reason for choice in chunk.choices)


def _goes_on(chunk: ChatCompletionChunk) -> bool:
    deltas = [choice.delta for choice in chunk.choices if choice.delta is not None]
    return any(delta.content or delta.tool_calls for delta in deltas)


def _build_stt(request: ModelRequest) -> stt.STT[Any]:
    from livekit.agents import NOT_GIVEN
    from livekit.plugins import openai

    from pipelines.engine.turn_handling import voice_activity

    model = request.choice.model
    keywords = request.keywords
    takes_keywords = model.startswith(_TAKES_KEYWORDS)
    detector = voice_activity(request.plan.agent.advanced)
    return openai.STT(
        model=model,
        language=request.plan.locale,
        client=_client(request),
        keywords=list(keywords) if keywords and takes_keywords else NOT_GIVEN,
        prompt=", ".join(keywords) if keywords and not takes_keywords else NOT_GIVEN,
        use_realtime=model.startswith(_HEARS_WHILE_SPOKEN),
        vad=detector if model.startswith(_ENDS_NO_TURN) else NOT_GIVEN,
    )


def _build_tts(request: ModelRequest) -> tts.TTS[Any]:
    from livekit.plugins import openai

    return openai.TTS(
        model=request.choice.model,
        voice=request.choice.voice or _DEFAULT_VOICE,
        client=_client(request),
        # PCM at the engine's own rate needs no decoding.
        response_format="pcm",
    )


def _build_realtime(request: ModelRequest) -> llm.RealtimeModel:
    from livekit.agents import APIConnectOptions
    from livekit.plugins import openai
    from openai.types.realtime import AudioTranscription

    seconds = request.models.settings.deadlines.connect_seconds
    return openai.realtime.RealtimeModel(
        model=request.choice.model,
        voice=request.choice.voice or _DEFAULT_VOICE,
        input_audio_transcription=AudioTranscription(
            model=REALTIME_TRANSCRIBERS[request.choice.provider],
            language=primary_language(request.plan.locale),
        ),
        api_key=request.api_key(),
        base_url=request.base_url,
        http_session=request.models.http_session,
        conn_options=APIConnectOptions(max_retry=0, timeout=seconds),
    )


OPENAI = ProviderSpec(
    name="openai",
    stt=_build_stt,
    llm=_build_llm,
    tts=_build_tts,
    realtime=_build_realtime,
    plugin="livekit.plugins.openai",
    sdk=("openai", "openai.types.realtime", "openai.types.beta.realtime"),
)
