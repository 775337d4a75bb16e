"""``/v1/billing/estimate``."""

from __future__ import annotations

from math import ceil

from fastapi import APIRouter

from contracts.money import billable_seconds, charge_micros, usd
from control_plane.building.catalogue import price_repository, repository
from control_plane.building.catalogue.stack_prices import (
    PriceMissing,
    price_rows_of,
    prices_needed,
)
from control_plane.building.estimates.schemas import Estimate, EstimateWanted
from control_plane.building.estimates.stack import stack_of
from control_plane.building.provider_keys.dependencies import TenantKeys
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/billing", tags=["billing"])


@router.post("/estimate", responses=problems(*MEMBER_ONLY))
async def estimate_cost(
    wanted: EstimateWanted, _caller: MemberCaller, session: TenantSession, keys: TenantKeys
) -> Estimate:
    """What a minute of a call with these models costs now, and what a call of a length would."""
    stack = stack_of(
        {"stt": wanted.stt_model, "llm": wanted.llm_model, "tts": wanted.tts_model},
        await repository.stack_catalogue(session),
        keys,
    )
    prices = await price_repository.prices_at(session, prices_needed(stack, None))
    try:
        rows = price_rows_of(stack, None, prices)
    except PriceMissing as error:
        raise InvalidRequest(f"The catalogue cannot price these models: {error}.") from error
    rate = sum(row.micros_per_minute for row in rows)
    cost = None
    if wanted.duration_seconds is not None:
        seconds = billable_seconds(ceil(wanted.duration_seconds * 1000))
        cost = usd(charge_micros(seconds, rate))
    return Estimate(agent_kind="custom", rate_per_min=usd(rate), est_for_duration_usd=cost)
