"""Programs that read the OpenAPI document, as npm installs them from the committed lock."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.sealing import derived_key
from control_plane.app import create_app
from control_plane.platform.settings import ControlPlaneSettings

HERE = Path(__file__).parent
_NOWHERE = ControlPlaneSettings(
    database_url="postgresql+psycopg://nobody@127.0.0.1/nothing",
    redis_url="redis://127.0.0.1:1",
    public_url="http://switchboard.test",
    secret_key="a-secret-of-at-least-thirty-two-bytes",
    encryption_keys=(derived_key("of the tests"),),
    operator_token="operator-token-of-the-tests",
    mail_outbox_dir=HERE / "nowhere",
    knowledge_dir=HERE / "nowhere",
    object_store_url="memory:///",
)
"""The document is written without asking anyone."""


@pytest.fixture(scope="session")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The API's OpenAPI document."""
    path = tmp_path_factory.mktemp("openapi") / "openapi.json"
    path.write_text(json.dumps(create_app(_NOWHERE).openapi(), indent=2))
    return path


@pytest.fixture(scope="session")
def programs(require_program: Callable[..., str]) -> Path:
    """``node_modules`` beside this file; installed again when the lock is newer."""
    npm = require_program("npm")
    installed = HERE / "node_modules" / ".package-lock.json"
    lock = HERE / "package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        run(npm, "ci", "--ignore-scripts", at=HERE)
        installed.touch()
    return installed.parent


def run(*command: str | Path, at: Path) -> None:
    """Fail with everything that the program said unless it succeeds."""
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def copied(name: str, to: Path) -> None:
    shutil.copy(HERE / name, to / name)
