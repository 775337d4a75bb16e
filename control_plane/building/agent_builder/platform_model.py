"""The installation's own language model, which drafts agents where the operator has set one up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, TypeVar

import structlog
from fastapi import Depends, Request
from pydantic import BaseModel, ValidationError

from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.language_model.completions import (
    Completion,
    CompletionRequest,
    LanguageModel,
)
from control_plane.platform.language_model.failures import FailureReason, ModelFailed
from control_plane.platform.language_model.json_answers import LONGEST_ANSWER, UnusableAnswer, ask
from control_plane.platform.language_model.openai_chat import OpenAIChat
from control_plane.platform.language_model.strict_schema import strict_schema
from control_plane.platform.settings import PlatformLlmSettings

_log = structlog.get_logger(__name__)

DEADLINE_SECONDS = 40.0
"""For both rounds of one answer together."""
_MAX_OUTPUT_TOKENS = 6_000
_MAX_RETRIES = 1
_MESSAGES: Mapping[FailureReason, str] = {
    FailureReason.REQUEST_REFUSED: "The language model declined to answer",
    FailureReason.ANSWER_UNUSABLE: "The language model's answer was not usable",
}
_UNAVAILABLE = "The language model is not available"
"""For every other reason. Tenants do not learn what is wrong with the operator's key."""

Answer = TypeVar("Answer", bound=BaseModel)


class ModelSlots:
    """Limits how many requests of this process wait for the model at once."""

    def __init__(self, count: int = 8, *, longest_wait_seconds: float = 3.0) -> None:
        self._free = asyncio.Semaphore(count)
        self._longest_wait_seconds = longest_wait_seconds

    async def __aenter__(self) -> None:
        try:
            await asyncio.wait_for(self._free.acquire(), self._longest_wait_seconds)
        except TimeoutError as error:
            raise ModelFailed(
                FailureReason.PROVIDER_UNAVAILABLE, "The language model is busy"
            ) from error

    async def __aexit__(self, *_: object) -> None:
        self._free.release()


@dataclass(frozen=True)
class PlatformModel:
    settings: PlatformLlmSettings
    slots: ModelSlots
    deadline_seconds: float = DEADLINE_SECONDS

    async def answer(self, shape: type[Answer], request: CompletionRequest) -> Answer:
        """Return the model's answer, validated against ``shape``.

        Args:
            shape: a strict Pydantic model. Its JSON Schema is sent with the request.

        Raises:
            ModelFailed: the model is busy, does not answer in time, fails, declines, or twice
                sends an answer that does not fit. The message names no provider and no model.
        """
        request = replace(request, schema=strict_schema(shape))
        try:
            async with asyncio.timeout(self.deadline_seconds), self.slots:
                return await self._ask(shape, request)
        except TimeoutError as error:
            raise ModelFailed(
                FailureReason.PROVIDER_UNAVAILABLE, "The language model did not answer in time"
            ) from error

    async def _ask(self, shape: type[Answer], request: CompletionRequest) -> Answer:
        def read(text: str) -> Answer:
            if len(text) > LONGEST_ANSWER:
                raise unusable()
            try:
                return shape.model_validate_json(text)
            except ValidationError as error:
                unfit = UnusableAnswer.from_validation(error)
                _log.info(
                    "agent_builder.answer_does_not_fit",
                    purpose=request.name,
                    findings=unfit.findings[:3],
                )
                raise unfit from None

        try:
            return await ask(_WithUsageLog(self._client()), request, read)
        except ModelFailed as failure:
            _log.warning("agent_builder.model_failed", purpose=request.name, error=failure.message)
            message = _MESSAGES.get(failure.reason, _UNAVAILABLE)
            raise ModelFailed(failure.reason, message) from None

    def _client(self) -> OpenAIChat:
        return OpenAIChat(
            model=self.settings.model,
            api_key=self.settings.api_key,
            base_url=self.settings.base_url,
            timeout_seconds=self.deadline_seconds,
            step_timeout_seconds=self.settings.timeout_seconds,
            max_output_tokens=_MAX_OUTPUT_TOKENS,
            max_retries=_MAX_RETRIES,
            follow_redirects=True,
        )


@dataclass(frozen=True)
class _WithUsageLog:
    inner: LanguageModel

    @property
    def provider(self) -> str:
        return self.inner.provider

    @property
    def model(self) -> str:
        return self.inner.model

    async def complete(self, request: CompletionRequest) -> Completion:
        """Raises ``ModelFailed``."""
        completion = await self.inner.complete(request)
        _log.info(
            "agent_builder.model_used",
            purpose=request.name,
            model=self.model,
            prompt_tokens=completion.input_tokens,
            completion_tokens=completion.output_tokens,
        )
        return completion


def unusable(message: str = _MESSAGES[FailureReason.ANSWER_UNUSABLE]) -> ModelFailed:
    return ModelFailed(FailureReason.ANSWER_UNUSABLE, message)


async def platform_model(request: Request, settings: AppSettings) -> PlatformModel | None:
    """``None`` if the operator has set up no model. All requests of an app share its slots."""
    if settings.platform_llm is None:
        return None
    state = request.app.state
    if not hasattr(state, "model_slots"):
        state.model_slots = ModelSlots()
    return PlatformModel(settings.platform_llm, state.model_slots)


OptionalPlatformModel = Annotated[PlatformModel | None, Depends(platform_model)]
