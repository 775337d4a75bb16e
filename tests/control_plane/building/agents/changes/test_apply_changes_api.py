"""``POST /v1/agents/apply-changes`` over the API. Its rules are tested without HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_plane.conftest import TenantClient


async def test_what_is_applied_can_be_sent_as_an_update(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(persona={"role": "clerk"})
    read = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    changes = [
        {"key": "opener", "value": "Hi"},
        {"key": "maxCallDuration", "value": 90},
        {"key": "language", "value": "en-GB"},
    ]

    answer = await tenant.post(
        "/v1/agents/apply-changes", {"currentConfig": read, "changes": changes, "mode": "edit"}
    )

    assert answer.status_code == 200, answer.text
    outcome = answer.json()
    assert (outcome["valid"], outcome["errors"]) == (True, [])
    assert (await tenant.get(f"/v1/agents/{agent_id}")).json() == read
    path = f"/v1/agents/{agent_id}"
    assert (await tenant.request("PATCH", path, json=outcome["update"])).status_code == 200
    changed = (await tenant.get(path)).json()
    assert changed["playbook"]["opener"] == "Hi"
    assert changed["advanced"]["maxCallDuration"] == 90
    assert changed["supported_languages"] == ["en-GB", "en-US"]
    assert changed["persona"]["role"] == "clerk"


async def test_wrong_changes_are_an_answer_and_no_error(tenant: TenantClient) -> None:
    answer = await tenant.post(
        "/v1/agents/apply-changes",
        {"currentConfig": {}, "changes": [{"key": "maxCallDuration", "value": 10}]},
    )
    assert answer.status_code == 200
    assert answer.json() == {
        "valid": False,
        "config": {},
        "applied": [],
        "update": {},
        "errors": [{"field": "maxCallDuration", "message": "must be 30 to 7200 s, not 10"}],
        "warnings": [],
    }


async def test_realtime_models_are_those_of_the_catalogue(tenant: TenantClient) -> None:
    options = (await tenant.get("/v1/agents/llm-options")).json()["models"]
    realtime = next(m for m in options if set(m["type"]) == {"llm", "stt", "tts"})
    answer = await tenant.post(
        "/v1/agents/apply-changes",
        {
            "currentConfig": {"stt_provider": "deepgram", "tts_provider": "openai"},
            "changes": [{"key": "llm_model", "value": realtime["model_id"]}],
        },
    )
    assert answer.json()["update"] == {
        "llm_model": realtime["model_id"],
        "stt_provider": None,
        "tts_provider": None,
    }


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "changes"),
        ({"changes": {}}, "changes"),
        ({"changes": [{"key": "name"}]}, "changes[0].value"),
        ({"changes": [{"key": 1, "value": 1}]}, "changes[0].key"),
        ({"changes": [], "mode": "delete"}, "mode"),
        ({"changes": [], "currentConfig": []}, "currentConfig"),
        ({"changes": [], "save": True}, "save"),
    ],
)
async def test_a_malformed_request_is_400(
    tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    answer = await tenant.post("/v1/agents/apply-changes", body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)
