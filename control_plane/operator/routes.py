"""``/v1/operator``: the routes of the installation's operator, which need the operator token."""

from __future__ import annotations

from fastapi import APIRouter

from control_plane.operator.announcement_routes import router as announcements
from control_plane.operator.money.adjustment_routes import router as adjustments
from control_plane.operator.money.credit_routes import router as credits_of_tenants
from control_plane.operator.money.invoice_routes import router as invoices
from control_plane.operator.money.margin_routes import router as margin
from control_plane.operator.money.plan_routes import router as plans
from control_plane.operator.money.tax_rate_routes import router as tax_rates
from control_plane.operator.money.topup_pack_routes import router as topup_packs
from control_plane.operator.parked_event_routes import router as parked_events
from control_plane.operator.pause_routes import router as pauses
from control_plane.operator.platform_routes import router as platform
from control_plane.operator.tenant_routes import router as tenants
from control_plane.operator.worker_routes import router as workers

router = APIRouter()
for part in (
    tenants,
    credits_of_tenants,
    adjustments,
    plans,
    topup_packs,
    tax_rates,
    invoices,
    margin,
    pauses,
    parked_events,
    platform,
    workers,
    announcements,
):
    router.include_router(part)
