from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.engine.providers import registry
from pipelines.engine.providers.openai import OPENAI
from pipelines.engine.providers.spec import ProviderSpec
from tests.stand_ins.own_tls import OwnTls, own_tls


@pytest.fixture
def spare_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another vendor with OpenAI's wire."""
    spare = ProviderSpec(name="spare", llm=OPENAI.llm)
    monkeypatch.setattr(registry, "PROVIDERS", (*registry.PROVIDERS, spare))


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[OwnTls]:
    """Of a tenant's own server."""
    with own_tls(tmp_path) as made:
        yield made
