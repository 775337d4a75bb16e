"""The shape of ``catalogue.json`` and the checks of its consistency."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, PositiveInt, ValidationError, model_validator

from control_plane.building.catalogue.entries import LanguageRange, Model, Price, Sku, Voice
from control_plane.building.catalogue.prices import (
    NO_CHARGE,
    PLATFORM_FEE,
    PriceEntry,
    sku_price_name,
)
from control_plane.building.catalogue.unit_prices import (
    FileUnitPrice,
    UnitPriceEntry,
    fault_of_model,
)
from control_plane.platform.http.validation import field_errors
from pipelines.texts.language import covers

CATALOGUE_FILE = Path(__file__).parent / "catalogue.json"


class FileModel(Model):
    prices: tuple[Price, ...]
    unit_prices: tuple[FileUnitPrice, ...] = ()
    """If empty: what the model's use costs the installation is not known."""

    @model_validator(mode="after")
    def _what_is_billed_has_a_price(self) -> Self:
        if {price.component for price in self.prices} != self.priced_components:
            raise ValueError(
                f"{self.provider}/{self.model} needs prices of exactly "
                f"{', '.join(sorted(self.priced_components))}"
            )
        return self

    @model_validator(mode="after")
    def _unit_prices_are_the_models(self) -> Self:
        for price in self.unit_prices:
            if price.channel not in self.channels:
                raise ValueError(f"{self.provider}/{self.model} is no {price.channel} model")
            fault = fault_of_model(self.provider, self.modality, price.channel, price.micros_per)
            if fault is not None:
                raise ValueError(f"{self.provider}/{self.model}: {fault}")
        return self


class FileVoice(Voice):
    languages: tuple[LanguageRange, ...] = ()
    """If empty: every language of its models."""


class FileSku(Sku):
    prices: tuple[Price, ...] = ()
    """If empty: the SKU costs nothing."""

    @model_validator(mode="after")
    def _prices_are_a_skus(self) -> Self:
        if any(price.component != "managed_sku" for price in self.prices):
            raise ValueError(f"managed SKU {self.id} has prices that are not for managed_sku")
        return self


class Catalogue(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")
    version: PositiveInt
    platform_fee: tuple[Price, ...]
    no_charge: tuple[Price, ...]
    """The $0 prices of channels on the tenant's own key and of managed SKUs without a price."""
    models: tuple[FileModel, ...]
    voices: tuple[FileVoice, ...]
    skus: tuple[FileSku, ...]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        _refuse_doubles("model", [f"{m.provider}/{m.model}" for m in self.models])
        _refuse_doubles("voice", [f"{v.provider}/{v.id}" for v in self.voices])
        _refuse_doubles("managed SKU", [sku.id for sku in self.skus])
        speaking = {(m.provider, m.model) for m in self.models if "tts" in m.channels}
        for voice in self.voices:
            for model in voice.models:
                if (voice.provider, model) not in speaking:
                    raise ValueError(
                        f"voice {voice.id!r} names {model!r}, which is not a tts model"
                    )
        for sku in self.skus:
            self._check_sku(sku)
        if {price.component for price in self.no_charge} != {"stt", "llm", "tts", "managed_sku"}:
            raise ValueError("no_charge needs prices of stt, llm, tts and managed_sku")
        if any(price.micros_per_minute for price in self.no_charge):
            raise ValueError("no_charge must be 0")
        if {price.component for price in self.platform_fee} != {"platform"}:
            raise ValueError("platform_fee needs a price of platform")
        return self

    def _check_sku(self, sku: FileSku) -> None:
        models = {(m.provider, m.model): m for m in self.models}
        for channel in ("stt", "llm", "tts"):
            choice = getattr(sku, channel)
            model = models.get((choice.provider, choice.model))
            if model is None or channel not in model.channels:
                raise ValueError(
                    f"managed SKU {sku.id} names {choice}, which is not a model for {channel}"
                )
            for language in sku.supported_languages:
                if not covers(model.languages, language):
                    raise ValueError(f"{choice} of managed SKU {sku.id} does not cover {language}")
        if not any(
            voice.id == sku.voice
            and voice.provider == sku.tts.provider
            and sku.tts.model in voice.models
            for voice in self.voices
        ):
            raise ValueError(
                f"managed SKU {sku.id} names {sku.voice!r}, which is not a voice of {sku.tts}"
            )

    def languages_of(self, voice: FileVoice) -> tuple[str, ...]:
        """The voice's own languages, or those of its models if it has none."""
        if voice.languages:
            return voice.languages
        of_models = (
            language
            for model in self.models
            if model.provider == voice.provider and model.model in voice.models
            for language in model.languages
        )
        return tuple(dict.fromkeys(of_models))

    def prices(self) -> Iterator[PriceEntry]:
        for price in self.platform_fee:
            yield PriceEntry(PLATFORM_FEE, price)
        for price in self.no_charge:
            yield PriceEntry(NO_CHARGE, price)
        for model in self.models:
            for price in model.prices:
                yield PriceEntry((model.provider, model.model), price)
        for sku in self.skus:
            for price in sku.prices:
                yield PriceEntry(sku_price_name(sku.id), price)

    def unit_prices(self) -> Iterator[UnitPriceEntry]:
        for model in self.models:
            for price in model.unit_prices:
                name = (price.channel, model.provider, model.model)
                yield UnitPriceEntry(name, dict(price.micros_per), price.valid_from)


class CatalogueFileInvalid(ValueError):
    """The file is not a valid catalogue. The message says where and why."""


def read_catalogue(path: Path = CATALOGUE_FILE) -> Catalogue:
    """
    Raises:
        CatalogueFileInvalid: the file cannot be read, or is not a consistent catalogue.
    """
    try:
        return Catalogue.model_validate_json(path.read_bytes())
    except OSError as error:
        raise CatalogueFileInvalid(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        findings = error.errors()[:5]
        places = (
            f"{'.'.join(str(part) for part in found['loc']) or 'file'}: {said['message']}"
            for found, said in zip(findings, field_errors(findings), strict=True)
        )
        raise CatalogueFileInvalid(f"{path} is not a catalogue: {'; '.join(places)}") from error


def _refuse_doubles(kind: str, names: list[str]) -> None:
    doubles = sorted({name for name in names if names.count(name) > 1})
    if doubles:
        raise ValueError(f"the {kind} {doubles[0]} is listed twice")
