"""The threads in which passages are read outside of calls. They are few, apart from those that
other requests use, and no tenant can take all of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

from control_plane.building.knowledge_sources.errors import KnowledgeShareUsedUp, KnowledgeTooSlow

T = TypeVar("T")
AT_ONCE = 4
AT_ONCE_OF_TENANT = 2
MOST_OF_TENANT = 16
"""Those that wait for their turn included."""
LONGEST_SECONDS = 10.0


class _Tenant:
    def __init__(self, at_once: int) -> None:
        self.turns = asyncio.Semaphore(at_once)
        self.under_way = 0


class LookupThreads:
    """
    Args:
        at_once: how many things are read at once, for all tenants.
        at_once_of_tenant: the same for one tenant.
        most_of_tenant: how many requests of a tenant may be read for, or wait.
        seconds: the longest time from a request to its answer.
    """

    def __init__(
        self,
        at_once: int = AT_ONCE,
        at_once_of_tenant: int = AT_ONCE_OF_TENANT,
        most_of_tenant: int = MOST_OF_TENANT,
        seconds: float = LONGEST_SECONDS,
    ) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix="knowledge-lookup")
        self._at_once_of_tenant = at_once_of_tenant
        self._most_of_tenant = most_of_tenant
        self._seconds = seconds
        self._tenants: WeakValueDictionary[UUID, _Tenant] = WeakValueDictionary()

    async def run(self, tenant_id: UUID, read: Callable[[float], T]) -> T:
        """What ``read`` returns.

        Args:
            read: is called in a thread, with the time (``time.monotonic``) at which nobody waits
                for it any more.

        Raises:
            KnowledgeShareUsedUp: too many requests of the tenant are under way.
            KnowledgeTooSlow: no thread was free in time, or ``read`` takes too long.
            Exception: what ``read`` raises.
        """
        ends_at = time.monotonic() + self._seconds
        tenant = self._tenants.setdefault(tenant_id, _Tenant(self._at_once_of_tenant))
        if tenant.under_way >= self._most_of_tenant:
            raise KnowledgeShareUsedUp(self._most_of_tenant)
        tenant.under_way += 1
        try:
            return await self._read(tenant, read, ends_at)
        except TimeoutError as error:
            raise KnowledgeTooSlow from error
        finally:
            tenant.under_way -= 1

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _read(self, tenant: _Tenant, read: Callable[[float], T], ends_at: float) -> T:
        async with asyncio.timeout(ends_at - time.monotonic()):
            await tenant.turns.acquire()

        def in_time() -> T:
            if time.monotonic() >= ends_at:
                raise TimeoutError
            return read(ends_at)

        def ended(reading: asyncio.Future[Any]) -> None:
            # A thread cannot be stopped: it is the tenant's until it has ended by itself.
            tenant.turns.release()
            if not reading.cancelled():
                reading.exception()

        reading = asyncio.get_running_loop().run_in_executor(self._threads, in_time)
        reading.add_done_callback(ended)
        await asyncio.wait((reading,), timeout=ends_at - time.monotonic())
        if not reading.done():
            raise TimeoutError
        return reading.result()
