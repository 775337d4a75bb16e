"""Dependencies of routes: the caller, and a transaction confined to the caller's tenant.

Each route depends on exactly one of these callers, which decides who may use it:

===============  ==============================================================
``AnyCaller``    any key of the tenant, publishable or secret, or a dashboard session
``MemberCaller`` a secret key, or a dashboard session of any role
``AdminCaller``  a secret key, or a dashboard session of an admin or owner
``UserCaller``   a dashboard session only
===============  ==============================================================

All dependencies are coroutines, even those that wait for nothing: FastAPI runs each plain function
in a thread, which costs 0.15 ms.

Sessions commit after the route function has returned and before the response is sent
(``scope="function"``), so that no client gets a success that was rolled back.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

import structlog
from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.sessions.authentication import (
    SESSION_COOKIE,
    SESSION_SCHEME,
    caller_of_session,
)
from control_plane.identity.authentication import service
from control_plane.identity.authentication.errors import (
    RoleRequired,
    SecretKeyRequired,
    SessionRequired,
)
from control_plane.identity.authentication.open_credentials import (
    Credential,
    key_credential,
    session_credential,
)
from control_plane.identity.request_limits.fair_turns import note_owner
from control_plane.platform.http.dependencies import AppDatabase, AppSettings, database_of
from control_plane.platform.tenancy.caller import Caller, RequestOrigin

_api_key = HTTPBearer(
    auto_error=False, scheme_name="api_key", description="A secret or publishable API key."
)
_dashboard_session = APIKeyCookie(
    name=SESSION_COOKIE,
    auto_error=False,
    scheme_name=SESSION_SCHEME,
    description="The cookie from a login. Requests that change something also need X-CSRF-Token.",
)
OPERATOR_SCHEME = "operator_token"
"""The name of the security scheme in the OpenAPI document."""
_operator_token = HTTPBearer(
    auto_error=False, scheme_name=OPERATOR_SCHEME, description="The installation's operator token."
)
Credentials = HTTPAuthorizationCredentials | None


async def origin_of(request: Request) -> RequestOrigin:
    return RequestOrigin(
        address=request.client.host if request.client else None,
        # For the audit log: PostgreSQL cannot store NUL.
        user_agent=(request.headers.get("user-agent") or "").replace("\x00", "") or None,
        request_id=getattr(request.state, "request_id", None),
        page=request.headers.get("origin"),
    )


Origin = Annotated[RequestOrigin, Depends(origin_of)]


async def any_caller(
    request: Request,
    credentials: Annotated[Credentials, Depends(_api_key)],
    session_token: Annotated[str | None, Depends(_dashboard_session)],
) -> Caller:
    """The caller that the key or the session belongs to. If both are sent, the key counts.

    It asks for the database itself, because FastAPI goes through a dependency's dependencies once
    for each place that names it: for the call of an agent 0.15 ms.
    """
    database, origin = await database_of(request), await origin_of(request)
    if credentials is None and session_token is not None:
        caller = await caller_of_session(database, session_token, request, origin)
    else:
        caller = await service.caller_of_key(database, _token(credentials), origin)
    structlog.contextvars.bind_contextvars(tenant_id=str(caller.tenant_id))
    if caller.publishable is None:
        note_owner(request, f"tenant {caller.tenant_id}")
    return caller


AnyCaller = Annotated[Caller, Depends(any_caller)]


async def caller_credential(
    caller: AnyCaller,
    credentials: Annotated[Credentials, Depends(_api_key)],
    session_token: Annotated[str | None, Depends(_dashboard_session)],
) -> Credential:
    """What the caller was authenticated with, to check it again during a long request."""
    if credentials is not None:
        return key_credential(credentials.credentials, caller.tenant_id)
    assert session_token is not None, "a caller has one of the two"
    return session_credential(session_token, caller.tenant_id)


CallerCredential = Annotated[Credential, Depends(caller_credential)]


async def member_caller(caller: AnyCaller) -> Caller:
    if caller.publishable is not None:
        raise SecretKeyRequired
    return caller


MemberCaller = Annotated[Caller, Depends(member_caller)]


async def admin_caller(caller: MemberCaller) -> Caller:
    if not caller.may_administer:
        raise RoleRequired("This needs the role owner or admin; your role is member")
    return caller


AdminCaller = Annotated[Caller, Depends(admin_caller)]


async def user_caller(caller: AnyCaller) -> Caller:
    if caller.role is None:
        raise SessionRequired
    return caller


UserCaller = Annotated[Caller, Depends(user_caller)]


async def tenant_session(caller: AnyCaller, database: AppDatabase) -> AsyncIterator[AsyncSession]:
    """A transaction confined to the caller's tenant."""
    async with database.tenant_session(caller.tenant_id) as session:
        yield session


TenantSession = Annotated[AsyncSession, Depends(tenant_session, scope="function")]


async def operator(
    request: Request,
    settings: AppSettings,
    database: AppDatabase,
    origin: Origin,
    credentials: Annotated[Credentials, Depends(_operator_token)],
) -> None:
    """Lets only the installation's operator pass."""
    expected = settings.operator_token
    await service.check_operator(database, expected, _token(credentials), origin)
    note_owner(request, "operator")


async def operator_session(
    database: AppDatabase, _: Annotated[None, Depends(operator)]
) -> AsyncIterator[AsyncSession]:
    """A transaction over every tenant, for the operator's routes."""
    async with database.system_session() as session:
        yield session


OperatorSession = Annotated[AsyncSession, Depends(operator_session, scope="function")]


def _token(credentials: Credentials) -> str | None:
    return None if credentials is None else credentials.credentials
