"""What this process has found out about tenants' JSON Schemas, so that it checks each only once."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from functools import cache, partial
from typing import Any
from uuid import UUID

from cachetools import LRUCache, TTLCache

from control_plane.platform.json_schemas.checking import first_fault
from control_plane.platform.json_schemas.turns import Turns
from schema_sandbox.sandbox import SchemaSandbox, schema_sandbox

MOST_REMEMBERED = 1_000
FAULT_SECONDS = 10.0
"""A request asks twice: before it takes a connection to the database, and when it judges what was
found. A fault is forgotten soon after, because a machine that stood still can be the cause."""

Fault = tuple[str, str]
"""The name of a schema and what is wrong with it, as the end of a sentence."""


class CheckedSchemas:
    """Schemas are known by their SHA-256."""

    def __init__(self, sandbox: SchemaSandbox) -> None:
        self._sandbox = sandbox
        self._turns = Turns()
        self._accepted: LRUCache[bytes, None] = LRUCache(MOST_REMEMBERED)
        self._refused: TTLCache[bytes, str] = TTLCache(MOST_REMEMBERED, FAULT_SECONDS)

    async def first_fault(
        self, tenant_id: UUID, schemas: Mapping[str, Mapping[str, Any]]
    ) -> Fault | None:
        """As ``checking.first_fault``, without blocking the event loop.

        Raises:
            NoTurn: the tenant has too many checks, or its turn does not come in time.
        """
        digests = await asyncio.to_thread(_digests, schemas)
        if self._is_known(digests):
            return self._known_fault(digests)
        async with self._turns.turn(tenant_id):
            # The same schema may have been checked while this one waited.
            if self._is_known(digests):
                return self._known_fault(digests)
            unknown = {name: schemas[name] for name in digests if not self._accepts(digests[name])}
            fault = await self._sandbox.run(partial(first_fault, unknown, self._sandbox))
            if fault is None:
                self._accepted.update(dict.fromkeys(digests.values()))
            else:
                name, sentence = fault
                self._refused[digests[name]] = sentence
            return fault

    def _is_known(self, digests: Mapping[str, bytes]) -> bool:
        return self._known_fault(digests) is not None or all(
            self._accepts(digest) for digest in digests.values()
        )

    def _accepts(self, digest: bytes) -> bool:
        # ``get`` and not ``in``: only reading keeps an entry from being the oldest.
        return self._accepted.get(digest, False) is None

    def _known_fault(self, digests: Mapping[str, bytes]) -> Fault | None:
        known = ((name, self._refused.get(digest)) for name, digest in digests.items())
        return next(((name, fault) for name, fault in known if fault is not None), None)


def _digests(schemas: Mapping[str, Mapping[str, Any]]) -> dict[str, bytes]:
    return {
        name: hashlib.sha256(json.dumps(schema).encode()).digest()
        for name, schema in schemas.items()
    }


@cache
def checked_schemas() -> CheckedSchemas:
    """This process's memory, beside its sandbox."""
    return CheckedSchemas(schema_sandbox())
