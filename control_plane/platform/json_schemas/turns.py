"""Whose turn it is to have a JSON Schema checked."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

MOST_OF_TENANT = 20
"""Checks of one tenant that wait or are under way."""
WAIT_SECONDS = 2.0
"""The longest wait for a turn."""


class NoTurn(Exception):
    """A longer wait could hold a database connection that others need.

    ``policy`` is the limit that was reached: ``schemas_of_tenant`` counts checks, and
    ``schema_wait`` seconds of waiting.
    """

    def __init__(self, detail: str, policy: str, limit: int, used: int) -> None:
        super().__init__(detail)
        self.policy = policy
        self.limit = limit
        self.used = used


class Turns:
    """One check at a time. The tenants take turns, so that one with many checks does not keep the
    others waiting."""

    def __init__(
        self, *, most_of_tenant: int = MOST_OF_TENANT, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        self._most_of_tenant = most_of_tenant
        self._wait_seconds = wait_seconds
        self._present = Counter[UUID]()
        self._is_taken = False
        self._lines: dict[UUID, deque[asyncio.Future[None]]] = {}
        """The first tenant is the next one."""

    @asynccontextmanager
    async def turn(self, tenant_id: UUID) -> AsyncIterator[None]:
        """
        Raises:
            NoTurn: the tenant has too many checks, or its turn does not come in time.
        """
        present = self._present[tenant_id]
        if present >= self._most_of_tenant:
            raise NoTurn(
                f"At most {self._most_of_tenant} requests of a tenant may wait at once until their "
                "JSON Schemas are checked",
                "schemas_of_tenant",
                self._most_of_tenant,
                present,
            )
        self._present[tenant_id] += 1
        try:
            await self._wait(tenant_id)
            try:
                yield
            finally:
                self._pass_on()
        finally:
            self._present[tenant_id] -= 1
            if not self._present[tenant_id]:
                del self._present[tenant_id]

    async def _wait(self, tenant_id: UUID) -> None:
        if not self._is_taken:
            self._is_taken = True
            return
        turn = asyncio.get_running_loop().create_future()
        self._lines.setdefault(tenant_id, deque()).append(turn)
        try:
            async with asyncio.timeout(self._wait_seconds):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                # The turn and the end of the wait came in the same moment.
                self._pass_on()
            if not isinstance(error, TimeoutError):
                raise
            seconds = round(self._wait_seconds)
            raise NoTurn(
                f"JSON Schemas of other requests were being checked for {seconds} s",
                "schema_wait",
                seconds,
                seconds,
            ) from None

    def _pass_on(self) -> None:
        while self._lines:
            tenant_id = next(iter(self._lines))
            line = self._lines.pop(tenant_id)
            turn = line.popleft()
            if line:
                self._lines[tenant_id] = line
            if not turn.done():
                turn.set_result(None)
                return
        self._is_taken = False
