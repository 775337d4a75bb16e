"""``/v1/agents`` end to end. Source of the rules: API spec, "Agents"."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from contracts.agent_config import AgentConfig
from control_plane.building.agents import repository
from control_plane.building.agents.models import AgentVersion
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.provider_keys import api_with_keys

CLINIC: dict[str, Any] = {
    "name": "Dental reception",
    "language": "en-GB",
    "persona": {"name": "Mia", "companyName": "Bright Smiles"},
    "playbook": {
        "opener": "Hello, Bright Smiles, this is Mia.",
        "requiredSlots": [{"name": "date", "description": "day of the visit", "required": True}],
        "closingCTA": "See you then.",
    },
    "advanced": {"maxCallDuration": 300, "silencePromptDelay": 6.5},
    "post_call": {"structured_extraction": {"json_schema": {"type": "object"}}},
    "tools": [
        {
            "type": "call_webhook",
            "name": "book_visit",
            "description": "Book the visit.",
            "url": "https://api.example.com/visits",
            "method": "POST",
            "headers": {},
            "parameters": {"type": "object", "properties": {"ü": {"enum": [1, None, "ü"]}}},
            "body": {"visit": ["{{ ü }}", {"kept": None}]},
            "timeout_seconds": 2.5,
            "speak_while": None,
        }
    ],
}


async def test_only_a_name_is_required(tenant: TenantClient) -> None:
    answer = await tenant.post("/v1/agents", {"name": "Reception"})

    assert answer.status_code == 201
    assert answer.json() == {"status": "created", "id": str(UUID(answer.json()["id"]))}


async def test_what_was_sent_is_read_back_with_what_the_service_adds(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(**CLINIC)

    agent = (await tenant.get(f"/v1/agents/{agent_id}")).json()

    assert agent["persona"]["companyName"] == "Bright Smiles"
    assert agent["playbook"]["requiredSlots"] == CLINIC["playbook"]["requiredSlots"]
    assert agent["advanced"]["silencePromptDelay"] == 6.5
    assert agent["post_call"]["structured_extraction"]["json_schema"] == {"type": "object"}
    assert agent["tools"] == CLINIC["tools"]
    assert agent["supported_languages"] == ["en-GB"]
    assert agent["id"] == str(agent_id)
    assert agent["managed_sku_id"] is None
    assert agent["published_version"] is None
    assert "Bright Smiles" in agent["compiled_prompt"]
    assert agent["created_at"].endswith("Z")
    assert agent["updated_at"] >= agent["created_at"]


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://[#a"},
        {"$id": "http://[#"},
        {"anyOf": [{}], "$ref": "#/anyOf/" + "9" * 5000},
    ],
)
async def test_a_json_schema_that_cannot_be_read_is_400(
    tenant: TenantClient, schema: dict[str, Any]
) -> None:
    post_call = {"structured_extraction": {"json_schema": schema}}
    answer = await tenant.post("/v1/agents", {"name": "Desk", "post_call": post_call})
    assert answer.status_code == 400
    field = answer.json()["errors"][0]["field"]
    assert field == "post_call.structured_extraction.json_schema"


async def test_provider_config_is_derived_and_ignored_if_sent(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(provider_config={"mode": "mine"})

    found = (await tenant.get(f"/v1/agents/{agent_id}")).json()["provider_config"]

    assert found["mode"] == "pipeline"
    assert found["stt"]["primary"]["model"] == "moonshine-tiny-en"
    assert found["llm"]["primary"]["model"] == "playbook"
    assert found["tts"]["primary"] == {
        "provider": "local",
        "model": "hibari-en",
        "voice": "hibari",
        "key_source": "platform",
    }


async def test_the_defaults_are_those_of_the_specification(tenant: TenantClient) -> None:
    agent = (await tenant.get(f"/v1/agents/{await tenant.agent()}")).json()

    assert (agent["voice"], agent["language"], agent["agent_kind"]) == ("Aoede", "en-US", "custom")
    assert agent["advanced"]["maxCallDuration"] == 600
    assert agent["features"] == {
        "recording_enabled": False,
        "transcription_enabled": True,
        "require_consent": True,
    }


async def test_a_list_has_the_rows_of_the_specification_newest_first(tenant: TenantClient) -> None:
    ids = [await tenant.agent(name=f"Agent {number}") for number in range(3)]

    page = (await tenant.get("/v1/agents?limit=2")).json()

    assert (page["total"], page["offset"], page["limit"]) == (3, 0, 2)
    assert [row["id"] for row in page["agents"]] == [str(ids[2]), str(ids[1])]
    assert set(page["agents"][0]) == {
        "id",
        "name",
        "voice",
        "llm_provider",
        "llm_model",
        "agent_kind",
        "language",
        "created_at",
    }
    rest = (await tenant.get("/v1/agents?limit=2&offset=2")).json()
    assert [row["id"] for row in rest["agents"]] == [str(ids[0])]


async def test_a_list_is_50_long_unless_told(tenant: TenantClient) -> None:
    assert (await tenant.get("/v1/agents")).json()["limit"] == 50


async def test_publishing_freezes_numbered_versions(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent(name="First wording")

    first = (await tenant.post(f"/v1/agents/{agent_id}/publish")).json()
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"name": "Second wording"})
    async with database.tenant_session(tenant.tenant_id) as session:
        served = await repository.find_published(session, tenant.tenant_id, agent_id)
    second = (await tenant.post(f"/v1/agents/{agent_id}/publish")).json()

    assert (first["status"], first["version"], second["version"]) == ("published", 1, 2)
    assert served is not None
    assert AgentConfig.model_validate(served.config).name == "First wording"
    async with database.tenant_session(tenant.tenant_id) as session:
        served = await repository.find_published(session, tenant.tenant_id, agent_id)
    assert served is not None
    assert (served.version, served.config["name"]) == (2, "Second wording")


async def test_publishing_at_the_same_time_gives_versions_of_their_own(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    answers = await asyncio.gather(
        *(tenant.post(f"/v1/agents/{agent_id}/publish") for _ in range(5))
    )
    assert sorted(answer.json()["version"] for answer in answers) == [1, 2, 3, 4, 5]
    async with database.tenant_session(tenant.tenant_id) as session:
        assert len((await session.scalars(select(AgentVersion))).all()) == 5


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"language": "hi-IN"}, "language"),
        ({"supported_languages": ["en-US", "hi-IN"]}, "supported_languages"),
        ({"llm_provider": "openai"}, "llm_provider"),
        ({"voice": "nobody"}, "voice"),
        ({"persona": {"voiceConfig": {"voiceId": "nobody"}}}, "persona.voiceConfig.voiceId"),
    ],
)
async def test_what_the_tenant_cannot_run_now_is_refused_before_saving(
    tenant: TenantClient, fields: dict[str, Any], field: str
) -> None:
    refused = await tenant.post("/v1/agents", {"name": "Desk"} | fields)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, field)
    agent_id = await tenant.agent()
    changed = await tenant.request("PATCH", f"/v1/agents/{agent_id}", json=fields)
    assert (changed.status_code, changed.json()["errors"][0]["field"]) == (400, field)
    draft = await tenant.post("/v1/agents/draft", {"name": "Desk"} | fields)
    assert draft.status_code == 201, draft.text
    assert draft.json()["warnings"]
    assert (await tenant.get("/v1/agents")).json()["total"] == 2
    renamed = await tenant.request(
        "PATCH", f"/v1/agents/{draft.json()['id']}", json={"name": "Front desk"} | fields
    )
    assert renamed.status_code == 200, renamed.text


async def test_an_agent_that_no_provider_at_hand_serves_is_drafted_but_not_published(
    tenant: TenantClient,
) -> None:
    agent_id = await tenant.draft(language="hi-IN")

    answer = await tenant.post(f"/v1/agents/{agent_id}/publish")

    assert (answer.status_code, answer.json()["code"]) == (409, "agent_not_publish_ready")
    [blocker] = answer.json()["blockers"]
    assert "hi-IN" in blocker["message"]
    assert "speech-to-text" in blocker["message"]
    assert (await tenant.get(f"/v1/agents/{agent_id}")).json()["published_version"] is None


async def test_the_page_shows_the_blocker_that_publishing_answers_with(
    tenant: TenantClient,
) -> None:
    page = Path(__file__).parents[4] / "docs" / "building-agents.md"
    shown = re.findall(r"^```json\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
    [report] = [json.loads(text) for text in shown if '"blockers"' in text]
    agent_id = await tenant.draft(language="hi-IN")
    answer = await tenant.post(f"/v1/agents/{agent_id}/publish")
    assert report["blockers"] == answer.json()["blockers"]


async def test_every_supported_language_must_be_served(tenant: TenantClient) -> None:
    agent_id = await tenant.draft(supported_languages=["en-US", "fr-FR", "de-DE"])
    blockers = (await tenant.post(f"/v1/agents/{agent_id}/publish")).json()["blockers"]
    assert [blocker["message"][:5] for blocker in blockers] == ["fr-FR", "de-DE"]


async def test_provider_keys_make_more_languages_publishable(
    tenant: TenantClient, settings: ControlPlaneSettings
) -> None:
    agent_id = await tenant.draft(language="hi-IN")
    async with api_with_keys(tenant, settings, "deepgram", "openai") as http:
        answer = await http.post(f"/v1/agents/{agent_id}/publish")
    assert (answer.status_code, answer.json()["version"]) == (200, 1)
    assert (await tenant.get(f"/v1/agents/{agent_id}")).json()["published_version"] == 1


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_an_update_changes_what_is_sent_and_nothing_else(
    tenant: TenantClient, method: str
) -> None:
    agent_id = await tenant.agent(**CLINIC)
    before = (await tenant.get(f"/v1/agents/{agent_id}")).json()

    answer = await tenant.request(
        method,
        f"/v1/agents/{agent_id}",
        json={"persona": {"companyName": "Happy Teeth"}, "provider_config": {}},
    )

    assert (answer.status_code, answer.json()) == (200, {"status": "updated"})
    after = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    assert after["playbook"] == before["playbook"]
    assert after["name"] == before["name"]
    assert after["persona"]["companyName"] == "Happy Teeth"
    assert "Happy Teeth" in after["compiled_prompt"]
    assert after["updated_at"] > before["updated_at"]


async def test_null_clears_a_field(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(llm_fallback_provider="openai", persona={"role": "clerk"})
    changes = {"llm_fallback_provider": None, "persona": None}
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json=changes)
    agent = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    assert (agent["llm_fallback_provider"], agent["persona"]["role"]) == (None, None)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": None}, "name"),
        ({"language": "tlh"}, "language"),
        ({"colour": "red"}, "colour"),
        ({"playbook": {"requiredSlots": [{}]}}, "playbook.requiredSlots[0].name"),
    ],
)
async def test_a_wrong_update_is_400_and_changes_nothing(
    tenant: TenantClient, changes: dict[str, Any], field: str
) -> None:
    agent_id = await tenant.agent()
    before = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    answer = await tenant.request("PATCH", f"/v1/agents/{agent_id}", json=changes)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field
    assert (await tenant.get(f"/v1/agents/{agent_id}")).json() == before


async def test_number_fields_take_fractions(tenant: TenantClient) -> None:
    advanced = {
        "maxCallDuration": 300.5,
        "maxTurnLength": 20.25,
        "silencePromptDelay": 6.5,
        "postSilenceHangup": 12.75,
        "replyDelay": 0.5,
        "startSpeakingThreshold": 0.5,
        "stopSpeakingThreshold": 0.25,
        "waitAfterSentence": 100.5,
        "waitAfterNoPunctuation": 200.5,
        "waitAfterNumbers": 300.5,
        "stt_confidence_threshold": 0.75,
    }
    agent_id = await tenant.published_agent(advanced=advanced)
    shown = (await tenant.get(f"/v1/agents/{agent_id}")).json()["advanced"]
    assert {name: shown[name] for name in advanced} == advanced
    wanted = {
        "agent_id": str(agent_id),
        "participants": [{"transport": "webrtc", "identity": "ada"}],
    }
    assert (await tenant.post("/v1/calls", wanted)).status_code == 201


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
async def test_an_agent_as_it_is_read_can_be_sent_back(tenant: TenantClient, method: str) -> None:
    agent_id = await tenant.published_agent(
        system_prompt="You are Mia, the receptionist of Bright Smiles.",
        language="en-GB",
        playbook={"opener": "Hello!"},
        tools=[
            {
                "type": "call_webhook",
                "name": "book_visit",
                "description": "Book a visit.",
                "url": "https://api.example.com/visits",
                "headers": {"Authorization": "Bearer s3cr3t-of-bright-smiles"},
            }
        ],
    )
    path = f"/v1/agents/{agent_id}"
    read = await tenant.get(path)
    answer = await tenant.request(method, path, json=read.json())
    assert (answer.status_code, answer.json()) == (200, {"status": "updated"}), answer.text
    kept = await tenant.get(path)
    assert kept.json() | {"updated_at": read.json()["updated_at"]} == read.json()
    await tenant.request(method, path, json=kept.json())
    assert (await tenant.get(path)).headers["ETag"] == kept.headers["ETag"], "nothing has changed"


async def test_an_agent_as_it_is_read_makes_another(tenant: TenantClient) -> None:
    read = (await tenant.get(f"/v1/agents/{await tenant.agent(name='One')}")).json()
    for path in ("/v1/agents", "/v1/agents/draft"):
        answer = await tenant.post(path, read)
        assert answer.status_code == 201, answer.text
        assert answer.json()["id"] != read["id"]


async def test_a_fallback_is_used_if_named_and_null_switches_it_off(tenant: TenantClient) -> None:
    path = f"/v1/agents/{await tenant.agent()}"

    async def fallback_after(wanted: str | None) -> Any:
        change = {"tts_fallback_provider": wanted}
        assert (await tenant.request("PATCH", path, json=change)).status_code == 200
        return (await tenant.get(path)).json()["provider_config"]["tts"]["fallback"]

    assert (await tenant.get(path)).json()["provider_config"]["tts"]["fallback"] is None
    assert (await fallback_after("local"))["provider"] == "local"
    assert await fallback_after(None) is None
