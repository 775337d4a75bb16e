"""What routes depend on: who calls, and a transaction that belongs to the caller's tenant.

Sessions commit when the route function has returned and before the response is sent
(``scope="function"``): a client never hears of a success that was rolled back.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

import structlog
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.authentication import service
from control_plane.authentication.caller import Caller
from control_plane.database import Database
from control_plane.errors import SecretKeyRequired
from control_plane.settings import ControlPlaneSettings

_api_key = HTTPBearer(
    auto_error=False, scheme_name="api_key", description="A secret or publishable API key."
)
_operator_token = HTTPBearer(
    auto_error=False, scheme_name="operator_token", description="The installation's own token."
)
Credentials = HTTPAuthorizationCredentials | None


def database_of(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


def settings_of(request: Request) -> ControlPlaneSettings:
    settings: ControlPlaneSettings = request.app.state.settings
    return settings


AppDatabase = Annotated[Database, Depends(database_of)]
AppSettings = Annotated[ControlPlaneSettings, Depends(settings_of)]


async def any_caller(
    database: AppDatabase, credentials: Annotated[Credentials, Depends(_api_key)]
) -> Caller:
    """The owner of a secret or publishable key."""
    caller = await service.authenticate(database, _token(credentials))
    structlog.contextvars.bind_contextvars(tenant_id=str(caller.tenant_id))
    return caller


AnyCaller = Annotated[Caller, Depends(any_caller)]


async def secret_caller(caller: AnyCaller) -> Caller:
    """The owner of a secret key; 403 for a publishable one."""
    if caller.kind != "secret":
        raise SecretKeyRequired
    return caller


SecretCaller = Annotated[Caller, Depends(secret_caller)]


async def tenant_session(caller: AnyCaller, database: AppDatabase) -> AsyncIterator[AsyncSession]:
    """A transaction confined to the caller's tenant."""
    async with database.tenant_session(caller.tenant_id) as session:
        yield session


TenantSession = Annotated[AsyncSession, Depends(tenant_session, scope="function")]


async def operator(
    settings: AppSettings, credentials: Annotated[Credentials, Depends(_operator_token)]
) -> None:
    """Lets only the installation's operator pass."""
    service.check_operator(settings.operator_token, _token(credentials))


async def operator_session(
    database: AppDatabase, _: Annotated[None, Depends(operator)]
) -> AsyncIterator[AsyncSession]:
    """A transaction over every tenant, for the operator's routes."""
    async with database.system_session() as session:
        yield session


OperatorSession = Annotated[AsyncSession, Depends(operator_session, scope="function")]


def _token(credentials: Credentials) -> str | None:
    return None if credentials is None else credentials.credentials
