"""``switchboard up`` with real processes: killed, crowded, and stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import psycopg
import pytest

from control_plane.platform.job_roles import PLATFORM_ROLES, TENANTS_ROLES
from switchboard.services.ports import LOOPBACK
from switchboard.state import read_secrets
from telemetry.process_name import ProcessName
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.process_memory import texts_in_memory
from tests.e2e.scraping import assert_agrees, scrape
from tests.e2e.up import START_SECONDS, Up, until
from tests.short_directory import short_directory

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

STOP_SECONDS = 3.0
PROCESSES = (
    *("postgres", "valkey", "api", "jobs", "jobs-tenants", "bridge"),
    *("control-plane", "workers", "worker-1", "models"),
)
FORKED_AFTER_THEIR_ENVIRONMENT = {"api", "jobs", "jobs-tenants", "bridge", "control-plane"}
"""The system shows the environment with which their host was started. What they know is in their
memory."""


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """One directory for all tests: only the first one waits for the database to be made."""
    with short_directory("switchboard-up-") as directory:
        yield directory / "data"


@pytest.fixture
def start(data_dir: Path) -> Iterator[Callable[..., Up]]:
    """Starts ``up``; at the end of the test all of it is gone."""
    with ExitStack() as stack:

        def begin(
            data_dir: Path = data_dir,
            port: int | None = None,
            environment: Mapping[str, str] | None = None,
        ) -> Up:
            up = Up(data_dir, port, environment)
            stack.callback(up.end)
            return up.wait_until_started()

        yield begin
    until(lambda: not processes_of(data_dir))


def create_tenant(up: Up) -> str:
    """Through the API; returns its secret key."""
    secrets = read_secrets(up.data_dir)
    assert secrets is not None
    body = {"name": "Kept", "owner_email": "owner@example.com"}
    answer = _ask(up, "/v1/operator/tenants", secrets.operator_token, json.dumps(body))
    return str(answer["api_key"])


def balance(up: Up, key: str) -> object:
    return _ask(up, "/v1/billing/balance", key)


def _ask(up: Up, path: str, bearer: str, body: str | None = None) -> dict[str, object]:
    request = urllib.request.Request(
        up.state.api_url + path,
        data=None if body is None else body.encode(),
        headers={"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        decoded: dict[str, object] = json.load(answer)
    return decoded


def is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def processes_of(data_dir: Path) -> list[str]:
    """Every process on this machine that works on ``data_dir``."""
    found = []
    for process in psutil.process_iter():
        try:
            line = " ".join(process.cmdline())
            if str(data_dir) in line or process.cwd().startswith(str(data_dir)):
                found.append(line or process.name())
        except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
            continue
    return found


def _ends_in_time(up: Up, how: signal.Signals) -> None:
    assert up.ends(how, within_seconds=STOP_SECONDS) == 0, up.output
    assert processes_of(up.data_dir) == []


class TestSecrets:
    def test_each_stays_with_the_processes_that_need_it(self, start: Callable[..., Up]) -> None:
        """Not in their environments only: in no log, no command line, and no file of others."""
        ours = {
            "SWITCHBOARD_SMTP_PASSWORD": "canary-of-mail",
            "DEEPGRAM_API_KEY": "canary-of-a-vendor",
            "SOMEBODY_ELSES_TOKEN": "canary-of-somebody-else",
        }
        up = start(environment=ours | {"SWITCHBOARD_WORKER_PROCESSES": "2"})
        secrets = read_secrets(up.data_dir)
        assert secrets is not None
        hidden = {
            **ours,
            "secret key": secrets.secret_key,
            "operator": secrets.operator_token,
            "link": str(secrets.redis_url).partition("@")[0].rpartition(":")[2],
            "owner": str(secrets.database_url).partition("@")[0].rpartition(":")[2],
        }
        found = {}
        for name, pid in up.state.pids.items():
            process = psutil.Process(pid)
            assert not [each for each in hidden.values() if each in " ".join(process.cmdline())]
            if name in FORKED_AFTER_THEIR_ENVIRONMENT:
                known = texts_in_memory(pid, hidden.values())
            else:
                environment = "\n".join(process.environ().values())
                known = {secret for secret in hidden.values() if secret in environment}
            found[name] = {each for each, secret in hidden.items() if secret in known}
        del found["up"]
        mail, vendor, _ = ours
        assert found == {
            "postgres": set(),
            "valkey": set(),
            "control-plane": set(),
            "api": {mail, vendor, "secret key", "operator", "link"},
            "jobs": {mail, vendor, "secret key", "link"},
            "jobs-tenants": {mail, vendor, "secret key", "link"},
            "workers": {vendor, "link"},
            "worker-1": {vendor, "link"},
            "worker-2": {vendor, "link"},
            "models": set(),
            "bridge": {"link"},
        }
        logs = list((up.data_dir / "logs").iterdir())
        assert len(logs) >= len(PROCESSES)
        for log in logs:
            assert not [each for each, secret in hidden.items() if secret in log.read_text()], log

    def test_nobody_else_reads_our_files(self, start: Callable[..., Up]) -> None:
        data_dir = start().data_dir
        assert stat.S_IMODE((data_dir / "logs").stat().st_mode) == 0o700
        open_to_others = [
            path
            for path in data_dir.rglob("*")
            if not path.is_symlink() and path.stat().st_mode & 0o077
        ]
        assert open_to_others == []


class TestStop:
    def test_ctrl_c_ends_everything_within_three_seconds(self, start: Callable[..., Up]) -> None:
        up = start()
        assert len(processes_of(up.data_dir)) >= len(PROCESSES)
        _ends_in_time(up, signal.SIGINT)

    def test_sigterm_does_the_same_on_another_port_than_the_one_in_use(
        self, start: Callable[..., Up]
    ) -> None:
        with socket.create_server((LOOPBACK, 0)) as taken:
            port = taken.getsockname()[1]
            up = start(port=port)
            assert f"Port {port} is in use (" in up.output
            assert not up.state.api_url.endswith(f":{port}")
            assert is_ready(up.state.api_url)
        _ends_in_time(up, signal.SIGTERM)

    def test_a_frozen_process_does_not_hold_it_up(self, start: Callable[..., Up]) -> None:
        up = start()
        psutil.Process(up.state.pids["worker-1"]).suspend()
        _ends_in_time(up, signal.SIGINT)


class TestKill:
    @pytest.mark.parametrize("name", PROCESSES)
    def test_a_killed_process_returns_by_itself(
        self, own_switchboard: LiveSwitchboard, name: str
    ) -> None:
        first = own_switchboard.pids[name]
        psutil.Process(first).kill()
        until(lambda: own_switchboard.pids.get(name) not in (None, first))
        until(lambda: is_ready(own_switchboard.api_url))

    def test_after_the_supervisor_was_killed_the_next_up_recovers(
        self, start: Callable[..., Up]
    ) -> None:
        first = start()
        old = set(first.state.pids.values())
        first.ends(signal.SIGKILL, within_seconds=5)
        second = start()
        assert is_ready(second.state.api_url)
        assert not {pid for pid in old if psutil.pid_exists(pid)}
        second.ends(signal.SIGKILL, within_seconds=5)
        # Without another one, too.
        until(lambda: not processes_of(second.data_dir), seconds=10)

    def test_after_everything_was_killed_nothing_is_lost(self, start: Callable[..., Up]) -> None:
        first = start()
        key = create_tenant(first)
        credit = balance(first, key)
        for process in [psutil.Process(pid) for pid in first.state.pids.values()]:
            # Some end by themselves as soon as their parent is gone.
            with suppress(psutil.NoSuchProcess):
                process.kill()
        first.process.wait()
        second = start()
        assert is_ready(second.state.api_url)
        assert balance(second, key) == credit


class TestMonitoring:
    def test_every_process_says_that_it_is_alive_and_ready(
        self, own_switchboard: LiveSwitchboard
    ) -> None:
        ports = own_switchboard.monitoring_ports
        assert list(ports) == ["api", "jobs", "bridge", "worker-1", "models", "jobs-tenants"]
        for port in ports.values():
            url = f"http://{LOOPBACK}:{port}"
            until(lambda url=url: is_ready(url))
            with urllib.request.urlopen(f"{url}/livez", timeout=5) as answer:
                assert json.load(answer) == {"status": "alive"}

    def test_a_scrape_of_every_process_agrees_with_the_documentation(
        self, own_switchboard: LiveSwitchboard
    ) -> None:
        for name, port in own_switchboard.monitoring_ports.items():
            assert_agrees(ProcessName(name.partition("-")[0]), scrape(port))


class TestRoles:
    def test_only_tenants_jobs_work_on_what_tenants_wrote(
        self, own_switchboard: LiveSwitchboard
    ) -> None:
        roles = {
            name: _roles(own_switchboard.data_dir / "logs" / f"{name}.log")
            for name in ("jobs", "jobs-tenants")
        }
        assert roles == {"jobs": PLATFORM_ROLES, "jobs-tenants": TENANTS_ROLES}


def _roles(log: Path) -> set[str]:
    """Of a jobs process, as it said at its last start."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    *_, started = [line for line in lines if line["event"] == "jobs_started"]
    return set(started["roles"])


