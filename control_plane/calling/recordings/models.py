"""The table of recordings; their audio is in the object store."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import ForeignKey, Text
from sqlalchemy.orm import Mapped, mapped_column

from contracts.recording import recording_folder
from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant

RecordingStatus = Literal["processing", "completed", "failed"]


class Recording(Base):
    """The recording of one call. Its id is chosen by the worker that records.

    ``stopped_at`` is set when the worker has reported that no part will follow. ``detail`` tells
    what is missing from the recording, or why there is none.
    """

    __tablename__ = "recordings"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    call_id: Mapped[UUID]
    status: Mapped[RecordingStatus] = mapped_column(Text, default="processing")
    started_at: Mapped[datetime]
    stopped_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    duration_ms: Mapped[int | None]
    wav_bytes: Mapped[int | None]
    ogg_bytes: Mapped[int | None]
    detail: Mapped[str | None]

    @property
    def folder(self) -> str:
        """In the object store."""
        return recording_folder(self.tenant_id, self.call_id, self.id)
