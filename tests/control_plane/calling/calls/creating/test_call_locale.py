"""The language of a call: the request's, or else the persona's, or else the agent's."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import pytest

from control_plane.platform.database import Database
from tests.control_plane.calling.calls.creating.test_frozen_versions import plan_of_a_call
from tests.control_plane.conftest import TenantClient

BRITISH = "en-GB"
LANGUAGES = {"language": "en-US", "supported_languages": ["en-US", BRITISH]}
TALKING = {"participants": [{"transport": "webrtc", "identity": "ada"}]}


async def test_a_call_is_in_the_agent_s_language(tenant: TenantClient, database: Database) -> None:
    agent_id = await tenant.published_agent(**LANGUAGES)
    plan = await plan_of_a_call(database, tenant, agent_id)
    assert plan.locale == plan.agent.language == "en-US"


async def test_a_call_can_be_in_another_of_its_languages(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(**LANGUAGES, playbook={"opener": "Hello {{ name }}."})
    offered = (await tenant.get(f"/v1/agents/{agent_id}")).json()["provider_config"]["languages"]
    for _ in range(2):  # The second is made from what is kept of the first.
        plan = await plan_of_a_call(
            database, tenant, agent_id, locale=BRITISH, variables={"name": "Ada"}
        )
        assert plan.locale == plan.agent.language == BRITISH
        assert plan.stack.model_dump() == offered[BRITISH]
        assert "You speak en-GB." in plan.compiled_prompt
        assert "Hello Ada." in plan.compiled_prompt
    assert (await plan_of_a_call(database, tenant, agent_id)).locale == "en-US"


async def test_a_tag_is_read_in_any_case(tenant: TenantClient, database: Database) -> None:
    agent_id = await tenant.published_agent(**LANGUAGES)
    assert (await plan_of_a_call(database, tenant, agent_id, locale="EN-gb")).locale == BRITISH


@pytest.mark.parametrize(
    ("locale", "message"),
    [
        ("fr-FR", "must be one of the agent's languages: en-US, en-GB"),
        ("english", "is not a BCP-47 language tag"),
        (7, "string"),
    ],
)
async def test_a_language_that_the_agent_does_not_speak_is_refused(
    locale: object, message: str, tenant: TenantClient
) -> None:
    agent_id = await tenant.published_agent(**LANGUAGES)
    body = {"agent_id": str(agent_id), "locale": locale, **TALKING}
    refused = await tenant.post("/v1/calls", body)
    assert refused.status_code == HTTPStatus.BAD_REQUEST
    [error] = refused.json()["errors"]
    assert error["field"] == "locale"
    assert message in error["message"]


@pytest.mark.parametrize(
    ("persona_language", "wanted", "expected"),
    [
        (BRITISH, {}, BRITISH),
        (BRITISH, {"locale": "en-US"}, "en-US"),
        (BRITISH, {"locale": None}, BRITISH),
        ("fr-FR", {}, "en-US"),
    ],
)
async def test_the_persona_s_language_is_that_of_calls_that_name_none(
    persona_language: str,
    wanted: dict[str, Any],
    expected: str,
    tenant: TenantClient,
    database: Database,
) -> None:
    persona = {"voiceConfig": {"language": persona_language}}
    agent_id = await tenant.published_agent(**LANGUAGES, persona=persona)
    assert (await plan_of_a_call(database, tenant, agent_id, **wanted)).locale == expected


async def test_publishing_says_that_the_persona_s_language_is_not_supported(
    tenant: TenantClient,
) -> None:
    persona = {"voiceConfig": {"language": "fr-FR"}}
    agent_id = await tenant.published_agent(**LANGUAGES, persona=persona)
    wanted = {"agent_id": str(agent_id)}
    report = (await tenant.post("/v1/agents/validate-publish", wanted)).json()
    found = {each["field"]: each for each in report["warnings"]}
    assert found["persona.voiceConfig.language"]["code"] == "voice_language_not_supported"
