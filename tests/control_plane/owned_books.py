"""Changes to the books that only the owner of the tables can make."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import text

from control_plane.platform.database import Database


async def change_books(database: Database, statement: str, **values: object) -> None:
    """Run one statement as the owner, who is not the role that processes act as."""
    async with database.system_session() as session:
        await session.execute(text("RESET ROLE"))
        await session.execute(text(statement), values)


async def hold(database: Database, tenant_id: UUID, micros: int) -> None:
    """Hold credit that no reserve accounts for."""
    await change_books(
        database,
        "UPDATE billing_accounts SET held_micros = held_micros + :micros"
        " WHERE tenant_id = :tenant_id",
        micros=micros,
        tenant_id=tenant_id,
    )
