"""Runs the jobs of knowledge sources, as the jobs process does."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

from procrastinate import JobContext
from procrastinate.jobs import Job
from sqlalchemy import text as sql

from control_plane.building.knowledge_sources.embedding_again import embed_again
from control_plane.building.knowledge_sources.old_bundles import delete_old_bundles
from control_plane.building.knowledge_sources.tasks import (
    MOST_RETRIES,
    fail_source,
    ingest_source,
    refresh_due_pages,
)
from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_resources
from control_plane.platform.settings import ControlPlaneSettings
from knowledge.embedding.model import EmbeddingFailed
from tests.control_plane.conftest import TenantClient


def files_of(folder: Path, source_id: str) -> list[Path]:
    """Its bundles in the object store."""
    return list(folder.rglob(f"{source_id}/*"))


def ingestion_job(attempts: int, tenant_id: str = "", source_id: str = "") -> Job:
    """One that was tried so often."""
    return Job(
        id=1,
        queue=ingest_source.queue,
        lock=None,
        queueing_lock=None,
        task_name=ingest_source.name,
        task_kwargs={"tenant_id": tenant_id, "source_id": source_id},
        attempts=attempts,
    )


class Sources:
    """An agent's knowledge sources."""

    def __init__(
        self, tenant: TenantClient, agent_id: UUID, database: Database, settings: Any
    ) -> None:
        self.tenant = tenant
        self.agent_id = agent_id
        self.path = f"/v1/agents/{agent_id}/knowledge-sources"
        self._database = database
        self._settings = cast(ControlPlaneSettings, settings)
        self._context = self._running(None)

    def _running(self, job: Job | None) -> JobContext:
        resources = job_resources(self._database, self._settings)
        return cast(JobContext, SimpleNamespace(additional_context=resources, job=job))

    async def add_text(self, title: str, text: str) -> str:
        answer = await self.tenant.post(self.path, {"kind": "text", "title": title, "text": text})
        assert answer.status_code == 202, answer.text
        return await self.ingest(answer.json()["source"]["id"])

    async def add_broken_text(self, title: str, text: str) -> str:
        """One whose ingestion fails at its last attempt."""
        with suppress(EmbeddingFailed):
            return await self.add_text(title, text)
        listed = (await self.tenant.get(self.path)).json()["sources"]
        return str(listed[0]["id"])

    async def add_page(self, url: str, **fields: object) -> str:
        body = {"kind": "url", "title": "Page", "url": url, **fields}
        answer = await self.tenant.post(self.path, body)
        assert answer.status_code == 202, answer.text
        return await self.ingest(answer.json()["source"]["id"])

    async def upload(self, name: str, content: bytes) -> str:
        answer = await self.tenant.request(
            "POST", f"{self.path}/upload", files={"file": (name, content)}
        )
        assert answer.status_code == 202, answer.text
        return await self.ingest(answer.json()["source"]["id"])

    async def ingest(self, source_id: str, attempts: int = MOST_RETRIES) -> str:
        """Run the job after so many other attempts, for the last time if nothing else is said.
        Returns ``source_id``."""
        job = ingestion_job(attempts, str(self.tenant.tenant_id), source_id)
        context = self._running(job)
        run: Any = partial(ingest_source, context, **job.task_kwargs)
        for middleware in ingest_source.task_middleware:
            run = partial(middleware, run, context, None)
        await run()
        return source_id

    async def ingest_waiting(self) -> None:
        """Run the jobs that wait, with the arguments that they were added with."""
        async with self._database.system_session() as session:
            waiting = await session.scalars(
                sql(
                    "DELETE FROM procrastinate_jobs WHERE task_name = 'knowledge.ingest'"
                    " RETURNING args"
                )
            )
        for arguments in waiting.all():
            await ingest_source(self._context, **arguments)

    async def fail(self, source_id: str) -> None:
        """As if each process that began to ingest it had died."""
        tenant_id = str(self.tenant.tenant_id)
        await fail_source(self._database, tenant_id=tenant_id, source_id=source_id)

    async def embed_again(self) -> None:
        """As each minute, for every tenant."""
        await embed_again(self._context, timestamp=0)

    async def refresh_due(self) -> None:
        """As each minute, for every tenant."""
        await refresh_due_pages(self._context, timestamp=0)

    async def delete_old_bundles(self, source_id: str) -> None:
        """Run the deletions that wait for the source, as if their time had come."""
        while await self.delete_next(source_id):
            pass

    async def delete_next(self, source_id: str) -> bool:
        """Run the first of them. Returns whether there was one."""
        async with self._database.system_session() as session:
            arguments = await session.scalar(
                sql(
                    "DELETE FROM procrastinate_jobs WHERE id = (SELECT min(id) FROM"
                    " procrastinate_jobs WHERE task_name = 'knowledge.delete_bundles'"
                    " AND args->>'source_id' = :source_id) RETURNING args"
                ),
                {"source_id": source_id},
            )
        if arguments is not None:
            await delete_old_bundles(self._context, **arguments)
        return arguments is not None

    async def get(self, source_id: str, query: str = "") -> dict[str, Any]:
        answer = await self.tenant.get(f"{self.path}/{source_id}{query}")
        assert answer.status_code == 200, answer.text
        return cast(dict[str, Any], answer.json())

    async def search(self, question: str) -> list[dict[str, Any]]:
        answer = await self.tenant.post(f"{self.path}/search", {"question": question})
        assert answer.status_code == 200, answer.text
        return cast(list[dict[str, Any]], answer.json()["results"])
