"""``/v1/operator/tenants/{tenant_id}/debits`` and ``/corrections``."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal
from uuid import UUID

from fastapi import APIRouter, Response, status
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import usd
from control_plane.identity.authentication.dependencies import OperatorSession, Origin
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.identity.tenants import repository as tenants
from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.money.billing.counter_accounts import booked_against
from control_plane.money.billing.errors import BalanceTooLow
from control_plane.operator.errors import CorrectedEntryNotFound, CreditReferenceTaken
from control_plane.operator.money.adjustment import post_adjustment
from control_plane.operator.schemas import Adjusted, Adjustment, Correction, Debit
from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.tenancy.caller import RequestOrigin

router = APIRouter(
    prefix="/v1/operator/tenants/{tenant_id}",
    tags=["operator"],
    responses={
        200: {
            "model": Adjusted,
            "description": "The reference was already posted; nothing changed.",
        },
        **problems(*AUTHENTICATED, TenantNotFound, CreditReferenceTaken),
    },
    route_class=IdempotentRoute,
)


@router.post("/debits", status_code=status.HTTP_201_CREATED, responses=problems(BalanceTooLow))
async def post_debit(
    tenant_id: UUID,
    wanted: Debit,
    response: Response,
    session: OperatorSession,
    origin: Origin,
    _: OncePerOperatorKey,
) -> Adjusted:
    """Take credit from a tenant's account, for example after a refund. What running calls have
    reserved cannot be taken. With a `reference` you can repeat the request safely."""
    return await _post(session, tenant_id, "debit", -wanted.amount_usd, wanted, origin, response)


@router.post(
    "/corrections",
    status_code=status.HTTP_201_CREATED,
    responses=problems(CorrectedEntryNotFound),
)
async def post_correction(
    tenant_id: UUID,
    wanted: Correction,
    response: Response,
    session: OperatorSession,
    origin: Origin,
    _: OncePerOperatorKey,
) -> Adjusted:
    """Put right what was posted wrongly, up or down. The balance may fall below 0. With a
    `reference` you can repeat the request safely."""
    return await _post(
        session,
        tenant_id,
        "correction",
        wanted.amount_usd,
        wanted,
        origin,
        response,
        bucket=wanted.bucket,
        corrects=wanted.corrects,
    )


async def _post(
    session: AsyncSession,
    tenant_id: UUID,
    transaction_type: Literal["debit", "correction"],
    amount_usd: Decimal,
    wanted: Adjustment,
    origin: RequestOrigin,
    response: Response,
    *,
    bucket: Literal["free", "purchased"] = "free",
    corrects: UUID | None = None,
) -> Adjusted:
    if await tenants.find(session, tenant_id) is None:
        raise TenantNotFound
    posted = await post_adjustment(
        session,
        tenant_id,
        transaction_type,
        amount_usd,
        wanted.reason,
        wanted.posted_by,
        reference=wanted.reference,
        bucket=bucket,
        corrects=corrects,
    )
    added_usd = usd(posted.entry.amount_micros)
    if posted.is_new:
        record_act(
            session,
            tenant_id,
            OPERATOR,
            origin,
            f"{transaction_type}.posted",
            target_id=posted.entry.id,
            changes={
                "amount_usd": added_usd,
                "reason": wanted.reason,
                "posted_by": wanted.posted_by,
            },
        )
    else:
        response.status_code = status.HTTP_200_OK
    return Adjusted(
        transaction_id=posted.entry.id,
        tenant_id=tenant_id,
        amount_usd=added_usd,
        booked_against=booked_against(posted.entry),
        balance_usd=usd(posted.balance_micros),
        already_posted=not posted.is_new,
    )
