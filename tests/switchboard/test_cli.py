from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from switchboard import cli
from switchboard.cli import app

COMMANDS = ("up", "demo", "call", "doctor", "api", "jobs", "worker", "bridge", "migrate")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    usage, purpose, *_ = _paragraphs(result.output)
    assert usage == f"Usage: switchboard {command} [OPTIONS]"
    assert purpose.endswith("."), "a sentence says what the command does"


def _paragraphs(text: str) -> list[str]:
    """Each on one line."""
    lines = [line.strip() for line in text.splitlines()]
    return [" ".join(each.split()) for each in "\n".join(lines).strip().split("\n\n")]


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert result.output.strip() == "0.1.0"


@pytest.mark.parametrize(
    ("command", "missing"),
    [
        ("api", "SWITCHBOARD_DATABASE_URL"),
        ("jobs", "SWITCHBOARD_DATABASE_URL"),
        ("worker", "SWITCHBOARD_REDIS_URL"),
        ("bridge", "SWITCHBOARD_REDIS_URL"),
        ("migrate", "SWITCHBOARD_DATABASE_URL"),
    ],
)
def test_a_process_without_addresses_says_which_variable_is_missing(
    command: str, missing: str
) -> None:
    ran = _run(command)
    assert ran.returncode == 2
    assert ran.stderr == (
        f"{missing} is not set. `switchboard up` sets everything on one machine.\n"
    )


def test_a_migration_without_its_database_says_why_instead_of_a_traceback() -> None:
    ran = _run("migrate", SWITCHBOARD_DATABASE_URL="postgresql://nobody@127.0.0.1:9/none")
    assert ran.returncode == 1
    assert ran.stderr.startswith("The database refused: ")
    assert "Connection refused" in ran.stderr


@pytest.mark.parametrize("command", [["agents", "list"], ["doctor"], ["up"]])
def test_a_data_directory_that_cannot_be_used_is_named_instead_of_a_traceback(
    command: list[str], tmp_path: Path
) -> None:
    """So it is after `sudo switchboard up`, for everybody but root."""
    file = tmp_path / "file"
    file.touch()
    ran = _run(*command, SWITCHBOARD_DATA_DIR=str(file))
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"{file}/")
    assert ran.stderr.endswith(
        ": Not a directory. Run this as the user who has started Switchboard here, or choose "
        "another --data-dir.\n"
    )


def test_a_data_directory_that_is_mounted_read_only_is_named_instead_of_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise OSError(errno.EROFS, "Read-only file system", "/data/logs")

    monkeypatch.setattr(cli, "app", refuse)
    monkeypatch.setattr("os.umask", lambda _mode: 0)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith("/data/logs: Read-only file system. ")


def test_a_setting_that_is_no_number_is_named() -> None:
    ran = _run("doctor", SWITCHBOARD_PORT="eighty")
    assert ran.returncode == 2
    assert "SWITCHBOARD_PORT" in ran.stderr


@pytest.mark.parametrize(
    ("command", "variable", "wrong"),
    [
        ("migrate", "SWITCHBOARD_DATABASE_URL", "postgres://user:sec@ret@host:notaport/db"),
        ("worker", "SWITCHBOARD_REDIS_URL", "redis://:sec#ret@valkey:6379/0"),
    ],
)
def test_an_address_that_cannot_be_read_is_named_in_one_line_without_its_password(
    command: str, variable: str, wrong: str
) -> None:
    ran = _run(command, **{variable: wrong})
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"{variable}: is not the address of a ")
    assert ran.stderr.count("\n") == 1
    assert "sec" not in ran.stderr


def test_settings_that_do_not_fit_together_are_named_as_the_operator_sets_them() -> None:
    ran = _run("doctor", SWITCHBOARD_ICE_SERVERS="turn:x")
    assert ran.returncode == 2
    assert ran.stderr == (
        "turn:x needs credentials: set SWITCHBOARD_TURN_SECRET, or SWITCHBOARD_TURN_USERNAME and "
        "SWITCHBOARD_TURN_CREDENTIAL\n"
    )


def test_the_command_line_starts_without_the_heavy_libraries() -> None:
    program = (
        "import sys, switchboard.cli;"
        "heavy = {'livekit', 'aiortc', 'fastapi', 'sqlalchemy', 'numpy', 'redis'};"
        "sys.exit(', '.join(heavy & set(sys.modules)) or None)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def _run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "switchboard", *command],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", **environment},
    )
