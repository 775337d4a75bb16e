"""What was found out about calls, and the providers' answers that it was made from."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class CallAnalysis(Base):
    """One call's results, those of its last finished analysis.

    ``job_id`` is the analysis that is under way, ``None`` while there is none; whatever else holds
    that id no longer may change nothing. The call's row is locked by whoever changes this one.
    """

    __tablename__ = "call_analyses"

    call_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    job_id: Mapped[UUID | None]
    touched_at: Mapped[datetime | None]
    """When the analysis under way was last queued or taken up."""
    finished_at: Mapped[datetime | None]
    lean_sent_at: Mapped[datetime | None]
    """When the lean ``call.completed`` went out, because the analysis has to wait."""
    segments: Mapped[int] = mapped_column(default=0)
    """How much of the transcript the results were made from."""
    provider: Mapped[str | None]
    model: Mapped[str | None]
    summary: Mapped[str | None]
    sentiment: Mapped[str | None]
    structured_data: Mapped[dict[str, Any] | None]
    evaluation: Mapped[dict[str, Any] | None]
    errors: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    usage: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """``"<provider>/<model>"`` → requests and tokens of all analyses of the call together."""


class PaidAnswer(Base):
    """An answer of a provider, kept until its analysis is finished.

    An analysis that is interrupted goes on with these, and pays for nothing twice.
    """

    __tablename__ = "paid_answers"

    job_id: Mapped[UUID] = mapped_column(primary_key=True)
    request_digest: Mapped[bytes] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    text: Mapped[str]
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]
