"""A whole Switchboard in real processes, with an account that can call an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from contracts import redis_names
from switchboard.demo.account import DemoAccount, create_account
from switchboard.demo.checks import micros
from switchboard.services.ports import free_port, is_free
from switchboard.state import read_secrets, read_state
from switchboard_client import AsyncSwitchboard
from telemetry.process_name import ProcessName
from tests.e2e.up import Up, wait_until_started
from tests.logged_warnings import logged_warnings
from tests.short_directory import short_directory

SHARED_DATA_DIR, SHARED_OUTPUT = "switchboard_data_dir", "switchboard_output"
"""What the processes that run tests are told of the ``up`` that all of them share."""


NEVER_FULL = {
    "SWITCHBOARD_FRAME_LATENESS_LIMIT_MS": "inf",
    "SWITCHBOARD_LOOP_LAG_LIMIT_MS": "inf",
    "SWITCHBOARD_MODEL_QUEUE_LIMIT_MS": "inf",
}
"""Tests run beside each other on few cores. Their calls would wait until the machine is quieter."""


@dataclass(frozen=True)
class LiveSwitchboard:
    """What ``switchboard up`` runs, and the demo's account on it."""

    api_url: str
    data_dir: Path
    operator_token: str
    account: DemoAccount

    @classmethod
    def with_new_account(cls, data_dir: Path) -> LiveSwitchboard:
        state, secrets = read_state(data_dir), read_secrets(data_dir)
        assert state is not None
        assert secrets is not None
        return cls.at(state.api_url, data_dir, secrets.operator_token)

    @classmethod
    def at(cls, api_url: str, data_dir: Path, operator_token: str) -> LiveSwitchboard:
        account = asyncio.run(create_account(api_url, operator_token))
        return cls(api_url, data_dir, operator_token, account)

    @property
    def port(self) -> int:
        port = urlsplit(self.api_url).port
        assert port is not None
        return port

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
        """Of ``up``, ``postgres``, ``valkey``, ``api``, ``jobs`` or ``worker-1``, as it is now."""
        return self.pids[name]

    @property
    def pids(self) -> dict[str, int]:
        """Of the processes that run now."""
        state = read_state(self.data_dir)
        assert state is not None
        return state.pids

    @property
    def monitoring_ports(self) -> dict[str, int]:
        """By process."""
        state = read_state(self.data_dir)
        assert state is not None
        return state.monitoring_ports


class SharedUp:
    """Starts one ``up`` for all processes that run tests side by side, and ends it after them."""

    def __init__(self) -> None:
        self._open = ExitStack()
        directory = self._open.enter_context(short_directory("switchboard-shared-"))
        self._up = Up(directory / "data", environment=NEVER_FULL)
        self._open.callback(self._up.end)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[SHARED_DATA_DIR] = str(self._up.data_dir)
        node.workerinput[SHARED_OUTPUT] = str(self._up.output_path)

    def pytest_sessionfinish(self) -> None:
        self._open.close()


def free_ports_in_a_row(count: int) -> int:
    """The first of them. The operating system gives none of them out, so they stay free."""
    while True:
        first = 20_000 + free_port() % 10_000
        if all(is_free(first + position) for position in range(count)):
            return first


def pytest_configure(config: pytest.Config) -> None:
    is_controller = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if is_controller:
        config.pluginmanager.register(SharedUp())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that waits for something in vain does not know why: the system may have said it."""
    report = yield
    if report.failed:
        for value in item.funcargs.values():
            system = getattr(value, "switchboard", value)
            if isinstance(system, LiveSwitchboard):
                warnings = logged_warnings(system.data_dir, call.start)
                report.sections.append(("Warnings of the system's processes", warnings))
    return report


@pytest.fixture(scope="session")
def switchboard(request: pytest.FixtureRequest) -> Iterator[LiveSwitchboard]:
    """One for all tests that leave it whole and trouble no other tenant."""
    told: dict[str, str] = getattr(request.config, "workerinput", {})
    if SHARED_DATA_DIR in told:
        wait_until_started(Path(told[SHARED_OUTPUT]))
        yield LiveSwitchboard.with_new_account(Path(told[SHARED_DATA_DIR]))
    else:
        with running_switchboard() as system:
            yield system


@pytest.fixture(scope="session")
def own_switchboard() -> Iterator[LiveSwitchboard]:
    """One for tests that break it one after the other, and see that it recovers. Its processes have
    monitoring ports, and a worker's death is noticed soon. It has one media worker, so a test knows
    which runs its call."""
    first = free_ports_in_a_row(len(ProcessName) + 1)
    with running_switchboard(
        SWITCHBOARD_MONITORING_PORT=str(first),
        SWITCHBOARD_LEASE_SECONDS=str(redis_names.CLAIM_TTL_SECONDS),
        SWITCHBOARD_WORKER_PROCESSES="1",
    ) as system:
        yield system


@pytest.fixture
def poor_account(switchboard: LiveSwitchboard) -> LiveSwitchboard:
    """The shared one, with an account that can pay for 30 seconds of the offline models and not for
    60."""
    system = LiveSwitchboard.at(
        switchboard.api_url, switchboard.data_dir, switchboard.operator_token
    )
    asyncio.run(_leave_credit(system, micros(0.0105)))
    return system


async def _leave_credit(system: LiveSwitchboard, left_micros: int) -> None:
    async with system.api() as api:
        balance = await api.billing.balance()
    async with AsyncSwitchboard(system.api_url, system.operator_token) as operator:
        await operator.request(
            "POST",
            f"/v1/operator/tenants/{system.account.tenant_id}/debits",
            body={
                "amount_usd": (micros(balance.balance_usd) - left_micros) / 1_000_000,
                "reason": "A test needs a poor tenant",
                "posted_by": "the tests",
            },
        )


@contextmanager
def running_switchboard(**environment: str) -> Iterator[LiveSwitchboard]:
    with short_directory("switchboard-e2e-") as directory:
        up = Up(directory / "data", environment=NEVER_FULL | environment)
        try:
            yield LiveSwitchboard.with_new_account(up.wait_until_started().data_dir)
        finally:
            up.end()
