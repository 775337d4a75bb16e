"""The catalogue as stack resolution sees it, and what a stack costs."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from sqlalchemy import func, select, tuple_
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import Channel, PriceRow, ResolvedStack
from control_plane.catalogue.models import (
    CatalogueModel,
    CatalogueVoice,
    ManagedSku,
    PriceRecord,
    ProviderCapability,
)
from control_plane.catalogue.prices import NO_CHARGE, PLATFORM_FEE, sku_price_name
from pipelines.stack import (
    CHANNELS,
    Capabilities,
    ModelEntry,
    ModelName,
    SkuEntry,
    StackCatalogue,
    VoiceEntry,
)


class PriceMissing(LookupError):
    """A component of a stack has no price: the catalogue's data is incomplete."""


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


def model_entry(row: CatalogueModel) -> ModelEntry:
    return ModelEntry(
        provider=row.provider,
        model=row.model,
        channels=frozenset(cast(list[Channel], row.channels)),
        languages=tuple(row.languages),
        rank=row.rank,
        is_realtime=row.modality == "realtime",
        required_tier=row.required_tier,
        byok_required=row.byok_required,
        supports_tools=row.supports_tools,
    )


def voice_entry(row: CatalogueVoice) -> VoiceEntry:
    return VoiceEntry(
        voice_id=row.id,
        provider=row.provider,
        models=tuple(row.models),
        languages=tuple(row.languages),
        rank=row.rank,
        gender=row.gender,
    )


def sku_entry(row: ManagedSku) -> SkuEntry:
    return SkuEntry(
        sku_id=row.id,
        stt=ModelName(row.stt_provider, row.stt_model),
        llm=ModelName(row.llm_provider, row.llm_model),
        tts=ModelName(row.tts_provider, row.tts_model),
        voice=row.voice,
        languages=tuple(row.supported_languages),
        is_active=row.is_active,
    )


async def price_rows(
    session: AsyncSession,
    stack: ResolvedStack,
    sku_id: str | None = None,
    *,
    at: datetime | None = None,
) -> tuple[PriceRow, ...]:
    """What a minute of ``stack`` costs at ``at`` (now), to be frozen in a plan.

    A managed SKU costs one row, ``managed_sku``, and nothing else. A custom agent costs the
    platform's fee and one row for each channel, or one llm row where a realtime model serves all
    three. A channel on the tenant's own key or endpoint has its row, too: it names the provider and
    model that run, at $0, and its ``price_id`` is the catalogue's row that says so (`NO_CHARGE`).

    Raises:
        PriceMissing: a component has no price row that is valid by then.
    """
    billed = _managed(sku_id) if sku_id is not None else _custom(stack)
    names = [("platform", *PLATFORM_FEE), *billed]
    names += [(component, *NO_CHARGE) for component, _, _ in billed]
    valid = await prices_at(session, names, at)
    fee = [] if sku_id is not None else [("platform", *PLATFORM_FEE)]
    own = set() if sku_id is not None else _on_own_keys(stack)
    rows = []
    for component, provider, model in [*billed, *fee]:
        priced = (component, provider, model)
        free = component in own or (component == "managed_sku" and priced not in valid)
        price = valid.get((component, *NO_CHARGE) if free else priced)
        if price is None:
            raise PriceMissing(f"no {component} price row for {provider}/{model}")
        rows.append(
            PriceRow.model_validate(
                {
                    "price_id": price.id,
                    "component": component,
                    "provider": provider,
                    "model": model,
                    "micros_per_minute": price.micros_per_minute,
                }
            )
        )
    return tuple(rows)


PriceName = tuple[str, str, str]
"""Component, provider and model."""


async def prices_at(
    session: AsyncSession, names: list[PriceName] | None = None, at: datetime | None = None
) -> dict[PriceName, PriceRecord]:
    """The price that each of ``names`` (or everything) has at ``at`` (now); some may have none."""
    key = (PriceRecord.component, PriceRecord.provider, PriceRecord.model)
    statement = (
        select(PriceRecord)
        .ext(distinct_on(*key))
        .where(PriceRecord.valid_from <= (at or func.now()))
        .order_by(*key, PriceRecord.valid_from.desc())
    )
    if names is not None:
        statement = statement.where(tuple_(*key).in_(sorted(set(names))))
    rows = await session.scalars(statement)
    return {(row.component, row.provider, row.model): row for row in rows}


def _managed(sku_id: str) -> list[PriceName]:
    return [("managed_sku", *sku_price_name(sku_id))]


def _custom(stack: ResolvedStack) -> list[PriceName]:
    channels = ("llm",) if stack.mode == "realtime" else CHANNELS
    primaries = [(channel, getattr(stack, channel).primary) for channel in channels]
    return [(channel, primary.provider, primary.model) for channel, primary in primaries]


def _on_own_keys(stack: ResolvedStack) -> set[str]:
    return {channel for channel in CHANNELS if getattr(stack, channel).primary.key_source == "own"}
