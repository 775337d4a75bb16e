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
from uuid import UUID

import pytest

from switchboard.services.embedded_server import running
from switchboard.services.ports import LOOPBACK, free_port
from switchboard.services.postgres import PostgresServer
from switchboard.services.valkey import ValkeyServer
from telemetry.process_name import ProcessName
from tests.deploy.compose_file import environment_of, filled_in_example, mounted, read_compose
from tests.e2e.conftest import LiveSwitchboard, free_ports_in_a_row
from tests.e2e.scraping import assert_agrees, scrape
from tests.e2e.test_recording import Recorded, recorded_call
from tests.e2e.up import until
from tests.runtime.media.free_ports import free_ports
from tests.short_directory import short_directory
from tests.stand_ins.trace_collector import TraceCollector

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

EXPECTED_PARENTS = {
    "create call": None,
    "dispatch call": "create call",
    "run call": "create call",
    "open room": "run call",
    "start agent": "run call",
    "turn": "run call",
    "stt": "turn",
    "llm": "turn",
    "tts": "turn",
    "close call": "run call",
    "end call": "create call",
    "assemble recording": "create call",
}
"""By span."""
LASTING = ("api", "jobs", "worker", "jobs-tenants")
STOP_SECONDS = 15


class Services:
    """The processes of the compose file on this machine.

    Only what belongs to containers is put in the place of this machine's: the servers' addresses,
    the paths of volumes, the API's port.
    """

    def __init__(
        self, directory: Path, postgres_url: str, redis_url: str, collector: TraceCollector
    ) -> None:
        self.collector = collector
        self.api_port = free_port()
        self.media_ports = free_ports(20)
        # The worker has a second one for its models.
        self.monitoring_ports = {
            name: free_ports_in_a_row(2) if name == "worker" else free_port() for name in LASTING
        }
        self._compose = read_compose()
        self.directory = directory
        self._stores = {
            "SWITCHBOARD_DATABASE_URL": postgres_url.replace("+psycopg", ""),
            "SWITCHBOARD_REDIS_URL": redis_url,
        }
        self._postgres_address = postgres_url.rpartition("@")[2]

    @property
    def api_url(self) -> str:
        return f"http://{LOOPBACK}:{self.api_port}"

    def environment(self, name: str) -> dict[str, str]:
        service = self._compose["services"][name]
        dot_env = filled_in_example() | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.collector.endpoint,
            "SWITCHBOARD_PUBLIC_URL": self.api_url,
            "SWITCHBOARD_MEDIA_PORTS": str(self.media_ports),
        }
        declared = environment_of(service, dot_env)
        declared |= {key: url for key, url in self._stores.items() if key in declared}
        declared = {
            key: value.replace("@postgres/switchboard", f"@{self._postgres_address}")
            for key, value in declared.items()
        }
        for path, volume in mounted(service).items():
            folder = self.directory / "volumes" / volume
            folder.mkdir(parents=True, exist_ok=True)
            declared = {
                key: value.replace(f"file://{path}", folder.as_uri())
                for key, value in declared.items()
            }
        if name == "worker":
            # So that it is known whose metrics tell of a call.
            declared |= {"SWITCHBOARD_WORKER_PROCESSES": "1"}
        if "SWITCHBOARD_PORT" in declared:
            declared |= {"SWITCHBOARD_PORT": str(self.api_port), "SWITCHBOARD_HOST": LOOPBACK}
        if "SWITCHBOARD_MONITORING_PORT" in declared:
            declared |= {
                "SWITCHBOARD_MONITORING_PORT": str(self.monitoring_ports[name]),
                "SWITCHBOARD_MONITORING_HOST": LOOPBACK,
            }
        # Each container has a /data of its own.
        return declared | {"SWITCHBOARD_DATA_DIR": str(self.directory / "data" / name)}

    def start(self, name: str) -> subprocess.Popen[bytes]:
        inherited = {
            key: value for key, value in os.environ.items() if not key.startswith("SWITCHBOARD_")
        }
        command = self._compose["services"][name]["command"]
        arguments = [command] if isinstance(command, str) else command
        with (self.directory / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "switchboard", *arguments],
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
        collector = stack.enter_context(TraceCollector().serving())
        services = Services(directory, postgres_url, redis_url, collector)
        assert services.start("migrate").wait(60) == 0, services.log_of("migrate")
        for name in LASTING:
            stack.callback(_end, services.start(name))
        until(lambda: all(_is_healthy(services, name) for name in LASTING), seconds=90)
        yield services


def _is_healthy(services: Services, name: str) -> bool:
    """What the service's health check says, which is the container's."""
    checked = subprocess.run(
        [sys.executable, "-m", "switchboard", "health", name.partition("-")[0]],
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


@pytest.fixture(scope="module")
def services() -> Iterator[Services]:
    with services_up() as services:
        yield services


@pytest.fixture(scope="module")
def recorded(services: Services) -> Recorded:
    token = services.environment("api")["SWITCHBOARD_OPERATOR_TOKEN"]
    system = LiveSwitchboard.at(services.api_url, services.directory, token)
    return asyncio.run(recorded_call(system, require_consent=False))


def test_a_recorded_call_goes_through_the_services_of_the_compose_file(recorded: Recorded) -> None:
    assert recorded.call["status"] == "completed"
    assert "first time" in " ".join(each["text"] for each in recorded.segments).lower()
    assert recorded.audio.size > 0


def test_the_call_is_one_trace_over_both_planes(services: Services, recorded: Recorded) -> None:
    trace_id = UUID(recorded.call["id"]).hex
    collector = services.collector

    def is_whole() -> bool:
        names = {span.name for span in collector.of_trace(trace_id)}
        return {"create call", "run call", "end call", "assemble recording"} <= names

    until(is_whole, seconds=20)
    spans = collector.of_trace(trace_id)
    by_id = {span.span_id: span for span in spans}
    parents = {span.name: by_id[span.parent_id].name if span.parent_id else None for span in spans}
    assert {name: parents[name] for name in EXPECTED_PARENTS} == EXPECTED_PARENTS
    services_of = {span.name: span.service for span in spans}
    assert services_of["create call"] == services_of["dispatch call"] == "switchboard-api"
    assert services_of["run call"] == services_of["turn"] == "switchboard-worker"
    assert services_of["end call"] == "switchboard-jobs"
    assert all(span.attributes.get("call_id", recorded.call["id"]) for span in spans)
    told = " ".join(str(span) for span in collector.spans)
    assert not [each["text"] for each in recorded.segments if each["text"] in told]


def test_metrics_tell_of_the_call(services: Services, recorded: Recorded) -> None:
    assert recorded.call["status"] == "completed"
    scraped = {
        name: assert_agrees(process, scrape(services.monitoring_ports[name]))
        for name, process in zip(
            LASTING,
            (ProcessName.API, ProcessName.JOBS, ProcessName.WORKER, ProcessName.JOBS),
            strict=True,
        )
    }
    worker, jobs = scraped["worker"], scraped["jobs"]
    assert worker["switchboard_voice_to_voice_seconds_count"] >= 3
    assert worker["switchboard_frame_lateness_seconds_count"] > 500
    assert worker['switchboard_call_setup_seconds_count{stage="join"}'] == 1
    assert worker["switchboard_slots"] > 0
    assert jobs['switchboard_calls_ended_total{end_reason="participant_disconnected"}'] == 1
    assert jobs["switchboard_database_measured_timestamp_seconds"] > 0
    assert scraped["api"]['switchboard_http_request_seconds_count{method="POST",status="2xx"}'] > 0
