"""Every query on models, voices, managed SKUs and the workers' capabilities.

Prices and the loading of data files have their own repositories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import Channel
from control_plane.building.catalogue.models import (
    CatalogueModel,
    CatalogueVoice,
    ManagedSku,
    ProviderCapability,
)
from control_plane.building.catalogue.rows import model_entry, sku_entry, voice_entry
from control_plane.platform.database import Base, table_of
from pipelines.stack import Capabilities, StackCatalogue
from pipelines.texts.language import covers


async def stack_catalogue(session: AsyncSession) -> StackCatalogue:
    """The active models and voices, every managed SKU, and what this build's workers can run."""
    models = await session.scalars(select(CatalogueModel).where(CatalogueModel.is_active))
    voices = await session.scalars(select(CatalogueVoice).where(CatalogueVoice.is_active))
    skus = await session.scalars(select(ManagedSku))
    capabilities = (await session.scalars(select(ProviderCapability))).all()
    return StackCatalogue(
        models=tuple(map(model_entry, models)),
        voices=tuple(map(voice_entry, voices)),
        skus=tuple(map(sku_entry, skus)),
        capabilities=Capabilities(
            channels={
                row.provider: frozenset(cast(list[Channel], row.channels)) for row in capabilities
            },
            realtime=frozenset(row.provider for row in capabilities if row.realtime),
        ),
    )


async def list_models(
    session: AsyncSession, *, with_inactive: bool = False
) -> Sequence[CatalogueModel]:
    """Best first."""
    statement = select(CatalogueModel).order_by(
        CatalogueModel.rank, CatalogueModel.provider, CatalogueModel.model
    )
    if not with_inactive:
        statement = statement.where(CatalogueModel.is_active)
    return (await session.scalars(statement)).all()


async def list_voices(
    session: AsyncSession,
    *,
    provider: str | None = None,
    language: str | None = None,
    gender: str | None = None,
    model: str | None = None,
    with_inactive: bool = False,
) -> Sequence[CatalogueVoice]:
    """By provider, best first."""
    statement = select(CatalogueVoice).order_by(
        CatalogueVoice.provider, CatalogueVoice.rank, CatalogueVoice.id
    )
    if provider is not None:
        statement = statement.where(CatalogueVoice.provider == provider)
    if gender is not None:
        statement = statement.where(CatalogueVoice.gender == gender)
    if model is not None:
        statement = statement.where(CatalogueVoice.models.contains([model]))
    if not with_inactive:
        statement = statement.where(CatalogueVoice.is_active)
    found = (await session.scalars(statement)).all()
    if language is None:
        return found
    return [voice for voice in found if covers(voice.languages, language)]


async def list_skus(session: AsyncSession, *, with_inactive: bool = False) -> Sequence[ManagedSku]:
    """In the order that the operator has given them."""
    statement = select(ManagedSku).order_by(ManagedSku.sort_order, ManagedSku.id)
    if not with_inactive:
        statement = statement.where(ManagedSku.is_active)
    return (await session.scalars(statement)).all()


async def find_model(session: AsyncSession, provider: str, model: str) -> CatalogueModel | None:
    """The model, whether it is active or not."""
    return await session.get(CatalogueModel, (provider, model))


async def find_voice(session: AsyncSession, provider: str, voice_id: str) -> CatalogueVoice | None:
    """The voice, whether it is active or not."""
    return await session.get(CatalogueVoice, (voice_id, provider))


async def find_sku(session: AsyncSession, sku_id: str) -> ManagedSku | None:
    """The managed SKU, whether it is active or not."""
    return await session.get(ManagedSku, sku_id)


async def find_capability(session: AsyncSession, provider: str) -> ProviderCapability | None:
    """The channels on which this build's workers can run the provider."""
    return await session.get(ProviderCapability, provider)


async def save_entry(session: AsyncSession, entity: type[Base], row: Mapping[str, Any]) -> None:
    """Insert the entry, or replace all of it."""
    table = table_of(entity)
    keys = [column.name for column in table.primary_key]
    await session.execute(
        insert(table)
        .values(dict(row))
        .on_conflict_do_update(
            index_elements=keys,
            set_={name: value for name, value in row.items() if name not in keys},
        )
    )


async def switch_entry(
    session: AsyncSession,
    entity: type[Base],
    key: Mapping[str, str],
    *,
    is_active: bool,
    edited_at: datetime,
) -> bool:
    """Switch the entry on or off.

    Returns:
        Whether there is such an entry.
    """
    table = table_of(entity)
    changed = await session.execute(
        update(table)
        .where(*(table.c[column] == part for column, part in key.items()))
        .values(is_active=is_active, edited_at=edited_at)
        .returning(table.c.edited_at)
    )
    return changed.first() is not None
