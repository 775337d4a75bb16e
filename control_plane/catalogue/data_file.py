"""The shape of ``catalogue.json``, and its own consistency."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, Self
from uuid import UUID, uuid5

from pydantic import (
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveInt,
    model_validator,
)

from contracts.call_plan import Channel

CATALOGUE_FILE = Path(__file__).parent / "catalogue.json"
_STRICT = ConfigDict(frozen=True, extra="forbid")
_PRICE_IDS = UUID("0d2f1c6e-6d0e-5d3a-9a54-3b1f5b1f6f10")
Languages = Annotated[tuple[str, ...], Field(min_length=1)]


class Price(BaseModel):
    model_config = _STRICT
    component: Literal["stt", "llm", "tts", "platform", "managed_sku"]
    micros_per_minute: NonNegativeInt
    valid_from: AwareDatetime


class Model(BaseModel):
    model_config = _STRICT
    provider: str
    provider_name: str
    model: str
    label: str
    channels: Annotated[tuple[Channel, ...], Field(min_length=1)]
    languages: Languages
    rank: NonNegativeInt
    is_active: bool = True
    prices: tuple[Price, ...]

    @model_validator(mode="after")
    def _every_channel_has_a_price(self) -> Self:
        priced = {price.component for price in self.prices}
        if priced != set(self.channels):
            raise ValueError(f"{self.provider}/{self.model} needs one price for each channel")
        return self


class Voice(BaseModel):
    model_config = _STRICT
    id: str
    provider: str
    name: str
    label: str
    gender: Literal["female", "male", "neutral"]
    languages: Languages
    models: Annotated[tuple[str, ...], Field(min_length=1)]
    rank: NonNegativeInt
    is_active: bool = True


class PriceEntry(BaseModel):
    """A price with its place in the table and an id that is the same on every installation."""

    model_config = _STRICT
    provider: str
    model: str
    price: Price

    @property
    def id(self) -> UUID:
        return uuid5(
            _PRICE_IDS,
            f"{self.price.component}/{self.provider}/{self.model}"
            f"@{self.price.valid_from.isoformat()}",
        )


class Catalogue(BaseModel):
    model_config = _STRICT
    version: PositiveInt
    platform_fee: Annotated[tuple[Price, ...], Field(min_length=1)]
    models: tuple[Model, ...]
    voices: tuple[Voice, ...]

    @model_validator(mode="after")
    def _voices_speak_with_listed_models(self) -> Self:
        speaking = {(m.provider, m.model) for m in self.models if "tts" in m.channels}
        for voice in self.voices:
            for model in voice.models:
                if (voice.provider, model) not in speaking:
                    raise ValueError(f"voice {voice.id!r} names no tts model: {model!r}")
        return self

    def prices(self) -> Iterator[PriceEntry]:
        for price in self.platform_fee:
            yield PriceEntry(provider="switchboard", model="platform", price=price)
        for model in self.models:
            for price in model.prices:
                yield PriceEntry(provider=model.provider, model=model.model, price=price)


def read_catalogue(path: Path = CATALOGUE_FILE) -> Catalogue:
    """
    Raises:
        pydantic.ValidationError: the file is not a consistent catalogue.
    """
    return Catalogue.model_validate_json(path.read_bytes())
