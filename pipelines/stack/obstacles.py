"""Why a tenant cannot use a model of the catalogue in a locale, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum

from contracts.call_plan import Channel
from pipelines.stack.catalogue import LOCAL, ModelEntry, StackCatalogue
from pipelines.stack.keys import AvailableKeys
from pipelines.stack.outcome import CHANNEL_NAMES
from pipelines.texts.language import covers


class Obstacle(IntEnum):
    """In the order in which they are checked. A later obstacle means that the model lacks less."""

    LANGUAGE = 1
    WORKER = 2
    REALTIME = 3
    TIER = 4
    OWN_KEY = 5
    KEY = 6


@dataclass(frozen=True)
class Situation:
    """The catalogue, keys and locale that a model is chosen for. ``locale`` ``None`` means any."""

    catalogue: StackCatalogue
    keys: AvailableKeys
    locale: str | None

    def obstacle(self, model: ModelEntry, channel: Channel) -> Obstacle | None:
        """The first obstacle to using ``model`` on ``channel``, or ``None``."""
        if self.locale is not None and not covers(model.languages, self.locale):
            return Obstacle.LANGUAGE
        if model.is_realtime:
            if not self.catalogue.can_run_realtime(model.provider):
                return Obstacle.REALTIME
        elif not self.catalogue.can_run(model.provider, channel):
            return Obstacle.WORKER
        if not self.keys.reaches(model.required_tier):
            return Obstacle.TIER
        if model.byok_required and model.provider not in self.keys.own:
            return Obstacle.OWN_KEY
        if model.provider not in self.keys.providers:
            return Obstacle.KEY
        return None

    def usable(self, models: Iterable[ModelEntry], channel: Channel) -> list[ModelEntry]:
        """The models without an obstacle, best first."""
        found = [model for model in models if self.obstacle(model, channel) is None]
        return sorted(found, key=lambda model: (model.rank, model.name))

    def why_not(self, model: ModelEntry, channel: Channel) -> str | None:
        """A sentence that says why ``model`` cannot be used; ``None`` if it can."""
        obstacle = self.obstacle(model, channel)
        match obstacle:
            case None:
                return None
            case Obstacle.LANGUAGE:
                return (
                    f"The {CHANNEL_NAMES[channel]} model {model.name} does not cover "
                    f"{self.locale}: choose another model or leave that language out."
                )
            case Obstacle.WORKER:
                return (
                    f"The media workers of this installation cannot run {model.provider} for "
                    f"{CHANNEL_NAMES[channel]}: choose another provider."
                )
            case Obstacle.REALTIME:
                return (
                    f"{model.name} is a realtime model, and the media workers of this installation "
                    "cannot run those: choose a language model that is not realtime."
                )
            case Obstacle.TIER:
                return (
                    f"{model.name} needs the tier {model.required_tier}: upgrade or choose "
                    "another model."
                )
            case Obstacle.OWN_KEY:
                return (
                    f"{model.name} can only be used with a key of your own: set a provider key "
                    f"for {model.provider} or choose another model."
                )
            case Obstacle.KEY:
                return _no_key(model.provider, channel)

    def why_none(self, models: Sequence[ModelEntry], channel: Channel) -> str:
        """A sentence that says why none of ``models`` can serve a choice that was left open."""
        kind = CHANNEL_NAMES[channel]
        obstacles = {model: self.obstacle(model, channel) for model in models}
        closest = max(filter(None, obstacles.values()), default=Obstacle.LANGUAGE)
        providers = sorted({m.provider for m, found in obstacles.items() if found is closest})
        missing = f"No {kind} model that is available here covers {self.locale}"
        match closest:
            case Obstacle.KEY | Obstacle.OWN_KEY if providers != [LOCAL]:
                keyed = [provider for provider in providers if provider != LOCAL]
                return f"{missing}: set a provider key for {_any_of(keyed)}."
            case Obstacle.TIER:
                return f"{missing} on your tier: upgrade, or leave that language out."
            case Obstacle.LANGUAGE:
                return f"The catalogue has no {kind} model that covers {self.locale}."
            case _:
                return f"{missing}: leave that language out."

    def closest(self, models: Sequence[ModelEntry], channel: Channel) -> ModelEntry:
        """The one of ``models`` that lacks least. None of them is usable."""
        return min(models, key=lambda m: (-(self.obstacle(m, channel) or 0), m.rank, m.name))


def _no_key(provider: str, channel: Channel) -> str:
    if provider == LOCAL:
        return (
            "The offline models (provider local) are switched off on this installation: choose "
            "another provider."
        )
    return (
        f"The {CHANNEL_NAMES[channel]} provider {provider} has no key here: set a provider key for "
        f"{provider} or choose another provider."
    )


def _any_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
