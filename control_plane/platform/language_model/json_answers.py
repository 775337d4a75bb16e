"""Asks a language model for JSON and checks the answer.

Models do not always follow the schema they were given. An answer that does not fit is sent back
once with a list of what is wrong with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import ValidationError

from control_plane.platform.http.validation import field_errors
from control_plane.platform.language_model.completions import (
    Completion,
    CompletionRequest,
    LanguageModel,
    Message,
)
from control_plane.platform.language_model.failures import FailureReason, ModelFailed
from telemetry.metrics import PROVIDER_ERRORS, PROVIDERS, listed

LONGEST_ANSWER = 200_000
"""Characters."""
_MOST_FINDINGS = 12
_LONGEST_MESSAGE = 600
_Answer = TypeVar("_Answer")


class UnusableAnswer(Exception):
    """The answer does not fit. ``findings`` tells the model what to correct."""

    def __init__(self, findings: Sequence[str]) -> None:
        super().__init__("; ".join(findings))
        self.findings = tuple(findings)

    @classmethod
    def from_validation(cls, error: ValidationError) -> UnusableAnswer:
        errors = error.errors(include_input=False, include_url=False)
        if errors[0]["type"] == "json_invalid":
            return cls([str(errors[0]["msg"])])
        found = field_errors(errors)[:_MOST_FINDINGS]
        return cls([f"{item['field']}: {item['message']}" for item in found])


async def ask(
    model: LanguageModel, request: CompletionRequest, read: Callable[[str], _Answer]
) -> _Answer:
    """Return the model's answer, read by ``read``. Asks at most twice.

    Args:
        read: raises ``UnusableAnswer`` if the text does not fit. It runs in a thread, because
            checking an answer against a schema can take long.

    Raises:
        ModelFailed: the model did not answer, or neither answer could be read.
    """
    first = await _completed(model, request)
    try:
        return await asyncio.to_thread(read, first.text)
    except UnusableAnswer as error:
        correction = (
            *request.messages,
            Message("assistant", first.text[:LONGEST_ANSWER]),
            Message("user", _correction_request(error.findings)),
        )
    second = await _completed(model, replace(request, messages=correction))
    try:
        return await asyncio.to_thread(read, second.text)
    except UnusableAnswer as error:
        raise ModelFailed(
            FailureReason.ANSWER_UNUSABLE,
            f"{model.provider} twice sent an answer that does not fit: {error}"[:_LONGEST_MESSAGE],
        ) from None


async def _completed(model: LanguageModel, request: CompletionRequest) -> Completion:
    try:
        return await model.complete(request)
    except ModelFailed:
        PROVIDER_ERRORS.labels(listed(model.provider, PROVIDERS), "llm").inc()
        raise


def _correction_request(findings: Sequence[str]) -> str:
    listed = "\n".join(f"- {finding}" for finding in findings)
    return (
        "That answer does not fit:\n"
        f"{listed}\n"
        "Send the whole answer again as one JSON object that does, and nothing else."
    )
