"""Requests and responses of the do-not-call list."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from control_plane.calling.do_not_call.models import Source
from control_plane.calling.numbers.phone_number import e164
from control_plane.platform.tenancy.caller import ActorKind

MAX_REASON = 500
MAX_REPORTED_ROWS = 100

Number = Annotated[
    str,
    StringConstraints(max_length=64),
    AfterValidator(e164),
    Field(description="With `+` and country code; spaces, dots, dashes and brackets are ignored."),
]


class NumberToAdd(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"example": {"number": "+14155550100", "reason": "Asked us to stop"}},
    )
    number: Number
    reason: (
        Annotated[
            str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_REASON)
        ]
        | None
    ) = None


class AddedBy(BaseModel):
    """Who added the number, as in the audit log."""

    kind: ActorKind
    id: UUID | None
    label: str = Field(description="The name of the key or the mail address of the user.")


class ListedNumber(BaseModel):
    number: str = Field(description="E.164.")
    reason: str | None
    source: Source = Field(description="Added with an API key, in the dashboard, or from a file.")
    added_by: AddedBy
    created_at: datetime


class DoNotCallPage(BaseModel):
    numbers: list[ListedNumber]
    total: int
    offset: int
    limit: int


class RejectedRow(BaseModel):
    row: int = Field(description="Number of the row in the file; the first row is 1.")
    reason: str


class ImportReport(BaseModel):
    status: Literal["imported"] = "imported"
    added: int
    already_listed: int = Field(
        description="Already on the list, or also in an earlier row of the file."
    )
    rejected: int
    rejected_rows: list[RejectedRow] = Field(
        description=f"The first {MAX_REPORTED_ROWS} rejected rows and their errors."
    )


class NumberRemoved(BaseModel):
    status: Literal["removed"] = "removed"
    number: str
