"""The fields of a ``CallView`` as columns that PostgreSQL computes.

A page of a list takes them as finished JSON, because making objects of up to 1,000 calls in this
process would be most of the request (figures in ``call_pages.py``). A single call takes the values.
"""

from __future__ import annotations

import functools
import operator
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Double,
    Select,
    Subquery,
    case,
    cast,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import InstrumentedAttribute, aliased
from sqlalchemy.sql.selectable import LateralFromClause

from contracts.money import MICROS_PER_USD
from control_plane.calling.calls.ending.cost_breakdown import CHANNELS
from control_plane.calling.calls.models import Call, CallParticipant

LISTED_COLUMNS: tuple[InstrumentedAttribute[Any], ...] = (
    Call.id,
    Call.tenant_id,
    Call.room_name,
    Call.agent_id,
    Call.status,
    Call.created_at,
    Call.started_at,
    Call.ended_at,
    Call.connected_ms,
    Call.billable_seconds,
    Call.total_cost_micros,
    Call.provider_cost_micros,
    Call.provider_cost_calculated_at,
    Call.provider_cost_actual_micros,
    Call.end_reason,
    Call.details,
    Call.intelligence_status,
    Call.feedback,
)
"""The columns that the fields of a call are computed from."""


def fields_of(calls: Subquery) -> Select[Any]:
    """One column for each field of ``CallView``.

    Args:
        calls: a query of ``LISTED_COLUMNS``.
    """
    call = aliased(Call, calls)
    participants = _participants(call)
    return select(
        call.id,
        call.room_name,
        call.agent_id,
        call.status,
        _timestamp(call.created_at).label("created_at"),
        _timestamp(call.started_at).label("started_at"),
        _timestamp(call.ended_at).label("ended_at"),
        case(
            (
                call.ended_at.is_not(None),
                _divided(func.coalesce(call.connected_ms, _literal(0)), 1000),
            )
        ).label("bill_duration"),
        call.billable_seconds,
        _usd(call.total_cost_micros).label("total_cost"),
        _usd(_without_channels(call.total_cost_micros, call.provider_cost_micros)).label(
            "telecom_cost"
        ),
        *_by_channel("provider_cost", call.provider_cost_micros),
        _timestamp(call.provider_cost_calculated_at).label("provider_cost_calculated_at"),
        *_by_channel("provider_cost_actual", call.provider_cost_actual_micros),
        call.end_reason,
        call.details.label("metadata"),
        call.intelligence_status,
        call.feedback,
        participants.c.participant_count,
        participants.c.primary_participant,
        participants.c.participants,
    )


def _participants(call: type[Call]) -> LateralFromClause:
    """The call's participants, in the order in which they were invited, as one row."""

    def each(*columns: InstrumentedAttribute[str] | InstrumentedAttribute[UUID]) -> Any:
        return func.json_agg(
            aggregate_order_by(
                _json_object(**{c.key: c for c in columns}), CallParticipant.position
            )
        )

    person = CallParticipant
    everyone = each(person.id, person.role, person.transport, person.identity, person.status)
    return (
        select(
            func.count().label("participant_count"),
            each(person.identity, person.transport)
            .op("->")(_literal(0))
            .label("primary_participant"),
            func.coalesce(everyone, literal_column("'[]'::json")).label("participants"),
        )
        .where(person.tenant_id == call.tenant_id, person.call_id == call.id)
        .correlate(call)
        .lateral("participants")
    )


def _by_channel(
    name: str, cost: InstrumentedAttribute[dict[str, Any] | None]
) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    """The whole, ``NULL`` if a channel is unknown, and its breakdown."""
    micros = _micros_by_channel(cost)
    total: ColumnElement[Any] = functools.reduce(operator.add, micros.values())
    breakdown = _json_object(**{channel: _usd(amount) for channel, amount in micros.items()})
    return (
        _usd(total).label(name),
        case((cost.is_not(None), breakdown)).label(f"{name}_breakdown"),
    )


def _without_channels(
    total: InstrumentedAttribute[int | None], cost: InstrumentedAttribute[dict[str, Any] | None]
) -> ColumnElement[Any]:
    channels: ColumnElement[Any] = functools.reduce(operator.add, _micros_by_channel(cost).values())
    return total - func.coalesce(channels, _literal(0))


def _micros_by_channel(
    cost: InstrumentedAttribute[dict[str, Any] | None],
) -> dict[str, ColumnElement[Any]]:
    return {channel: cast(cost.op("->>")(_literal(channel)), BigInteger) for channel in CHANNELS}


def _timestamp(at: Any) -> ColumnElement[str]:
    """RFC 3339 in UTC without a zero fraction, the format of the whole API."""
    pattern = _literal('YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    text = func.to_char(func.timezone(_literal("UTC"), at), pattern)
    return func.replace(text, _literal(".000000Z"), _literal("Z"))


def _usd(micros: Any) -> ColumnElement[Any]:
    return _divided(micros, MICROS_PER_USD)


def _divided(value: Any, by: int) -> ColumnElement[Any]:
    return cast(value, Double) / literal_column(str(by), Double)


def _json_object(**values: Any) -> ColumnElement[Any]:
    return func.json_build_object(
        *(part for key, value in values.items() for part in (_literal(key), value))
    )


def _literal(value: str | int) -> ColumnElement[Any]:
    """Text in the statement instead of a parameter, because there are dozens of them."""
    return literal_column(f"'{value}'" if isinstance(value, str) else str(value))
