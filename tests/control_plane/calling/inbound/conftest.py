from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from contracts.inbound_calls import InboundAdmitted, InboundCall, InboundRefused, InboundReply
from contracts.versions import read_json
from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.calling.inbound.consumer import InboundConsumer
from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from control_plane.platform.link.redis_client import connect
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.carriers.conftest import access, linked_settings, settings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.linked import consumer, redis, worker

__all__ = ["access", "consumer", "linked_settings", "redis", "settings", "worker"]

NUMBER = "+14155550100"
CALLER = "+14155550142"


@dataclass
class Bridge:
    """A bridge's side of inbound calls, beside the consumer of a jobs process."""

    redis: Redis
    database: Database
    consumer: InboundConsumer

    async def account(self, tenant_id: UUID | None, **fields: Any) -> UUID:
        account_id = uuid4()
        async with self.database.system_session() as session:
            session.add(
                CarrierAccountRecord(
                    id=account_id,
                    tenant_id=tenant_id,
                    provider="twilio",
                    name="Twilio",
                    sealed_credentials="not needed here",
                )
            )
        return account_id

    async def number(self, tenant: TenantClient, agent_id: UUID | None, **fields: Any) -> None:
        async with self.database.system_session() as session:
            session.add(
                Number(tenant_id=tenant.tenant_id, number=NUMBER, agent_id=agent_id, **fields)
            )

    async def ask(
        self, account_id: UUID, call_id: str, **fields: Any
    ) -> InboundAdmitted | InboundRefused | None:
        """What the control plane answers; ``None``: nothing."""
        call = InboundCall(
            **{
                "request_id": uuid4(),
                "account_id": account_id,
                "provider": "twilio",
                "carrier_call_id": call_id,
                "from_number": CALLER,
                "to_number": NUMBER,
                "bridge_id": "bridge-of-the-test",
                "answer_before": datetime.now(UTC) + timedelta(seconds=60),
            }
            | fields
        )
        document = {redis_names.FIELD: call.model_dump_json()}
        await self.redis.xadd(redis_names.INBOUND_CALLS, document)
        for entry in await self.consumer.stream.read_new():
            await self.consumer.handle(entry)
        reply = await self.redis.lpop(redis_names.reply(call.request_id))
        return None if reply is None else read_json(InboundReply, reply).body


@pytest.fixture
async def bridge(
    database: Database, redis: Redis, valkey_url: str, settings: ControlPlaneSettings
) -> AsyncIterator[Bridge]:
    quick = connect(valkey_url)
    yield Bridge(redis, database, InboundConsumer(database, quick, redis, settings))
    await quick.aclose()
