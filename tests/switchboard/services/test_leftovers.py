"""What a killed predecessor left behind, and what only looks like it."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from switchboard.services.command import Command, spawn, stop
from switchboard.services.directory_lock import DirectoryInUse
from switchboard.services.embedded_server import EmbeddedServer, running
from switchboard.services.postgres import PostgresServer, PostgresSetupFailed
from switchboard.services.valkey import ValkeyServer

MakeServer = Callable[[], EmbeddedServer]


@pytest.fixture
def directory() -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="switchboard-leftovers-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory)


@pytest.fixture(params=["postgres", "valkey"])
def make_server(request: pytest.FixtureRequest, directory: Path) -> MakeServer:
    if request.param == "postgres":
        return lambda: PostgresServer(directory / "data")
    return lambda: ValkeyServer(directory / "data")


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of somebody else's."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
    yield process
    process.kill()
    process.wait()


def _pid_file(server: EmbeddedServer, directory: Path) -> Path:
    name = "cluster/postmaster.pid" if server.name == "postgres" else "valkey.pid"
    return directory / "data" / name


def _write(url: str) -> None:
    if url.startswith("redis"):
        with redis.Redis.from_url(url) as client:
            client.set("kept", "yes")
    else:
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            connection.execute("CREATE TABLE kept (answer text)")
            connection.execute("INSERT INTO kept VALUES ('yes')")


def _read(url: str) -> object:
    if url.startswith("redis"):
        with redis.Redis.from_url(url, decode_responses=True) as client:
            return client.get("kept")
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        row = connection.execute("SELECT answer FROM kept").fetchone()
        return row[0] if row else None


def test_data_outlives_a_kill(make_server: MakeServer, directory: Path) -> None:
    server = make_server()
    command = server.prepare()
    with (directory / "log").open("ab") as log:
        process = spawn(command, log)
    _wait_until_ready(server, process)
    _write(server.url)
    process.kill()
    process.wait()
    server.release()
    with running(make_server(), directory / "log") as url:
        assert _read(url) == "yes"


def test_its_own_orphan_is_stopped(make_server: MakeServer, directory: Path) -> None:
    orphaned = make_server()
    with (directory / "log").open("ab") as log:
        process = spawn(orphaned.prepare(), log)
    _wait_until_ready(orphaned, process)
    orphaned.release()
    with running(make_server(), directory / "log"):
        assert process.wait(timeout=5) == 0, "it was asked to stop, not killed"


def test_a_stranger_with_the_same_process_id_is_left_alone(
    make_server: MakeServer, directory: Path, bystander: subprocess.Popen[bytes]
) -> None:
    with running(make_server(), directory / "log"):
        pass
    _pid_file(make_server(), directory).write_text(f"{bystander.pid}\n{directory}/data/cluster\n")
    with running(make_server(), directory / "log"):
        assert bystander.poll() is None


def test_a_directory_in_use_is_not_taken(make_server: MakeServer, directory: Path) -> None:
    with running(make_server(), directory / "log"), pytest.raises(DirectoryInUse):
        make_server().prepare()


def test_a_cluster_that_was_left_half_made_is_made_again(directory: Path) -> None:
    with running(PostgresServer(directory / "data", durable=False), directory / "log"):
        pass
    (directory / "data" / "password").unlink()
    (directory / "data" / "cluster" / "PG_VERSION").unlink()
    with running(PostgresServer(directory / "data", durable=False), directory / "log") as url:
        _write(url)
        assert _read(url) == "yes"


def test_a_database_whose_password_is_lost_is_not_made_again(directory: Path) -> None:
    with running(PostgresServer(directory / "data", durable=False), directory / "log") as url:
        _write(url)
    password = directory / "data" / "password"
    kept = password.rename(directory / "password")
    server = PostgresServer(directory / "data", durable=False)
    with pytest.raises(PostgresSetupFailed, match="password is gone"):
        server.prepare()
    server.release()
    kept.rename(password)
    with running(PostgresServer(directory / "data", durable=False), directory / "log") as url:
        assert _read(url) == "yes"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of a parent's end")
def test_a_child_ends_with_its_parent(directory: Path) -> None:
    program = (
        "import signal, sys, os; from pathlib import Path;"
        "from switchboard.services.command import Command, spawn;"
        "c = Command('c', (sys.executable, '-c', 'import time; time.sleep(120)'), Path('/'),"
        " parent_death_signal=signal.SIGTERM);"
        "print(spawn(c, open(os.devnull, 'wb')).pid, flush=True); os.kill(os.getpid(), 9)"
    )
    parent = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=False)
    assert parent.returncode == -signal.SIGKILL
    assert _gone(int(parent.stdout))


def _gone(pid: int) -> bool:
    import psutil

    try:
        process = psutil.Process(pid)
        process.wait(timeout=5)
    except psutil.NoSuchProcess:
        return True
    except psutil.TimeoutExpired:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    return True


def _wait_until_ready(server: EmbeddedServer, process: subprocess.Popen[bytes]) -> None:
    import time

    deadline = time.monotonic() + 20
    while not server.is_ready(process.pid):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_stop_kills_what_ignores_the_signal(directory: Path) -> None:
    deaf = "import signal; signal.signal(15, signal.SIG_IGN); print(flush=True); signal.pause()"
    command = Command("deaf", (sys.executable, "-c", deaf), cwd=directory)
    with (directory / "log").open("ab") as log:
        process = spawn(command, log)
    while not (directory / "log").stat().st_size:
        assert process.poll() is None
    stop(process, signal.SIGTERM, grace_seconds=0.1)
    assert process.returncode == -signal.SIGKILL
