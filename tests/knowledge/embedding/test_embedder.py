"""Which model embeds what, and what happens when one is away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from knowledge.embedding import minilm
from knowledge.embedding.embedder import Embedder, EmbeddingSettings, embedder
from knowledge.embedding.model import EmbeddingUnavailable
from knowledge.embedding.openai_model import DIMENSIONS, name_in_bundles
from tests.stand_ins.openai_embeddings import OpenAiEmbeddings

SMALL = name_in_bundles("text-embedding-3-small")
LARGE = name_in_bundles("text-embedding-3-large")


@pytest.fixture
async def wire() -> AsyncIterator[OpenAiEmbeddings]:
    async with OpenAiEmbeddings().serving() as wire:
        yield wire


def settings(wire: OpenAiEmbeddings) -> EmbeddingSettings:
    return EmbeddingSettings("text-embedding-3-small", "a-key", wire.base_url)


def test_without_a_choice_passages_are_embedded_on_this_machine() -> None:
    local = embedder(EmbeddingSettings(openai_api_key="a-key"))
    assert (local.model, local.is_remote) == (minilm.MODEL, False)
    assert local.embed(["Hello"]).shape == (1, minilm.DIMENSIONS)


async def test_the_chosen_model_embeds_passages(wire: OpenAiEmbeddings) -> None:
    chosen = Embedder(settings(wire))
    assert (chosen.model, chosen.is_remote) == (SMALL, True)
    assert (await asyncio.to_thread(chosen.embed, ["Hello"])).shape == (1, DIMENSIONS)


async def test_a_question_is_embedded_by_each_model_that_bundles_have(
    wire: OpenAiEmbeddings,
) -> None:
    models = {minilm.MODEL, SMALL, LARGE}
    found = await asyncio.to_thread(Embedder(settings(wire)).vectors, "Hello", models)
    assert {model: len(vector) for model, vector in found.items()} == {
        minilm.MODEL: minilm.DIMENSIONS,
        SMALL: DIMENSIONS,
        LARGE: DIMENSIONS,
    }


async def test_after_a_failure_no_question_waits_for_a_while(wire: OpenAiEmbeddings) -> None:
    now = 100.0
    asking = Embedder(settings(wire), lambda: now)
    wire.status = 503
    models = [SMALL, minilm.MODEL]
    assert set(await asyncio.to_thread(asking.vectors, "Hello", models)) == {minilm.MODEL}
    wire.status = 200
    assert set(await asyncio.to_thread(asking.vectors, "Hello", models)) == {minilm.MODEL}
    assert len(wire.requests) == 1
    now += 31
    assert set(await asyncio.to_thread(asking.vectors, "Hello", models)) == set(models)


@pytest.mark.parametrize(
    ("model", "reason"), [(SMALL, "OPENAI_API_KEY"), ("other/model", "does not know")]
)
def test_a_model_that_cannot_be_used_here_says_why(model: str, reason: str) -> None:
    without_key = Embedder(EmbeddingSettings("text-embedding-3-small"))
    with pytest.raises(EmbeddingUnavailable, match=reason):
        without_key.prepare([model])
    assert without_key.vectors("Hello", [model]) == {}


def test_minilm_knows_english_and_openai_s_models_know_more() -> None:
    local = EmbeddingSettings()
    assert local.knows(["en-US", "en"])
    assert not local.knows(["en-US", "de-DE"])
    assert EmbeddingSettings("text-embedding-3-small", "a-key").knows(["de-DE"])


def test_without_the_model_no_language_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda _: None)
    assert not EmbeddingSettings().knows(["en-US"])
