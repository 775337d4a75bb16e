"""Calls, their participants, what was said and what happened. Amounts are in micro-dollars."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Identity, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from contracts.call_plan import CallPlan
from contracts.call_status import TERMINAL_STATUSES
from contracts.versions import read_object
from control_plane.calling.calls.plan_document import PlanDocument
from control_plane.platform.database import Base


class Call(Base):
    """One call. ``plan`` never changes; everything else follows from the worker's events.

    All events up to number ``applied_seq`` are applied. ``metered_ms`` is the worker's last meter
    reading, ``connected_ms`` is what was billed (both as far as they are believed).
    """

    __tablename__ = "calls"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    """Of version 7, with the time of ``created_at``; those made by release 0.1 are random."""
    tenant_id: Mapped[UUID]
    agent_id: Mapped[UUID]
    room_name: Mapped[str]
    status: Mapped[str]
    end_reason: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    payer_tenant_id: Mapped[UUID | None]
    """Whose account pays for it; ``None``: its own tenant's."""
    publishable_key_id: Mapped[UUID | None]
    """The publishable key that created it; ``None``: it was not created with one."""
    client_address: Mapped[str | None]
    """The address that used the publishable key. It is forgotten when the call ends."""
    due_at: Mapped[datetime | None]
    """When its phone will be dialed next; ``None``: immediately."""
    dialed_at: Mapped[datetime | None]
    """When its phone was last handed to a carrier; ``None`` while it waits to be dialed."""
    answered_at: Mapped[datetime | None]
    """When its phone was first answered."""
    dispatched_at: Mapped[datetime | None]
    dispatch_entry_id: Mapped[str | None]
    claimed_at: Mapped[datetime | None]
    worker_id: Mapped[str | None]
    started_at: Mapped[datetime | None]
    end_requested_at: Mapped[datetime | None]
    end_requested_reason: Mapped[str | None]
    ended_at: Mapped[datetime | None]
    erased_at: Mapped[datetime | None]
    """When the data of one of its callers was erased. Nothing is added to it since then."""
    applied_seq: Mapped[int] = mapped_column(default=0)
    metered_ms: Mapped[int | None]
    takeovers: Mapped[list[dict[str, Any]] | None] = mapped_column(JSONB)
    """The agents that took over from the first one, in order: ``agent_id``, and as ``from_ms`` the
    connected time at which it did. ``None``: there are none."""
    funded_until_ms: Mapped[int | None]
    """Connected time that the reserve pays for, as far as the meter knows."""
    connected_ms: Mapped[int | None]
    billable_seconds: Mapped[int | None]
    total_cost_micros: Mapped[int | None]
    telecom_cost_micros: Mapped[int | None]
    """The part of the total that phone legs cost on the installation's carrier accounts."""
    provider_cost_micros: Mapped[dict[str, Any] | None]
    """Micro-dollars by channel: ``stt``, ``llm``, ``tts``."""
    provider_cost_calculated_at: Mapped[datetime | None]
    provider_cost_actual_micros: Mapped[dict[str, Any] | None]
    """As ``provider_cost_micros``, at the providers' unit prices; ``None`` for a channel whose cost
    is unknown. The whole is ``None`` until the call is over, and for calls of earlier releases."""
    intelligence_status: Mapped[str] = mapped_column(default="pending")
    feedback: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """``CallFeedback``."""
    details: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    collected_slots: Mapped[dict[str, Any]] = mapped_column(default=dict)
    usage: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """By ``"<channel>/<provider>/<model>"``, the latest totals that the worker reported."""
    plan: Mapped[dict[str, Any]] = mapped_column(deferred=True)

    @property
    def is_over(self) -> bool:
        return self.status in TERMINAL_STATUSES

    @property
    def payer_id(self) -> UUID:
        """The tenant whose account pays for it."""
        return self.payer_tenant_id or self.tenant_id

    def frozen_plan(self) -> CallPlan:
        """The plan; ``plan`` must have been loaded with the call.

        Raises:
            ValidationError: a process of another major version wrote it.
        """
        return read_object(CallPlan, self.plan)

    def plan_document(self) -> PlanDocument:
        """The plan as it is sent; ``plan`` must have been loaded with the call."""
        document = json.dumps(self.plan, ensure_ascii=False, separators=(",", ":"))
        return PlanDocument(self.tenant_id, self.id, self.funded_until_ms, document)


