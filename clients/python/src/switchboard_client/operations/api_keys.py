"""``/v1/api-keys``."""

from __future__ import annotations

from uuid import UUID

from switchboard_client.models import (
    ApiKeyCreate,
    ApiKeyCreated,
    ApiKeyList,
    ApiKeyRevoked,
    ApiKeyRotated,
    ApiKeyUpdate,
    ApiKeyView,
)
from switchboard_client.operation import Body, Operation, delete, get, given, patch, post
from switchboard_client.paging import Pages, by_offset
from switchboard_client.request import at, query

Id = UUID | str


def create(
    key: ApiKeyCreate | Body, *, idempotency_key: str | None = None
) -> Operation[ApiKeyCreated]:
    """Make a key. Only this answer contains its secret."""
    return post("/v1/api-keys", ApiKeyCreated, key).once(idempotency_key)


def page(*, limit: int = 50, offset: int = 0) -> Operation[ApiKeyList]:
    return get("/v1/api-keys", ApiKeyList, query(limit=limit, offset=offset))


def every() -> Pages[ApiKeyList, ApiKeyView]:
    return by_offset(page(limit=200), lambda page: page.api_keys)


def show(key_id: Id) -> Operation[ApiKeyView]:
    return get(at("/v1/api-keys/{}", key_id), ApiKeyView)


def update(key_id: Id, changes: ApiKeyUpdate | Body) -> Operation[ApiKeyView]:
    return patch(at("/v1/api-keys/{}", key_id), ApiKeyView, changes)


def rotate(
    key_id: Id, *, overlap_seconds: int | None = None, idempotency_key: str | None = None
) -> Operation[ApiKeyRotated]:
    """Give the key a new secret. The old one works for another ``overlap_seconds``."""
    body = given(overlap_seconds=overlap_seconds)
    place = at("/v1/api-keys/{}/rotate", key_id)
    return post(place, ApiKeyRotated, body).once(idempotency_key)


def revoke(key_id: Id) -> Operation[ApiKeyRevoked]:
    return delete(at("/v1/api-keys/{}", key_id), ApiKeyRevoked)
