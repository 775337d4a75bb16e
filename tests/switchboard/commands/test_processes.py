"""What keeps a single process from starting, and what it gets."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest
import typer

from control_plane.building.catalogue.load import CatalogueConflict
from control_plane.migrate import DatabaseUnfit
from switchboard.commands import processes
from switchboard.commands.processes import refuse_old_redis
from switchboard.settings import Settings
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
