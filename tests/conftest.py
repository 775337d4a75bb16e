"""Real servers for every test that wants one, and a plain word when a program is missing."""

from __future__ import annotations

import gc
import importlib.util
import os
import secrets
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager

import psycopg
import pytest
import redis
import structlog
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from switchboard.services.embedded_server import running
from switchboard.services.postgres import PostgresServer
from switchboard.services.valkey import ValkeyServer
from tests.short_directory import short_directory

TEST_ALL = "SWITCHBOARD_TEST_ALL"
"""Environment variable: with it, a test that lacks a program fails instead of being skipped."""
GARBAGE_OBJECTS = 20_000
"""A twentieth of the tests' processor time would go into smaller collections."""


def pytest_configure() -> None:
    """No example has a time limit of its own: a busy machine would break it. Tests have theirs.

    A logged exception is a plain traceback, as in our processes. The default is one with every
    frame's variables, which takes seconds: whole applications are among them.
    """
    for processor in structlog.get_config()["processors"]:
        if isinstance(processor, structlog.dev.ConsoleRenderer):
            processor.exception_formatter = structlog.dev.plain_traceback
    hypothesis_settings.register_profile("switchboard", deadline=None)
    hypothesis_settings.load_profile("switchboard")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keeps what collecting makes, a million objects that stay, out of every garbage collection,
    and lets more than the usual 700 objects come together before each."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(GARBAGE_OBJECTS)
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def alphabet_of_hypothesis() -> None:
    """Works out, before any test's clock runs, which characters ``st.text()`` draws from.

    On a new machine that takes seconds (afterwards it is in ``.hypothesis/``), and the first test
    that draws a text would fail hypothesis's check for slow strategies.
    """
    st.text().validate()


@pytest.fixture(scope="session")
def require_program() -> Callable[..., str]:
    """``require_program("chromium", …other names)`` → the path of the first one installed.

    Without any of them the test is skipped with the reason, or fails under ``TEST_ALL``.
    """

    def find(*names: str) -> str:
        for name in names:
            if path := shutil.which(name):
                return path
        reason = f"needs {' or '.join(names)}, which is not installed"
        if os.environ.get(TEST_ALL):
            pytest.fail(reason)
        pytest.skip(reason)

    return find


@pytest.fixture(scope="session")
def chromium(require_program: Callable[..., str]) -> str:
    """Path of the browser that browser tests drive."""
    return require_program("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One running PostgreSQL for the test session, with the template ``migrated``."""
    with short_directory("switchboard-postgres-") as directory:
        server = PostgresServer(directory / "postgres", durable=False)
        with running(server, directory / "postgres.log"):
            _make_template(server)
            yield server


@pytest.fixture(scope="session")
def postgres_administration(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    """A connection that makes and drops the tests' databases."""
    with _administration(postgres_server) as connection:
        yield connection


@pytest.fixture
def postgres_url(
    postgres_server: PostgresServer, postgres_administration: psycopg.Connection
) -> Iterator[str]:
    """A freshly migrated database of the test's own: ``postgresql+psycopg://…``."""
    name = f"test_{secrets.token_hex(6)}"
    postgres_administration.execute(f"CREATE DATABASE {name} TEMPLATE migrated STRATEGY FILE_COPY")
    yield postgres_server.database_url(name)
    postgres_administration.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def valkey_server_url() -> Iterator[str]:
    """One running Valkey for the test session."""
    with short_directory("switchboard-valkey-") as directory:
        server = ValkeyServer(directory / "valkey")
        with running(server, directory / "valkey.log") as url:
            yield url


@pytest.fixture(scope="session")
def valkey_administration(valkey_server_url: str) -> Iterator[redis.Redis]:
    """A connection that empties the tests' Valkey."""
    with redis.Redis.from_url(valkey_server_url) as client:
        yield client


@pytest.fixture
def valkey_url(valkey_server_url: str, valkey_administration: redis.Redis) -> str:
    """An empty Valkey: ``redis://…``."""
    valkey_administration.flushall()
    return valkey_server_url


def _make_template(server: PostgresServer) -> None:
    with _administration(server) as connection:
        connection.execute("CREATE DATABASE migrated")
    if importlib.util.find_spec("control_plane.migrate") is not None:
        from control_plane.migrate import migrate

        migrate(server.database_url("migrated"))


@contextmanager
def _administration(server: PostgresServer) -> Iterator[psycopg.Connection]:
    url = server.url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection
