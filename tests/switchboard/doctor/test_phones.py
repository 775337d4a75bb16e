"""What the doctor says of phone carriers, of the bridge's address and of its webhooks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from uuid import uuid4

import pytest
from redis import Redis

from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount
from contracts.sealing import Sealer, bridge_key
from switchboard.doctor.finding import Finding
from switchboard.doctor.phones import phones
from switchboard.settings import Settings
from tests.stand_ins.carriers.carrier import StandInCarrier
from tests.stand_ins.carriers.twilio import TwilioWire

SECRET = "a-secret-of-at-least-thirty-two-bytes"
SID, TOKEN = "AC" + "0" * 32, "f" * 32


@pytest.fixture
def account(valkey_url: str) -> Iterator[CarrierAccount]:
    credentials = {"provider": "twilio", "account_sid": SID, "auth_token": TOKEN}
    account = CarrierAccount(
        account_id=uuid4(),
        revision=1,
        provider="twilio",
        tenant_id=None,
        sealed_credentials=Sealer([bridge_key(SECRET)]).seal(json.dumps(credentials)),
    )
    with Redis.from_url(valkey_url) as redis:
        redis.delete(redis_names.CARRIER_ACCOUNTS)
        redis.hset(redis_names.CARRIER_ACCOUNTS, str(account.account_id), account.model_dump_json())
        yield account
        redis.delete(redis_names.CARRIER_ACCOUNTS)


@contextmanager
def bridge_that_answers(status: int) -> Iterator[str]:
    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def by_subject(findings: list[Finding]) -> dict[str, Finding]:
    return {finding.subject: finding for finding in findings}


async def examined(settings: Settings) -> dict[str, Finding]:
    return by_subject(await asyncio.to_thread(phones, settings))


def settings_of(tmp_path: Path, redis_url: str, **fields: str | None) -> Settings:
    return Settings(data_dir=tmp_path, redis_url=redis_url, secret_key=SECRET, **fields)


def test_an_installation_without_phones_hears_nothing(tmp_path: Path) -> None:
    assert phones(Settings(data_dir=tmp_path)) == []


async def test_the_carrier_is_asked_and_the_webhook_must_refuse_strangers(
    tmp_path: Path, valkey_url: str, account: CarrierAccount
) -> None:
    carrier = StandInCarrier(TwilioWire(SID, TOKEN))
    async with carrier.serving():
        with bridge_that_answers(403) as url:
            found = await examined(
                settings_of(
                    tmp_path,
                    valkey_url,
                    bridge_public_url=url,
                    twilio_base_url=carrier.base_url,
                )
            )
    assert found["Carriers"].level == "ok", found
    assert found["Phone webhooks"].level == "ok", found
    assert found["Phone address"].level == "warn", "carriers cannot call 127.0.0.1"


async def test_what_is_wrong_is_said_with_what_to_do(
    tmp_path: Path, valkey_url: str, account: CarrierAccount
) -> None:
    carrier = StandInCarrier(TwilioWire(SID, "another token" + "0" * 19))
    async with carrier.serving():
        with bridge_that_answers(200) as url:
            found = await examined(
                settings_of(
                    tmp_path,
                    valkey_url,
                    bridge_public_url=url,
                    twilio_base_url=carrier.base_url,
                )
            )
    assert found["Carriers"].level == "warn"
    assert "PATCH /v1/carriers" in found["Carriers"].remedy
    assert found["Phone webhooks"].level == "warn", "a stranger's webhook was accepted"


def test_accounts_without_an_address_are_noticed(
    tmp_path: Path, valkey_url: str, account: CarrierAccount
) -> None:
    settings = settings_of(tmp_path, valkey_url, twilio_base_url="http://127.0.0.1:1")
    found = by_subject(phones(settings))
    assert "SWITCHBOARD_BRIDGE_PUBLIC_URL" in found["Phone address"].remedy
    assert found["Carriers"].level == "warn"


def test_an_address_that_nobody_answers_is_noticed(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, bridge_public_url="https://127.0.0.1:1")
    found = by_subject(phones(settings))
    assert found["Phone webhooks"].level == "warn"
