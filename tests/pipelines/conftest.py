from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from pipelines.engine.shared_models import WarmModels, load_models
from pipelines.settings import ProviderSettings


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def warm_models() -> AsyncIterator[WarmModels]:
    """The offline models, without any key: loaded once, as in a worker."""
    models = await load_models(ProviderSettings())
    yield models
    await models.aclose()
