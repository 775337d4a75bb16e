from uuid import UUID

import pytest
from pydantic import ValidationError

from contracts.ice_servers import TURN_CREDENTIALS_SECONDS, IceServer, ice_servers
from contracts.ice_settings import IceSettings

CALL = UUID(int=7)
STUN, TURN = "stun:stun.example.net", "turn:turn.example.net?transport=udp"


def test_time_limited_credentials_are_those_that_coturn_expects() -> None:
    """The password: ``echo -n USERNAME | openssl dgst -sha1 -hmac SECRET -binary | base64``."""
    settings = IceSettings(ice_servers=(STUN, TURN), turn_secret="north")
    plain, relay = ice_servers(settings, CALL, 1_000_000.9)
    assert plain == IceServer(urls=(STUN,))
    assert relay.urls == (TURN,)
    assert relay.username == f"{1_000_000 + TURN_CREDENTIALS_SECONDS}:{CALL}"
    assert relay.credential == "9zccIE9kMPDRQkIrYNSbUb6iPPI="


def test_static_credentials_are_handed_on() -> None:
    settings = IceSettings(ice_servers=(TURN,), turn_username="ada", turn_credential="pass")
    assert ice_servers(settings, CALL, 0.0) == (
        IceServer(urls=(TURN,), username="ada", credential="pass"),
    )


@pytest.mark.parametrize(
    "credentials",
    [
        {},
        {"turn_username": "ada"},
        {"turn_username": "ada", "turn_credential": "pass", "turn_secret": "north"},
    ],
)
def test_a_turn_server_has_one_kind_of_credentials(credentials: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="TURN"):
        IceSettings(ice_servers=(TURN,), **credentials)


def test_schemes_are_written_in_any_case() -> None:
    with pytest.raises(ValidationError, match="needs credentials"):
        IceSettings(ice_servers=("TURN:turn.example.net",))
    settings = IceSettings(ice_servers=("Turns:Relay.example.net",), turn_secret="north")
    [relay] = ice_servers(settings, CALL, 0.0)
    assert relay.urls == ("turns:Relay.example.net",)
    assert relay.credential is not None


@pytest.mark.parametrize("value", ["pässword", "pass\nword", "pass\x00"])
@pytest.mark.parametrize("name", ["turn_username", "turn_credential"])
def test_static_credentials_travel_in_a_header(name: str, value: str) -> None:
    given = {"turn_username": "ada", "turn_credential": "pass"} | {name: value}
    with pytest.raises(ValidationError, match="printable ASCII"):
        IceSettings(ice_servers=(TURN,), **given)


def test_secrets_are_not_shown() -> None:
    settings = IceSettings(ice_servers=(TURN,), turn_secret="north-secret")
    assert "north-secret" not in repr(settings)
