"""What the control plane and the telephony bridges tell each other about phones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from pydantic import ValidationError

from contracts.carrier_accounts import CarrierAccount, media_url, status_url, voice_url
from contracts.dialing import DialRequest
from contracts.inbound_calls import (
    InboundAdmitted,
    InboundCall,
    InboundRefusal,
    InboundRefused,
    InboundReply,
)
from contracts.sealing import CannotOpen, Sealer, bridge_key, derived_key
from contracts.versions import read_json

ACCOUNT = UUID("0f5a6c1e-0000-7000-8000-000000000001")
SECRET = "a secret of at least thirty-two bytes"


def test_webhooks_and_the_socket_name_carrier_and_account() -> None:
    base = f"phones.example.com/carriers/twilio/{ACCOUNT}"
    assert voice_url("https://phones.example.com/", "twilio", ACCOUNT) == f"https://{base}/voice"
    assert status_url("https://phones.example.com", "twilio", ACCOUNT) == f"https://{base}/status"
    assert media_url("https://phones.example.com", "twilio", ACCOUNT) == f"wss://{base}/media"
    assert media_url("http://127.0.0.1:1", "twilio", ACCOUNT).startswith("ws://127.0.0.1:1/")


def test_the_bridges_key_does_not_open_what_is_sealed_at_rest() -> None:
    at_rest = Sealer([derived_key(SECRET)]).seal("a provider key")
    with pytest.raises(CannotOpen):
        Sealer([bridge_key(SECRET)]).open(at_rest)
    assert bridge_key(SECRET) == bridge_key(SECRET)


@pytest.mark.parametrize(
    "body",
    [
        InboundRefused(kind=InboundRefusal.NO_AGENT, detail="no agent answers +14155550100"),
        InboundAdmitted(
            call_id=uuid4(),
            tenant_id=uuid4(),
            participant_id=uuid4(),
            attempt_id=uuid4(),
            telephony_leg_id=uuid4(),
            from_number=None,
            to_number="+14155550100",
        ),
    ],
)
def test_a_reply_survives_the_wire(body: InboundAdmitted | InboundRefused) -> None:
    reply = InboundReply(request_id=uuid4(), body=body)
    assert read_json(InboundReply, reply.model_dump_json()) == reply


def test_a_request_without_an_account_is_written_as_release_0_1_wrote_it() -> None:
    request = DialRequest(
        attempt_id=uuid4(),
        telephony_leg_id=uuid4(),
        call_id=uuid4(),
        tenant_id=uuid4(),
        participant_id=uuid4(),
        carrier="simulated",
        to_number="+14155550100",
        from_number="+14155550101",
        ring_timeout_seconds=30,
        dial_before=datetime.now(UTC) + timedelta(seconds=20),
    )
    assert "account_id" not in request.model_dump_json()
    with_account = request.model_copy(update={"account_id": ACCOUNT})
    assert read_json(DialRequest, with_account.model_dump_json()) == with_account


def test_an_account_of_the_installation_has_no_tenant() -> None:
    account = CarrierAccount(
        account_id=ACCOUNT,
        revision=1,
        provider="vonage",
        tenant_id=None,
        sealed_credentials=Sealer([bridge_key(SECRET)]).seal("{}"),
    )
    assert read_json(CarrierAccount, account.model_dump_json()) == account


@pytest.mark.parametrize("field", ["carrier_call_id", "from_number", "to_number", "bridge_id"])
@pytest.mark.parametrize("text", ["a\x00b", "a\n\x00", "half a pair \ud83d"])
def test_an_inbound_call_has_no_text_that_postgresql_cannot_store(field: str, text: str) -> None:
    right = {
        "request_id": uuid4(),
        "account_id": ACCOUNT,
        "provider": "twilio",
        "carrier_call_id": "CA1",
        "from_number": "sip:ada@exämple.com",
        "to_number": "+14155550100",
        "bridge_id": "b-1",
        "answer_before": datetime.now(UTC),
    }
    InboundCall.model_validate(right)
    with pytest.raises(ValidationError, match=field):
        InboundCall.model_validate(right | {field: text})
