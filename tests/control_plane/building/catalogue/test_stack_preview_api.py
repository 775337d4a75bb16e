"""Which stack an open agent would get in each language."""

from __future__ import annotations

from typing import Any

import pytest

from tests.control_plane.conftest import TenantClient


async def preview(tenant: TenantClient, **body: Any) -> dict[str, Any]:
    answer = await tenant.post("/v1/agents/stack-preview", body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def test_shows_the_stack_of_the_first_language_and_of_each(tenant: TenantClient) -> None:
    found = await preview(tenant, supported_languages=["en-US", "en-GB", "en-US"])
    assert (found["language"], found["supported_languages"]) == ("en-US", ["en-US", "en-GB"])
    config = found["provider_config"]
    assert config["mode"] == "pipeline"
    assert config["llm"]["primary"]["model"] == "playbook"
    assert set(config["languages"]) == {"en-US", "en-GB"}
    assert found["blockers"] == []
    assert found["changes"] == []


async def test_a_replaced_voice_is_a_warning_in_each_language(tenant: TenantClient) -> None:
    found = await preview(tenant, supported_languages=["en-US", "en-GB"])
    assert [warning[:7] for warning in found["warnings"]] == ["en-US: ", "en-GB: "]
    assert "the voice Aoede: hibari is used instead." in found["warnings"][0]


async def test_a_language_that_cannot_be_served_is_a_blocker(tenant: TenantClient) -> None:
    found = await preview(tenant, supported_languages=["en-US", "hi-IN"], language="hi-IN")
    assert found["language"] == "hi-IN"
    [blocker] = found["blockers"]
    assert blocker.startswith("hi-IN: No speech-to-text model that is available here covers hi-IN")
    assert "set a provider key for" in blocker
    assert found["provider_config"]["stt"] is None
    assert set(found["provider_config"]["languages"]) == {"en-US"}


async def test_differences_to_an_agents_stack_are_listed(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(tts_provider="local", tts_model="espeak")
    agent = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    found = await preview(
        tenant,
        supported_languages=["en-US", "en-GB"],
        current_provider_config=agent["provider_config"],
    )
    changes = {
        (c["language"], c["channel"]): (c["current"], c["preview"]) for c in found["changes"]
    }
    assert changes == {
        ("en-GB", "stt"): (None, "local/moonshine-tiny-en"),
        ("en-GB", "llm"): (None, "local/playbook"),
        ("en-GB", "tts"): (None, "local/hibari-en/hibari"),
        ("en-US", "tts"): ("local/espeak/espeak", "local/hibari-en/hibari"),
    }


async def test_the_same_stack_has_no_differences(tenant: TenantClient) -> None:
    config = (await preview(tenant, supported_languages=["en-US"]))["provider_config"]
    again = await preview(tenant, supported_languages=["en-US"], current_provider_config=config)
    assert again["changes"] == []


@pytest.mark.parametrize("is_flat", [False, True])
async def test_a_configuration_of_the_specifications_keys_is_that_of_the_language(
    tenant: TenantClient, is_flat: bool
) -> None:
    """``mode``, ``stt``, ``llm`` and ``tts`` alone, with the model in a ``primary`` or directly."""
    agent_id = await tenant.agent(language="en-GB", tts_provider="local", tts_model="espeak")
    read = (await tenant.get(f"/v1/agents/{agent_id}")).json()["provider_config"]
    current = {
        channel: read[channel]["primary"] if is_flat else read[channel]
        for channel in ("stt", "llm", "tts")
    }
    found = await preview(
        tenant,
        supported_languages=["en-GB"],
        current_provider_config={"mode": read["mode"]} | current,
    )
    assert found["changes"] == [
        {
            "language": "en-GB",
            "channel": "tts",
            "current": "local/espeak/espeak",
            "preview": "local/hibari-en/hibari",
        }
    ]


@pytest.mark.parametrize(
    "current",
    [
        {"languages": None},
        {"languages": {"en-US": [1]}},
        {"languages": {"en-US": {"stt": {"primary": {"provider": {"a": [1]}, "model": 7}}}}},
        {"x": [[[]]]},
    ],
)
async def test_a_configuration_of_any_shape_can_be_compared(
    tenant: TenantClient, current: dict[str, Any]
) -> None:
    found = await preview(tenant, supported_languages=["en-US"], current_provider_config=current)
    assert {change["channel"] for change in found["changes"]} == {"stt", "llm", "tts"}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "supported_languages"),
        ({"supported_languages": []}, "supported_languages"),
        ({"supported_languages": ["english"]}, "supported_languages[0]"),
        ({"supported_languages": ["en-US"], "language": "und"}, "language"),
        (
            {"supported_languages": ["en-US"], "current_provider_config": 7},
            "current_provider_config",
        ),
        ({"supported_languages": ["en-US"], "wheels": 4}, "wheels"),
    ],
)
async def test_a_wrong_body_is_refused_by_field(
    tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    answer = await tenant.post("/v1/agents/stack-preview", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field


async def test_a_preview_needs_a_secret_key(tenant: TenantClient) -> None:
    body = {"supported_languages": ["en-US"]}
    path = "/v1/agents/stack-preview"
    assert (await tenant.http.post(path, json=body)).status_code == 401
    key = await tenant.publishable_key()
    assert (await tenant.http.post(path, json=body, headers=key)).status_code == 403
