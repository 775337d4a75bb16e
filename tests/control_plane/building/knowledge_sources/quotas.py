"""Quotas of knowledge in the plan of every tenant."""

from __future__ import annotations

from control_plane.platform.database import Database
from tests.control_plane.owned_books import change_books


async def limit_plan(database: Database, **limits: int) -> None:
    changed = ", ".join(f"{name} = {value}" for name, value in limits.items())
    await change_books(database, f"UPDATE plans SET {changed}")
