from __future__ import annotations

import pytest

from pipelines.engine.providers import registry
from pipelines.engine.providers.openai import OPENAI
from pipelines.engine.providers.spec import ProviderSpec


@pytest.fixture
def spare_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another vendor with OpenAI's wire."""
    spare = ProviderSpec(name="spare", llm=OPENAI.llm)
    monkeypatch.setattr(registry, "PROVIDERS", (*registry.PROVIDERS, spare))
