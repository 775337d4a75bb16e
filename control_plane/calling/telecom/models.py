"""Prices of the phone network, and each tenant's limits."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Text, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from contracts.call_plan import PriceRow
from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class TelecomPrice(Base):
    """What a minute costs on the installation's account at a carrier. A row never changes: a newer
    one for the same prefix replaces it."""

    __tablename__ = "telecom_prices"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    provider: Mapped[str]
    direction: Mapped[str]
    """``outbound``: to numbers with the prefix; ``inbound``: on our numbers with it."""
    prefix: Mapped[str]
    """``+`` and the first digits of E.164; the longest that fits counts, and ``+`` fits all."""
    micros_per_minute: Mapped[int]
    valid_from: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def row(self) -> PriceRow:
        """As it is frozen in a call's plan."""
        return PriceRow(
            price_id=self.id,
            component="telecom",
            provider=self.provider,
            model=f"{self.direction} {self.prefix}",
            micros_per_minute=self.micros_per_minute,
        )


class PhoneSettings(Base):
    """A tenant's limits against toll fraud."""

    __tablename__ = "phone_settings"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    allowed_countries: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    """Two-letter codes; ``None``: the countries of the tenant's own numbers."""
    daily_spend_cap_micros: Mapped[int | None]
    rate_ceiling_micros_per_minute: Mapped[int | None]
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
