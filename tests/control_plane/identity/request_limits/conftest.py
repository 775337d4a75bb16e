from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.runtime.valkey_process import ValkeyProcess


@pytest.fixture
async def valkey() -> AsyncIterator[ValkeyProcess]:
    """A Valkey of the test's own, which it may kill."""
    directory = Path(tempfile.mkdtemp(prefix="switchboard-valkey-"))
    process = ValkeyProcess(directory)
    await process.start()
    yield process
    await process.kill()
    shutil.rmtree(directory)
