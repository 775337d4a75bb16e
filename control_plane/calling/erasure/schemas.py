"""Requests and responses of erasures."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from control_plane.calling.do_not_call.schemas import AddedBy, Number
from control_plane.calling.erasure.models import ErasureStatus


class ErasureWanted(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"number": "+14155550100", "reason": "Letter of 3 May"}},
    )
    number: Number | None = None
    identity: (
        Annotated[
            str,
            StringConstraints(min_length=1, max_length=256),
            Field(description="The `identity` of a browser participant, exactly as it was sent."),
        ]
        | None
    ) = None
    reason: (
        Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
        | None
    ) = Field(None, description="Kept in the proof, so do not name the caller here.")

    @model_validator(mode="after")
    def _names_one_caller(self) -> ErasureWanted:
        if (self.number is None) == (self.identity is None):
            raise ValueError("must have either 'number' or 'identity'")
        return self

    @property
    def caller(self) -> str:
        """The participant's identity. That of a phone is its number."""
        return self.number or self.identity or ""


class ErasureView(BaseModel):
    id: UUID
    status: ErasureStatus
    caller_hmac: str = Field(
        description="HMAC-SHA256 of the number or identity, with a key of this installation: "
        "requests for the same caller have the same one."
    )
    reason: str | None
    requested_by: AddedBy
    requested_at: datetime
    completed_at: datetime | None
    waits_for: str | None = Field(description="Why it is not completed yet; null if it is.")
    calls: int = Field(description="How many calls were erased so far.")
    proof_sha256: str | None = Field(
        description="SHA-256 of the proof document; the audit log has it, too."
    )


class ErasureProof(BaseModel):
    """Every text is as it stands in the document, so that a program that reads and writes it again
    gets the same bytes: its members are sorted and indented by one space."""

    version: int
    erasure_id: str
    tenant_id: str
    caller_hmac: str
    reason: str | None
    requested_by: dict[str, Any]
    requested_at: str
    completed_at: str
    totals: dict[str, Any] = Field(description="Calls, rows by table, objects and their bytes.")
    calls: list[dict[str, Any]] = Field(
        description="For each call, what was erased in which table, and which objects."
    )
    kept: dict[str, str] = Field(description="What stays where, and why.")


class ErasurePage(BaseModel):
    erasures: list[ErasureView]
    total: int
    offset: int
    limit: int
