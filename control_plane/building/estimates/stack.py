"""The stack of an agent that exists only as names of models. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from contracts.call_plan import Channel, ProviderChoice, ResolvedChannel, ResolvedStack
from control_plane.platform.errors import InvalidRequest
from pipelines.stack import CHANNELS, AvailableKeys, ModelEntry, StackCatalogue

_OMITTED = ProviderChoice(provider="", model="", key_source="own")
"""It costs nothing, as a channel on the tenant's own key."""


def stack_of(
    names: Mapping[Channel, str], catalogue: StackCatalogue, keys: AvailableKeys
) -> ResolvedStack:
    """
    Args:
        names: by channel: ``model`` or ``provider/model``; empty if it is left out.

    Raises:
        InvalidRequest: a model is unknown, or another one is named beside a realtime model.
    """
    catalogue = catalogue.with_own_server(keys.own_models)
    choices: dict[Channel, ProviderChoice] = dict.fromkeys(CHANNELS, _OMITTED)
    is_realtime = False
    for channel in CHANNELS:
        name = names.get(channel, "")
        if not name:
            continue
        model = _named(name, channel, catalogue)
        is_realtime = is_realtime or (channel == "llm" and model.is_realtime)
        choices[channel] = ProviderChoice(
            provider=model.provider, model=model.model, key_source=keys.source(model.provider)
        )
    if is_realtime:
        for channel in ("stt", "tts"):
            if names.get(channel):
                raise InvalidRequest.at(
                    f"{channel}_model",
                    "must be empty: a realtime llm_model listens and speaks itself",
                )
        choices = dict.fromkeys(CHANNELS, choices["llm"])
    return ResolvedStack(
        mode="realtime" if is_realtime else "pipeline",
        stt=ResolvedChannel(primary=choices["stt"]),
        llm=ResolvedChannel(primary=choices["llm"]),
        tts=ResolvedChannel(primary=choices["tts"]),
    )


def _named(name: str, channel: Channel, catalogue: StackCatalogue) -> ModelEntry:
    """The model; the preferred one if several providers have it."""
    found = [
        model
        for model in catalogue.models
        if channel in model.channels and name in (model.model, str(model.name))
    ]
    if not found:
        raise InvalidRequest.at(
            f"{channel}_model",
            "is not a model of this channel; GET /v1/agents/llm-options lists the models",
        )
    return min(found, key=lambda model: (model.rank, model.provider))
