"""The logins with which the API and the jobs process connect. They own nothing."""

from __future__ import annotations

from collections.abc import Mapping

import structlog
from psycopg import sql
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import URL, Connection, make_url, text
from sqlalchemy.exc import ProgrammingError

_log = structlog.get_logger(__name__)


class LoginNotPrepared(RuntimeError):
    """A login is missing, or not a member of its role, and the owner may not change that."""


def prepare_logins(connection: Connection, urls: Mapping[str, str]) -> None:
    """Create the logins of ``urls`` (by role), make them members and set their passwords.

    An owner that may not create roles leaves them as they are.

    Raises:
        LoginNotPrepared: then a login must have been prepared by hand, and was not.
    """
    for role, url in urls.items():
        login = make_url(url)
        try:
            with connection.begin_nested():
                _prepare(connection, role, login)
        except ProgrammingError as error:
            if not isinstance(error.orig, InsufficientPrivilege):
                raise
            if not _is_member(connection, role, login):
                raise LoginNotPrepared(
                    f"'{login.username}' cannot serve as {role}, and this login may not change"
                    f" that. As a superuser, run: CREATE ROLE {login.username} LOGIN PASSWORD '…';"
                    f" GRANT {role} TO {login.username} WITH INHERIT TRUE, SET FALSE;"
                ) from error
            _log.info("login_left_as_it_is", login=login.username, role=role)


def _prepare(connection: Connection, role: str, login: URL) -> None:
    name = sql.Identifier(login.username or "")
    if not _exists(connection, login):
        _run(connection, sql.SQL("CREATE ROLE {}").format(name))
    _run(
        connection,
        sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(name, _scrambled(connection, login)),
    )
    if login.username != role:
        _run(
            connection,
            sql.SQL("GRANT {} TO {} WITH INHERIT TRUE, SET FALSE").format(
                sql.Identifier(role), name
            ),
        )


def _scrambled(connection: Connection, login: URL) -> sql.Literal:
    """The password as PostgreSQL keeps it, so that it is in no log."""
    driver = connection.connection.driver_connection
    assert driver is not None
    scrambled = driver.pgconn.encrypt_password(
        (login.password or "").encode(), (login.username or "").encode(), b"scram-sha-256"
    )
    return sql.Literal(scrambled.decode())


def _run(connection: Connection, statement: sql.Composed) -> None:
    driver = connection.connection.driver_connection
    assert driver is not None
    connection.exec_driver_sql(statement.as_string(driver).replace("%", "%%"))


def _exists(connection: Connection, login: URL) -> bool:
    found = connection.scalar(
        text("SELECT true FROM pg_roles WHERE rolname = :name"), {"name": login.username}
    )
    return found is True


def _is_member(connection: Connection, role: str, login: URL) -> bool:
    return _exists(connection, login) and bool(
        connection.scalar(
            text("SELECT pg_has_role(:name, :role, 'USAGE')"),
            {"name": login.username, "role": role},
        )
    )
