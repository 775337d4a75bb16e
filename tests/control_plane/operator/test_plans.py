"""Plans that tenants can be on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_plane.operator.conftest import OperatorClient

GROWTH = {
    "id": "growth",
    "display_name": "Growth",
    "monthly_credit_usd": 99.5,
    "byok_allowed": False,
    "calls_at_once": 200,
    "calls_not_joined": None,
    "dispatch_weight": 2,
    "phone_numbers_max": 3,
    "knowledge_sources_max": 100,
    "knowledge_bytes_max": 50_000_000,
    "knowledge_sources_soft_max": 80,
    "knowledge_bytes_soft_max": None,
}


async def test_a_plan_is_added_once(operator: OperatorClient) -> None:
    assert await operator.ok("POST", "/plans", GROWTH) == GROWTH
    assert await operator.refused("POST", "/plans", GROWTH) == (409, "plan_exists")
    plans = (await operator.ok("GET", "/plans"))["plans"]
    assert [plan["id"] for plan in plans] == ["growth", "pay_as_you_go"]
    assert plans[0] == GROWTH


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": "Growth"}, "id"),
        ({"id": ""}, "id"),
        ({"display_name": ""}, "display_name"),
        ({"monthly_credit_usd": -1}, "monthly_credit_usd"),
        ({"monthly_credit_usd": 1e30}, "monthly_credit_usd"),
        ({"byok_allowed": "perhaps"}, "byok_allowed"),
        ({"calls_at_once": -1}, "calls_at_once"),
        ({"calls_not_joined": "5"}, "calls_not_joined"),
        ({"dispatch_weight": 0}, "dispatch_weight"),
        ({"knowledge_sources_max": -1}, "knowledge_sources_max"),
        ({"knowledge_bytes_soft_max": 1.5}, "knowledge_bytes_soft_max"),
    ],
)
async def test_a_wrong_plan_is_400(
    operator: OperatorClient, change: dict[str, Any], field: str
) -> None:
    answer = await operator.request("POST", "/plans", GROWTH | change)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["field"] == field
