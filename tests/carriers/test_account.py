from __future__ import annotations

import pytest
from pydantic import SecretStr, ValidationError

from carriers.account import CarrierName, VonageCredentials, read_credentials, revealed
from carriers.vonage.application_key import new_private_key
from tests.carriers.accounts import TELNYX, TWILIO, VONAGE, account_at, vonage_with_application

_ACCOUNT = "AC00000000000000000000000000000001"


@pytest.mark.parametrize("carrier", CarrierName)
def test_sealed_credentials_come_back_whole(carrier: CarrierName) -> None:
    assert read_credentials(revealed(account_at(carrier))) == account_at(carrier)


@pytest.mark.parametrize("carrier", CarrierName)
def test_no_secret_shows_in_a_log_or_a_json_document(carrier: CarrierName) -> None:
    credentials = account_at(carrier)
    secrets = [value.get_secret_value() for _, value in credentials if isinstance(value, SecretStr)]
    assert secrets
    shown = f"{credentials!r} {credentials} {credentials.model_dump_json()}"
    assert not [secret for secret in secrets if secret in shown]


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ({"provider": "bandwidth"}, "provider"),
        ({"provider": "twilio", "account_sid": "AC1", "auth_token": "x"}, "account_sid"),
        ({"provider": "twilio", "account_sid": _ACCOUNT, "auth_token": "x y"}, "spaces"),
        ({"provider": "twilio", "account_sid": _ACCOUNT, "auth_token": "ключ"}, "ASCII"),
        ({"provider": "twilio", "account_sid": _ACCOUNT, "auth_token": ""}, "auth_token"),
        ({"provider": "telnyx", "api_key": "k", "public_key": "c2hvcnQ="}, "32 bytes"),
        ({"provider": "telnyx", "api_key": "k", "public_key": "не base64"}, "32 bytes"),
        ({"provider": "plivo", "auth_id": "MA/../x", "auth_token": "t"}, "auth_id"),
    ],
)
def test_what_cannot_be_right_is_refused_in_words(document: dict[str, str], names: str) -> None:
    with pytest.raises(ValidationError, match=names):
        read_credentials(document)


def test_an_application_of_vonage_needs_its_key_and_the_key_its_application() -> None:
    for missing in ("application_id", "private_key"):
        document = revealed(vonage_with_application())
        del document[missing]
        with pytest.raises(ValidationError, match="together"):
            read_credentials(document)


def test_a_private_key_must_be_an_rsa_key_in_pem() -> None:
    document = revealed(vonage_with_application()) | {"private_key": "-----BEGIN nothing-----"}
    with pytest.raises(ValidationError, match="PEM"):
        read_credentials(document)
    assert read_credentials(document | {"private_key": new_private_key()})


def test_credentials_of_one_carrier_are_not_read_as_another_ones() -> None:
    with pytest.raises(ValidationError):
        read_credentials(revealed(TWILIO) | {"provider": "telnyx"})
    assert isinstance(read_credentials(revealed(VONAGE)), VonageCredentials)
    assert read_credentials(revealed(TELNYX)) == TELNYX
