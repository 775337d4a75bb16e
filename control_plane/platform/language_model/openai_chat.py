"""OpenAI's Chat Completions API, called through OpenAI's own library."""

from __future__ import annotations

import asyncio
import importlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from control_plane.platform.language_model.completions import Completion, CompletionRequest
from control_plane.platform.language_model.connection import connection
from control_plane.platform.language_model.failures import (
    ModelFailed,
    declined,
    refused_with_status,
    unavailable,
)

if TYPE_CHECKING:
    from openai import APIStatusError

PROVIDER = "openai"
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "quota_exceeded"})
_LENIENT = ConfigDict(extra="ignore")


@dataclass(frozen=True)
class OpenAIChat:
    model: str
    api_key: str = field(repr=False)
    base_url: str | None
    """``None`` is OpenAI's own address."""
    timeout_seconds: float
    """For the whole answer, retries included."""
    step_timeout_seconds: float | None = None
    """For each step of one try, see ``connection``. ``None`` is ``timeout_seconds``."""
    max_output_tokens: int = 8_000
    max_retries: int = 0
    """How often the library repeats a request that failed."""
    follow_redirects: bool = False
    """Only for an address that the operator has set: a redirected request takes its text along."""
    provider: str = field(default=PROVIDER, init=False)

    async def complete(self, request: CompletionRequest) -> Completion:
        """Raises ``ModelFailed``."""
        try:
            async with asyncio.timeout(self.timeout_seconds):
                return await self._complete(request)
        except TimeoutError:
            raise unavailable(PROVIDER, "did not answer in time") from None

    async def _complete(self, request: CompletionRequest) -> Completion:
        # The import takes half a second, which the event loop cannot spare.
        openai = await asyncio.to_thread(importlib.import_module, "openai")
        from httpx2 import HTTPError

        step_seconds = self.step_timeout_seconds or self.timeout_seconds
        async with connection(step_seconds, follow_redirects=self.follow_redirects) as http:
            client = openai.AsyncOpenAI(
                api_key=self.api_key,
                base_url=self.base_url,
                http_client=http,
                timeout=step_seconds,
                max_retries=self.max_retries,
            )
            try:
                # The raw answer, because the library does not check what it parses.
                raw = await client.chat.completions.with_raw_response.create(**self._body(request))
                completion = _Completion.model_validate_json(raw.text)
            except openai.APIStatusError as error:
                raise self._refusal(error) from None
            except (ValidationError, json.JSONDecodeError, UnicodeError):
                raise unavailable(PROVIDER, "sent something that is not a completion") from None
            except (openai.OpenAIError, HTTPError):
                raise unavailable(PROVIDER, "could not be reached") from None
        return _read(completion)

    def _body(self, request: CompletionRequest) -> dict[str, Any]:
        messages = [{"role": each.role, "content": each.text} for each in request.messages]
        return {
            "model": self.model,
            "messages": [{"role": "system", "content": request.instructions}, *messages],
            "max_completion_tokens": self.max_output_tokens,
            "response_format": {"type": "json_object"}
            if request.schema is None
            else {
                "type": "json_schema",
                "json_schema": {"name": request.name, "strict": True, "schema": request.schema},
            },
        }

    def _refusal(self, error: APIStatusError) -> ModelFailed:
        is_quota_used_up = error.code in _QUOTA_CODES or error.type in _QUOTA_CODES
        return refused_with_status(
            PROVIDER, self.model, error.status_code, is_quota_used_up=is_quota_used_up
        )


class _Message(BaseModel):
    model_config = _LENIENT
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    model_config = _LENIENT
    message: _Message


class _Usage(BaseModel):
    model_config = _LENIENT
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    """The fields that are used. Everything else in the answer is ignored, tool calls too."""

    model_config = _LENIENT
    choices: list[_Choice]
    usage: _Usage | None = None


def _read(completion: _Completion) -> Completion:
    message = completion.choices[0].message if completion.choices else None
    if message is None or message.refusal or not message.content:
        raise declined(PROVIDER)
    usage = completion.usage or _Usage()
    return Completion(
        message.content,
        input_tokens=max(0, usage.prompt_tokens or 0),
        output_tokens=max(0, usage.completion_tokens or 0),
    )
