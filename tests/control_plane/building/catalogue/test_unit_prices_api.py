"""The operator says what providers bill for the use of models."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from tests.control_plane.conftest import OPERATOR, TenantClient

PATH = "/v1/operator/catalogue/unit-prices"
PRICE: dict[str, Any] = {
    "channel": "llm",
    "provider": "openai",
    "model": "gpt-4o",
    "micros_per": {"million_input_tokens": 2_000_000, "million_output_tokens": 8_000_000},
}


async def post(http: httpx2.AsyncClient, **change: Any) -> httpx2.Response:
    return await http.post(PATH, headers=OPERATOR, json=PRICE | change)


async def history(http: httpx2.AsyncClient, query: str = "") -> list[dict[str, Any]]:
    answer = await http.get(f"{PATH}{query}", headers=OPERATOR)
    assert answer.status_code == 200, answer.text
    listed: list[dict[str, Any]] = answer.json()["unit_prices"]
    return listed


async def test_a_unit_price_is_superseded_and_never_changed(http: httpx2.AsyncClient) -> None:
    first = await post(http)
    assert (first.status_code, first.json()["status"]) == (201, "created")
    shown = first.json()["unit_price"]
    assert {name: shown[name] for name in PRICE} == PRICE
    second = await post(http, micros_per=dict.fromkeys(PRICE["micros_per"], 1))
    assert await history(http) == [second.json()["unit_price"], shown]


async def test_the_history_of_one_model_can_be_read(http: httpx2.AsyncClient) -> None:
    await post(http)
    await post(
        http, channel="stt", provider="deepgram", model="nova-3", micros_per={"audio_minute": 7_700}
    )
    [found] = await history(http, "?provider=deepgram&model=nova-3")
    assert (found["channel"], found["micros_per"]) == ("stt", {"audio_minute": 7_700})


async def test_a_unit_price_changes_no_price_per_minute(tenant: TenantClient) -> None:
    async def rates() -> dict[str, float]:
        options = (await tenant.get("/v1/agents/llm-options")).json()
        return {item["model_id"]: item["cost_per_min"] for item in options["models"]}

    before = await rates()
    assert (await post(tenant.http)).status_code == 201
    assert await rates() == before


async def test_from_the_same_moment_on_is_a_conflict(http: httpx2.AsyncClient) -> None:
    later = (datetime.now(UTC) + timedelta(days=30)).isoformat()
    assert (await post(http, valid_from=later)).status_code == 201
    answer = await post(http, valid_from=later)
    assert (answer.status_code, answer.json()["code"]) == (409, "price_exists")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"valid_from": "2026-01-01T00:00:00Z"}, "valid_from"),
        ({"valid_from": "2099-01-01T00:00:00"}, "valid_from"),
        ({"model": "gpt-0"}, "model"),
        ({"channel": "tts", "micros_per": {"thousand_characters": 1}}, "model"),
        ({"channel": "platform"}, "channel"),
        ({"provider": "local", "model": "playbook"}, "model"),
        ({"model": "gpt-realtime"}, "model"),
        ({"micros_per": {"million_input_tokens": 1}}, "micros_per"),
        ({"micros_per": {}}, "micros_per"),
        ({"micros_per": {"audio_minute": 1}}, "micros_per"),
        ({"micros_per": PRICE["micros_per"] | {"million_input_tokens": -1}}, None),
        ({"micros_per": PRICE["micros_per"] | {"million_input_tokens": 10**30}}, None),
        ({"micros_per": PRICE["micros_per"] | {"million_input_tokens": 0.5}}, None),
        ({"micros_per": PRICE["micros_per"] | {"kilobytes": 1}}, None),
    ],
)
async def test_a_unit_price_that_makes_no_sense_is_refused_by_field(
    http: httpx2.AsyncClient, change: dict[str, Any], field: str | None
) -> None:
    answer = await post(http, **change)
    assert answer.status_code == 400
    named = answer.json()["errors"][0]["field"]
    assert named == field if field else named.startswith("micros_per.")
    assert await history(http) == []


async def test_a_tenants_key_neither_reads_nor_sets_them(tenant: TenantClient) -> None:
    assert (await tenant.get(PATH)).status_code == 401
    assert (await tenant.post(PATH, PRICE)).status_code == 401
