"""Tables of the catalogue and its prices, which all tenants share."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, Text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base


class CatalogueModel(Base):
    __tablename__ = "catalogue_models"

    provider: Mapped[str] = mapped_column(primary_key=True)
    model: Mapped[str] = mapped_column(primary_key=True)
    provider_name: Mapped[str]
    label: Mapped[str]
    channels: Mapped[list[str]] = mapped_column(ARRAY(Text))
    languages: Mapped[list[str]] = mapped_column(ARRAY(Text))
    """Language tags or their prefixes; ``*`` stands for every language."""
    modality: Mapped[str]
    """``text``, ``audio`` or ``realtime`` (one model that listens, thinks and speaks)."""
    latency_ms: Mapped[int | None] = mapped_column(Integer)
    """Typical time to the first output."""
    reasoning_supported: Mapped[bool]
    supports_tools: Mapped[bool]
    required_tier: Mapped[str | None]
    """``None``: every tier."""
    byok_required: Mapped[bool]
    """Needs the tenant's own key, even if the platform has one."""
    rank: Mapped[int] = mapped_column(Integer)
    """The lowest usable one is the default."""
    is_active: Mapped[bool]
    edited_at: Mapped[datetime | None]
    """When an operator last changed it. Data files do not change such an entry."""


class CatalogueVoice(Base):
    __tablename__ = "catalogue_voices"

    id: Mapped[str] = mapped_column(primary_key=True)
    provider: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    label: Mapped[str]
    gender: Mapped[str]
    languages: Mapped[list[str]] = mapped_column(ARRAY(Text))
    models: Mapped[list[str]] = mapped_column(ARRAY(Text))
    """Models of ``provider`` that can speak with it."""
    rank: Mapped[int] = mapped_column(Integer)
    is_active: Mapped[bool]
    edited_at: Mapped[datetime | None]


class ManagedSku(Base):
    """A complete stack at one price per minute."""

    __tablename__ = "managed_skus"

    id: Mapped[str] = mapped_column(primary_key=True)
    label: Mapped[str]
    best_for: Mapped[str]
    description: Mapped[str]
    features: Mapped[list[str]] = mapped_column(ARRAY(Text))
    stt_provider: Mapped[str]
    stt_model: Mapped[str]
    llm_provider: Mapped[str]
    llm_model: Mapped[str]
    tts_provider: Mapped[str]
    tts_model: Mapped[str]
    voice: Mapped[str]
    supported_languages: Mapped[list[str]] = mapped_column(ARRAY(Text))
    sort_order: Mapped[int] = mapped_column(Integer)
    is_active: Mapped[bool]
    edited_at: Mapped[datetime | None]


class ProviderCapability(Base):
    """What this build's media workers can run. Every migration writes it."""

    __tablename__ = "provider_capabilities"

    provider: Mapped[str] = mapped_column(primary_key=True)
    channels: Mapped[list[str]] = mapped_column(ARRAY(Text))
    realtime: Mapped[bool]


class CatalogueLoad(Base):
    """A data file that was loaded."""

    __tablename__ = "catalogue_loads"

    id: Mapped[int] = mapped_column(primary_key=True)
    version: Mapped[int]
    loaded_at: Mapped[datetime]


class PriceRecord(Base):
    """The price of one component from ``valid_from`` on, until a later row replaces it."""

    __tablename__ = "price_rows"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    component: Mapped[str]
    provider: Mapped[str]
    model: Mapped[str]
    micros_per_minute: Mapped[int]
    valid_from: Mapped[datetime]


class UnitPriceRecord(Base):
    """What a provider bills the installation for one model's use on a channel from ``valid_from``
    on, until a later row replaces all of it."""

    __tablename__ = "unit_price_rows"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    channel: Mapped[str]
    provider: Mapped[str]
    model: Mapped[str]
    micros_per: Mapped[dict[str, Any]]
    """Micro-dollars by ``PricedUnit``."""
    valid_from: Mapped[datetime]


class CatalogueEditionNumber(Base):
    """A single row. Triggers increment it with every change of the catalogue and its prices."""

    __tablename__ = "catalogue_editions"

    only_row: Mapped[bool] = mapped_column(primary_key=True, default=True)
    number: Mapped[int]
