"""Which model takes over on a channel when its primary fails."""

from __future__ import annotations

from collections.abc import Sequence

from contracts.call_plan import Channel, ProviderChoice
from pipelines.stack.catalogue import LOCAL, ModelEntry
from pipelines.stack.obstacles import Situation
from pipelines.stack.outcome import CHANNEL_NAMES
from pipelines.stack.wishes import Wish


def choose_fallback(
    situation: Situation,
    models: Sequence[ModelEntry],
    channel: Channel,
    wish: Wish | None,
    primary: ProviderChoice,
) -> tuple[ModelEntry | None, tuple[str, ...]]:
    """The fallback model, or ``None``, and warnings about a wish that cannot be met.

    Args:
        models: every model of the channel that could take over.
        wish: ``None`` for no fallback, an open one for any.

    A fallback is never required. If any will do, or the one that the agent asks for cannot be used,
    we prefer another provider, because two providers rarely fail at the same time. The offline
    models come after the other providers, and the primary's own provider comes last.

    The fallback is paid for like the primary. On a channel that uses the tenant's own key, the
    tenant pays us nothing, so only the tenant's own keys or the offline models may take over.
    """
    if wish is None:
        return None, ()
    spares = [
        model
        for model in situation.usable(models, channel)
        if not _is(primary, model) and _paid_alike(situation, primary, model)
    ]
    wished = [model for model in spares if wish.asks_for(model)]
    if wished and not wish.is_open:
        return wished[0], ()
    spares.sort(key=lambda m: (m.provider == primary.provider, m.provider == LOCAL))
    spare = spares[0] if spares else None
    if wish.is_open:
        return spare, ()
    instead = f"{spare.name} is used instead." if spare else "there is no fallback."
    reason = _why_not(situation, models, channel, wish, primary)
    return spare, (f"The fallback {wish} is not used; {instead} {reason}",)


def _is(choice: ProviderChoice, model: ModelEntry) -> bool:
    return (choice.provider, choice.model) == model.name


def _paid_alike(situation: Situation, primary: ProviderChoice, model: ModelEntry) -> bool:
    if primary.key_source == "platform" or model.provider == LOCAL:
        return True
    return situation.keys.source(model.provider) == "own"


def _why_not(
    situation: Situation,
    models: Sequence[ModelEntry],
    channel: Channel,
    wish: Wish,
    primary: ProviderChoice,
) -> str:
    wished = [model for model in models if wish.asks_for(model)]
    if not wished:
        return f"The catalogue has no such {CHANNEL_NAMES[channel]} model."
    others = [model for model in wished if not _is(primary, model)]
    if not others:
        return "It is the primary itself: choose another model."
    if situation.usable(others, channel):
        return (
            "It would run on the platform's key, while the channel runs on your own: set a "
            f"provider key for {others[0].provider}, too."
        )
    closest = situation.closest(others, channel)
    return situation.why_not(closest, channel) or ""
