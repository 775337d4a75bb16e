"""For how many days a tenant keeps recordings, transcripts and event logs."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant

Kind = Literal["recordings", "transcripts", "event_logs"]


class DataRetention(Base):
    """One kind of data of one tenant. Without a row, or without ``days``, it is kept for good."""

    __tablename__ = "data_retention"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    kind: Mapped[Kind] = mapped_column(Text, primary_key=True)
    days: Mapped[int | None]
    done_until: Mapped[datetime | None]
    """The data of all calls that were created until then is deleted."""
