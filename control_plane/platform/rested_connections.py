"""Finds out before a pooled connection is used whether PostgreSQL has closed it meanwhile.

``pool_pre_ping`` of SQLAlchemy asks the server each time, which is a round trip for every session.
A server that has gone has told this machine so: then there is something to read on the connection,
which costs no round trip to see.
"""

from __future__ import annotations

import select
import time
from typing import Any

from sqlalchemy import event
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine

LONG_REST_SECONDS = 30.0
"""After which the server is asked in any case: a network may have dropped the connection without a
word."""
_RESTED_SINCE = "rested_since"


def check_after_rest(engine: AsyncEngine) -> None:
    """Replace every connection of the pool when one turns out to be closed."""
    dialect = engine.dialect

    @event.listens_for(engine.sync_engine, "checkin")
    def _rest(_connection: Any, record: Any) -> None:
        record.info[_RESTED_SINCE] = time.monotonic()

    @event.listens_for(engine.sync_engine, "checkout")
    def _check(connection: Any, record: Any, _fairy: Any) -> None:
        since = record.info.get(_RESTED_SINCE)
        if since is None:
            return
        has_rested_long = time.monotonic() - since > LONG_REST_SECONDS
        if not has_rested_long and not _has_something_to_read(connection):
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            if dialect.is_disconnect(error, connection, None):
                raise InvalidatePoolError from error
            raise


def _has_something_to_read(connection: Any) -> bool:
    """An idle connection has nothing to read, unless the server has closed it or sent a notice."""
    pgconn = connection.driver_connection.pgconn
    if pgconn.socket < 0:
        return True
    poll = select.poll()
    poll.register(pgconn.socket, select.POLLIN)
    return bool(poll.poll(0))
