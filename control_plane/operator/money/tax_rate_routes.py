"""``/v1/operator/tax-rates``."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from fastapi import APIRouter, status

from control_plane.identity.authentication.dependencies import OperatorSession
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.money.invoices import repository
from control_plane.money.invoices.errors import TaxRateExists, TaxRateNotFound
from control_plane.money.invoices.models import TaxRate
from control_plane.operator.money.payment_schemas import (
    TaxRateCreate,
    TaxRateEnded,
    TaxRateList,
    TaxRateView,
)
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(
    prefix="/v1/operator/tax-rates",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)


@router.get("")
async def list_tax_rates(session: OperatorSession) -> TaxRateList:
    """List the taxes that hold now, by country."""
    return TaxRateList(tax_rates=[_view(rate) for rate in await repository.tax_rates(session)])


@router.post("", status_code=status.HTTP_201_CREATED, responses=problems(TaxRateExists))
async def create_tax_rate(
    wanted: TaxRateCreate, session: OperatorSession, _: OncePerOperatorKey
) -> TaxRateView:
    """Add a tax of a country. It holds for payments that begin from now on."""
    rate = TaxRate(id=uuid4(), created_at=datetime.now(UTC), **wanted.model_dump())
    if not await repository.add_tax_rate(session, rate):
        raise TaxRateExists(f"{wanted.country} has a tax '{wanted.kind}' already; end it first.")
    return _view(rate)


@router.delete("/{rate_id}", responses=problems(TaxRateNotFound))
async def end_tax_rate(rate_id: UUID, session: OperatorSession) -> TaxRateEnded:
    """End a tax. Payments that have begun keep it."""
    rate = await repository.find_tax_rate(session, rate_id)
    if rate is None:
        raise TaxRateNotFound
    rate.ended_at = datetime.now(UTC)
    return TaxRateEnded(id=rate_id)


def _view(rate: TaxRate) -> TaxRateView:
    return TaxRateView.model_validate(rate, from_attributes=True)
