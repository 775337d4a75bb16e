"""The services of ``docker-compose.yml``, each with its settings from there, hold a recorded call.

Embedded servers take the place of the images of PostgreSQL and Valkey, folders that of volumes.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from switchboard.services.embedded_server import running
from switchboard.services.ports import LOOPBACK, free_port
from switchboard.services.postgres import PostgresServer
from switchboard.services.valkey import ValkeyServer
from tests.deploy.compose_file import environment_of, filled_in_example, mounted, read_compose
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.test_recording import recorded_call
from tests.e2e.up import until
from tests.runtime.media.free_ports import free_ports
from tests.short_directory import short_directory

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

LASTING = ("api", "jobs", "worker")
STOP_SECONDS = 15


class Services:
    """The processes of the compose file on this machine.

    Only what belongs to containers is put in the place of this machine's: the servers' addresses,
    the paths of volumes, the API's port.
    """

    def __init__(self, directory: Path, postgres_url: str, redis_url: str) -> None:
        self.api_port = free_port()
        self.media_ports = free_ports(20)
        self._monitoring_ports = {name: free_port() for name in LASTING}
        self._compose = read_compose()
        self.directory = directory
        self._stores = {
            "SWITCHBOARD_DATABASE_URL": postgres_url.replace("+psycopg", ""),
            "SWITCHBOARD_REDIS_URL": redis_url,
        }

    @property
    def api_url(self) -> str:
        return f"http://{LOOPBACK}:{self.api_port}"

    def environment(self, name: str) -> dict[str, str]:
        service = self._compose["services"][name]
        dot_env = filled_in_example() | {
            "SWITCHBOARD_PUBLIC_URL": self.api_url,
            "SWITCHBOARD_MEDIA_PORTS": str(self.media_ports),
        }
        declared = environment_of(service, dot_env)
        declared |= {key: url for key, url in self._stores.items() if key in declared}
        for path, volume in mounted(service).items():
            folder = self.directory / "volumes" / volume
            folder.mkdir(parents=True, exist_ok=True)
            declared = {
                key: value.replace(f"file://{path}", folder.as_uri())
                for key, value in declared.items()
            }
        if "SWITCHBOARD_PORT" in declared:
            declared |= {"SWITCHBOARD_PORT": str(self.api_port), "SWITCHBOARD_HOST": LOOPBACK}
        if "SWITCHBOARD_MONITORING_PORT" in declared:
            declared |= {
                "SWITCHBOARD_MONITORING_PORT": str(self._monitoring_ports[name]),
                "SWITCHBOARD_MONITORING_HOST": LOOPBACK,
            }
        # Each container has a /data of its own.
        return declared | {"SWITCHBOARD_DATA_DIR": str(self.directory / "data" / name)}

    def start(self, name: str) -> subprocess.Popen[bytes]:
        inherited = {
            key: value for key, value in os.environ.items() if not key.startswith("SWITCHBOARD_")
        }
        command = self._compose["services"][name]["command"]
        with (self.directory / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "switchboard", command],
                stdout=log,
                stderr=log,
                env=inherited | self.environment(name),
            )

    def log_of(self, name: str) -> str:
        return (self.directory / f"{name}.log").read_text()


@contextmanager
def services_up() -> Iterator[Services]:
    with ExitStack() as stack:
        directory = stack.enter_context(short_directory("switchboard-compose-"))
        postgres = PostgresServer(directory / "postgres", durable=False)
        postgres_url = stack.enter_context(running(postgres, directory / "postgres.log"))
        valkey = ValkeyServer(directory / "valkey")
        redis_url = stack.enter_context(running(valkey, directory / "valkey.log"))
        services = Services(directory, postgres_url, redis_url)
        assert services.start("migrate").wait(60) == 0, services.log_of("migrate")
        for name in LASTING:
            stack.callback(_end, services.start(name))
        until(lambda: all(_is_healthy(services, name) for name in LASTING), seconds=90)
        yield services


def _is_healthy(services: Services, name: str) -> bool:
    """What the service's health check says, which is the container's."""
    checked = subprocess.run(
        [sys.executable, "-m", "switchboard", "health", name],
        env=os.environ | services.environment(name),
        capture_output=True,
        check=False,
    )
    return checked.returncode == 0


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def test_a_recorded_call_goes_through_the_services_of_the_compose_file() -> None:
    with services_up() as services:
        token = services.environment("api")["SWITCHBOARD_OPERATOR_TOKEN"]
        system = LiveSwitchboard.at(services.api_url, services.directory, token)
        recorded = asyncio.run(recorded_call(system, require_consent=False))
    assert recorded.call["status"] == "completed"
    assert "first time" in " ".join(each["text"] for each in recorded.segments).lower()
    assert recorded.audio.size > 0
