"""The carrier accounts that this bridge serves, as the control plane keeps them in Redis."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import httpx2
import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from carriers.account import CarrierName, read_credentials
from carriers.api import CarrierApi
from carriers.settings import CarrierSettings
from carriers.signed_request import Signatures
from carriers.spec import CarrierSpec
from contracts import redis_names
from contracts.carrier_accounts import CarrierAccount
from contracts.sealing import CannotOpen, Sealer
from contracts.versions import fault, read_json

_log = structlog.get_logger(__name__)

Specs = Mapping[CarrierName, CarrierSpec[Any]]


@dataclass(frozen=True)
class OpenAccount:
    """An account whose credentials are open."""

    document: CarrierAccount
    spec: CarrierSpec[Any]
    signatures: Signatures
    api: CarrierApi

    @property
    def account_id(self) -> UUID:
        return self.document.account_id


class Accounts:
    """Reads the document at each use, so that a change counts at once. What was opened is kept
    while its document stays the same."""

    def __init__(
        self,
        redis: Redis,
        sealer: Sealer,
        specs: Specs,
        settings: CarrierSettings,
        client: httpx2.AsyncClient,
    ) -> None:
        self._redis = redis
        self._sealer = sealer
        self._specs = specs
        self._settings = settings
        self._client = client
        self._opened: dict[UUID, tuple[str, OpenAccount]] = {}

    async def find(self, account_id: UUID) -> OpenAccount | None:
        """``None`` if there is no such account, or this bridge cannot open it.

        Raises:
            RedisError, OSError: Redis is away.
        """
        kept = await self._redis.hget(redis_names.CARRIER_ACCOUNTS, str(account_id))
        if kept is None:
            self._opened.pop(account_id, None)
            return None
        document = str(kept)
        known = self._opened.get(account_id)
        if known is not None and known[0] == document:
            return known[1]
        account = self._open(account_id, document)
        if account is not None:
            self._opened[account_id] = (document, account)
        return account

    def _open(self, account_id: UUID, document: str) -> OpenAccount | None:
        log = _log.bind(account_id=str(account_id))
        try:
            stored = read_json(CarrierAccount, document)
            revealed = json.loads(self._sealer.open(stored.sealed_credentials))
            credentials = read_credentials({"provider": stored.provider, **revealed})
        except ValidationError as error:
            log.error("carrier_account_unreadable", fault=fault(error))
            return None
        except (CannotOpen, ValueError) as error:
            log.error("carrier_account_sealed", error=type(error).__name__)
            return None
        spec = self._specs.get(credentials.provider)
        if spec is None:
            log.error("carrier_unknown", carrier=credentials.provider)
            return None
        return OpenAccount(
            stored,
            spec,
            spec.signatures(credentials),
            spec.api(credentials, self._settings, self._client),
        )
