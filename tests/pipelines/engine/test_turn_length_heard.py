"""``maxTurnLength`` on the sound that a caller hears, and on what the call remembers of it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx2
import numpy as np
import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedChannel
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.pipelines.conversations import Call, conversation, words
from tests.pipelines.engine.audio_loop import OUTPUT_HZ, Samples
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.hearing import transcript
from tests.stand_ins.openai_wire import OpenAIWire, says

MAX_SECONDS = 5.0
MOST_SECONDS = 1.25 * MAX_SECONDS
OF_ANY_LANGUAGE = (("stt", "deepgram", "nova-3"), ("tts", "local", "espeak"))
ENGLISH = "We are open in the morning. The doctor sees patients until the evening. " * 4
GERMAN = "Wir öffnen um neun Uhr. Die Ärztin behandelt bis um fünf Uhr. " * 4
CODES = "Your code is 8 4 0 5. " * 6
ENDLESS_CODE = "Your code is " + "8 4 0 5 1 2 7 3 " * 8


ABOUT = 4
"""Digits that may be wrong at the end: the recogniser completes what breaks off, and the place in
the text is told by the time."""


@contextlib.asynccontextmanager
async def answering(models: WarmModels, text: str, locale: str = "en-US") -> AsyncIterator[Call]:
    agent = AgentConfig.model_validate({"name": "Ada", "advanced": {"maxTurnLength": MAX_SECONDS}})
    openai = ResolvedChannel(primary=ProviderChoice(provider="openai", model="gpt-4.1-mini"))
    update = {"llm": openai}
    if not locale.startswith("en"):
        for channel, provider, model in OF_ANY_LANGUAGE:
            choice = ProviderChoice(provider=provider, model=model)
            update[channel] = ResolvedChannel(primary=choice)
    async with httpx2.AsyncClient() as http, OpenAIWire([says(text)]).serving() as wire:
        settings = ProviderSettings(
            api_keys={"openai": "k", "deepgram": "k"},
            base_urls={"openai": wire.base_url, "deepgram": "http://127.0.0.1:1"},
        )
        plan = call_plan(agent, stack=LOCAL_STACK.model_copy(update=update), locale=locale)
        ready = replace(models, settings=settings, http_client=http)
        async with conversation(plan, ready) as call:
            await call.conversation.session.generate_reply(user_input="When do you open?")
            yield call


def heard(call: Call) -> Samples:
    return np.concatenate(call.audio.ear.played)


def seconds(sound: Samples) -> float:
    return len(sound) / OUTPUT_HZ


@pytest.mark.latency
@pytest.mark.parametrize(
    ("text", "locale"), [(ENGLISH, "en-US"), (CODES, "en-US"), (GERMAN, "de-DE")]
)
async def test_a_turn_ends_with_the_sentence_whose_sound_reaches_the_limit(
    warm_models: WarmModels, text: str, locale: str
) -> None:
    async with answering(warm_models, text, locale) as call:
        [said] = call.said_by("assistant")
        assert said.endswith(".")
        assert text.startswith(said)
        assert 0.8 * MAX_SECONDS <= seconds(heard(call)) <= MOST_SECONDS
        assert not call.conversation.session.history.messages()[-1].interrupted
        if text == ENGLISH:
            assert words(await transcript(warm_models, heard(call))) == words(said)


@pytest.mark.latency
async def test_an_endless_sentence_is_cut_and_what_follows_is_not_remembered(
    warm_models: WarmModels,
) -> None:
    async with answering(warm_models, ENDLESS_CODE) as call:
        assert 0.8 * MAX_SECONDS <= seconds(heard(call)) <= MOST_SECONDS + 0.1
        [said] = call.said_by("assistant")
        assert ENDLESS_CODE.startswith(said)
        understood = digits(await transcript(warm_models, heard(call)))
        assert understood.startswith(digits(said)[:-ABOUT])
        assert abs(len(understood) - len(digits(said))) <= ABOUT
        assert call.conversation.session.history.messages()[-1].interrupted


def digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())
