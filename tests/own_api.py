"""The API in a process of its own, over an embedded PostgreSQL and Valkey; no media workers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import httpx2
import psycopg

from control_plane.migrate import migrate
from switchboard.services.embedded_server import running
from switchboard.services.ports import LOOPBACK, free_port
from switchboard.services.postgres import APP_LOGIN, SYSTEM_LOGIN, PostgresServer
from switchboard.services.valkey import ValkeyServer
from tests.free_worker import note_free_worker

START_SECONDS = 30.0
OPERATOR_TOKEN = "operator-token-of-the-tests"


@dataclass(frozen=True)
class OwnApi:
    url: str
    database_url: str
    """The owner's, for SQLAlchemy; ``psycopg_url`` is the same for psycopg."""
    app_url: str
    system_url: str
    """The logins with which processes serve."""
    redis_url: str

    @property
    def psycopg_url(self) -> str:
        return _plain(self.database_url)

    @property
    def operator(self) -> dict[str, str]:
        """Headers of the operator."""
        return {"Authorization": f"Bearer {OPERATOR_TOKEN}"}

    def open_account(self) -> tuple[UUID, str]:
        """A new tenant, and its secret key."""
        opened = httpx2.post(
            f"{self.url}/v1/operator/tenants",
            headers=self.operator,
            json={"name": "Tenant", "owner_email": "owner@example.com"},
        )
        answer = opened.raise_for_status().json()
        return UUID(answer["tenant_id"]), answer["api_key"]


@contextmanager
def own_api(
    log_path: Path | None = None, *, durable: bool = True, **environment: str
) -> Iterator[OwnApi]:
    """Run the API for the length of the ``with`` block, without rate limits and caps on calls. It
    believes that a media worker has free slots.

    Args:
        durable: ``False`` for a PostgreSQL into which much can be loaded fast: it does not wait
            for the disk, and never vacuums by itself.
    """
    # PostgreSQL's unprivileged user must be able to enter, and socket paths must be short.
    directory = Path(tempfile.mkdtemp(prefix="switchboard-api-"))
    directory.chmod(0o711)
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, directory, ignore_errors=True)
        postgres = PostgresServer(directory / "postgres", durable=durable)
        stack.enter_context(running(postgres, directory / "postgres.log"))
        with psycopg.connect(_plain(postgres.url), autocommit=True) as connection:
            connection.execute("CREATE DATABASE api")
        database_url = postgres.database_url("api")
        app_url = postgres.login_url(APP_LOGIN, "api")
        system_url = postgres.login_url(SYSTEM_LOGIN, "api")
        migrate(database_url, app_url=app_url, system_url=system_url)
        valkey = ValkeyServer(directory / "valkey")
        redis_url = stack.enter_context(running(valkey, directory / "valkey.log"))
        note_free_worker(redis_url)
        port = free_port()
        url = f"http://{LOOPBACK}:{port}"
        settings = {
            "SWITCHBOARD_DATA_DIR": str(directory),
            "SWITCHBOARD_APP_DATABASE_URL": app_url,
            "SWITCHBOARD_SYSTEM_DATABASE_URL": system_url,
            "SWITCHBOARD_REDIS_URL": redis_url,
            "SWITCHBOARD_SECRET_KEY": "a-secret-of-at-least-thirty-two-bytes",
            "SWITCHBOARD_OPERATOR_TOKEN": OPERATOR_TOKEN,
            "SWITCHBOARD_PORT": str(port),
            "SWITCHBOARD_REQUESTS_PER_MINUTE_PER_KEY": "0",
            "SWITCHBOARD_REQUESTS_PER_MINUTE_PER_ADDRESS": "0",
            "SWITCHBOARD_REFUSALS_PER_SECOND": "0",
            "SWITCHBOARD_CALLS_AT_ONCE_PER_TENANT": "0",
            "SWITCHBOARD_CALLS_NOT_JOINED_PER_TENANT": "0",
        }
        stack.enter_context(
            serving(
                ["-m", "switchboard", "api"], settings | environment, f"{url}/healthz", log_path
            )
        )
        yield OwnApi(url, database_url, app_url, system_url, redis_url)


@contextmanager
def serving(
    arguments: list[str], environment: dict[str, str], url: str, log_path: Path | None = None
) -> Iterator[None]:
    """A Python server process, from when it answers at ``url``."""
    with (log_path or Path(os.devnull)).open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *arguments], env=os.environ | environment, stdout=log, stderr=log
        )
    try:
        until_it_answers(process, url)
        yield
    finally:
        process.terminate()
        process.wait()


def until_it_answers(process: subprocess.Popen[bytes], url: str) -> None:
    """Raises ``TransportError`` if the process ends or takes longer than ``START_SECONDS``."""
    give_up_at = time.monotonic() + START_SECONDS
    while True:
        try:
            httpx2.get(url)
        except httpx2.TransportError:
            if process.poll() is not None or time.monotonic() > give_up_at:
                raise
            time.sleep(0.1)
        else:
            return


def _plain(url: str) -> str:
    return url.replace("postgresql+psycopg://", "postgresql://")