class TestCrowded:
    def test_a_second_one_says_that_one_is_running(self, own_switchboard: LiveSwitchboard) -> None:
        second = Up(own_switchboard.data_dir)
        assert second.process.wait(timeout=START_SECONDS) == 0
        assert "already running" in second.output
        assert str(own_switchboard.pids["up"]) in second.output
        assert own_switchboard.api_url in second.output
        assert is_ready(own_switchboard.api_url)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter a directory of mode 700 of root")
def test_runs_below_a_directory_that_only_root_may_enter(start: Callable[..., Up]) -> None:
    private = Path(tempfile.mkdtemp(prefix="switchboard-private-"))
    assert private.stat().st_mode & 0o777 == 0o700
    up = start(private / "clone" / ".switchboard")
    assert is_ready(up.state.api_url)
    cluster = Path((private / "clone" / ".switchboard" / "postgres.location").read_text().strip())
    assert up.ends(signal.SIGINT, within_seconds=STOP_SECONDS) == 0
    assert processes_of(private) == []
    shutil.rmtree(cluster)
    shutil.rmtree(private)


def test_secrets_are_readable_by_their_owner_only(own_switchboard: LiveSwitchboard) -> None:
    assert (own_switchboard.data_dir / "secrets.json").stat().st_mode & 0o777 == 0o600


def test_what_serves_does_not_connect_as_the_owner_of_the_tables(
    own_switchboard: LiveSwitchboard,
) -> None:
    secrets = read_secrets(own_switchboard.data_dir)
    assert secrets is not None
    assert secrets.database_url is not None
    url = secrets.database_url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(url) as connection:
        logins = connection.execute(
            "SELECT DISTINCT usename FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND usename IS NOT NULL"
        ).fetchall()
    assert set(logins) <= {("switchboard_app",), ("switchboard_system",)}
    assert ("switchboard_system",) in logins, "the jobs process always listens"
