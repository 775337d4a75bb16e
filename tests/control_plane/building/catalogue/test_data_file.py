"""What the data file promises can be kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.call_plan import Channel
from control_plane.building.catalogue import price_repository, repository
from control_plane.building.catalogue.data_file import CATALOGUE_FILE, Catalogue, read_catalogue
from control_plane.platform.database import Database
from pipelines.stack import AvailableKeys, StackCatalogue, StackChoice, resolve_stack
from pipelines.stack.worker_capabilities import RUNNABLE_CHANNELS
from pipelines.texts.language import covers
from tests.control_plane.building.catalogue.costs import price_rows

CATALOGUE = read_catalogue()
LLM_PROVIDERS = {"openai", "google", "anthropic", "local"}


async def stack_catalogue(database: Database) -> StackCatalogue:
    async with database.system_session() as session:
        return await repository.stack_catalogue(session)


async def price(session: AsyncSession, agent: AgentConfig, found: StackChoice) -> int:
    rows = await price_rows(session, found.stack, agent.managed_sku_id)
    return sum(row.micros_per_minute for row in rows)


def every_platform_key() -> AvailableKeys:
    return AvailableKeys(frozenset(model.provider for model in CATALOGUE.models))


def test_the_language_models_come_from_exactly_four_providers() -> None:
    assert {m.provider for m in CATALOGUE.models if "llm" in m.channels} == LLM_PROVIDERS


@pytest.mark.parametrize("provider", ["deepgram", "openai", "google", "elevenlabs", "cartesia"])
def test_every_speech_provider_hears_and_speaks(provider: str) -> None:
    channels = {
        channel
        for model in CATALOGUE.models
        if model.provider == provider and model.modality == "audio"
        for channel in model.channels
    }
    assert channels == {"stt", "tts"}


def test_no_model_is_promised_that_no_worker_runs() -> None:
    for model in CATALOGUE.models:
        if model.modality != "realtime":
            assert set(model.channels) <= RUNNABLE_CHANNELS[model.provider], model.model


def test_every_language_of_a_tts_model_has_a_voice() -> None:
    for model in CATALOGUE.models:
        if "tts" not in model.channels:
            continue
        voices = [
            CATALOGUE.languages_of(voice)
            for voice in CATALOGUE.voices
            if voice.provider == model.provider and model.model in voice.models
        ]
        silent = [tag for tag in model.languages if not any(covers(v, tag) for v in voices)]
        assert silent == [], model.model


def test_the_default_voice_is_there() -> None:
    assert AgentConfig(name="a").voice in {voice.id for voice in CATALOGUE.voices}


async def test_every_model_is_priced(database: Database) -> None:
    async with database.system_session() as session:
        priced = await price_repository.prices_at(session)
    for model in CATALOGUE.models:
        for component in model.priced_components:
            assert (component, model.provider, model.model) in priced


async def test_every_managed_sku_runs_in_each_of_its_languages_and_has_a_price(
    database: Database,
) -> None:
    catalogue = await stack_catalogue(database)
    for sku in CATALOGUE.skus:
        for language in sku.supported_languages:
            agent = AgentConfig(
                name="a", agent_kind="managed", managed_sku_id=sku.id, language=language
            )
            found = resolve_stack(agent, catalogue, every_platform_key(), language)
            assert isinstance(found, StackChoice), (sku.id, language, found)
            assert found.warnings == (), (sku.id, language)
            async with database.system_session() as session:
                assert await price(session, agent, found) > 0


@pytest.mark.parametrize("channel", ["stt", "llm", "tts"])
async def test_every_model_can_be_chosen_by_name(channel: Channel, database: Database) -> None:
    catalogue = (await stack_catalogue(database)).on_any_worker
    keys = AvailableKeys(every_platform_key().platform, tier="enterprise")
    for model in CATALOGUE.models:
        if channel not in model.channels or model.modality == "realtime":
            continue
        [tag, *_] = [tag if tag != "*" else "en" for tag in model.languages]
        names = {f"{channel}_provider": model.provider, f"{channel}_model": model.model}
        others = {f"{other}_provider": None for other in ("stt", "llm", "tts") if other != channel}
        agent = AgentConfig.model_validate({"name": "a", "language": tag} | others | names)
        found = resolve_stack(agent, catalogue, keys, tag)
        assert isinstance(found, StackChoice), (model.model, found)
        primary = getattr(found.stack, channel).primary
        assert (primary.provider, primary.model) == (model.provider, model.model)


class TestAnInconsistentFile:
    @pytest.mark.parametrize(
        ("place", "change", "said"),
        [
            ("models", {"prices": []}, "needs prices of exactly llm"),
            ("voices", {"models": ["no-such-model"]}, "'no-such-model', which is not a tts model"),
            ("skus", {"voice": "nobody"}, "names 'nobody', which is not a voice of"),
            (
                "skus",
                {"stt": {"provider": "openai", "model": "gpt-4o"}},
                "names openai/gpt-4o, which is not a model for stt",
            ),
            ("skus", {"supported_languages": ["tlh-QO"]}, "does not cover tlh-QO"),
            (
                "skus",
                {"supported_languages": ["en"]},
                "'en' is only a language; write a locale such as 'en-US'",
            ),
            ("models", {"languages": ["xx-nonsense-xx"]}, "language tag"),
            ("models", {"wheels": 4}, "Extra inputs"),
        ],
    )
    def test_is_refused(self, place: str, change: dict[str, Any], said: str) -> None:
        document = json.loads(CATALOGUE_FILE.read_text())
        document[place][0] |= change
        with pytest.raises(ValueError, match=said):
            Catalogue.model_validate_json(json.dumps(document))

    def test_with_an_entry_twice_is_refused(self) -> None:
        document = json.loads(CATALOGUE_FILE.read_text())
        document["models"].append(document["models"][0])
        with pytest.raises(ValueError, match="is listed twice"):
            Catalogue.model_validate_json(json.dumps(document))
