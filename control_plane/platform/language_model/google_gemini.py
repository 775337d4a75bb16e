"""Google's generateContent API, called through Google's own library."""

from __future__ import annotations

import asyncio
import importlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from control_plane.platform.language_model.completions import Completion, CompletionRequest
from control_plane.platform.language_model.connection import connection
from control_plane.platform.language_model.failures import (
    ModelFailed,
    declined,
    refused_with_status,
    unavailable,
)

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client
    from google.genai.errors import APIError
    from google.genai.types import Content, GenerateContentConfig, GenerateContentResponse

PROVIDER = "google"
_API_VERSION = "v1beta"
"""The version that takes JSON Schemas for answers."""
_MAX_OUTPUT_TOKENS = 8_000


@dataclass(frozen=True)
class GoogleGemini:
    model: str
    api_key: str = field(repr=False)
    base_url: str
    timeout_seconds: float
    """For the whole answer."""
    provider: str = field(default=PROVIDER, init=False)

    async def complete(self, request: CompletionRequest) -> Completion:
        """Raises ``ModelFailed``."""
        try:
            async with asyncio.timeout(self.timeout_seconds):
                return await self._complete(request)
        except TimeoutError:
            raise unavailable(PROVIDER, "did not answer in time") from None

    async def _complete(self, request: CompletionRequest) -> Completion:
        # The import takes a second, which the event loop cannot spare.
        genai = await asyncio.to_thread(importlib.import_module, "google.genai")
        import httpx2

        # Without a client of ours the library picks one of the HTTP libraries it finds.
        async with connection(self.timeout_seconds) as http:
            client = await asyncio.to_thread(self._client, genai, http)
            config = _config(genai, request)
            contents = _contents(genai, request)
            try:
                response = await client.aio.models.generate_content(
                    model=self.model, contents=contents, config=config
                )
            except genai.errors.APIError as error:
                raise self._refusal(error) from None
            except httpx2.HTTPError:
                raise unavailable(PROVIDER, "could not be reached") from None
            except (ValueError, TypeError, AttributeError, LookupError):
                # The library does not check an answer before it takes it apart.
                raise unavailable(PROVIDER, "sent something that is not a completion") from None
        return _read(response)

    def _client(self, genai: Any, http: httpx2.AsyncClient) -> Client:
        client: Client = genai.Client(
            vertexai=False,
            api_key=self.api_key,
            http_options=genai.types.HttpOptions(
                base_url=self.base_url,
                api_version=_API_VERSION,
                httpx_async_client=http,
                # One attempt: repeating a request is the caller's decision.
                retry_options=genai.types.HttpRetryOptions(attempts=1),
            ),
        )
        return client

    def _refusal(self, error: APIError) -> ModelFailed:
        return refused_with_status(
            PROVIDER,
            self.model,
            error.code if isinstance(error.code, int) else 500,
            is_quota_used_up=is_quota_used_up(error.details),
        )


def _contents(genai: Any, request: CompletionRequest) -> list[Content]:
    types = genai.types
    return [
        types.Content(
            role="user" if message.role == "user" else "model",
            parts=[types.Part(text=message.text)],
        )
        for message in request.messages
    ]


def _config(genai: Any, request: CompletionRequest) -> GenerateContentConfig:
    types = genai.types
    config: GenerateContentConfig = types.GenerateContentConfig(
        system_instruction=request.instructions,
        response_mime_type="application/json",
        response_json_schema=request.schema,
        max_output_tokens=_MAX_OUTPUT_TOKENS,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    return config


def is_quota_used_up(details: Any) -> bool:
    """Whether an error says that the quota is used up, and not only asks to slow down. Pure.

    Google sends ``RESOURCE_EXHAUSTED`` for both. A limit that passes within minutes names a delay
    after which to try again, or is counted per minute.
    """
    error = details.get("error", details) if isinstance(details, dict) else {}
    if not isinstance(error, dict) or error.get("status") != "RESOURCE_EXHAUSTED":
        return False
    notes = error.get("details")
    text = str(notes) if isinstance(notes, list) else ""
    return "PerMinute" not in text and ("PerDay" in text or "RetryInfo" not in text)


def _read(response: GenerateContentResponse) -> Completion:
    candidates = response.candidates or []
    content = candidates[0].content if candidates else None
    parts = (content.parts if content else None) or []
    text = "".join(part.text for part in parts if part.text and not part.thought)
    if not text:
        raise declined(PROVIDER)
    usage = response.usage_metadata
    return Completion(
        text,
        max(0, (usage and usage.prompt_token_count) or 0),
        max(0, (usage and usage.candidates_token_count) or 0)
        + max(0, (usage and usage.thoughts_token_count) or 0),
    )
