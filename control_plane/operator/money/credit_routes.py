"""``/v1/operator/tenants/{tenant_id}/credits``."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, Response, status

from contracts.money import usd
from control_plane.identity.authentication.dependencies import OperatorSession, Origin
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.identity.tenants import repository as tenants
from control_plane.identity.tenants.errors import TenantNotFound
from control_plane.money.billing.notices import tell_top_up
from control_plane.operator.errors import CreditReferenceTaken
from control_plane.operator.money.credit import post_credit
from control_plane.operator.schemas import CreditGrant, CreditGranted
from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.http.openapi import AUTHENTICATED, problems

router = APIRouter(
    prefix="/v1/operator/tenants/{tenant_id}/credits",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses={
        200: {
            "model": CreditGranted,
            "description": "The reference was already posted; nothing changed.",
        },
        **problems(TenantNotFound, CreditReferenceTaken),
    },
)
async def grant_credit(
    tenant_id: UUID,
    wanted: CreditGrant,
    response: Response,
    session: OperatorSession,
    origin: Origin,
    _: OncePerOperatorKey,
) -> CreditGranted:
    """Add credit to a tenant's account. With a `reference` you can repeat the request safely."""
    if await tenants.find(session, tenant_id) is None:
        raise TenantNotFound
    posted = await post_credit(
        session,
        tenant_id,
        wanted.amount_usd,
        wanted.description,
        bucket=wanted.bucket,
        reference=wanted.reference,
    )
    amount_usd = usd(posted.entry.amount_micros)
    if posted.is_new:
        record_act(
            session,
            tenant_id,
            OPERATOR,
            origin,
            "credit.granted",
            target_id=posted.entry.id,
            changes={"amount_usd": amount_usd, "description": wanted.description},
        )
        if wanted.bucket == "purchased":
            tell_top_up(
                session, tenant_id, posted.entry.amount_micros, transaction_id=posted.entry.id
            )
    else:
        response.status_code = status.HTTP_200_OK
    return CreditGranted(
        transaction_id=posted.entry.id,
        tenant_id=tenant_id,
        amount_usd=amount_usd,
        balance_usd=usd(posted.balance_micros),
        already_posted=not posted.is_new,
    )
