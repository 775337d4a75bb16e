from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import jwt
import pytest

from control_plane.calling.realtime.access_token import (
    InvalidAccessToken,
    RoomAccess,
    decode_access,
    encode_access,
)

SECRET = "a secret of at least thirty-two bytes"
ACCESS = RoomAccess(participant_id=UUID(int=1), call_id=UUID(int=2), tenant_id=UUID(int=3))
HOUR = timedelta(hours=1)


def now() -> datetime:
    return datetime.now(UTC)


def test_a_token_says_who_may_enter_which_room() -> None:
    assert decode_access(encode_access(ACCESS, SECRET, now(), HOUR), SECRET) == ACCESS


def test_an_expired_token_is_refused_as_expired() -> None:
    token = encode_access(ACCESS, SECRET, now() - 2 * HOUR, HOUR)
    with pytest.raises(InvalidAccessToken, match="expired"):
        decode_access(token, SECRET)


def test_a_token_signed_with_another_secret_is_refused() -> None:
    token = encode_access(ACCESS, SECRET[::-1], now(), HOUR)
    with pytest.raises(InvalidAccessToken, match="not valid"):
        decode_access(token, SECRET)


def test_an_unsigned_token_is_refused() -> None:
    claims = jwt.decode(
        encode_access(ACCESS, SECRET, now(), HOUR), options={"verify_signature": False}
    )
    with pytest.raises(InvalidAccessToken, match="not valid"):
        decode_access(jwt.encode(claims, "", algorithm="none"), SECRET)


def test_a_token_for_another_purpose_is_refused() -> None:
    claims = jwt.decode(
        encode_access(ACCESS, SECRET, now(), HOUR), options={"verify_signature": False}
    )
    token = jwt.encode(claims | {"aud": "session"}, SECRET, algorithm="HS256")
    with pytest.raises(InvalidAccessToken, match="not an access token"):
        decode_access(token, SECRET)


@pytest.mark.parametrize("claim", ["sub", "call_id", "tenant_id", "exp", "aud"])
def test_a_token_without_one_of_its_claims_is_refused(claim: str) -> None:
    claims = jwt.decode(
        encode_access(ACCESS, SECRET, now(), HOUR), options={"verify_signature": False}
    )
    del claims[claim]
    with pytest.raises(InvalidAccessToken):
        decode_access(jwt.encode(claims, SECRET, algorithm="HS256"), SECRET)


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "é" * 40])
def test_rubbish_is_refused(token: str) -> None:
    with pytest.raises(InvalidAccessToken):
        decode_access(token, SECRET)


def test_an_id_that_is_no_uuid_is_refused() -> None:
    claims = jwt.decode(
        encode_access(ACCESS, SECRET, now(), HOUR), options={"verify_signature": False}
    )
    token = jwt.encode(claims | {"call_id": "room-1"}, SECRET, algorithm="HS256")
    with pytest.raises(InvalidAccessToken, match="not valid"):
        decode_access(token, SECRET)
