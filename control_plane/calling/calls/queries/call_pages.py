"""The statements behind lists of calls, each made once.

Making a statement of this size takes SQLAlchemy longer than answering it takes PostgreSQL, so
values are parameters and there is one statement for every combination of filters.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import Select, Text, bindparam, cast, func, literal_column, select, true, tuple_

from contracts.call_status import CallStatus
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.queries.call_fields import LISTED_COLUMNS, fields_of

Place = tuple[datetime, UUID]
"""Creation time and id of a call: its place in a list."""


@dataclass(frozen=True, kw_only=True)
class CallFilter:
    """Which calls a list has: all of the tenant's that are what is not ``None`` here, those behind
    ``after``."""

    tenant_id: UUID
    status: CallStatus | None = None
    agent_id: UUID | None = None
    after: Place | None = None

    @property
    def parameters(self) -> dict[str, Any]:
        """Values for the statements; their names say which filters there are."""
        parameters: dict[str, Any] = {"tenant_id": self.tenant_id}
        if self.status is not None:
            parameters["status"] = self.status.value
        if self.agent_id is not None:
            parameters["agent_id"] = self.agent_id
        if self.after is not None:
            parameters["after_created_at"], parameters["after_id"] = self.after
        return parameters


@cache
def select_page(filters: frozenset[str]) -> Select[Any]:
    """``LISTED_COLUMNS`` of calls, newest first; parameters are those of the filter, ``limit`` and
    ``offset``."""
    query = select(*LISTED_COLUMNS).where(Call.tenant_id == bindparam("tenant_id"))
    if "status" in filters:
        query = query.where(Call.status == bindparam("status"))
    if "agent_id" in filters:
        query = query.where(Call.agent_id == bindparam("agent_id"))
    if "after_id" in filters:
        after = tuple_(
            bindparam("after_created_at", type_=Call.created_at.type),
            bindparam("after_id", type_=Call.id.type),
        )
        query = query.where(tuple_(Call.created_at, Call.id) < after)
    return (
        query.order_by(Call.created_at.desc(), Call.id.desc())
        .limit(bindparam("limit"))
        .offset(bindparam("offset"))
    )


@cache
def select_documents(filters: frozenset[str]) -> Select[Any]:
    """``id`` and ``document``, the JSON text of a ``CallView``, of each call of a page; parameters
    as for ``select_page``."""
    page = select_page(filters).subquery("page")
    fields = fields_of(page).correlate(page).lateral("call")
    document = cast(func.row_to_json(literal_column(fields.name)), Text)
    return (
        select(page.c.id, document.label("document"))
        .join_from(page, fields, true())
        .order_by(page.c.created_at.desc(), page.c.id.desc())
    )


@cache
def select_fields() -> Select[Any]:
    """The fields of the ``CallView`` of call ``call_id`` of ``tenant_id``, a column each."""
    call = select(*LISTED_COLUMNS).where(
        Call.tenant_id == bindparam("tenant_id"), Call.id == bindparam("call_id")
    )
    return fields_of(call.subquery())
