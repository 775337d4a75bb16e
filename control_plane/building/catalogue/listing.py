"""The catalogue's entries, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.catalogue.models import (
    CatalogueModel,
    CatalogueVoice,
    ManagedSku,
    PriceRecord,
)
from pipelines.texts.language import covers


async def models(session: AsyncSession, *, with_inactive: bool = False) -> Sequence[CatalogueModel]:
    """Best first."""
    statement = select(CatalogueModel).order_by(
        CatalogueModel.rank, CatalogueModel.provider, CatalogueModel.model
    )
    if not with_inactive:
        statement = statement.where(CatalogueModel.is_active)
    return (await session.scalars(statement)).all()


async def voices(
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


async def skus(session: AsyncSession, *, with_inactive: bool = False) -> Sequence[ManagedSku]:
    statement = select(ManagedSku).order_by(ManagedSku.sort_order, ManagedSku.id)
    if not with_inactive:
        statement = statement.where(ManagedSku.is_active)
    return (await session.scalars(statement)).all()


async def prices(
    session: AsyncSession, *, provider: str | None = None, model: str | None = None
) -> Sequence[PriceRecord]:
    """The whole history, newest first within a component."""
    statement = select(PriceRecord).order_by(
        PriceRecord.provider,
        PriceRecord.model,
        PriceRecord.component,
        PriceRecord.valid_from.desc(),
    )
    if provider is not None:
        statement = statement.where(PriceRecord.provider == provider)
    if model is not None:
        statement = statement.where(PriceRecord.model == model)
    return (await session.scalars(statement)).all()
