"""Routes that carry out a request once, however often it is sent.

A route that creates or spends something is made idempotent by its class and one dependency::

    router = APIRouter(prefix="/v1/things", route_class=IdempotentRoute)

    @router.post("", status_code=201)
    async def create_thing(
        wanted: ThingCreate, caller: MemberCaller, session: TenantSession, _: OncePerKey
    ) -> ThingCreated: ...

``OncePerKey`` claims the request's ``Idempotency-Key``, if it has one, in the route's own
``TenantSession``. ``IdempotentRoute`` stores the response in the same transaction. So the key, the
effects and the response are committed together, and a request that is refused or rolled back leaves
no key. The route does its work in that session. Work that must follow the commit belongs in
``BackgroundTasks``, which run for the first request only.

A repeated request gets the same status, headers and body, with ``Idempotency-Replayed: true``. If
it arrives while the first still runs, it waits for it. The operator's routes use
``OncePerOperatorKey`` with ``OperatorSession``. Routes that act outside of the database have a form
of their own (``two_phase.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Protocol
from uuid import UUID

from fastapi import Depends, Header, Request, Response
from fastapi.routing import APIRoute
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.sealing import CannotOpen, Sealer
from control_plane.identity.authentication.dependencies import (
    AnyCaller,
    OperatorSession,
    TenantSession,
)
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.idempotency import repository
from control_plane.platform.idempotency.answer import (
    KEY_HEADER,
    KEY_LIFETIME,
    Answer,
    key_digest,
    request_digest,
)
from control_plane.platform.idempotency.errors import IdempotencyKeyReused
from control_plane.platform.tenancy.caller import Caller

_Handler = Callable[[Request], Coroutine[Any, Any, Response]]
_OPERATOR = ("operator", None)

KeyHeader = Annotated[
    str | None,
    Header(
        alias=KEY_HEADER,
        min_length=1,
        max_length=255,
        pattern=r"^[\x21-\x7e]+$",
        description="A unique name for this request, such as a random UUID. If you send the "
        "request again with the same key within 24 hours, it is not carried out again: you get "
        "the first response, with `Idempotency-Replayed: true`, when there is one.",
    ),
]


class ClaimedKey(Protocol):
    """The key that a request has claimed."""

    async def remember(self, response: Response) -> None: ...

    async def failed(self, error: Exception) -> None: ...


@dataclass(frozen=True)
class _Claim:
    """The key that this request has claimed, in the transaction of ``session``."""

    session: AsyncSession
    sealer: Sealer
    key_digest: bytes

    async def remember(self, response: Response) -> None:
        sealed = self.sealer.seal(Answer.of(response).text)
        await repository.remember(self.session, self.key_digest, sealed)

    async def failed(self, error: Exception) -> None:
        """The transaction is rolled back, and the key with it."""


class AnsweredBefore(Exception):
    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


class IdempotentRoute(APIRoute):
    """Stores the responses to requests with a key."""

    @staticmethod
    def of(request: Request) -> IdempotentRoute:
        """
        Raises:
            TypeError: the route takes a key but would not store its response.
        """
        route = request.scope["route"]
        if not isinstance(route, IdempotentRoute):
            raise TypeError(
                f"{route!r} takes an idempotency key but is not an {IdempotentRoute.__name__}"
            )
        return route

    def get_route_handler(self) -> _Handler:
        handle = super().get_route_handler()

        async def handle_once(request: Request) -> Response:
            try:
                response = await handle(request)
            except AnsweredBefore as before:
                return before.answer.replayed()
            except Exception as error:
                if (claim := _claim_of(request)) is not None:
                    await claim.failed(error)
                raise
            if (claim := _claim_of(request)) is not None:
                await claim.remember(response)
            return response

        return handle_once


def _claim_of(request: Request) -> ClaimedKey | None:
    claim: ClaimedKey | None = getattr(request.state, "idempotency_claim", None)
    return claim


async def _claim_for_tenant(
    request: Request,
    caller: AnyCaller,
    session: TenantSession,
    settings: AppSettings,
    key: KeyHeader = None,
) -> None:
    if key is not None:
        actor = (caller.actor.kind, caller.actor.id)
        await _claim(request, session, settings.sealer, caller.tenant_id, actor, key)


async def _claim_for_operator(
    request: Request, session: OperatorSession, settings: AppSettings, key: KeyHeader = None
) -> None:
    if key is not None:
        await _claim(request, session, settings.sealer, None, _OPERATOR, key)


async def is_repetition(request: Request, caller: Caller, session: AsyncSession) -> bool:
    """Whether a request with this one's key was carried out before. ``OncePerKey`` then answers
    again or refuses, so work that a route does ahead of it is of no use."""
    key = request.headers.get(KEY_HEADER)
    if key is None or not isinstance(request.scope["route"], IdempotentRoute):
        return False
    actor = (caller.actor.kind, caller.actor.id)
    path = IdempotentRoute.of(request).path
    before = await repository.find(
        session, key_digest(caller.tenant_id, actor, request.method, path, key)
    )
    return before is not None and before.claimed_at >= datetime.now(UTC) - KEY_LIFETIME


OncePerKey = Annotated[None, Depends(_claim_for_tenant)]
OncePerOperatorKey = Annotated[None, Depends(_claim_for_operator)]


async def _claim(
    request: Request,
    session: AsyncSession,
    sealer: Sealer,
    tenant_id: UUID | None,
    actor: tuple[str, UUID | None],
    key: str,
) -> None:
    """
    Raises:
        AnsweredBefore: this request was already carried out with the key.
        IdempotencyKeyReused: another request was carried out with the key.
    """
    route = IdempotentRoute.of(request)
    named = key_digest(tenant_id, actor, request.method, route.path, key)
    asked = await digest_of_request(request, route)
    now = datetime.now(UTC)
    if await repository.claim(
        session, tenant_id, named, asked, now=now, expired_before=now - KEY_LIFETIME
    ):
        request.state.idempotency_claim = _Claim(session, sealer, named)
        return
    answer = await stored_answer(session, sealer, named, asked)
    if answer is None:
        raise _unreadable()
    raise AnsweredBefore(answer)


async def stored_answer(
    session: AsyncSession, sealer: Sealer, key_digest: bytes, request_digest: bytes
) -> Answer | None:
    """The response to the first request with the key; ``None`` if there is none, or not yet.

    Raises:
        IdempotencyKeyReused: the first request was another one, or its response cannot be read.
    """
    before = await repository.find(session, key_digest)
    if before is None:
        return None
    if before.request_digest != request_digest:
        raise IdempotencyKeyReused(
            f"Another request was sent with this {KEY_HEADER}; use a different key for each request"
        )
    if not before.sealed_answer:
        return None
    try:
        return Answer.read(sealer.open(before.sealed_answer))
    except CannotOpen:
        raise _unreadable() from None


def _unreadable() -> IdempotencyKeyReused:
    return IdempotencyKeyReused(
        f"The response stored for this {KEY_HEADER} can no longer be read; use another key"
    )


async def digest_of_request(request: Request, route: APIRoute) -> bytes:
    body = await request.body()
    document = await request.json() if body and route.body_field is not None else None
    return request_digest(request.url.path, request.url.query, body, document)
