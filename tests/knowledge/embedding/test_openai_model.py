"""OpenAI's embedding models, through its own library, against a server with its wire format."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from knowledge.embedding.model import EmbeddingFailed, EmbeddingUnavailable
from knowledge.embedding.openai_model import DIMENSIONS, OpenAiModel
from tests.stand_ins.openai_embeddings import OpenAiEmbeddings

TEXTS = ["Can I bring my dog?", "You can bring a dog.", "Breakfast is served from seven."]


@pytest.fixture
async def wire() -> AsyncIterator[OpenAiEmbeddings]:
    async with OpenAiEmbeddings().serving() as wire:
        yield wire


def model(wire: OpenAiEmbeddings, timeout_seconds: float = 20.0) -> OpenAiModel:
    return OpenAiModel("text-embedding-3-small", "a-key", wire.base_url, timeout_seconds)


async def test_texts_get_one_unit_vector_each_in_their_order(wire: OpenAiEmbeddings) -> None:
    vectors = await asyncio.to_thread(model(wire).embed, TEXTS)
    assert vectors.shape == (3, DIMENSIONS)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    [asked] = wire.requests
    assert (asked["model"], asked["input"], asked["dimensions"]) == (
        "text-embedding-3-small",
        TEXTS,
        DIMENSIONS,
    )


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_what_only_the_operator_can_mend_is_told_so(
    wire: OpenAiEmbeddings, status: int
) -> None:
    wire.status = status
    with pytest.raises(EmbeddingUnavailable, match=str(status)):
        await asyncio.to_thread(model(wire).embed, TEXTS)


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_what_passes_is_a_failure_of_this_time(wire: OpenAiEmbeddings, status: int) -> None:
    wire.status = status
    with pytest.raises(EmbeddingFailed, match=str(status)):
        await asyncio.to_thread(model(wire).embed, TEXTS)
    assert len(wire.requests) == 1


async def test_a_server_that_hangs_is_given_up_in_time(wire: OpenAiEmbeddings) -> None:
    wire.is_hanging = True
    with pytest.raises(EmbeddingFailed, match="reached"):
        await asyncio.to_thread(model(wire, 0.2).embed, TEXTS)


@pytest.mark.parametrize(
    "body",
    [
        b"no json",
        b"{}",
        b'{"object": "list", "data": [], "model": "m"}',
        b'{"object": "list", "model": "m", "data": [{"index": 0, "embedding": [1, 2]}]}',
        b'{"object": "list", "model": "m", "data": [{"index": 0, "embedding": "!"}]}',
        b'{"object": "list", "model": "m", "data": [{"index": 0}]}',
        b"[1]",
    ],
)
async def test_no_list_of_vectors_is_a_failure(wire: OpenAiEmbeddings, body: bytes) -> None:
    wire.body = body
    with pytest.raises(EmbeddingFailed):
        await asyncio.to_thread(model(wire).embed, TEXTS[:1])


async def test_an_answer_that_lacks_a_vector_is_a_failure(wire: OpenAiEmbeddings) -> None:
    wire.lost_vectors = 1
    with pytest.raises(EmbeddingFailed, match="other vectors"):
        await asyncio.to_thread(model(wire).embed, TEXTS)
