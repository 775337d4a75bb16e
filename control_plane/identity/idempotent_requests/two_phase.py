"""Idempotency keys of routes that act outside of the database: they send a mail, ask a model or
check a key with its provider.

Such a route holds no transaction open while it acts, so it takes ``EffectOncePerKey`` instead of
``OncePerKey``, and opens its own transactions::

    @router.post("", status_code=201)
    async def invite(
        wanted: Invitation, caller: AdminCaller, database: AppDatabase, effect: EffectOncePerKey
    ) -> Invited: ...

1. **Claim.** Before the route runs, the key is committed with the id of the effect.
2. **Act.** The route acts. Where the outside knows ids, such as the ``Message-ID`` of a mail, it
   uses ``effect.id``, so that the outside can tell a repetition.
3. **Finish.** ``IdempotentRoute`` stores the response.

A repeated request gets the response. While the first still acts, the repeated one gets 409 with
``Retry-After``. A refused request gives its key back. If the first has failed or its process has
died, the key does not stay locked: the next request with it acts again, with the same id, even if
others were refused meanwhile. After a failure that is at once, after a crash when ``HOLD`` has
passed.
"""

from __future__ import annotations

import hmac
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID, uuid4

import structlog
from fastapi import Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.authentication.dependencies import AnyCaller
from control_plane.identity.idempotent_requests.route import (
    AnsweredBefore,
    IdempotentRoute,
    KeyHeader,
    digest_of_request,
    stored_answer,
)
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable, Problem
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.idempotency import repository
from control_plane.platform.idempotency.answer import KEY_LIFETIME, Answer, key_digest
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse
from control_plane.platform.settings import ControlPlaneSettings

HOLD = timedelta(minutes=2)
"""How long a request has the key for itself: longer than any route acts."""
_RETRY_AFTER_SECONDS = 2
_STRANGER = ("stranger", None)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Effect:
    """What a request does outside of the database."""

    id: UUID
    """The same for every attempt with the same key."""

    def token(self, settings: ControlPlaneSettings, purpose: str) -> str:
        """A secret that every attempt mails again, and that nobody else can compute."""
        message = f"{purpose} {self.id}".encode()
        return hmac.new(settings.secret_key.encode(), message, "sha256").hexdigest()


@dataclass(frozen=True)
class _Hold:
    """A claimed key. ``tenant_id`` is ``None`` for a request without a caller."""

    database: Database
    settings: ControlPlaneSettings
    tenant_id: UUID | None
    key_digest: bytes
    held_until: datetime
    is_taken_over: bool = False
    """From a request that may have acted."""

    async def remember(self, response: Response) -> None:
        sealed = self.settings.sealer.seal(Answer.of(response).text)
        async with self.transaction() as session:
            await repository.finish(session, self.key_digest, self.held_until, sealed)

    async def failed(self, error: Exception) -> None:
        """A refusal gives the key back, unless an earlier request with it may have acted. After any
        other failure nobody knows whether this one has."""
        is_refusal = isinstance(error, (Problem, RequestValidationError)) and not isinstance(
            error, DatabaseUnavailable
        )
        try:
            async with self.transaction() as session:
                if is_refusal and not self.is_taken_over:
                    await repository.give_back(session, self.key_digest, self.held_until)
                else:
                    now = datetime.now(UTC)
                    await repository.abandon(session, self.key_digest, self.held_until, now)
        except DatabaseUnavailable:
            _log.warning("idempotency_key_held", until=self.held_until.isoformat())

    def transaction(self) -> AbstractAsyncContextManager[AsyncSession]:
        if self.tenant_id is None:
            return self.database.system_session()
        return self.database.tenant_session(self.tenant_id)


async def _effect_of_tenant(
    request: Request,
    caller: AnyCaller,
    database: AppDatabase,
    settings: AppSettings,
    key: KeyHeader = None,
) -> Effect:
    actor = (caller.actor.kind, caller.actor.id)
    return await _effect(request, database, settings, caller.tenant_id, actor, key)


async def _effect_of_stranger(
    request: Request, database: AppDatabase, settings: AppSettings, key: KeyHeader = None
) -> Effect:
    return await _effect(request, database, settings, None, _STRANGER, key)


EffectOncePerKey = Annotated[Effect, Depends(_effect_of_tenant)]
EffectOncePerStrangersKey = Annotated[Effect, Depends(_effect_of_stranger)]
"""For routes without a caller. To repeat the request, one must know all of its body."""


async def _effect(
    request: Request,
    database: Database,
    settings: ControlPlaneSettings,
    tenant_id: UUID | None,
    actor: tuple[str, UUID | None],
    key: str | None,
) -> Effect:
    """
    Raises:
        AnsweredBefore: this request was already carried out with the key.
        IdempotencyKeyInUse: it still is.
        IdempotencyKeyReused: another request was carried out with the key.
        DatabaseUnavailable: PostgreSQL is down.
    """
    effect_id = uuid4()
    if key is None:
        return Effect(effect_id)
    route = IdempotentRoute.of(request)
    named = key_digest(tenant_id, actor, request.method, route.path, key)
    # With our own key, because bodies hold passwords, which can be guessed.
    asked = hmac.digest(
        settings.secret_key.encode(), await digest_of_request(request, route), "sha256"
    )
    now = datetime.now(UTC)
    hold = _Hold(database, settings, tenant_id, named, now + HOLD)
    async with hold.transaction() as session:
        held_id = await repository.hold(
            session,
            tenant_id,
            named,
            asked,
            effect_id,
            now=now,
            held_until=hold.held_until,
            expired_before=now - KEY_LIFETIME,
        )
        if held_id is None:
            answer = await stored_answer(session, settings.sealer, named, asked)
            if answer is None:
                raise IdempotencyKeyInUse(retry_after_seconds=_RETRY_AFTER_SECONDS)
            raise AnsweredBefore(answer)
    request.state.idempotency_claim = replace(hold, is_taken_over=held_id != effect_id)
    return Effect(held_id)
