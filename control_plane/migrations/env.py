"""Alembic's entry point. The connection comes from ``control_plane.migrate``."""

from __future__ import annotations

from alembic import context

from control_plane.database import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata)
with context.begin_transaction():
    context.run_migrations()
