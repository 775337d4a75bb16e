"""PostgreSQL: two roles, one transaction per session, and a deadline for each.

Requests run as ``switchboard_app``, which row-level security confines to one tenant; jobs run as
``switchboard_system``, which sees every tenant. Each has a login of its own, and neither owns the
tables. Where there is only one login, each transaction assumes its role. A connection never keeps a
role, so a pooler between us and PostgreSQL cannot hand it on.

Every round trip counts: each request makes them one after the other. So connections are in
autocommit mode, and a transaction begins with one message that also says its role and tenant; the
driver and SQLAlchemy would send two or three.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import psycopg
from psycopg import waiting
from psycopg.abc import PQGen
from pydantic_core import from_json
from sqlalchemy import BigInteger, DateTime, MetaData, Table, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase

from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.rested_connections import check_after_rest

APP_ROLE = "switchboard_app"
SYSTEM_ROLE = "switchboard_system"

_WAKE_EVERY_SECONDS = 0.1
"""The interval that psycopg uses for its own connections. The default of its waiting function is 0,
which keeps the event loop busy while PostgreSQL works."""

_OUT_OF_REACH = (psycopg.OperationalError, OperationalError, InterfaceError, PoolTimeout)
_AFTER_COMMIT = "after_commit"
_Value = TypeVar("_Value")


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy declares it like this
        datetime: DateTime(timezone=True),
        int: BigInteger,
        dict[str, Any]: JSONB,
    }


def table_of(model: type[Base]) -> Table:
    """The table of a mapped class, for statements that do not need the mapper."""
    table = model.__table__
    assert isinstance(table, Table)
    return table


def storable(text: str) -> str:
    """``text`` without U+0000 and without halves of surrogate pairs: text columns hold neither."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def after_commit(session: AsyncSession, act: Callable[[], None]) -> None:
    """Call ``act`` once the transaction of ``session`` is committed, and never if it is not."""
    session.info.setdefault(_AFTER_COMMIT, []).append(act)


class Database:
    """The connection pools of one process.

    Args:
        url: ``postgresql+psycopg://…``, with the login for requests.
        system_url: the same with the login for jobs. ``None``: one login serves as both roles, of
            which it must be a member.
        deadline_seconds: The longest duration of a transaction, including connecting. After it the
            transaction is abandoned with ``DatabaseUnavailable``, whatever the server is doing.
        pool_size: The most connections per role. Those that were opened are kept: to open one takes
            the processor as long as a request does, and just when there are many.
    """

    def __init__(
        self,
        url: str,
        *,
        system_url: str | None = None,
        deadline_seconds: float = 5.0,
        pool_size: int = 20,
    ) -> None:
        self._deadline_seconds = deadline_seconds
        self._app = _engine(url, APP_ROLE, deadline_seconds, pool_size)
        self._system = _engine(system_url or url, SYSTEM_ROLE, deadline_seconds, pool_size)
        has_one_login = system_url is None
        self._app_begin = _begin_as(APP_ROLE) if has_one_login else "BEGIN"
        self._system_begin = _begin_as(SYSTEM_ROLE) if has_one_login else "BEGIN"
        self._statements_begin = self._system_begin if has_one_login else None

    @asynccontextmanager
    async def tenant_session(self, tenant_id: UUID) -> AsyncIterator[AsyncSession]:
        """One transaction confined to the tenant; committed at the end, rolled back on an error.

        Raises:
            DatabaseUnavailable: PostgreSQL is down, or the deadline has passed.
        """
        begin = f"{self._app_begin}; SET LOCAL switchboard.tenant_id = '{tenant_id}'"
        async with self._transaction(self._app, begin) as session:
            yield session

    @asynccontextmanager
    async def system_session(self) -> AsyncIterator[AsyncSession]:
        """One transaction over every tenant, for jobs and for authentication.

        Raises:
            DatabaseUnavailable: PostgreSQL is down, or the deadline has passed.
        """
        async with self._transaction(self._system, self._system_begin) as session:
            yield session

    @asynccontextmanager
    async def system_statements(self) -> AsyncIterator[AsyncSession]:
        """For single statements over every tenant. With a login of its own, each is its own
        transaction, which saves the round trips of BEGIN and COMMIT.

        Raises:
            DatabaseUnavailable: PostgreSQL is down, or the deadline has passed.
        """
        async with self._transaction(self._system, self._statements_begin) as session:
            yield session

    async def ping(self) -> None:
        """
        Raises:
            DatabaseUnavailable: PostgreSQL is down, or the deadline has passed.
        """
        async with self.system_session() as session:
            await session.execute(text("SELECT 1"))

    async def answers(self) -> bool:
        """Whether PostgreSQL answers now."""
        try:
            await self.ping()
        except DatabaseUnavailable:
            return False
        return True

    async def aclose(self) -> None:
        await self._app.dispose()
        await self._system.dispose()

    @asynccontextmanager
    async def _transaction(
        self, engine: AsyncEngine, begin: str | None
    ) -> AsyncIterator[AsyncSession]:
        deadline = asyncio.timeout(self._deadline_seconds)
        try:
            async with (
                deadline,
                AsyncSession(engine, expire_on_commit=False) as session,
                session.begin(),
            ):
                if begin is not None:
                    await _send(session, begin)
                yield session
            for act in session.info.pop(_AFTER_COMMIT, ()):
                act()
        except _OUT_OF_REACH as error:
            raise DatabaseUnavailable from error
        except DBAPIError as error:
            if error.connection_invalidated:
                raise DatabaseUnavailable from error
            raise
        except TimeoutError as error:
            if deadline.expired():
                raise DatabaseUnavailable from error
            raise