class CallParticipant(Base):
    __tablename__ = "call_participants"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID]
    call_id: Mapped[UUID]
    position: Mapped[int]
    role: Mapped[str]
    transport: Mapped[str]
    identity: Mapped[str]
    status: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    first_joined_at: Mapped[datetime | None]
    """``None`` also for who joined while a process of an older release ran."""
    joined_at: Mapped[datetime | None]
    """The last time: a connection that was lost can come back."""
    left_at: Mapped[datetime | None]


class Segment(Base):
    """One final segment of the transcript; times are in ms from the start of the call."""

    __tablename__ = "transcript_segments"

    call_id: Mapped[UUID] = mapped_column(primary_key=True)
    sequence: Mapped[int] = mapped_column(primary_key=True)
    id: Mapped[UUID] = mapped_column(default=uuid4)
    tenant_id: Mapped[UUID]
    speaker: Mapped[str]
    text: Mapped[str]
    started_at_ms: Mapped[int]
    ended_at_ms: Mapped[int]
    interrupted: Mapped[bool]


class TurnLatencies(Base):
    """How long each part of one agent turn took; ``sequence`` is that of the turn's segment."""

    __tablename__ = "turn_latencies"

    call_id: Mapped[UUID] = mapped_column(primary_key=True)
    sequence: Mapped[int] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID]
    transcription_delay_ms: Mapped[int | None]
    end_of_turn_delay_ms: Mapped[int | None]
    llm_first_token_ms: Mapped[int | None]
    tts_first_byte_ms: Mapped[int | None]
    end_to_end_ms: Mapped[int | None]


class CallLogEntry(Base):
    """One line of the call's event log."""

    __tablename__ = "call_log_entries"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    position: Mapped[int] = mapped_column(Identity(always=True))
    tenant_id: Mapped[UUID]
    call_id: Mapped[UUID]
    level: Mapped[str]
    source: Mapped[str]
    message: Mapped[str]
    created_at: Mapped[datetime]
    keys: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """A ``contracts.events.KeysPressed``, if the line tells of keys of a phone."""
    switch: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """A ``contracts.events.ModelSwitched``, if the line tells of a switch."""


class ParkedEvent(Base):
    """An entry of an event stream that could not be applied, kept for the operator to settle."""

    __tablename__ = "parked_events"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    stream_entry_id: Mapped[str]
    """``{stream}/{entry id}``, or the entry's id alone if an earlier release parked it. The end of
    a call whose reported time was not believed has ``connected-time:{call id}``."""
    reason: Mapped[str]
    document: Mapped[str]
    parked_at: Mapped[datetime] = mapped_column(server_default=func.now())
    resolution: Mapped[str | None]
    """``applied`` or ``discarded``."""
    resolution_reason: Mapped[str | None]
    resolved_by: Mapped[str | None]
    resolved_at: Mapped[datetime | None]


class CallCount(Base):
    """How many calls there were when deltas were last folded (see ``queries/call_counts.py``)."""

    __tablename__ = "call_counts"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    agent_id: Mapped[UUID] = mapped_column(primary_key=True)
    status: Mapped[str] = mapped_column(primary_key=True)
    calls: Mapped[int]


class CallCountDelta(Base):
    """By how much one statement changed a count since then. Only triggers write this table."""

    __tablename__ = "call_count_deltas"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    agent_id: Mapped[UUID]
    status: Mapped[str]
    calls: Mapped[int]
