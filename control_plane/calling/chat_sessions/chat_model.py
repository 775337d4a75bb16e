"""Asks the language model of an agent, and the one behind it if that fails."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2
from pydantic import ValidationError

from contracts.call_plan import ProviderChoice
from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.completions import Answer, request_body
from control_plane.platform.language_model.failures import (
    FailureReason,
    ModelFailed,
    declined,
    refused_with_status,
    unavailable,
)
from outbound.address import AddressRefused
from telemetry.metrics import PROVIDER_ERRORS, PROVIDERS, listed

_QUOTA_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "quota_exceeded"})
_MOST_ANSWER_BYTES = 1_048_576


@dataclass(frozen=True)
class ChatEndpoint:
    """Where one model is asked.

    Args:
        http: guarded, if the address is a tenant's.
        key: ``None`` for an endpoint that gets no key.
    """

    choice: ProviderChoice
    url: str
    http: httpx2.AsyncClient
    key: str | None = field(repr=False)

    async def ask(self, body: Mapping[str, Any], timeout_seconds: float) -> Answer:
        """Raises ``ModelFailed``."""
        provider = self.choice.provider
        try:
            async with asyncio.timeout(timeout_seconds):
                status, content = await self._exchanged(body)
        except TimeoutError:
            raise unavailable(provider, "did not answer in time") from None
        except AddressRefused as error:
            raise unavailable(provider, f"cannot be asked: {error}") from None
        except (httpx2.HTTPError, httpx2.InvalidURL):
            raise unavailable(provider, "could not be reached") from None
        if not httpx2.codes.is_success(status):
            raise refused_with_status(
                provider, self.choice.model, status, is_quota_used_up=_is_quota_used_up(content)
            )
        try:
            answer = Answer.model_validate_json(content)
        except ValidationError:
            raise unavailable(provider, "sent something that is not a completion") from None
        if answer.is_refusal:
            raise declined(provider)
        return answer

    async def _exchanged(self, body: Mapping[str, Any]) -> tuple[int, bytes]:
        headers = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        async with self.http.stream("POST", self.url, headers=headers, json=body) as response:
            read = bytearray()
            async for part in response.aiter_bytes():
                read += part
                if len(read) > _MOST_ANSWER_BYTES:
                    raise unavailable(self.choice.provider, "sent an answer that is too long")
        return response.status_code, bytes(read)


@dataclass(frozen=True)
class ChatModel:
    """
    Args:
        endpoints: in the order in which they are asked; at least one.
        timeout_seconds: for the answer of one endpoint.
    """

    endpoints: tuple[ChatEndpoint, ...]
    timeout_seconds: float

    async def answer(self, agent: ChatAgent, messages: list[dict[str, Any]]) -> Answer:
        """The first answer that an endpoint gives.

        Raises:
            ModelFailed: none does. It is the failure of the first one.
        """
        failures: list[ModelFailed] = []
        for endpoint in self.endpoints:
            choice = endpoint.choice
            body = request_body(agent, choice.provider, choice.model, messages)
            try:
                return await endpoint.ask(body, self.timeout_seconds)
            except ModelFailed as failure:
                PROVIDER_ERRORS.labels(listed(choice.provider, PROVIDERS), "llm").inc()
                failures.append(failure)
        raise failures[0]


def no_words() -> ModelFailed:
    return ModelFailed(
        FailureReason.ANSWER_UNUSABLE, "The language model neither said nor did anything"
    )


def _is_quota_used_up(content: bytes) -> bool:
    try:
        error = json.loads(content)["error"]
        return error["code"] in _QUOTA_CODES or error["type"] in _QUOTA_CODES
    except (ValueError, TypeError, KeyError, RecursionError):
        return False
