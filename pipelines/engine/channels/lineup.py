"""Which models serve a channel of a call: the plan's own two, then what needs no network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from contracts.call_plan import CallPlan, Channel, ProviderChoice
from pipelines.engine.call_actions import CallActions
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.circuit_breaker import CircuitBreaker, CircuitBreakers, ModelKey
from pipelines.engine.channels.closable import Closable
from pipelines.engine.providers.local import provider as local
from pipelines.engine.providers.registry import provider_named
from pipelines.engine.providers.spec import ModelRequest, ProviderSpec, ProviderUnavailable
from pipelines.engine.shared_models import WarmModels
from pipelines.stack import CUSTOM
from pipelines.stack.custom_endpoints import custom_url
from pipelines.texts.language import primary_language

Model = TypeVar("Model", bound=Closable)
Factory = Callable[[ModelRequest], Model]


def lineup(
    channel: Channel,
    factory: Callable[[ProviderSpec], Factory[Model] | None],
    plan: CallPlan,
    models: WarmModels,
    actions: CallActions,
) -> Candidates[Model]:
    """The models of ``channel``: the first that this process can run is built, the others when they
    are needed.

    Args:
        factory: takes the channel's factory out of a provider.

    Raises:
        ProviderUnavailable: this process can run none of them.
    """

    def candidate(choice: ProviderChoice) -> Candidate[Model]:
        def build() -> Model:
            make = factory(provider_named(choice.provider))
            if make is None:
                raise ProviderUnavailable(f"provider {choice.provider} does not serve {channel}")
            return make(ModelRequest(choice, plan, models, actions))

        return Candidate(choice, build, breaker_of(channel, choice, plan, models.breakers))

    candidates = Candidates([candidate(choice) for choice in _choices(channel, plan)])
    candidates.build_one()
    return candidates


def _choices(channel: Channel, plan: CallPlan) -> Iterator[ProviderChoice]:
    resolved = getattr(plan.stack, channel)
    seen = set()
    for choice in (resolved.primary, resolved.fallback, _local(channel, plan.locale)):
        if choice is not None and (choice.provider, choice.model) not in seen:
            seen.add((choice.provider, choice.model))
            yield choice


def _local(channel: Channel, locale: str) -> ProviderChoice | None:
    """Our own model of the channel, where it knows the language."""
    is_english = primary_language(locale) == "en"
    match channel:
        case "stt":
            model = local.STT_MODEL if is_english else None
        case "llm":
            model = local.LLM_MODEL if is_english else None
        case "tts":
            model = local.ENGLISH_VOICE_MODEL if is_english else local.ANY_LANGUAGE_VOICE_MODEL
    return None if model is None else ProviderChoice(provider=local.LOCAL.name, model=model)


def breaker_of(
    channel: Channel, choice: ProviderChoice, plan: CallPlan, breakers: CircuitBreakers
) -> CircuitBreaker | None:
    """The one that all calls of the process share; none for a model of our own."""
    if choice.provider == local.LOCAL.name:
        return None
    owner = "platform" if choice.key_source == "platform" else str(plan.tenant_id)
    address = (custom_url(plan.agent, channel) or "") if choice.provider == CUSTOM else ""
    return breakers.of(ModelKey(choice.provider, choice.model, owner, address))
