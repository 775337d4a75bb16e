"""OpenAI's Chat Completions, through its own library."""

from __future__ import annotations

import asyncio
import importlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from control_plane.calling.intelligence.analysers.json_question import (
    Completion,
    ModelFailed,
    Question,
)
from control_plane.calling.intelligence.analysers.providers.connection import connection
from control_plane.calling.intelligence.analysers.providers.failures import (
    declined,
    refused_with_status,
    unavailable,
)

if TYPE_CHECKING:
    from openai import APIStatusError

PROVIDER = "openai"
_MAX_OUTPUT_TOKENS = 8_000
_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "quota_exceeded"})
_LENIENT = ConfigDict(extra="ignore")


@dataclass(frozen=True)
class OpenAIChat:
    model: str
    api_key: str = field(repr=False)
    base_url: str
    timeout_seconds: float
    provider: str = field(default=PROVIDER, init=False)

    async def complete(self, question: Question) -> Completion:
        """Raises ``ModelFailed``."""
        try:
            async with asyncio.timeout(self.timeout_seconds):
                return await self._complete(question)
        except TimeoutError:
            raise unavailable(PROVIDER, "did not answer in time") from None

    async def _complete(self, question: Question) -> Completion:
        # Half a second of work, so not on the event loop.
        openai = await asyncio.to_thread(importlib.import_module, "openai")
        from httpx2 import HTTPError

        async with connection(self.timeout_seconds) as http:
            client = openai.AsyncOpenAI(
                api_key=self.api_key,
                base_url=self.base_url,
                http_client=http,
                # The job tries again, later.
                max_retries=0,
            )
            try:
                # The raw answer: the SDK checks nothing of what it parses.
                raw = await client.chat.completions.with_raw_response.create(
                    **self._request(question)
                )
                completion = _Completion.model_validate_json(raw.text)
            except openai.APIStatusError as error:
                raise self._refusal(error) from None
            except (ValidationError, json.JSONDecodeError, UnicodeError):
                raise unavailable(PROVIDER, "sent something else than an answer") from None
            except (openai.OpenAIError, HTTPError):
                raise unavailable(PROVIDER, "could not be reached") from None
        return _read(completion)

    def _request(self, question: Question) -> dict[str, Any]:
        turns = [{"role": turn.role, "content": turn.text} for turn in question.turns]
        return {
            "model": self.model,
            "messages": [{"role": "system", "content": question.instructions}, *turns],
            "max_completion_tokens": _MAX_OUTPUT_TOKENS,
            "response_format": {"type": "json_object"}
            if question.schema is None
            else {
                "type": "json_schema",
                "json_schema": {"name": question.name, "strict": True, "schema": question.schema},
            },
        }

    def _refusal(self, error: APIStatusError) -> ModelFailed:
        is_quota_used_up = error.code in _QUOTA_CODES or error.type in _QUOTA_CODES
        return refused_with_status(
            PROVIDER, self.model, error.status_code, is_quota_used_up=is_quota_used_up
        )


class _Said(BaseModel):
    model_config = _LENIENT
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    model_config = _LENIENT
    message: _Said


class _Usage(BaseModel):
    model_config = _LENIENT
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(BaseModel):
    """What is used of an answer. Anything else in it, tool calls too, is not looked at."""

    model_config = _LENIENT
    choices: list[_Choice]
    usage: _Usage | None = None


def _read(completion: _Completion) -> Completion:
    said = completion.choices[0].message if completion.choices else None
    if said is None or said.refusal or not said.content:
        raise declined(PROVIDER)
    usage = completion.usage or _Usage()
    return Completion(said.content, max(0, usage.prompt_tokens), max(0, usage.completion_tokens))
