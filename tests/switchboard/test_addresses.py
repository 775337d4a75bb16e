"""The addresses that an operator sets."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from switchboard.addresses import database_address, redis_address, store_address, web_address


@pytest.mark.parametrize(
    ("check", "typed"),
    [
        (database_address, "postgresql+psycopg://user:pa#ss@db:5432/name?sslmode=require"),
        (database_address, "postgresql+psycopg://user@/name?host=/run/postgresql"),
        (redis_address, "rediss://:pass@redis:6380/1"),
        (redis_address, "unix:///run/valkey.sock"),
        (store_address, "s3://bucket/prefix"),
        (store_address, "file:///objects"),
        (web_address, "https://voice.example.com"),
        (web_address, "http://[::1]:8080"),
    ],
)
def test_a_good_address_stays_as_it_is(check: Callable[[str], str], typed: str) -> None:
    assert check(typed) == typed


@pytest.mark.parametrize(
    ("check", "typed", "right"),
    [
        (database_address, "postgres://user:secret@db:port/name", "postgresql://user:password@"),
        (database_address, "postgresql://user:sec@ret:5@db/name", "%3A for : and %40"),
        (database_address, "postgresql://user:pass@sec@db/name", "%3A for : and %40 for @"),
        (database_address, "mysql://user:secret@db/name", "postgresql://user:password@"),
        (database_address, "nonsense", "postgresql://user:password@"),
        (database_address, "postgres://user:secret@db/name?schema=public", 'option "schema"'),
        (redis_address, "redis://:sec#ret@redis:6379/0", "%23 for #"),
        (redis_address, "redis://redis:6379?ssl=true", "redis://:password@"),
        (redis_address, "http://redis:6379", "redis://:password@"),
        (store_address, "bucket/prefix", "s3://bucket/prefix"),
        (store_address, "s3://", "s3://bucket/prefix"),
        (web_address, "voice.example.com", "https://voice.example.com"),
        (web_address, "https://büro.example.com", "https://voice.example.com"),
        (web_address, "https://[voice", "https://voice.example.com"),
    ],
)
def test_what_is_no_address_is_said_with_one_that_is_right_and_without_its_password(
    check: Callable[[str], str], typed: str, right: str
) -> None:
    with pytest.raises(ValueError, match=r"^(is not the address|has an option)") as refused:
        check(typed)
    assert right in str(refused.value)
    assert "sec" not in str(refused.value)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
