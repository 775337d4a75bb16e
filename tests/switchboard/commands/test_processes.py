"""What keeps a single process from starting, and what it gets."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
import typer

from control_plane.building.catalogue.load import CatalogueConflict
from control_plane.migrate import DatabaseUnfit
from control_plane.platform.job_roles import TENANTS_ROLES, JobRole
from switchboard.commands import processes
from switchboard.commands.processes import refuse_old_redis
from switchboard.listening import NoPort
from switchboard.processes import worker_host
from switchboard.settings import Settings
from switchboard.system import monitoring_ports
from tests.stand_ins.old_redis import old_redis


def test_a_process_says_which_redis_it_needs(capsys: pytest.CaptureFixture[str]) -> None:
    with old_redis("6.0.16") as url, pytest.raises(typer.Exit) as refused:
        refuse_old_redis(Settings(redis_url=url))
    assert refused.value.exit_code == 1
    assert capsys.readouterr().err == (
        "Not started: Redis 6.0.16 is too old; Redis 6.2 or newer, or Valkey, is needed.\n"
    )


def test_a_process_waits_for_a_redis_that_is_away() -> None:
    settings = Settings(redis_url="redis://127.0.0.1:1")
    assert refuse_old_redis(settings) is settings


@pytest.mark.parametrize(
    ("refused", "right"),
    [
        (DatabaseUnfit("The login lacks a right."), "The login lacks a right."),
        (CatalogueConflict("price of openai/x is 1, not 2"), "switchboard catalogue load FILE"),
    ],
)
def test_a_database_that_cannot_be_migrated_is_said_in_one_line(
    refused: Exception,
    right: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise refused

    settings = Settings(database_url="postgresql://db")
    monkeypatch.setattr(processes, "_process_settings", lambda _: settings)
    monkeypatch.setattr("control_plane.migrate.migrate", refuse)
    with pytest.raises(typer.Exit) as ended:
        processes.migrate()
    assert ended.value.exit_code == 1
    said = capsys.readouterr().err
    assert str(refused) in said
    assert right in said
    assert said.count("\n") == 1


def test_the_bridge_may_open_as_many_files_as_the_system_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []

    def run(*_: object) -> None:
        limits.append(resource.getrlimit(resource.RLIMIT_NOFILE)[0])

    settings = Settings(data_dir=tmp_path, redis_url="redis://127.0.0.1:1")
    monkeypatch.setattr(processes, "_process_settings", lambda _: settings)
    monkeypatch.setattr(processes, "_run", run)
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, most), most))
    try:
        processes.bridge()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
    assert limits == [min(most, 65_536)]


@pytest.mark.parametrize("role", sorted(TENANTS_ROLES))
def test_no_process_applies_events_beside_work_on_what_tenants_wrote(
    role: JobRole, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended:
        processes.jobs(only=[JobRole.EVENTS, role, JobRole.REAPER])
    assert ended.value.exit_code == 1
    assert f"Do {role} in a process of its own" in capsys.readouterr().err


def test_the_port_of_the_second_jobs_process_has_to_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(
        data_dir=tmp_path,
        monitoring_port=65_535,
        app_database_url="postgresql://app@127.0.0.1:1/none",
        system_database_url="postgresql://system@127.0.0.1:1/none",
        redis_url="redis://127.0.0.1:1",
        secret_key="a-secret-of-at-least-thirty-two-bytes",
    )
    monkeypatch.setattr(processes, "_logging_settings", lambda _: settings)
    with pytest.raises(typer.Exit) as ended:
        processes.jobs()
    assert ended.value.exit_code == 1
    assert "SWITCHBOARD_MONITORING_PORT is 65535" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("variable", "highest"),
    [("SWITCHBOARD_MONITORING_PORT", 65_532), ("SWITCHBOARD_PHONE_MEDIA_PORT", 65_533)],
)
def test_ports_that_would_be_above_the_highest_are_refused_before_anything_starts(
    variable: str,
    highest: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of three workers, and of the models, which only monitoring gives a port."""
    monkeypatch.setattr(worker_host, "ProcessHost", HostOfNobody)
    monkeypatch.setattr(worker_host, "raise_open_files_limit", lambda: 0)
    monkeypatch.setattr(processes, "_logging_settings", lambda _: Settings(data_dir=tmp_path))
    monkeypatch.setenv("SWITCHBOARD_REDIS_URL", "redis://127.0.0.1:1")
    monkeypatch.setenv("SWITCHBOARD_WORKER_PROCESSES", "3")
    exit_codes = []
    for port in (highest, highest + 1):
        monkeypatch.setenv(variable, str(port))
        with pytest.raises(typer.Exit) as ended:
            processes.worker(tmp_path)
        exit_codes.append(ended.value.exit_code)
    assert exit_codes == [0, 1]
    assert f"{variable} is {highest + 1}" in capsys.readouterr().err


def test_up_refuses_a_monitoring_port_after_which_too_few_are_left() -> None:
    """For API, jobs, bridge, two workers, the models and the tenants' jobs."""
    assert len(monitoring_ports(Settings(monitoring_port=65_529, worker_processes=2))) == 7
    with pytest.raises(NoPort, match="set 65529 or less"):
        monitoring_ports(Settings(monitoring_port=65_530, worker_processes=2))


class HostOfNobody:
    """In place of the one that forks the workers."""

    def __init__(self, *_: object) -> None:
        pass

    def run(self) -> int:
        return 0
