"""Alembic's entry point. The connection comes from ``control_plane.migrate``."""

from __future__ import annotations

from alembic import context

from control_plane.platform.database import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    # Each revision is its own transaction, so that it releases its locks early and can build
    # indexes concurrently.
    transaction_per_migration=True,
)
with context.begin_transaction():
    context.run_migrations()
