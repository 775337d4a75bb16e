"""The addresses that an operator sets, checked before anything connects to them.

What an error says never repeats the address, because it may hold a password.
"""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

_DRIVER = "postgresql+psycopg"
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f]*:[0-9a-f:.]*")
"""A name, as ``AllowedHosts`` takes it, or an IPv6 address."""
_IN_A_PASSWORD = "in its password, write %23 for #, %2F for /, %3A for : and %40 for @"


def database_address(typed: str) -> str:
    """Takes the addresses that hosting services give out, and names the driver we use.

    Raises:
        ValueError: it is not the address of a PostgreSQL database.
    """
    # Imported here, so that commands start fast that work on no database.
    from psycopg import ProgrammingError
    from psycopg.conninfo import make_conninfo
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    scheme, separator, rest = typed.partition("://")
    if scheme in ("postgres", "postgresql"):
        scheme = _DRIVER
    try:
        address = make_url(scheme + separator + rest)
        # A second @ is one of the password, whose rest would be taken for a host and shown.
        is_ours = address.drivername == _DRIVER and "@" not in (address.host or "")
    except (ArgumentError, ValueError):
        is_ours = False
    if not is_ours:
        raise ValueError(
            "is not the address of a PostgreSQL database, such as "
            f"postgresql://user:password@db.internal:5432/name; {_IN_A_PASSWORD}"
        )
    try:
        make_conninfo(**dict.fromkeys(address.query, ""))
    except ProgrammingError as unknown:
        raise ValueError(
            f"has an option after its ? that PostgreSQL does not know: {unknown}".strip()
        ) from None
    return scheme + separator + rest


def redis_address(typed: str) -> str:
    """
    Raises:
        ValueError: it is not the address of a Redis or Valkey.
    """
    from redis import ConnectionPool

    try:
        ConnectionPool.from_url(typed).make_connection()
    except (TypeError, ValueError):
        raise ValueError(
            "is not the address of a Redis or Valkey, such as "
            f"redis://:password@redis.internal:6379/0; {_IN_A_PASSWORD}"
        ) from None
    return typed


def store_address(typed: str) -> str:
    """
    Raises:
        ValueError: it is not the address of an object store.
    """
    from obstore import parse_scheme
    from obstore.exceptions import BaseError

    try:
        parse_scheme(typed)
    except (BaseError, ValueError):
        raise ValueError(
            "is not the address of a store, such as s3://bucket/prefix, gs://bucket/prefix, "
            "az://container/prefix or file:///folder"
        ) from None
    return typed


def web_address(typed: str) -> str:
    """
    Raises:
        ValueError: it is not the address of a website.
    """
    try:
        parts = urlsplit(typed)
        _ = parts.port  # Looked at only now: it may be no number, or too high.
        is_host = _HOST.fullmatch(parts.hostname or "") is not None
        is_one = parts.scheme in ("http", "https") and is_host
    except ValueError:
        is_one = False
    if not is_one:
        raise ValueError("is not the address of a website, such as https://voice.example.com")
    return typed


DatabaseUrl = Annotated[str, AfterValidator(database_address)]
RedisUrl = Annotated[str, AfterValidator(redis_address)]
StoreUrl = Annotated[str, AfterValidator(store_address)]
WebUrl = Annotated[str, AfterValidator(web_address)]
