from __future__ import annotations

import pytest
from starlette.datastructures import Headers

from control_plane.identity.accounts.sessions.authentication import SESSION_COOKIE
from control_plane.identity.request_limits.client_identity import (
    address_identity,
    credential_identity,
    is_publishable,
)


def identity(**headers: str) -> str | None:
    return credential_identity(Headers(headers))


def test_a_key_is_told_apart_from_others_and_not_kept() -> None:
    mine = identity(authorization="Bearer sb_secret_mine")
    assert mine == identity(authorization="bearer  sb_secret_mine")
    assert mine != identity(authorization="Bearer sb_secret_other")
    assert mine is not None
    assert "mine" not in mine


@pytest.mark.parametrize(
    ("authorization", "expected"),
    [
        ("Bearer sb_publishable_mine", True),
        ("bearer  sb_publishable_mine", True),
        ("Bearer \tsb_publishable_mine", True),
        ("Bearer sb_secret_mine", False),
        ("Basic sb_publishable_mine", False),
        ("Bearer", False),
    ],
)
def test_spaces_do_not_hide_a_publishable_key(authorization: str, expected: bool) -> None:
    assert is_publishable(Headers({"authorization": authorization})) is expected


def test_a_session_counts_where_there_is_no_key() -> None:
    cookie = f"theme=dark; {SESSION_COOKIE}=abc"
    session = identity(cookie=cookie)
    assert session is not None
    assert session == identity(cookie=f"{SESSION_COOKIE}=abc")
    assert session != identity(cookie=f"{SESSION_COOKIE}=abd")
    assert identity(cookie=cookie, authorization="Bearer x") == identity(authorization="Bearer x")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer"},
        {"authorization": "Basic c2I6c2I="},
        {"cookie": "theme=dark"},
        {"cookie": f"{SESSION_COOKIE}"},
        {"cookie": f"{SESSION_COOKIE}=;;=,\x00"},
    ],
)
def test_without_a_credential_there_is_none(headers: dict[str, str]) -> None:
    assert credential_identity(Headers(headers)) is None


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("a-unix-socket", "a-unix-socket"),
        (None, None),
    ],
)
def test_an_ipv6_subscriber_is_one_client(address: str | None, expected: str | None) -> None:
    assert address_identity(address) == expected
