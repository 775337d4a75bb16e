"""The platform's language model, asked for JSON of one shape and never trusted to send it.

What comes back is parsed strictly. An answer of another shape gets one more chance, with what is
wrong with it; after that, and after any failure on the way, there is no answer.
"""

from __future__ import annotations

import asyncio
import importlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from control_plane.platform.http.validation import field_errors
from control_plane.platform.settings import PlatformLlmSettings

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_log = structlog.get_logger(__name__)

DEADLINE_SECONDS = 40.0
"""For both rounds together."""
_MAX_OUTPUT_TOKENS = 6_000
_LONGEST_ANSWER = 200_000
_MOST_ERRORS_SENT_BACK = 12
_RETRIES = 1

Answer = TypeVar("Answer", bound=BaseModel)


@dataclass(frozen=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


class ModelFailed(Exception):
    """There is no usable answer; the text says why, in a client's words."""


class ModelSlots:
    """How many requests of this process may wait for the model at once."""

    def __init__(self, count: int = 8, *, longest_wait_seconds: float = 3.0) -> None:
        self._free = asyncio.Semaphore(count)
        self._longest_wait_seconds = longest_wait_seconds

    async def __aenter__(self) -> None:
        try:
            await asyncio.wait_for(self._free.acquire(), self._longest_wait_seconds)
        except TimeoutError as error:
            raise ModelFailed("The language model is busy") from error

    async def __aexit__(self, *_: object) -> None:
        self._free.release()


@dataclass(frozen=True)
class LanguageModel:
    settings: PlatformLlmSettings
    slots: ModelSlots
    deadline_seconds: float = DEADLINE_SECONDS

    async def answer(
        self, shape: type[Answer], messages: Sequence[Message], *, purpose: str
    ) -> Answer:
        """JSON of ``shape``, validated.

        Args:
            shape: a strict model; its JSON Schema is sent along.
            purpose: for the log, for example ``generate``.

        Raises:
            ModelFailed: no answer in time, an error, a refusal, or twice the wrong shape.
        """
        try:
            async with asyncio.timeout(self.deadline_seconds), self.slots:
                return await self._in_two_rounds(shape, messages, purpose)
        except TimeoutError as error:
            raise ModelFailed("The language model did not answer in time") from error

    async def _in_two_rounds(
        self, shape: type[Answer], messages: Sequence[Message], purpose: str
    ) -> Answer:
        # Half a second of work, so not on the event loop.
        openai = await asyncio.to_thread(importlib.import_module, "openai")
        async with openai.AsyncOpenAI(
            api_key=self.settings.api_key,
            base_url=self.settings.base_url,
            timeout=self.settings.timeout_seconds,
            max_retries=_RETRIES,
        ) as client:
            first = await self._ask(client, shape, messages, purpose)
            try:
                return shape.model_validate_json(first)
            except ValidationError as error:
                findings = _findings(error)
            _log.info("agent_builder.repairing", purpose=purpose, findings=findings[:3])
            repair = [
                *messages,
                Message("assistant", first[:_LONGEST_ANSWER]),
                Message("user", _repair_request(findings)),
            ]
            second = await self._ask(client, shape, repair, purpose)
            try:
                return shape.model_validate_json(second)
            except ValidationError as error:
                raise ModelFailed("The language model's answer was not usable") from error

    async def _ask(
        self,
        client: AsyncOpenAI,
        shape: type[BaseModel],
        messages: Sequence[Message],
        purpose: str,
    ) -> str:
        from httpx2 import HTTPError
        from openai import OpenAIError

        request: dict[str, Any] = {
            "model": self.settings.model,
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_completion_tokens": _MAX_OUTPUT_TOKENS,
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": purpose,
                    "strict": True,
                    "schema": strict_schema(shape),
                },
            },
        }
        try:
            # The raw answer: the SDK checks nothing of what it parses.
            raw = await client.chat.completions.with_raw_response.create(**request)
            completion = _Completion.model_validate_json(raw.text)
        except ValidationError as error:
            raise ModelFailed("The language model sent something else than an answer") from error
        except (OpenAIError, HTTPError, json.JSONDecodeError, UnicodeError) as error:
            _log.warning("agent_builder.model_failed", purpose=purpose, error=repr(error)[:300])
            raise ModelFailed("The language model could not be reached") from error
        usage = completion.usage or _Usage()
        _log.info(
            "agent_builder.model_used",
            purpose=purpose,
            model=self.settings.model,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
        )
        choice = completion.choices[0] if completion.choices else None
        if choice is None or not choice.message.content or choice.message.refusal:
            raise ModelFailed("The language model declined to answer")
        if len(choice.message.content) > _LONGEST_ANSWER:
            raise ModelFailed("The language model's answer was far too long")
        return choice.message.content


_LENIENT = ConfigDict(extra="ignore")


class _Said(BaseModel):
    model_config = _LENIENT
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    model_config = _LENIENT
    message: _Said


class _Usage(BaseModel):
    model_config = _LENIENT
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Completion(BaseModel):
    model_config = _LENIENT
    choices: list[_Choice]
    usage: _Usage | None = None


def strict_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema in the subset that structured outputs take: every property required, none
    beside them, no bounds (they are checked here) and no titles."""
    schema: dict[str, Any] = _strict(shape.model_json_schema())
    return schema


_LEFT_OUT = frozenset({"title", "default", "maxLength", "minLength", "maxItems", "minItems"})


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("type") == "object" and "properties" in node:
        properties = {name: _strict(below) for name, below in node["properties"].items()}
        return {key: _strict(value) for key, value in node.items() if key not in _LEFT_OUT} | {
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    return {
        key: {name: _strict(below) for name, below in value.items()}
        if key == "$defs"
        else _strict(value)
        for key, value in node.items()
        if key not in _LEFT_OUT
    }


def _findings(error: ValidationError) -> list[str]:
    errors = error.errors(include_input=False, include_url=False)
    if errors[0]["type"] == "json_invalid":
        return [str(errors[0]["msg"])]
    found = field_errors(errors)
    return [f"{item['field']}: {item['message']}" for item in found[:_MOST_ERRORS_SENT_BACK]]


def _repair_request(findings: Sequence[str]) -> str:
    listed = "\n".join(f"- {finding}" for finding in findings)
    return (
        "That answer does not fit the schema:\n"
        f"{listed}\n"
        "Send the whole answer again as one JSON object that does, and nothing else."
    )
