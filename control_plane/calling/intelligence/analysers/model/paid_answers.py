"""A language model whose answers are stored, so that no analysis pays twice for the same one."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from control_plane.calling.intelligence import repository
from control_plane.platform.database import Database, storable
from control_plane.platform.language_model.completions import (
    Completion,
    CompletionRequest,
    LanguageModel,
)


@dataclass(frozen=True)
class PaidOnce:
    """Sends each request of the analysis ``job_id`` to ``inner`` only once.

    An analysis that was interrupted, or is tried again, finds the earlier answers in the database.
    """

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

    async def complete(self, request: CompletionRequest) -> Completion:
        """
        Raises:
            ModelFailed: the model gave no answer.
            DatabaseUnavailable: the answer could not be stored.
        """
        digest = request.digest(self.provider, self.model)
        async with self.database.tenant_session(self.tenant_id) as session:
            paid = await repository.paid_answer(session, self.tenant_id, self.job_id, digest)
        if paid is not None:
            return Completion(paid.text, paid.input_tokens, paid.output_tokens)
        completion = await self.inner.complete(request)
        async with self.database.tenant_session(self.tenant_id) as session:
            await repository.store_paid_answer(
                session,
                self.tenant_id,
                self.job_id,
                digest,
                text=storable(completion.text),
                input_tokens=completion.input_tokens,
                output_tokens=completion.output_tokens,
            )
        return completion
