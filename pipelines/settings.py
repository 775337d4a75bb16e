"""The platform's keys and addresses for speech and language providers, passed in by the worker."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class ProviderSettings(BaseModel):
    """A key is set where the provider may be used; a base URL replaces the vendor's own."""

    model_config = ConfigDict(frozen=True)
    openai_api_key: str | None = Field(None, repr=False)
    openai_base_url: str | None = None
    deepgram_api_key: str | None = Field(None, repr=False)
    deepgram_base_url: str | None = None
