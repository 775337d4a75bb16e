"""A language model whose answers are kept, so that an interrupted analysis pays for none twice."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from control_plane.calling.calls.storable_text import storable
from control_plane.calling.intelligence import repository
from control_plane.calling.intelligence.analysers.json_question import (
    Completion,
    LanguageModel,
    Question,
)
from control_plane.platform.database import Database


@dataclass(frozen=True)
class PaidOnce:
    """``inner``, asked at most once for each question of the analysis ``job_id``."""

    inner: LanguageModel
    database: Database
    tenant_id: UUID
    job_id: UUID

    @property
    def provider(self) -> str:
        return self.inner.provider

    @property
    def model(self) -> str:
        return self.inner.model

    async def complete(self, question: Question) -> Completion:
        """
        Raises:
            ModelFailed: see there.
            DatabaseUnavailable: the answer could not be kept.
        """
        digest = question.digest(self.provider, self.model)
        async with self.database.tenant_session(self.tenant_id) as session:
            kept = await repository.paid_answer(session, self.tenant_id, self.job_id, digest)
        if kept is not None:
            return Completion(kept.text, kept.input_tokens, kept.output_tokens)
        completion = await self.inner.complete(question)
        async with self.database.tenant_session(self.tenant_id) as session:
            await repository.keep_paid_answer(
                session,
                self.tenant_id,
                self.job_id,
                digest,
                text=storable(completion.text),
                input_tokens=completion.input_tokens,
                output_tokens=completion.output_tokens,
            )
        return completion
