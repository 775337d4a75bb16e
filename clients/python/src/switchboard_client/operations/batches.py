"""``/v1/calls/batch``: calls of one agent to many phones."""

from __future__ import annotations

from uuid import UUID

from switchboard_client.models import (
    BatchAccepted,
    BatchPage,
    BatchRequest,
    BatchRowPage,
    BatchRowView,
    BatchView,
)
from switchboard_client.operation import Body, Operation, get, post
from switchboard_client.paging import Pages, by_offset
from switchboard_client.request import at, query

Id = UUID | str


def create(
    batch: BatchRequest | Body, *, idempotency_key: str | None = None
) -> Operation[BatchAccepted]:
    """Call up to 500 recipients. The answer's ``errors`` names those not accepted, and why."""
    return post("/v1/calls/batch", BatchAccepted, batch).once(idempotency_key)


def page(*, limit: int = 50, offset: int = 0) -> Operation[BatchPage]:
    """Batches, newest first."""
    return get("/v1/calls/batch", BatchPage, query(limit=limit, offset=offset))


def every() -> Pages[BatchPage, BatchView]:
    return by_offset(page(limit=200), lambda page: page.batches)


def show(batch_id: Id) -> Operation[BatchView]:
    """A batch and its progress."""
    return get(at("/v1/calls/batch/{}", batch_id), BatchView)


def recipients(batch_id: Id, *, limit: int = 50, offset: int = 0) -> Operation[BatchRowPage]:
    """A page of the batch's recipients, each with its call once there is one."""
    asked = query(limit=limit, offset=offset)
    return get(at("/v1/calls/batch/{}/recipients", batch_id), BatchRowPage, asked)


def every_recipient(batch_id: Id) -> Pages[BatchRowPage, BatchRowView]:
    return by_offset(
        recipients(batch_id, limit=200), lambda page: page.recipients, lambda each: each.index
    )


def cancel(batch_id: Id) -> Operation[BatchView]:
    """Dial no more recipients. Calls in progress go on."""
    return post(at("/v1/calls/batch/{}/cancel", batch_id), BatchView)
