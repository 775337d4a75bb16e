"""The language of a call: the request's, or else the persona's, or else the agent's."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any
from uuid import UUID

import pytest

from contracts.call_plan import CallPlan
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.calls.creating.test_frozen_versions import (
    HIBARI,
    plan_of_a_call,
    prefer,
)
from tests.control_plane.conftest import TenantClient
from tests.control_plane.handoffs import own_openai_key

BRITISH, GERMAN = "en-GB", "de-DE"
OFFLINE = (("local", "moonshine-tiny-en"), ("local", "playbook"), ("local", HIBARI), "hibari")
CLOUD = (
    ("openai", "gpt-live-transcribe"),
    ("openai", "gpt-5.6-luna"),
    ("openai", "gpt-4o-mini-tts"),
    "marin",
)
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


async def bilingual(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings, **fields: Any
) -> UUID:
    """A published agent whose English is served by the offline models, and its German, which those
    do not speak, by OpenAI's."""
    await own_openai_key(tenant, database, settings)
    for _, model in OFFLINE[:3]:
        await prefer(tenant, model)
    return await tenant.published_agent(
        language="en-US", supported_languages=["en-US", GERMAN], **fields
    )


def served_by(plan: CallPlan) -> tuple[object, ...]:
    """The models that listen, think and speak, and the voice."""
    chosen = [channel.primary for channel in (plan.stack.stt, plan.stack.llm, plan.stack.tts)]
    return (*((each.provider, each.model) for each in chosen), chosen[-1].voice)


async def test_a_locale_has_the_recogniser_the_model_and_the_voice_of_its_language(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    agent_id = await bilingual(tenant, database, settings)
    for locale, models in [("en-US", OFFLINE), (GERMAN, CLOUD), (GERMAN, CLOUD), (None, OFFLINE)]:
        plan = await plan_of_a_call(database, tenant, agent_id, locale=locale)
        assert served_by(plan) == models, locale
        assert plan.locale == (locale or "en-US")


async def test_the_persona_s_language_has_the_models_and_the_voice_of_that_language(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    persona = {"voiceConfig": {"language": GERMAN}}
    agent_id = await bilingual(tenant, database, settings, persona=persona)
    for locale, models in [(None, CLOUD), ("en-US", OFFLINE)]:
        plan = await plan_of_a_call(database, tenant, agent_id, locale=locale)
        assert served_by(plan) == models, locale


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
