"""The operator's edits. Loading a data file does not change an entry that an operator edited."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.catalogue import price_repository, repository
from control_plane.building.catalogue.entries import Component, Price
from control_plane.building.catalogue.errors import CatalogueEntryNotFound, PriceExists
from control_plane.building.catalogue.models import (
    CatalogueModel,
    CatalogueVoice,
    ManagedSku,
    PriceRecord,
)
from control_plane.building.catalogue.operator_schemas import (
    ModelEdit,
    PriceCreate,
    SkuEdit,
    VoiceEdit,
)
from control_plane.building.catalogue.prices import PLATFORM_FEE, PriceEntry, sku_price_name
from control_plane.building.catalogue.rows import model_row, sku_row, voice_row
from control_plane.platform.database import Base, table_of
from control_plane.platform.errors import InvalidRequest
from pipelines.texts.language import covers

log = structlog.get_logger(__name__)


async def save_model(session: AsyncSession, wanted: ModelEdit) -> datetime:
    """Add or replace the model.

    Raises:
        InvalidRequest: no media worker can run it, or a channel that it is billed for would have
            no price.
    """
    await _check_can_run(session, wanted)
    await _check_priced(session, wanted)
    now = await _save(session, CatalogueModel, model_row(wanted))
    for component, micros in wanted.prices_micros_per_minute.items():
        await _add_price(session, component, (wanted.provider, wanted.model), micros, now)
    return now


async def save_voice(session: AsyncSession, wanted: VoiceEdit) -> datetime:
    """Add or replace the voice.

    Raises:
        InvalidRequest: it names a model that is not a text-to-speech model of the provider.
    """
    for index, model in enumerate(wanted.models):
        found = await repository.find_model(session, wanted.provider, model)
        if found is None or "tts" not in found.channels:
            raise InvalidRequest.at(
                f"models[{index}]",
                f"{wanted.provider} has no text-to-speech model {model!r} in the catalogue",
            )
    return await _save(session, CatalogueVoice, voice_row(wanted, wanted.languages))


async def save_sku(session: AsyncSession, wanted: SkuEdit) -> datetime:
    """Add or replace the managed SKU.

    Raises:
        InvalidRequest: it names an unknown model or voice, or a language that one of its models
            does not cover.
    """
    for channel in ("stt", "llm", "tts"):
        choice = getattr(wanted, channel)
        model = await repository.find_model(session, choice.provider, choice.model)
        if model is None or channel not in model.channels:
            raise InvalidRequest.at(channel, f"the catalogue has no {channel} model {choice}")
        for language in wanted.supported_languages:
            if not covers(model.languages, language):
                raise InvalidRequest.at(
                    "supported_languages", f"{choice} does not cover {language}"
                )
    voice = await repository.find_voice(session, wanted.tts.provider, wanted.voice)
    if voice is None or wanted.tts.model not in voice.models:
        raise InvalidRequest.at("voice", f"{wanted.tts} has no voice {wanted.voice!r}")
    now = await _save(session, ManagedSku, sku_row(wanted))
    if wanted.price_micros_per_minute is not None:
        name = sku_price_name(wanted.id)
        await _add_price(session, "managed_sku", name, wanted.price_micros_per_minute, now)
    return now


async def switch(
    session: AsyncSession, entity: type[Base], key: Mapping[str, str], *, is_active: bool
) -> datetime:
    """Activate or deactivate an entry. Published agents keep it in their snapshots.

    Raises:
        CatalogueEntryNotFound: no entry has that key.
    """
    now = datetime.now(UTC)
    is_known = await repository.switch_entry(
        session, entity, key, is_active=is_active, edited_at=now
    )
    if not is_known:
        raise CatalogueEntryNotFound(f"The catalogue has no {'/'.join(key.values())}.")
    log.info("catalogue_edited", table=entity.__tablename__, is_active=is_active, **key)
    return now


async def add_price(session: AsyncSession, wanted: PriceCreate) -> PriceRecord:
    """Add a price that replaces the previous one from its time on.

    Raises:
        InvalidRequest: the time has passed, or nothing of that name is billed for the component.
        PriceExists: a price with exactly that time exists.
    """
    now = datetime.now(UTC)
    valid_from = wanted.valid_from or now
    if valid_from < now:
        raise InvalidRequest.at(
            "valid_from", "is in the past. Leave it out to change the price now"
        )
    await _check_billed(session, wanted)
    name = (wanted.provider, wanted.model)
    return await _add_price(session, wanted.component, name, wanted.micros_per_minute, valid_from)


async def _check_can_run(session: AsyncSession, wanted: ModelEdit) -> None:
    is_realtime = wanted.modality == "realtime"
    if is_realtime and set(wanted.channels) != {"stt", "llm", "tts"}:
        raise InvalidRequest.at("channels", "a realtime model serves stt, llm and tts")
    capability = await repository.find_capability(session, wanted.provider)
    if capability is None:
        raise InvalidRequest.at(
            "provider", f"no media worker of this installation can run {wanted.provider!r}"
        )
    beyond = set(wanted.channels) - set(capability.channels)
    if beyond and not is_realtime:
        raise InvalidRequest.at(
            "channels",
            f"the media workers of this installation run {wanted.provider} only for "
            f"{', '.join(capability.channels)}",
        )


async def _check_priced(session: AsyncSession, wanted: ModelEdit) -> None:
    needed = wanted.priced_components
    superfluous = sorted(set(wanted.prices_micros_per_minute) - needed)
    if superfluous:
        raise InvalidRequest.at(
            f"prices_micros_per_minute.{superfluous[0]}",
            "is not something that the model is billed for",
        )
    names = [(component, wanted.provider, wanted.model) for component in needed]
    known = {component for component, _, _ in await price_repository.prices_at(session, names)}
    missing = sorted(needed - known - set(wanted.prices_micros_per_minute))
    if missing:
        raise InvalidRequest.at(
            f"prices_micros_per_minute.{missing[0]}",
            "is required, because the model has no such price yet",
        )


async def _check_billed(session: AsyncSession, wanted: PriceCreate) -> None:
    if wanted.component == "managed_sku":
        ours, _ = sku_price_name(wanted.model)
        if wanted.provider != ours or await repository.find_sku(session, wanted.model) is None:
            raise InvalidRequest.at(
                "model", f"there is no managed SKU {wanted.provider}/{wanted.model}"
            )
        return
    if wanted.component == "platform":
        if (wanted.provider, wanted.model) != PLATFORM_FEE:
            raise InvalidRequest.at("model", "the platform's fee is switchboard/platform")
        return
    model = await repository.find_model(session, wanted.provider, wanted.model)
    billed = set() if model is None else set(model.channels)
    if model is not None and model.modality == "realtime":
        billed = {"llm"}
    if wanted.component not in billed:
        raise InvalidRequest.at(
            "model",
            f"the catalogue has no {wanted.provider}/{wanted.model} that is billed for "
            f"{wanted.component}",
        )


async def _save(session: AsyncSession, entity: type[Base], row: dict[str, Any]) -> datetime:
    now = datetime.now(UTC)
    await repository.save_entry(session, entity, row | {"edited_at": now})
    keys = {column.name: row[column.name] for column in table_of(entity).primary_key}
    log.info("catalogue_edited", table=entity.__tablename__, **keys)
    return now


async def _add_price(
    session: AsyncSession,
    component: Component,
    name: tuple[str, str],
    micros_per_minute: int,
    valid_from: datetime,
) -> PriceRecord:
    price = Price(component=component, micros_per_minute=micros_per_minute, valid_from=valid_from)
    entry = PriceEntry(name, price)
    added = await price_repository.add(session, entry)
    if added is None:
        raise PriceExists(f"There is already a {entry} from {valid_from.isoformat()} on.")
    log.info("price_added", price=str(entry), micros_per_minute=micros_per_minute)
    return added
