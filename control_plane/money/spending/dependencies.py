"""Dependencies of the routes that spend."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, Request

from control_plane.identity.authentication.dependencies import MemberCaller
from control_plane.money.spending.limits import RequestsAtOnce, Spending, meter
from control_plane.platform.database import Database
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.settings import SpendingSettings
from control_plane.platform.tenancy.caller import Caller


async def _agent_builder(
    request: Request, caller: MemberCaller, database: AppDatabase, settings: AppSettings
) -> AsyncIterator[None]:
    at_once: RequestsAtOnce = request.app.state.builder_requests
    async with _metered(at_once, Spending.AGENT_BUILDER, caller, database, settings):
        yield


async def _chat(
    request: Request, caller: MemberCaller, database: AppDatabase, settings: AppSettings
) -> AsyncIterator[None]:
    at_once: RequestsAtOnce = request.app.state.chat_requests
    async with _metered(at_once, Spending.CHAT, caller, database, settings):
        yield


@asynccontextmanager
async def _metered(
    at_once: RequestsAtOnce,
    kind: Spending,
    caller: Caller,
    database: Database,
    settings: SpendingSettings,
) -> AsyncIterator[None]:
    with at_once.one_more(caller.tenant_id):
        # A session of its own: the route must hold no transaction open while it asks a model.
        async with database.tenant_session(caller.tenant_id) as session:
            await meter(session, caller.tenant_id, kind, settings)
        yield


MeteredBuilder = Annotated[None, Depends(_agent_builder)]
"""Counts the request, and refuses it past a limit (``SpendingLimited``). Name it after
``EffectOncePerKey``, so that a repeated request is not counted. One that is answered
with 400 is."""
MeteredChat = Annotated[None, Depends(_chat)]
"""The same for a message to an agent."""
