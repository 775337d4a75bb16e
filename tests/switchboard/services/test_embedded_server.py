"""The embedded servers as everybody else meets them."""

from __future__ import annotations

import psycopg
import pytest
import redis


def _connect(url: str) -> psycopg.Connection:
    return psycopg.connect(url.replace("+psycopg", ""), autocommit=True)


class TestPostgres:
    def test_login_is_no_superuser_so_that_row_level_security_holds(
        self, postgres_url: str
    ) -> None:
        with _connect(postgres_url) as connection:
            row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
            assert row.fetchone() == (False,)

    def test_vectors_are_there_without_a_superuser(self, postgres_url: str) -> None:
        with _connect(postgres_url) as connection:
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
            row = connection.execute("SELECT '[3,4]'::vector <-> '[0,0]'::vector")
            assert row.fetchone() == (5.0,)

    def test_wrong_password_is_refused(self, postgres_url: str) -> None:
        user, rest = postgres_url.split("@")
        wrong = user.rsplit(":", 1)[0] + ":wrong@" + rest
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            _connect(wrong)


class TestValkey:
    def test_every_test_begins_with_an_empty_server(self, valkey_url: str) -> None:
        with redis.Redis.from_url(valkey_url) as client:
            assert client.dbsize() == 0
            client.set("left", "behind")

    def test_what_another_test_wrote_is_gone(self, valkey_url: str) -> None:
        with redis.Redis.from_url(valkey_url) as client:
            assert client.dbsize() == 0
            client.set("left", "behind")

    def test_without_the_password_nothing_is_answered(self, valkey_url: str) -> None:
        bare = valkey_url.split("@")[1]
        with (
            redis.Redis.from_url(f"redis://{bare}") as client,
            pytest.raises(redis.AuthenticationError),
        ):
            client.ping()
