"""``POST /v1/agents/apply-changes`` over the API. Its rules are tested without HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.provider_keys import api_with_keys

NOBODY = "5f0c1f1e-0000-4000-8000-000000000000"


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


async def test_realtime_models_are_those_of_the_catalogue(
    tenant: TenantClient, settings: ControlPlaneSettings
) -> None:
    options = (await tenant.get("/v1/agents/llm-options")).json()["models"]
    realtime = next(m for m in options if set(m["type"]) == {"llm", "stt", "tts"})
    async with api_with_keys(tenant, settings, "deepgram", realtime["provider"]) as http:
        answer = await http.post(
            "/v1/agents/apply-changes",
            json={
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
    ("key", "value"),
    [
        ("voice", "nobody"),
        ("voiceId", "nobody"),
        ("llm_provider", "nobody"),
        ("llm_provider", "openai"),
        ("language", "hi-IN"),
        ("custom_llm_url", "https://93.184.216.34/v1"),
        ("tools", [{"type": "handoff", "name": "x", "description": "x", "agent_id": NOBODY}]),
        ("post_call.structured_extraction.json_schema", {"type": 7}),
        ("silencePromptDelay", "6"),
        ("recording_enabled", 1),
        ("advanced.replyDelay", 0.5),
        ("metadata", {}),
        ("persona", None),
    ],
)
async def test_it_calls_valid_what_create_takes(
    tenant: TenantClient, key: str, value: object
) -> None:
    changes = [{"key": key, "value": value}]
    answer = await tenant.post(
        "/v1/agents/apply-changes", {"currentConfig": {"name": "Desk"}, "changes": changes}
    )
    found = answer.json()
    created = await tenant.post("/v1/agents", {"name": "Desk", key: value})
    assert found["valid"] is (created.status_code == 201), (found, created.text)
    assert bool(found["errors"]) is not found["valid"]
    if not found["valid"]:
        assert found["config"] == {"name": "Desk"}
        assert found["errors"][0]["field"].startswith(key)


@pytest.mark.parametrize("is_flat", [False, True])
async def test_its_config_can_be_sent_on(tenant: TenantClient, is_flat: bool) -> None:
    path = f"/v1/agents/{await tenant.agent(persona={'role': 'clerk'})}"
    read = (await tenant.get(path)).json()
    current = {"name": "Desk", "role": "host", "maxCallDuration": 60} if is_flat else read
    changes = [{"key": "playbook.opener", "value": "Hi"}, {"key": "maxCallDuration", "value": 90}]
    answer = await tenant.post(
        "/v1/agents/apply-changes", {"currentConfig": current, "changes": changes, "mode": "edit"}
    )
    config = answer.json()["config"]
    for method, to, status in (
        ("PUT", path, 200),
        ("PATCH", path, 200),
        ("POST", "/v1/agents", 201),
        ("POST", "/v1/agents/draft", 201),
        ("POST", "/v1/agents/validate-publish", 200),
    ):
        sent = await tenant.request(method, to, json=config)
        assert sent.status_code == status, sent.text
    changed = (await tenant.get(path)).json()
    assert (changed["playbook"]["opener"], changed["advanced"]["maxCallDuration"]) == ("Hi", 90)
    assert changed["persona"]["role"] == ("host" if is_flat else "clerk")
    again = await tenant.post(
        "/v1/agents/apply-changes", {"currentConfig": config, "changes": [], "mode": "edit"}
    )
    assert again.json()["config"] == config


async def test_a_draft_that_cannot_run_yet_can_be_edited(tenant: TenantClient) -> None:
    read = (await tenant.get(f"/v1/agents/{await tenant.draft(language='hi-IN')}")).json()
    changes = [{"key": "opener", "value": "Hi"}]
    answer = await tenant.post(
        "/v1/agents/apply-changes", {"currentConfig": read, "changes": changes, "mode": "edit"}
    )
    assert answer.json()["valid"] is True, answer.text


async def test_a_field_that_is_sent_twice_is_refused(tenant: TenantClient) -> None:
    body = {"name": "Desk", "opener": "Hi", "playbook": {"opener": "Hello"}}
    answer = await tenant.post("/v1/agents", body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "opener")


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