def _engine(url: str, role: str, deadline_seconds: float, pool_size: int) -> AsyncEngine:
    engine = create_async_engine(
        url,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=deadline_seconds,
        pool_use_lifo=True,
        isolation_level="AUTOCOMMIT",
        json_deserializer=from_json,
        connect_args={
            "async_creator_fn": _PromptConnection.connect,
            "application_name": role,
            # Times come as those of UTC, whatever the server's time zone is: mails and invoices say
            # them. The server also gives up, so that an abandoned transaction keeps no locks.
            "options": "-c timezone=UTC"
            f" -c statement_timeout={int(deadline_seconds * 1000)}"
            f" -c idle_in_transaction_session_timeout={int(deadline_seconds * 2000)}",
        },
    )
    check_after_rest(engine)
    return engine


def _begin_as(role: str) -> str:
    return f"BEGIN; SET LOCAL ROLE {role}"


async def _send(session: AsyncSession, statements: str) -> None:
    """Several statements in one message. Straight to the driver, which must not prepare them:
    PostgreSQL prepares only single ones."""
    connection = await session.connection()
    driver = (await connection.get_raw_connection()).driver_connection
    assert isinstance(driver, psycopg.AsyncConnection)
    try:
        await driver.execute(statements.encode(), prepare=False)
    except BaseException:
        # SQLAlchemy does so for what it sends: nobody knows how far the server has come.
        await connection.invalidate()
        raise


class _PromptConnection(psycopg.AsyncConnection[Any]):
    """A connection that is closed at once when its task is cancelled.

    psycopg asks the server to cancel and waits up to ten seconds for the answer. A server that
    hangs never answers, so the deadline would be missed. Closing the socket is enough: the pool
    replaces the connection, and the server's own timeouts end the query."""

    async def wait(
        self,
        gen: PQGen[_Value],
        interval: float = _WAKE_EVERY_SECONDS,
        timeout: float | None = None,  # noqa: ASYNC109 - the signature is psycopg's
    ) -> _Value:
        try:
            return await waiting.wait_async(gen, self.pgconn.socket, interval, timeout)
        except asyncio.CancelledError:
            self.pgconn.finish()
            raise
