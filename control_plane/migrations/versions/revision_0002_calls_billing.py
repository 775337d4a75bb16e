"""Accounts, ledger and reserves; calls with their participants, transcript and event log."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from control_plane.migrations.tenancy import APPEND_ONLY, confine_to_tenant, make_append_only
from control_plane.platform.database import SYSTEM_ROLE

revision = "0002"
down_revision = "0001"

_ENDED = "('completed', 'failed', 'no_answer', 'busy', 'canceled')"


def upgrade() -> None:
    _create_billing()
    _create_calls()
    _create_reserves()
    _create_call_details()
    _create_parked_events()


def _time(name: str, *, nullable: bool = True) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _created_at() -> sa.Column[object]:
    return sa.Column(
        "created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
    )


def _tenant_id(*, primary_key: bool = False) -> sa.Column[object]:
    return sa.Column(
        "tenant_id",
        sa.Uuid,
        sa.ForeignKey("tenants.id"),
        primary_key=primary_key,
        nullable=False,
    )


def _json(name: str) -> sa.Column[object]:
    return sa.Column(name, JSONB, nullable=False, server_default="{}")


def _micros(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.BigInteger, nullable=False, server_default="0")


def _belongs_to_call() -> sa.ForeignKeyConstraint:
    """The key includes the tenant, because row-level security does not apply to checks of foreign
    keys."""
    return sa.ForeignKeyConstraint(["tenant_id", "call_id"], ["calls.tenant_id", "calls.id"])


def _create_billing() -> None:
    op.create_table(
        "billing_accounts",
        _tenant_id(primary_key=True),
        sa.Column("is_active", sa.Boolean, nullable=False, server_default=sa.true()),
        _micros("free_micros"),
        _micros("purchased_micros"),
        _micros("held_micros"),
        sa.CheckConstraint("free_micros >= 0", name="free_micros"),
        sa.CheckConstraint("held_micros >= 0", name="held_micros"),
    )
    confine_to_tenant("billing_accounts")

    op.create_table(
        "ledger_entries",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("position", sa.BigInteger, sa.Identity(always=True), nullable=False),
        _tenant_id(),
        sa.Column("reference", sa.Text, nullable=False),
        sa.Column("transaction_type", sa.Text, nullable=False),
        sa.Column("call_id", sa.Uuid),
        sa.Column("free_micros", sa.BigInteger, nullable=False),
        sa.Column("purchased_micros", sa.BigInteger, nullable=False),
        sa.Column("amount_seconds", sa.BigInteger, nullable=False),
        sa.Column("description", sa.Text, nullable=False),
        _json("metadata"),
        _created_at(),
        sa.UniqueConstraint("tenant_id", "reference"),
        sa.CheckConstraint("transaction_type IN ('grant', 'charge')", name="transaction_type"),
    )
    op.create_index(None, "ledger_entries", ["tenant_id", "position"])
    confine_to_tenant("ledger_entries", privileges=APPEND_ONLY)
    make_append_only("ledger_entries")


def _create_reserves() -> None:
    op.create_table(
        "call_reserves",
        sa.Column("call_id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("state", sa.Text, nullable=False, server_default="open"),
        sa.Column("held_micros", sa.BigInteger, nullable=False),
        _created_at(),
        _time("resolved_at"),
        _belongs_to_call(),
        sa.CheckConstraint("held_micros >= 0", name="held_micros"),
        sa.CheckConstraint("state IN ('open', 'settled', 'released')", name="state"),
        sa.CheckConstraint("(state = 'open') = (resolved_at IS NULL)", name="resolved_once"),
    )
    confine_to_tenant("call_reserves")


def _create_calls() -> None:
    op.create_table(
        "calls",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("agent_id", sa.Uuid, nullable=False),
        sa.Column("room_name", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("end_reason", sa.Text),
        _created_at(),
        _time("dispatched_at"),
        sa.Column("dispatch_entry_id", sa.Text),
        _time("claimed_at"),
        sa.Column("worker_id", sa.Text),
        _time("started_at"),
        _time("end_requested_at"),
        sa.Column("end_requested_reason", sa.Text),
        _time("ended_at"),
        sa.Column("applied_seq", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("metered_ms", sa.BigInteger),
        sa.Column("connected_ms", sa.BigInteger),
        sa.Column("billable_seconds", sa.BigInteger),
        sa.Column("total_cost_micros", sa.BigInteger),
        sa.Column("provider_cost_micros", JSONB),
        _time("provider_cost_calculated_at"),
        sa.Column("intelligence_status", sa.Text, nullable=False, server_default="pending"),
        _json("metadata"),
        _json("collected_slots"),
        _json("usage"),
        sa.Column("plan", JSONB, nullable=False),
        sa.UniqueConstraint("tenant_id", "id"),
        sa.CheckConstraint(f"(ended_at IS NOT NULL) = (status IN {_ENDED})", name="ended_at"),
        sa.CheckConstraint("(ended_at IS NULL) = (end_reason IS NULL)", name="end_reason"),
    )
    op.create_index("ix_calls_newest", "calls", ["tenant_id", "created_at", "id"])
    op.create_index("ix_calls_of_agent", "calls", ["tenant_id", "agent_id", "created_at", "id"])
    op.create_index(
        "ix_calls_running", "calls", ["created_at"], postgresql_where="ended_at IS NULL"
    )
    confine_to_tenant("calls")

    op.create_table(
        "call_participants",
        sa.Column("id", sa.Uuid, primary_key=True),
        _tenant_id(),
        sa.Column("call_id", sa.Uuid, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("transport", sa.Text, nullable=False),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        _json("metadata"),
        _time("joined_at"),
        _time("left_at"),
        _belongs_to_call(),
        sa.UniqueConstraint("call_id", "position"),
    )
    confine_to_tenant("call_participants")


def _create_call_details() -> None:
    op.create_table(
        "transcript_segments",
        sa.Column("call_id", sa.Uuid, primary_key=True),
        sa.Column("sequence", sa.BigInteger, primary_key=True),
        sa.Column("id", sa.Uuid, nullable=False),
        _tenant_id(),
        sa.Column("speaker", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("started_at_ms", sa.BigInteger, nullable=False),
        sa.Column("ended_at_ms", sa.BigInteger, nullable=False),
        sa.Column("interrupted", sa.Boolean, nullable=False),
        _belongs_to_call(),
        sa.CheckConstraint("speaker IN ('user', 'agent')", name="speaker"),
    )
    confine_to_tenant("transcript_segments")

    op.create_table(
        "turn_latencies",
        sa.Column("call_id", sa.Uuid, primary_key=True),
        sa.Column("sequence", sa.BigInteger, primary_key=True),
        _tenant_id(),
        sa.Column("transcription_delay_ms", sa.BigInteger),
        sa.Column("end_of_turn_delay_ms", sa.BigInteger),
        sa.Column("llm_first_token_ms", sa.BigInteger),
        sa.Column("tts_first_byte_ms", sa.BigInteger),
        sa.Column("end_to_end_ms", sa.BigInteger),
        _belongs_to_call(),
    )
    confine_to_tenant("turn_latencies")

    op.create_table(
        "call_log_entries",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("position", sa.BigInteger, sa.Identity(always=True), nullable=False),
        _tenant_id(),
        sa.Column("call_id", sa.Uuid, nullable=False),
        sa.Column("level", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        _time("created_at", nullable=False),
        _belongs_to_call(),
        sa.CheckConstraint("level IN ('info', 'warning', 'error')", name="level"),
    )
    op.create_index(None, "call_log_entries", ["call_id", "position"])
    confine_to_tenant("call_log_entries", privileges=APPEND_ONLY)


def _create_parked_events() -> None:
    """Stream entries of any tenant that could not be applied. Only for the operator."""
    op.create_table(
        "parked_events",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
        sa.Column("stream_entry_id", sa.Text, nullable=False, unique=True),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column(
            "parked_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()
        ),
    )
    op.execute(f"GRANT SELECT, INSERT, DELETE ON parked_events TO {SYSTEM_ROLE}")
