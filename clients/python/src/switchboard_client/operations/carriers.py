"""``/v1/carriers``: your accounts at phone carriers."""

from __future__ import annotations

from uuid import UUID

from switchboard_client.models import (
    CarrierAccountCreate,
    CarrierAccountDeleted,
    CarrierAccountPage,
    CarrierAccountUpdate,
    CarrierAccountView,
    CarrierVerification,
)
from switchboard_client.operation import Body, Operation, delete, deleted, get, patch, post
from switchboard_client.paging import Pages, by_offset
from switchboard_client.request import at, query

Id = UUID | str


def connect(
    account: CarrierAccountCreate | Body, *, idempotency_key: str | None = None
) -> Operation[CarrierVerification]:
    """The account is stored whatever the carrier says; ``ok`` and ``message`` tell that."""
    return post("/v1/carriers", CarrierVerification, account).once(idempotency_key)


def page(*, limit: int = 50, offset: int = 0) -> Operation[CarrierAccountPage]:
    return get("/v1/carriers", CarrierAccountPage, query(limit=limit, offset=offset))


def every() -> Pages[CarrierAccountPage, CarrierAccountView]:
    """All accounts, oldest first."""
    return by_offset(page(limit=200), lambda page: page.carriers)


def show(carrier_id: Id) -> Operation[CarrierAccountView]:
    return get(at("/v1/carriers/{}", carrier_id), CarrierAccountView)


def update(carrier_id: Id, changes: CarrierAccountUpdate | Body) -> Operation[CarrierAccountView]:
    return patch(at("/v1/carriers/{}", carrier_id), CarrierAccountView, changes)


def remove(carrier_id: Id) -> Operation[CarrierAccountDeleted]:
    return delete(at("/v1/carriers/{}", carrier_id), CarrierAccountDeleted, deleted(carrier_id))


def verify(carrier_id: Id) -> Operation[CarrierVerification]:
    """Ask the carrier whether it accepts the credentials."""
    return post(at("/v1/carriers/{}/verify", carrier_id), CarrierVerification)
