"""A bridge on a real Valkey, a Twilio account in it, and the worker's and control plane's ends."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from cryptography.fernet import Fernet
from redis.asyncio import Redis

from carriers.account import CarrierName
from carriers.settings import CarrierSettings
from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount, RefuseWith
from contracts.dialing import DialReport, DialRequest
from contracts.heartbeat import WorkerHeartbeat
from contracts.inbound_calls import (
    InboundAdmitted,
    InboundCall,
    InboundRefusal,
    InboundRefused,
    InboundReply,
)
from contracts.phone_media import LegAddress
from contracts.sealing import Sealer
from contracts.versions import read_json
from link.connection import connect
from runtime.media.local_room import LocalRoom
from runtime.media.phones.listener import AdmitLeg, PhoneListener
from switchboard.services.ports import free_port
from telephony_bridge.bridge import run_bridge
from telephony_bridge.settings import BridgeSettings
from tests.stand_ins.webhook_receiver import WebhookReceiver
from tests.telephony_bridge.twilio_line import (
    ACCOUNT_SID,
    AUTH_TOKEN,
    CALLER,
    OUR_NUMBER,
    TwilioLine,
)

PUBLIC_URL = "https://phones.example.com"
KEY = Fernet.generate_key().decode()


class ControlPlaneEnd:
    """Answers inbound calls, as a test tells it to, and reads what is reported."""

    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self.admitted = InboundAdmitted(
            call_id=uuid4(),
            tenant_id=uuid4(),
            participant_id=uuid4(),
            attempt_id=uuid4(),
            telephony_leg_id=uuid4(),
            from_number=CALLER,
            to_number=OUR_NUMBER,
        )
        self.refusal: InboundRefusal | None = None
        self.asked: list[InboundCall] = []
        self.is_over = False

    async def answer(self) -> None:
        """Until ``is_over``: a cancelled command of this client may go on."""
        position = "0-0"
        while not self.is_over:
            found = await self._redis.xread({redis_names.INBOUND_CALLS: position}, block=200)
            for _, entries in found or []:
                for entry_id, fields in entries:
                    position = entry_id
                    call = read_json(InboundCall, fields[redis_names.FIELD])
                    self.asked.append(call)
                    body = (
                        InboundRefused(kind=self.refusal, detail="as told")
                        if self.refusal
                        else self.admitted
                    )
                    reply = InboundReply(request_id=call.request_id, body=body)
                    key = redis_names.reply(call.request_id)
                    await self._redis.lpush(key, reply.model_dump_json())

    async def reports(self) -> list[DialReport]:
        entries = await self._redis.xrange(redis_names.DIAL_REPORT_STREAM)
        return [read_json(DialReport, fields[redis_names.FIELD]) for _, fields in entries]

    async def keep_account(
        self, account_id: UUID, auth_token: str = AUTH_TOKEN, refuse_with: RefuseWith = "sentence"
    ) -> None:
        credentials = {"account_sid": ACCOUNT_SID, "auth_token": auth_token}
        account = CarrierAccount(
            account_id=account_id,
            revision=1,
            provider="twilio",
            tenant_id=None,
            sealed_credentials=Sealer([KEY]).seal(json.dumps(credentials)),
            refuse_with=refuse_with,
        )
        await self._redis.hset(
            redis_names.CARRIER_ACCOUNTS, str(account_id), account.model_dump_json()
        )


def dial_request(admitted: InboundAdmitted, account_id: UUID) -> DialRequest:
    """The other way around: our number calls the person."""
    return DialRequest(
        attempt_id=admitted.attempt_id,
        telephony_leg_id=admitted.telephony_leg_id,
        call_id=admitted.call_id,
        tenant_id=admitted.tenant_id,
        participant_id=admitted.participant_id,
        carrier="twilio",
        to_number=CALLER,
        from_number=OUR_NUMBER,
        ring_timeout_seconds=30,
        dial_before=datetime.now(UTC),
        account_id=account_id,
    )


class WorkerEnd:
    """A room behind a real listener, and what a worker keeps in Redis."""

    def __init__(self, redis: Redis, call_id: UUID) -> None:
        self._redis = redis
        self.call_id = call_id
        self.room = LocalRoom("phone")
        self.listener = PhoneListener(self._find)

    async def start(self) -> None:
        port = await self.listener.start("127.0.0.1", 0)
        heartbeat = WorkerHeartbeat(
            worker_id="w-1",
            sent_at=datetime.now(UTC),
            state="ready",
            slots_total=1,
            slots_used=1,
            media_address=f"ws://127.0.0.1:{port}",
        )
        await self._redis.set(redis_names.worker_heartbeat("w-1"), heartbeat.model_dump_json())
        await self._redis.set(redis_names.worker_media_secret("w-1"), self.listener.secret)
        await self._redis.set(redis_names.call_lease(self.call_id), "w-1")

    async def _find(self, leg: LegAddress) -> AdmitLeg:
        assert leg.call_id == self.call_id
        return self.room.add_leg

    async def aclose(self) -> None:
        await self.room.aclose()
        await self.listener.aclose()


@pytest.fixture
async def redis(valkey_url: str) -> AsyncIterator[Redis]:
    """As the bridge connects. A plain client forgets cancellations, and with them deadlines."""
    async with connect(
        valkey_url,
        connect_timeout_seconds=5.0,
        answer_timeout_seconds=5.0,
        longest_block_seconds=5.0,
    ) as client:
        yield client


@pytest.fixture
async def control_plane(redis: Redis) -> AsyncIterator[ControlPlaneEnd]:
    end = ControlPlaneEnd(redis)
    answering = asyncio.create_task(end.answer())
    yield end
    end.is_over = True
    await answering


@pytest.fixture
async def worker(redis: Redis, control_plane: ControlPlaneEnd) -> AsyncIterator[WorkerEnd]:
    end = WorkerEnd(redis, control_plane.admitted.call_id)
    await end.start()
    yield end
    await end.aclose()


@pytest.fixture
async def twilio_api() -> AsyncIterator[WebhookReceiver]:
    """Twilio's REST API: answers everything with success and keeps what it was asked."""
    async with WebhookReceiver(answer='{"sid": "CA2"}').serving() as receiver:
        yield receiver


@pytest.fixture
async def line(
    valkey_url: str, control_plane: ControlPlaneEnd, twilio_api: WebhookReceiver
) -> AsyncIterator[TwilioLine]:
    """A running bridge with one account."""
    account_id = uuid4()
    await control_plane.keep_account(account_id)
    port = free_port()
    base_url = twilio_api.url.removesuffix("/hooks")
    settings = BridgeSettings(
        redis_url=valkey_url,
        bridge_id="b-1",
        port=port,
        public_url=PUBLIC_URL,
        account_key=KEY,
        carriers=CarrierSettings(base_urls={CarrierName.TWILIO: base_url}),
    )
    stop = asyncio.Event()
    running = asyncio.create_task(run_bridge(settings, stop))
    try:
        await _until_listening(port, running)
        yield TwilioLine(PUBLIC_URL, f"http://127.0.0.1:{port}", str(account_id))
    finally:
        stop.set()
        await running


async def _until_listening(port: int, running: asyncio.Task[None]) -> None:
    async with asyncio.timeout(20):
        while True:
            if running.done():
                running.result()
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.02)
            else:
                writer.close()
                return
