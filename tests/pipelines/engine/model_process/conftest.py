from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pipelines.engine.model_process.connection import Patience
from pipelines.engine.model_process.remote_models import RemoteModels
from tests.pipelines.engine.model_process.fake_models import FakeProcess

LONG_ENOUGH = Patience(first_pause=0.001, longest_pause=0.01)


@pytest.fixture
async def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeProcess]:
    """A running one."""
    # The path of a socket may have 107 bytes, and that of a test's folder often has more.
    monkeypatch.chdir(tmp_path)
    process = FakeProcess(Path("models.sock"))
    await process.start()
    yield process
    await process.die()


@pytest.fixture
async def worker(process: FakeProcess) -> AsyncIterator[RemoteModels]:
    """The models of ``process`` in a worker."""
    models = await RemoteModels.connect(process.socket_path, LONG_ENOUGH)
    yield models
    await models.aclose()


@pytest.fixture
async def other_worker(process: FakeProcess) -> AsyncIterator[RemoteModels]:
    models = await RemoteModels.connect(process.socket_path, LONG_ENOUGH)
    yield models
    await models.aclose()
