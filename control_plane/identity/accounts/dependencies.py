"""Dependencies of the account routes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.passwords.hashing import Passwords
from control_plane.identity.authentication.dependencies import MemberCaller
from control_plane.platform.http.dependencies import AppDatabase


async def passwords_of(request: Request) -> Passwords:
    passwords: Passwords = request.app.state.passwords
    return passwords


AppPasswords = Annotated[Passwords, Depends(passwords_of)]


async def person_session(_: MemberCaller, database: AppDatabase) -> AsyncIterator[AsyncSession]:
    """A transaction over every tenant, for records of a person. Every query in it must be about the
    caller's own user."""
    async with database.system_session() as session:
        yield session


PersonSession = Annotated[AsyncSession, Depends(person_session, scope="function")]
