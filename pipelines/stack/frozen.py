"""Whether a stack that was resolved earlier can still be run as it is."""

from __future__ import annotations

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel, ProviderChoice, ResolvedStack
from pipelines.stack.catalogue import CUSTOM, ModelEntry, StackCatalogue
from pipelines.stack.keys import AvailableKeys
from pipelines.stack.obstacles import Situation
from pipelines.stack.outcome import StackProblem
from pipelines.stack.wishes import wishes_of
from pipelines.texts.language import covers


def still_runs(
    stack: ResolvedStack,
    agent: AgentConfig,
    catalogue: StackCatalogue,
    keys: AvailableKeys,
    locale: str,
) -> bool:
    """Whether every choice of ``stack``, fallbacks included, can be used now and is paid with the
    same key as when it was resolved.

    A key that the tenant has added or removed since changes who pays, and with it which fallbacks
    are allowed: such a stack has to be resolved again.
    """
    wishes = wishes_of(agent, catalogue, locale)
    if isinstance(wishes, StackProblem):
        return False
    usable_keys = keys.without_own if wishes.sku else keys
    offered = catalogue.with_own_server(usable_keys.own_models)
    situation = Situation(offered, usable_keys, locale)
    is_realtime = stack.mode == "realtime"
    own = stack.model_copy(update={"pipeline": None})
    return (
        (is_realtime == (stack.pipeline is not None))
        and all(
            # A realtime model is a language model in the catalogue, whichever channel names it.
            _is_usable(choice, "llm" if is_realtime else channel, is_realtime, situation, locale)
            for channel, choice in own.choices()
        )
        and (stack.pipeline is None or still_runs(stack.pipeline, agent, catalogue, keys, locale))
    )


def _is_usable(
    choice: ProviderChoice, channel: Channel, is_realtime: bool, situation: Situation, locale: str
) -> bool:
    catalogue, keys = situation.catalogue, situation.keys
    if choice.provider == CUSTOM:
        return keys.reaches("enterprise") and catalogue.can_run(CUSTOM, channel)
    return any(
        situation.obstacle(model, channel) is None
        for model in catalogue.models
        if model.name == (choice.provider, choice.model)
        and channel in model.channels
        and model.is_realtime == is_realtime
        and keys.source(model.provider) == choice.key_source
        and _has_voice(catalogue, model, choice.voice, locale)
    )


def _has_voice(
    catalogue: StackCatalogue, model: ModelEntry, voice_id: str | None, locale: str
) -> bool:
    return voice_id is None or any(
        voice.voice_id == voice_id
        and voice.provider == model.provider
        and model.model in voice.models
        and covers(voice.languages, locale)
        for voice in catalogue.voices
    )
