"""An estimate is what a call's plan would freeze now."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.money import PLATFORM_FEE_MICROS_PER_MINUTE, usd
from control_plane.building.catalogue import price_repository
from control_plane.building.catalogue.prices import PLATFORM_FEE
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient

FEE_USD = usd(PLATFORM_FEE_MICROS_PER_MINUTE)


async def estimate(tenant: TenantClient, **wanted: Any) -> dict[str, Any]:
    answer = await tenant.post("/v1/billing/estimate", wanted)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_without_models_only_the_fee_is_left(tenant: TenantClient) -> None:
    assert await estimate(tenant) == {"agent_kind": "custom", "rate_per_min": FEE_USD}


async def test_a_rate_is_the_sum_of_the_models_prices_and_the_fee(
    tenant: TenantClient, database: Database
) -> None:
    models = {"stt": ("deepgram", "nova-3"), "llm": ("openai", "gpt-4.1-mini")}
    async with database.system_session() as session:
        prices = await price_repository.prices_at(session)
    listed = {
        (component, provider, model): row.micros_per_minute
        for (component, provider, model), row in prices.items()
    }
    chosen = {
        channel: next(name for name in listed if name[0] == channel and listed[name] > 0)
        for channel in models
    }
    due = listed["platform", *PLATFORM_FEE] + sum(listed[name] for name in chosen.values())
    wanted = {f"{channel}_model": "/".join(name[1:]) for channel, name in chosen.items()}
    found = await estimate(tenant, **wanted, duration_seconds=61)
    assert found["rate_per_min"] == usd(due)
    assert found["est_for_duration_usd"] == usd(-(-due * 90 // 60)), "61 s bill 90 s"


async def test_a_local_agent_is_estimated_at_what_a_call_of_it_is_charged(
    tenant: TenantClient,
) -> None:
    agent = await tenant.published_agent()
    card = (await tenant.get(f"/v1/agents/{agent}")).json()["provider_config"]
    wanted = {
        f"{channel}_model": card[channel]["primary"]["model"] for channel in ("stt", "llm", "tts")
    }
    rate = (await estimate(tenant, **wanted))["rate_per_min"]
    call = await tenant.post(
        "/v1/calls",
        {"agent_id": str(agent), "participants": [{"transport": "webrtc", "identity": "ada"}]},
    )
    bill = (await tenant.get(f"/v1/calls/{call.json()['id']}/bill")).json()
    assert rate == bill["agents"][0]["price_per_min"]


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"llm_model": "nobody/knows"}, "llm_model"),
        ({"stt_model": "playbook"}, "stt_model"),
        ({"duration_seconds": -1}, "duration_seconds"),
        ({"duration_seconds": 10**12}, "duration_seconds"),
        ({"duration_seconds": "long"}, "duration_seconds"),
    ],
)
async def test_a_wrong_request_is_400_and_names_the_field(
    tenant: TenantClient, wanted: dict[str, Any], field: str
) -> None:
    answer = await tenant.post("/v1/billing/estimate", wanted)
    assert (answer.status_code, [each["field"] for each in answer.json()["errors"]]) == (
        400,
        [field],
    )
