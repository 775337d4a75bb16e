"""What can be chosen and what it costs. The same for every tenant."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import Integer, Text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.database import Base


class CatalogueModel(Base):
    __tablename__ = "catalogue_models"

    provider: Mapped[str] = mapped_column(primary_key=True)
    model: Mapped[str] = mapped_column(primary_key=True)
    provider_name: Mapped[str]
    label: Mapped[str]
    channels: Mapped[list[str]] = mapped_column(ARRAY(Text))
    languages: Mapped[list[str]] = mapped_column(ARRAY(Text))
    """Language tags or their prefixes; ``*`` is every language."""
    rank: Mapped[int] = mapped_column(Integer)
    """The lowest usable one is the default."""
    is_active: Mapped[bool]


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


class PriceRecord(Base):
    """One price of one component from ``valid_from`` on, until a later row replaces it."""

    __tablename__ = "price_rows"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    component: Mapped[str]
    provider: Mapped[str]
    model: Mapped[str]
    micros_per_minute: Mapped[int]
    valid_from: Mapped[datetime]
