"""Where an unprivileged server's files lie when we are root."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from switchboard.services.command import Account
from switchboard.services.embedded_server import running
from switchboard.services.postgres import PostgresServer
from switchboard.services.reachable import (
    NoReachableDirectory,
    can_enter,
    data_directory,
    reachable_copy,
    system_directory,
    unprivileged_account,
)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as somebody else")

NOBODY = Account(65534, 65534)


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """A directory that everybody may enter, which pytest's own is not."""
    directory = Path(tempfile.mkdtemp(prefix="switchboard-reachable-"))
    directory.chmod(0o755)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture
def private_directory(open_directory: Path) -> Path:
    """As ``/root``: only root may enter."""
    directory = open_directory / "private"
    directory.mkdir(mode=0o700)
    return directory


def test_a_private_directory_cannot_be_entered(private_directory: Path) -> None:
    assert not can_enter(private_directory / "..", None) or os.geteuid() == 0
    (private_directory / "inside").mkdir()
    assert not can_enter(private_directory / "inside", NOBODY)


def test_data_stays_in_the_project_when_it_can(open_directory: Path) -> None:
    wanted = open_directory / "project" / "postgres"
    assert data_directory(wanted, NOBODY) == wanted
    assert wanted.stat().st_uid == NOBODY.uid
    assert wanted.stat().st_mode & 0o777 == 0o700


def test_data_of_a_private_project_lies_outside_and_is_found_again(
    open_directory: Path, private_directory: Path
) -> None:
    wanted, bases = private_directory / "postgres", [open_directory / "system"]
    first = data_directory(wanted, NOBODY, bases)
    assert first.parent == open_directory / "system"
    assert data_directory(wanted, NOBODY, bases) == first


def test_data_is_found_again_after_the_project_has_moved(
    open_directory: Path, private_directory: Path
) -> None:
    bases = [open_directory / "system"]
    (private_directory / "old").mkdir()
    first = data_directory(private_directory / "old" / "postgres", NOBODY, bases)
    (private_directory / "old").rename(private_directory / "new")
    assert data_directory(private_directory / "new" / "postgres", NOBODY, bases) == first


def test_two_projects_do_not_share_data(open_directory: Path, private_directory: Path) -> None:
    bases = [open_directory / "system"]
    for name in ("a", "b"):
        (private_directory / name).mkdir()
    a, b = (data_directory(private_directory / n / "postgres", NOBODY, bases) for n in ("a", "b"))
    assert a != b


def test_a_directory_that_somebody_else_made_is_not_trusted(open_directory: Path) -> None:
    planted = open_directory / "planted"
    planted.mkdir()
    os.chown(planted, NOBODY.uid, NOBODY.gid)
    with pytest.raises(NoReachableDirectory):
        system_directory(NOBODY, [planted])


def test_binaries_are_copied_once_when_they_cannot_be_reached(
    open_directory: Path, private_directory: Path
) -> None:
    (private_directory / "bin").mkdir()
    program = private_directory / "bin" / "program"
    program.write_text("#!/bin/sh\necho ran\n")
    program.chmod(0o755)
    bases = [open_directory / "system"]
    copy = reachable_copy(private_directory, ["bin"], "bin/program", NOBODY, bases)
    ran = subprocess.run(
        [copy / "bin" / "program"], user=NOBODY.uid, cwd="/", capture_output=True, check=True
    )
    assert ran.stdout == b"ran\n"
    assert reachable_copy(private_directory, ["bin"], "bin/program", NOBODY, bases) == copy


def test_data_keeps_its_owner(open_directory: Path) -> None:
    data = open_directory / "postgres"
    data.mkdir()
    os.chown(data, 4711, 4711)
    assert unprivileged_account(data) == Account(4711, 4711)


def test_postgres_runs_on_a_private_project(private_directory: Path) -> None:
    wanted = private_directory / "data" / "postgres"
    server = PostgresServer(wanted, durable=False)
    (private_directory / "data").mkdir()
    with running(server, private_directory / "log") as url:
        assert url.startswith("postgresql+psycopg://")
    place = Path((private_directory / "data" / "postgres.location").read_text().strip())
    assert place.stat().st_mode & 0o777 == 0o700
    shutil.rmtree(place)
