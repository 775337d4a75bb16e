"""``/v1/operator/plans``."""

from __future__ import annotations

from fastapi import APIRouter, status

from contracts.money import MICROS_PER_USD, usd
from control_plane.identity.authentication.dependencies import OperatorSession
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerOperatorKey
from control_plane.operator.errors import PlanExists
from control_plane.operator.money import plan_repository
from control_plane.operator.schemas import PlanCreate, PlanList, PlanView
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.tenancy.models import Plan

router = APIRouter(
    prefix="/v1/operator/plans",
    tags=["operator"],
    responses=problems(*AUTHENTICATED),
    route_class=IdempotentRoute,
)


@router.get("")
async def list_plans(session: OperatorSession) -> PlanList:
    """List the plans."""
    return PlanList(plans=[_view(plan) for plan in await plan_repository.plans(session)])


@router.post("", status_code=status.HTTP_201_CREATED, responses=problems(PlanExists))
async def create_plan(
    wanted: PlanCreate, session: OperatorSession, _: OncePerOperatorKey
) -> PlanView:
    """Add a plan. Plans never change, so that tenants keep the terms that they agreed to."""
    plan = Plan(
        id=wanted.id,
        display_name=wanted.display_name,
        monthly_credit_micros=int(wanted.monthly_credit_usd * MICROS_PER_USD),
        byok_allowed=wanted.byok_allowed,
        calls_at_once=wanted.calls_at_once,
        calls_not_joined=wanted.calls_not_joined,
        dispatch_weight=wanted.dispatch_weight,
        phone_numbers_max=wanted.phone_numbers_max,
        knowledge_sources_max=wanted.knowledge_sources_max,
        knowledge_bytes_max=wanted.knowledge_bytes_max,
        knowledge_sources_soft_max=wanted.knowledge_sources_soft_max,
        knowledge_bytes_soft_max=wanted.knowledge_bytes_soft_max,
    )
    if not await plan_repository.add_plan(session, plan):
        raise PlanExists(f"A plan '{wanted.id}' already exists; choose another id.")
    return _view(plan)


def _view(plan: Plan) -> PlanView:
    return PlanView(
        id=plan.id,
        display_name=plan.display_name,
        monthly_credit_usd=usd(plan.monthly_credit_micros),
        byok_allowed=plan.byok_allowed,
        calls_at_once=plan.calls_at_once,
        calls_not_joined=plan.calls_not_joined,
        dispatch_weight=plan.dispatch_weight,
        phone_numbers_max=plan.phone_numbers_max,
        knowledge_sources_max=plan.knowledge_sources_max,
        knowledge_bytes_max=plan.knowledge_bytes_max,
        knowledge_sources_soft_max=plan.knowledge_sources_soft_max,
        knowledge_bytes_soft_max=plan.knowledge_bytes_soft_max,
    )
