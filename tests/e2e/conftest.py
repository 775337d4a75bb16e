"""A whole Switchboard in real processes, with an account that can call an agent."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from switchboard.demo.account import DemoAccount, create_account
from switchboard.services.ports import free_port
from switchboard.state import State, read_secrets, read_state
from switchboard_client import AsyncSwitchboard
from tests.short_directory import short_directory

START_SECONDS = 120
STOP_SECONDS = 15


@dataclass(frozen=True)
class LiveSwitchboard:
    """What ``switchboard up`` runs, and the demo's account on it."""

    api_url: str
    data_dir: Path
    operator_token: str
    account: DemoAccount

    def api(self) -> AsyncSwitchboard:
        """With the account's secret key."""
        return AsyncSwitchboard(self.api_url, self.account.secret_key)

    @property
    def call_page(self) -> str:
        """Address of the call page for the account's agent."""
        return (
            f"{self.api_url}/call?agent={self.account.agent_id}#key={self.account.publishable_key}"
        )

    def pid(self, name: str) -> int:
        """Of ``postgres``, ``valkey``, ``api``, ``jobs`` or ``worker-1``, as it is now."""
        state = read_state(self.data_dir)
        assert state is not None
        return state.pids[name]


@pytest.fixture(scope="session")
def switchboard() -> Iterator[LiveSwitchboard]:
    """One for all tests that leave it whole."""
    with running_switchboard() as system:
        yield system


@pytest.fixture
def own_switchboard() -> Iterator[LiveSwitchboard]:
    """One for a test that breaks it."""
    with running_switchboard() as system:
        yield system


@pytest.fixture
def poor_switchboard() -> Iterator[LiveSwitchboard]:
    """One whose tenants can pay for 30 seconds of the offline models and not for 60."""
    with running_switchboard(SWITCHBOARD_WELCOME_CREDIT_MICROS="13000") as system:
        yield system


@contextmanager
def running_switchboard(**environment: str) -> Iterator[LiveSwitchboard]:
    with short_directory("switchboard-e2e-") as directory:
        data_dir, log_path = directory / "data", directory / "up.log"
        with log_path.open("wb") as log:
            arguments = ["up", "--data-dir", str(data_dir), "--port", str(free_port())]
            process = subprocess.Popen(
                [sys.executable, "-m", "switchboard", *arguments],
                stdout=log,
                stderr=log,
                env=os.environ | environment,
            )
        try:
            state = _started(process, data_dir, log_path)
            secrets = read_secrets(data_dir)
            assert secrets is not None
            account = asyncio.run(create_account(state.api_url, secrets.operator_token))
            yield LiveSwitchboard(state.api_url, data_dir, secrets.operator_token, account)
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _started(process: subprocess.Popen[bytes], data_dir: Path, log_path: Path) -> State:
    """The state that ``up`` writes once everything is ready."""
    give_up_at = time.monotonic() + START_SECONDS
    while time.monotonic() < give_up_at:
        if process.poll() is not None:
            break
        if "Switchboard runs at" in log_path.read_text() and (state := read_state(data_dir)):
            return state
        time.sleep(0.1)
    pytest.fail(f"switchboard up did not start:\n{log_path.read_text()}")
