"""Which provider, model and voice serve each channel of an agent in one locale."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel, ProviderChoice, ResolvedChannel, ResolvedStack
from pipelines.stack.catalogue import CUSTOM, ModelEntry, StackCatalogue
from pipelines.stack.custom_endpoints import CUSTOM_URL_FIELDS
from pipelines.stack.fallback import choose_fallback
from pipelines.stack.keys import AvailableKeys
from pipelines.stack.obstacles import Situation
from pipelines.stack.outcome import CHANNEL_NAMES, CHANNELS, StackChoice, StackProblem
from pipelines.stack.voices import VoicedModel, choose_voice, gender_of
from pipelines.stack.wishes import Wish, Wishes, wishes_of


def resolve_stack(
    agent: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys, locale: str
) -> StackChoice | StackProblem:
    """Choose stt, llm and tts for ``agent`` in ``locale``. Deterministic; never raises.

    Args:
        keys: what the agent's tenant can use now.
        locale: BCP-47 tag, one of the agent's languages.

    An explicit choice is used or refused, never replaced. For a choice that the agent leaves open,
    the best-ranked usable model that covers the locale is chosen; for text-to-speech, models that
    have the agent's voice are preferred. A voice that is not available is replaced with a warning,
    even if it is the default voice, because callers hear the difference.

    The tenant's own key is preferred to the platform's, and the models of its own server to those
    of the catalogue. A managed agent uses only the platform's keys, because its SKU's price
    includes the providers.
    """
    wishes = wishes_of(agent, catalogue, locale)
    if isinstance(wishes, StackProblem):
        return wishes
    usable_keys = keys.without_own if wishes.sku else keys
    offered = catalogue.with_own_server(usable_keys.own_models)
    resolver = _Resolver(Situation(offered, usable_keys, locale), wishes, locale)
    realtime = [] if "llm" in wishes.custom_channels else resolver.realtime_models()
    return resolver.realtime(realtime) if realtime else resolver.pipeline()


class _Channel(NamedTuple):
    resolved: ResolvedChannel
    warnings: tuple[str, ...]


class _Primary(NamedTuple):
    choice: ProviderChoice
    warnings: tuple[str, ...] = ()


class _Resolver(NamedTuple):
    situation: Situation
    wishes: Wishes
    locale: str

    def pipeline(self) -> StackChoice | StackProblem:
        channels: dict[Channel, ResolvedChannel] = {}
        warnings = list(self.wishes.warnings)
        for channel in CHANNELS:
            found = self._channel(channel)
            if isinstance(found, StackProblem):
                return found
            channels[channel] = found.resolved
            warnings += found.warnings
        return StackChoice(ResolvedStack(**channels), tuple(warnings))

    def realtime_models(self) -> list[ModelEntry]:
        """The realtime models that the agent names as its language model."""
        wish = self.wishes.primary["llm"]
        if wish.model is None:
            return []
        models = self._models("llm", is_realtime=True)
        return [model for model in models if wish.asks_for(model)]

    def realtime(self, models: list[ModelEntry]) -> StackChoice | StackProblem:
        """One model for all three channels, and the pipeline that takes over when it fails."""
        usable = self.situation.usable(models, "llm")
        if not usable:
            return self._refused("llm", models)
        voiced = self._voiced(usable)
        behind, fallback_warnings = self._behind(voiced.model)
        pipeline = behind.pipeline()
        if isinstance(pipeline, StackProblem):
            return replace(
                pipeline,
                reason=f"{pipeline.reason} It takes over when {voiced.model.name} fails.",
            )
        primary = self._choice(voiced)
        silent = ResolvedChannel(primary=primary.model_copy(update={"voice": None}))
        return StackChoice(
            ResolvedStack(
                mode="realtime",
                stt=silent,
                llm=silent,
                tts=ResolvedChannel(primary=primary),
                pipeline=pipeline.stack,
            ),
            (
                *self.wishes.warnings,
                *self._voice_warnings(voiced),
                *self._bundled_warnings(voiced.model),
                *fallback_warnings,
                *pipeline.warnings,
            ),
        )

    def _behind(self, model: ModelEntry) -> tuple[_Resolver, tuple[str, ...]]:
        """Resolves the pipeline behind a realtime model, with what the agent says of its channels.
        The agent's fallback for ``llm`` is the pipeline's language model."""
        warnings: tuple[str, ...] = ()
        wish = self.wishes.fallback["llm"] or Wish()
        usable = self.situation.usable(self._models("llm"), "llm")
        if not wish.is_open and not any(wish.asks_for(each) for each in usable):
            warnings = (
                f"The fallback {wish} is not used: choose a language model that is available here "
                "and not realtime.",
            )
            wish = Wish()
        speech = {
            channel: Wish() if wished.model == model.model else wished
            for channel, wished in self.wishes.primary.items()
        }
        wishes = replace(
            self.wishes,
            primary=speech | {"llm": wish},
            fallback=self.wishes.fallback | {"llm": None},
            warnings=(),
        )
        return self._replace(wishes=wishes), warnings

    def _channel(self, channel: Channel) -> _Channel | StackProblem:
        if channel in self.wishes.custom_channels:
            primary = self._custom(channel)
        else:
            primary = self._primary(channel)
        if isinstance(primary, StackProblem):
            return primary
        spare, warnings = choose_fallback(
            self.situation,
            self._models(channel),
            channel,
            self.wishes.fallback[channel],
            primary.choice,
        )
        fallback = None
        if spare is not None and channel == "tts":
            fallback = self._fallback_voiced(spare, primary.choice.voice)
        elif spare is not None:
            fallback = self._choice(VoicedModel(spare, None))
        return _Channel(
            ResolvedChannel(primary=primary.choice, fallback=fallback), primary.warnings + warnings
        )

    def _primary(self, channel: Channel) -> _Primary | StackProblem:
        wish = self.wishes.primary[channel]
        models = [model for model in self._models(channel) if wish.asks_for(model)]
        usable = self.situation.usable(models, channel)
        if not usable:
            return self._refused(channel, models)
        if channel != "tts":
            return _Primary(self._choice(VoicedModel(usable[0], None)))
        voiced = self._voiced(usable)
        return _Primary(self._choice(voiced), self._voice_warnings(voiced))

    def _custom(self, channel: Channel) -> _Primary | StackProblem:
        """The tenant's own endpoint. It costs the platform nothing."""
        field = CUSTOM_URL_FIELDS[channel]
        if not self.situation.keys.reaches("enterprise"):
            reason = f"{field} needs the tier enterprise: upgrade or set {field} to null."
            return StackProblem(channel, reason, field)
        if not self.situation.catalogue.can_run(CUSTOM, channel):
            reason = (
                f"The media workers of this installation cannot use a {field}: set it to null and "
                "choose a model."
            )
            return StackProblem(channel, reason, field)
        return _Primary(
            ProviderChoice(
                provider=CUSTOM,
                model=self.wishes.primary[channel].model or CUSTOM,
                voice=self.wishes.voices[0] if channel == "tts" and self.wishes.voices else None,
                key_source="own",
            )
        )

    def _models(self, channel: Channel, *, is_realtime: bool = False) -> list[ModelEntry]:
        return [
            model
            for model in self.situation.catalogue.models
            if channel in model.channels and model.is_realtime == is_realtime
        ]

    def _choice(self, voiced: VoicedModel) -> ProviderChoice:
        model, voice = voiced
        return ProviderChoice(
            provider=model.provider,
            model=model.model,
            voice=None if voice is None else voice.voice_id,
            key_source=self.situation.keys.source(model.provider),
        )

    def _voiced(self, models: list[ModelEntry]) -> VoicedModel:
        catalogue, voices = self.situation.catalogue, self.wishes.voices
        gender = gender_of(catalogue, voices)
        return choose_voice(catalogue, models, voices, self.locale, gender=gender)

    def _fallback_voiced(self, model: ModelEntry, voice: str | None) -> ProviderChoice:
        """The fallback, with the primary's voice if it has it, else with a similar voice."""
        catalogue = self.situation.catalogue
        wanted = () if voice is None else (voice,)
        gender = gender_of(catalogue, wanted)
        return self._choice(choose_voice(catalogue, [model], wanted, self.locale, gender=gender))

    def _voice_warnings(self, voiced: VoicedModel) -> tuple[str, ...]:
        wanted = next(iter(self.wishes.voices), None)
        voice = None if voiced.voice is None else voiced.voice.voice_id
        if wanted in (None, voice):
            return ()
        return (
            f"{voiced.model.name} does not speak {self.locale} with the voice {wanted}: "
            f"{voice or 'its own'} is used instead.",
        )

    def _bundled_warnings(self, model: ModelEntry) -> tuple[str, ...]:
        """Warns about the agent's speech settings, which a realtime model has no use for."""
        fields = []
        for channel in ("stt", "tts"):
            wish = self.wishes.primary[channel]
            if channel in self.wishes.custom_channels:
                fields.append(CUSTOM_URL_FIELDS[channel])
            elif not wish.is_open and not wish.asks_for(model):
                fields.append(self.wishes.field(channel))
        if not fields:
            return ()
        bundled = ", ".join(fields)
        return (
            f"{model.name} listens and speaks itself: {bundled} serve only sentences that you have "
            "written, and calls in which it fails.",
        )

    def _refused(self, channel: Channel, models: list[ModelEntry]) -> StackProblem:
        """Why none of ``models`` can be used. They are all that the agent's choice allows."""
        wish, sku, field = self.wishes.primary[channel], self.wishes.sku, self.wishes.field(channel)
        if sku is not None:
            reason = (
                f"The managed SKU {sku.sku_id} runs on {wish} with the platform's keys, which this "
                "installation cannot do: choose another managed SKU or opt out to custom."
            )
        elif not models:
            return StackProblem(channel, self._not_in_catalogue(channel), field)
        elif wish.is_open:
            reason = self.situation.why_none(models, channel)
        else:
            closest = self.situation.closest(models, channel)
            reason = self.situation.why_not(closest, channel) or ""
        return StackProblem(channel, reason, field)

    def _not_in_catalogue(self, channel: Channel) -> str:
        wish, kind = self.wishes.primary[channel], CHANNEL_NAMES[channel]
        if wish.is_open:
            return f"The catalogue has no {kind} model."
        if any(wish.asks_for(model) for model in self._models(channel, is_realtime=True)):
            return (
                f"{wish} is a realtime model, which listens, thinks and speaks as one: name it as "
                "llm_model."
            )
        return (
            f"The catalogue has no {kind} model {wish}: choose one that GET /v1/agents/llm-options "
            "lists."
        )
