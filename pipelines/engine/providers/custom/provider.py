"""A tenant's own servers as a provider: each call has connections of its own to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.call_plan import Channel
from pipelines.engine.providers.openai import OPENAI
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec, ProviderUnavailable
from pipelines.stack.custom_endpoints import (
    CUSTOM_URL_FIELDS,
    custom_scheme,
    custom_url,
    has_fitting_scheme,
)

if TYPE_CHECKING:
    import httpx2
    from livekit.agents import llm, stt, tts

    from pipelines.engine.providers.custom.endpoint import Endpoint

_LONGEST_REQUEST_SECONDS = 60.0
"""From the request to the last byte. The channels' deadlines are shorter."""


def _build_llm(request: ModelRequest) -> llm.LLM[Any]:
    from pipelines.engine.providers.custom.chat import chat_model

    return chat_model(_url(request, "llm"), _client(request), request.choice.model)


def _build_stt(request: ModelRequest) -> stt.STT[Any]:
    from pipelines.engine.providers.custom.transcriber import CustomTranscriber

    return CustomTranscriber(
        _endpoint(request, "stt"),
        model=request.choice.model,
        language=request.plan.locale,
        keywords=request.keywords,
    )


def _build_tts(request: ModelRequest) -> tts.TTS[Any]:
    if request.plan.agent.custom_voice_mode == "compat":
        return _compatible_voice(request)
    from pipelines.engine.providers.custom.streaming_voice import StreamingVoice

    return StreamingVoice(
        _endpoint(request, "tts"),
        model=request.choice.model,
        voice=request.choice.voice or "",
        language=request.plan.locale,
        connect_seconds=request.models.settings.deadlines.connect_seconds,
    )


def _compatible_voice(request: ModelRequest) -> tts.TTS[Any]:
    from pipelines.engine.providers.custom.compatible_voice import CompatibleVoice

    return CompatibleVoice(
        _url(request, "tts"),
        _client(request),
        request.actions,
        model=request.choice.model,
        voice=request.choice.voice or "",
    )


def _client(request: ModelRequest) -> httpx2.AsyncClient:
    network, tenant = request.models.tenants_network, str(request.plan.tenant_id)
    return network.client(tenant, timeout_seconds=_LONGEST_REQUEST_SECONDS)


def _endpoint(request: ModelRequest, channel: Channel) -> Endpoint:
    from pipelines.engine.providers.custom.endpoint import Endpoint

    return Endpoint(
        url=_url(request, channel),
        field=CUSTOM_URL_FIELDS[channel],
        tenant=str(request.plan.tenant_id),
        network=request.models.tenants_network,
        actions=request.actions,
    )


def _url(request: ModelRequest, channel: Channel) -> str:
    agent = request.plan.agent
    url, field = custom_url(agent, channel), CUSTOM_URL_FIELDS[channel]
    if url is None:
        raise ProviderUnavailable(f"the agent has no {field}")
    if not has_fitting_scheme(agent, channel):
        raise ProviderUnavailable(f"{field} does not begin with {custom_scheme(agent, channel)}://")
    return url


CUSTOM = ProviderSpec(
    name="custom",
    needs_key=False,
    is_of_tenants=True,
    stt=_build_stt,
    llm=_build_llm,
    tts=_build_tts,
    plugin=OPENAI.plugin,
    sdk=OPENAI.sdk,
)
