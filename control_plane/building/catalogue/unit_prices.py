"""What providers bill the installation for the use of models. Pure.

A unit price has no part in what a tenant pays. It never changes; one with a later ``valid_from``
replaces all of it. What runs on this machine has none: no provider bills it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple, Self
from uuid import UUID, uuid5

from pydantic import BaseModel, ConfigDict, Field, StrictInt, model_validator

from contracts.call_plan import Channel, PricedUnit, ProviderChoice, ResolvedStack, UnitPrice
from contracts.json_types import Timestamp
from pipelines.stack import LOCAL
from pipelines.stack.worker_capabilities import REALTIME_TRANSCRIBERS

_UNIT_PRICE_IDS = UUID("4a0b7a52-53c1-4d0e-8a43-0f2f1d2f5c77")

UnitPriceName = tuple[Channel, str, str]
"""Channel, provider and model."""

MicrosPer = Annotated[
    dict[PricedUnit, Annotated[StrictInt, Field(ge=0, le=1_000_000_000)]],
    Field(
        description="Micro-dollars for one of each unit. `stt`: `audio_minute`. `tts`: "
        "`thousand_characters` or `audio_minute`. `llm`: `million_input_tokens` and "
        "`million_output_tokens`; `million_cached_input_tokens` and `million_reasoning_tokens` if "
        "those cost something else than other input and output. A realtime model, as `llm`: "
        "`million_input_audio_tokens` and `million_output_audio_tokens` besides, and if it has a "
        "price for them, `million_cached_input_audio_tokens`; the others are of text."
    ),
]

_LLM = frozenset[PricedUnit]({"million_input_tokens", "million_output_tokens"})
_AUDIO = frozenset[PricedUnit]({"million_input_audio_tokens", "million_output_audio_tokens"})
_AUDIO_MAY_HAVE = frozenset[PricedUnit]({"million_cached_input_audio_tokens"})
_LLM_MAY_HAVE = frozenset[PricedUnit]({"million_cached_input_tokens", "million_reasoning_tokens"})


def fault_of_units(channel: Channel, units: Collection[PricedUnit]) -> str | None:
    """Why a provider cannot bill ``channel`` by exactly these units; ``None`` if it can."""
    given = frozenset(units)
    match channel:
        case "stt":
            return None if given == {"audio_minute"} else "needs exactly audio_minute for stt"
        case "tts":
            if given in ({"thousand_characters"}, {"audio_minute"}):
                return None
            return "needs exactly one of thousand_characters and audio_minute for tts"
        case "llm":
            of_text = given - _AUDIO - _AUDIO_MAY_HAVE
            if _LLM <= of_text <= _LLM | _LLM_MAY_HAVE:
                return None
            return f"needs {_listed(_LLM)} for llm, and may have {_listed(_LLM_MAY_HAVE)} besides"


def fault_of_model(
    provider: str, modality: str, channel: Channel, units: Collection[PricedUnit]
) -> str | None:
    """Why a model of this kind is not billed by these units; ``None`` if it may be.

    Args:
        units: those that ``channel`` can be billed by.
    """
    of_audio = (_AUDIO | _AUDIO_MAY_HAVE) & set(units)
    if provider == LOCAL:
        return "what runs on this machine has no unit prices: no provider bills it"
    if modality != "realtime":
        return "only a realtime model has prices for tokens of audio" if of_audio else None
    if channel != "llm":
        return "a realtime model serves all channels, and its unit prices are those of llm"
    if not of_audio >= _AUDIO:
        return f"a realtime model needs prices for tokens of audio, too: {_listed(_AUDIO)}"
    return None


class FileUnitPrice(BaseModel):
    """A unit price in a data file, of the model that it stands at."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    channel: Channel
    micros_per: MicrosPer
    valid_from: Timestamp

    @model_validator(mode="after")
    def _has_the_units_of_its_channel(self) -> Self:
        fault = fault_of_units(self.channel, self.micros_per)
        if fault is not None:
            raise ValueError(f"micros_per {fault}")
        return self


class DatedUnitPrice(NamedTuple):
    """A unit price without the name of what it is for."""

    id: UUID
    micros_per: dict[PricedUnit, int]
    valid_from: datetime


class UnitPriceEntry(NamedTuple):
    """A unit price with what it is for."""

    name: UnitPriceName
    micros_per: dict[PricedUnit, int]
    valid_from: datetime

    @property
    def id(self) -> UUID:
        """The same on every installation."""
        moment = self.valid_from.astimezone(UTC).isoformat()
        return uuid5(_UNIT_PRICE_IDS, f"{'/'.join(self.name)}@{moment}")

    @property
    def row(self) -> dict[str, Any]:
        channel, provider, model = self.name
        return {
            "id": self.id,
            "channel": channel,
            "provider": provider,
            "model": model,
            "micros_per": self.micros_per,
            "valid_from": self.valid_from,
        }

    def __str__(self) -> str:
        channel, provider, model = self.name
        return f"{channel} unit price of {provider}/{model}"


def unit_prices_of(
    stack: ResolvedStack, valid: Callable[[UnitPriceName], DatedUnitPrice | None]
) -> tuple[UnitPrice, ...]:
    """The unit prices to freeze in a plan: of each model that may serve ``stack`` on the platform's
    key and has one."""
    prices: dict[UnitPriceName, UnitPrice] = {}
    for channel, choice in _billed(stack):
        name = (channel, choice.provider, choice.model)
        price = valid(name)
        if choice.key_source == "platform" and price is not None:
            prices[name] = UnitPrice(
                price_id=price.id,
                channel=channel,
                provider=choice.provider,
                model=choice.model,
                micros_per=price.micros_per,
            )
    return tuple(prices.values())


def _billed(stack: ResolvedStack) -> Iterator[tuple[Channel, ProviderChoice]]:
    """What may serve ``stack``, and what writes down what its realtime model hears."""
    yield from stack.choices()
    model = REALTIME_TRANSCRIBERS.get(stack.stt.primary.provider)
    if stack.mode == "realtime" and model is not None:
        yield "stt", stack.stt.primary.model_copy(update={"model": model})


def _listed(units: Collection[PricedUnit]) -> str:
    return " and ".join(sorted(units))
