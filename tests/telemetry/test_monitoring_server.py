"""The monitoring port, asked over a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from switchboard.readiness import is_healthy
from switchboard.services.ports import LOOPBACK, free_port
from switchboard.settings import MissingSetting, Settings
from telemetry.health import Health
from telemetry.monitoring_server import LONGEST_REQUEST_BYTES, PortTaken, monitored
from telemetry.process_name import ProcessName
from telemetry.settings import TelemetryOptions


class Monitored:
    def __init__(self) -> None:
        self.port = free_port()
        self.health = Health()
        self.works = True
        self.health.watch("Redis does not answer.", self._answers)

    async def _answers(self) -> bool:
        return self.works

    @property
    def options(self) -> TelemetryOptions:
        return TelemetryOptions(monitoring_port=self.port)

    async def ask(self, request: str) -> tuple[int, str]:
        """The status and the body."""
        reader, writer = await asyncio.open_connection(LOOPBACK, self.port)
        writer.write(request.encode() + b"\r\nHost: x\r\n\r\n")
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
        writer.close()
        return int(head.split()[1]), body


@pytest.fixture
async def process() -> AsyncIterator[Monitored]:
    process = Monitored()
    async with monitored(ProcessName.BRIDGE, process.options, process.health):
        yield process


async def test_a_process_whose_loop_runs_is_alive(process: Monitored) -> None:
    process.works = False
    assert await process.ask("GET /livez HTTP/1.1") == (200, '{"status": "alive"}\n')


async def test_a_process_that_is_not_ready_says_why(process: Monitored) -> None:
    assert await process.ask("GET /readyz HTTP/1.1") == (200, '{"status": "ready"}\n')
    process.works = False
    status, body = await process.ask("GET /readyz?verbose HTTP/1.0")
    assert status == 503
    assert json.loads(body) == {"status": "not ready", "faults": ["Redis does not answer."]}
    process.works = True
    process.health.is_stopping = lambda: True
    assert (await process.ask("GET /readyz HTTP/1.1"))[0] == 503


async def test_metrics_are_those_of_the_process(process: Monitored) -> None:
    status, body = await process.ask("GET /metrics HTTP/1.1")
    assert status == 200
    assert "# TYPE switchboard_loop_lag_seconds histogram" in body
    assert "switchboard_slots" not in body


async def test_nothing_else_is_answered(process: Monitored) -> None:
    assert (await process.ask("GET / HTTP/1.1"))[0] == 404
    assert (await process.ask("POST /metrics HTTP/1.1"))[0] == 405
    assert await process.ask("HEAD /livez HTTP/1.1") == (200, "")


async def test_what_is_no_request_is_dropped(process: Monitored) -> None:
    reader, writer = await asyncio.open_connection(LOOPBACK, process.port)
    writer.write(b"x" * (LONGEST_REQUEST_BYTES + 1))
    assert await reader.read() == b""
    writer.close()


async def test_a_container_s_health_check_asks_on_it(process: Monitored) -> None:
    settings = Settings(monitoring_port=process.port, monitoring_host="0.0.0.0")
    assert await is_healthy(ProcessName.JOBS, settings)
    process.works = False
    assert not await is_healthy(ProcessName.JOBS, settings)


@pytest.mark.parametrize(
    ("name", "host_field", "port_field"),
    [
        (ProcessName.JOBS, "monitoring_host", "monitoring_port"),
        (ProcessName.API, "host", "port"),
    ],
)
async def test_it_asks_where_the_process_listens_even_if_for_ipv6_only(
    name: ProcessName, host_field: str, port_field: str
) -> None:
    port, health = free_port(), Monitored().health
    listening = TelemetryOptions(monitoring_host="::", monitoring_port=port)
    async with monitored(name, listening, health):
        assert await is_healthy(name, Settings.model_validate({host_field: "::", port_field: port}))


async def test_only_the_api_can_be_checked_without_one() -> None:
    assert not await is_healthy(ProcessName.API, Settings(port=free_port()))
    with pytest.raises(MissingSetting, match="SWITCHBOARD_MONITORING_PORT"):
        await is_healthy(ProcessName.WORKER, Settings())


async def test_two_processes_on_one_port_refuse(process: Monitored) -> None:
    with pytest.raises(PortTaken, match="SWITCHBOARD_MONITORING_PORT"):
        async with monitored(ProcessName.API, process.options, Health()):
            pass


async def test_without_a_port_nothing_listens() -> None:
    async with monitored(ProcessName.API, TelemetryOptions(), Health()):
        assert len(asyncio.all_tasks()) == 1
