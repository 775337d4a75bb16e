"""The README's examples do what it says, against a real API."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.readme import api_examples, webrtc_example
from tests.own_api import OwnApi, own_api

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def api() -> Iterator[OwnApi]:
    with own_api() as api:
        yield api


def test_the_examples_run(api: OwnApi) -> None:
    _, key = api.open_account()
    ran = subprocess.run(
        [sys.executable, "-W", "error", "-c", api_examples()],
        env=os.environ | {"SWITCHBOARD_URL": api.url, "SWITCHBOARD_API_KEY": key},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for said in ("the call is completed", "404 agent_not_found", "'field': 'name'"):
        assert said in ran.stdout, ran.stdout


@pytest.mark.parametrize("example", [api_examples(), webrtc_example()], ids=["api", "webrtc"])
def test_the_examples_are_typed(example: str, tmp_path: Path) -> None:
    program = tmp_path / "example.py"
    program.write_text(example)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(program)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert checked.returncode == 0, checked.stdout
