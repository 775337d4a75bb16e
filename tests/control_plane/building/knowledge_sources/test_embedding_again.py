"""The operator chooses another embedding model: passages move to it, and calls find them all the
while."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from control_plane.building.knowledge_sources import embedding_again
from control_plane.building.knowledge_sources.bundle_store import delete_bundle
from control_plane.building.knowledge_sources.models import KnowledgeSource
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from knowledge.embedding import minilm
from knowledge.embedding.embedder import EmbeddingSettings
from knowledge.embedding.openai_model import name_in_bundles
from tests.control_plane.building.knowledge_sources.ingesting import Sources, files_of
from tests.stand_ins.openai_embeddings import OpenAiEmbeddings

SMALL = name_in_bundles("text-embedding-3-small")
PETS, FOOD = "Pets are welcome for 15 euros a night.", "Breakfast is served from seven to ten."


@pytest.fixture
async def wire() -> AsyncIterator[OpenAiEmbeddings]:
    async with OpenAiEmbeddings().serving() as wire:
        yield wire


@pytest.fixture
def settings(settings: ControlPlaneSettings, wire: OpenAiEmbeddings) -> ControlPlaneSettings:
    """MiniLM embeds, and OpenAI can be asked."""
    embedding = EmbeddingSettings(None, "a-key", wire.base_url)
    return settings.model_copy(update={"embedding": embedding})


@pytest.fixture
def chosen(
    sources: Sources, database: Database, settings: ControlPlaneSettings, wire: OpenAiEmbeddings
) -> Sources:
    """The same sources, with jobs that embed with OpenAI's model."""
    embedding = EmbeddingSettings("text-embedding-3-small", "a-key", wire.base_url)
    changed = settings.model_copy(update={"embedding": embedding})
    return Sources(sources.tenant, sources.agent_id, database, changed)


async def models(database: Database, sources: Sources) -> list[str | None]:
    async with database.tenant_session(sources.tenant.tenant_id) as session:
        rows = await session.scalars(
            select(KnowledgeSource.embedding_model).order_by(KnowledgeSource.id)
        )
        return list(rows)


async def best(sources: Sources, question: str) -> str:
    return str((await sources.search(question))[0]["text"])


async def test_passages_move_to_the_chosen_model_and_are_found_meanwhile(
    sources: Sources, chosen: Sources, database: Database, tmp_path: Path
) -> None:
    pets = await sources.add_text("Pets", PETS)
    assert await models(database, sources) == [minilm.MODEL]
    # One of each model, searched as one.
    await chosen.add_text("Food", FOOD)
    assert await models(database, sources) == [minilm.MODEL, SMALL]
    assert await best(sources, "Can I bring my dog?") == PETS
    assert await best(sources, "When is breakfast served?") == FOOD
    await chosen.embed_again()
    assert await models(database, sources) == [SMALL, SMALL]
    # The old bundle stays for calls that run, until its own deletion is due.
    assert len(files_of(tmp_path, pets)) == 2
    await chosen.delete_old_bundles(pets)
    assert len(files_of(tmp_path, pets)) == 1
    assert await best(sources, "Are pets welcome?") == PETS


async def test_a_bundle_that_was_deleted_when_it_became_the_current_one_is_stored_again(
    sources: Sources, chosen: Sources, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sources.add_text("Pets", PETS)
    put = embedding_again.put_bundle

    def deleted_at_once(*arguments: Any) -> str:
        monkeypatch.setattr(embedding_again, "put_bundle", put)
        store, tenant_id, source_id, _ = arguments
        digest = put(*arguments)
        delete_bundle(store, tenant_id, source_id, digest)
        return digest

    monkeypatch.setattr(embedding_again, "put_bundle", deleted_at_once)
    await chosen.embed_again()
    assert await best(sources, "Are pets welcome?") == PETS


async def test_nothing_is_done_twice(
    chosen: Sources, database: Database, wire: OpenAiEmbeddings
) -> None:
    await chosen.add_text("Pets", PETS)
    asked = len(wire.requests)
    await chosen.embed_again()
    assert len(wire.requests) == asked


@pytest.mark.parametrize("status", [401, 503])
async def test_while_the_model_is_away_the_old_passages_stay(
    sources: Sources, chosen: Sources, database: Database, wire: OpenAiEmbeddings, status: int
) -> None:
    await sources.add_text("Pets", PETS)
    wire.status = status
    await chosen.embed_again()
    assert await models(database, sources) == [minilm.MODEL]
    assert await best(sources, "Can I bring my dog?") == PETS


@pytest.mark.parametrize(
    ("status", "reason"), [(401, "its operator has to set it up"), (200, "does not answer")]
)
async def test_a_source_that_cannot_be_embedded_says_why(
    chosen: Sources, wire: OpenAiEmbeddings, status: int, reason: str
) -> None:
    wire.status, wire.lost_vectors = status, 1
    source_id = await chosen.add_broken_text("Pets", PETS)
    source = (await chosen.get(source_id))["source"]
    assert source["status"] == "failed"
    assert reason in source["failure_reason"]
