from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from pipelines.engine.providers import registry
from pipelines.engine.providers.openai import OPENAI
from pipelines.engine.providers.spec import ProviderSpec
from pipelines.engine.shared_models import WarmModels
from tests.stand_ins.deepgram_wire import Samples
from tests.stand_ins.own_tls import OwnTls, own_tls


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def transcribe(warm_models: WarmModels) -> Callable[[Samples], Awaitable[str]]:
    """What recognisers on this machine understand. The same sound is understood only once: the
    machine is to be free for what is tested."""
    known: dict[bytes, str] = {}
    moonshine = warm_models.local.moonshine
    assert moonshine is not None

    async def transcribed(samples: Samples) -> str:
        sound = samples.tobytes()
        if sound not in known:
            known[sound] = await moonshine.transcribe(samples)
        return known[sound]

    return transcribed


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
