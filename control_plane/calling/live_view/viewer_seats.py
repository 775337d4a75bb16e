"""How many streams a process has open, and whether their viewers may still see what they show.

A stream has a seat from before its first byte until after its last, however slowly it is read.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import structlog

from control_plane.calling.live_view.errors import TooManyViewers, ViewerShareUsedUp
from control_plane.identity.authentication.open_credentials import Credential, still_open
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable

RECHECK_SECONDS = 2.0

_log = structlog.get_logger(__name__)


class Seat:
    def __init__(self, credential: Credential) -> None:
        self.credential = credential
        self.revoked = asyncio.Event()
        """Set when the viewer's key or session does not count any more."""


class ViewerSeats:
    """
    Args:
        most: streams of this process.
        most_per_tenant: of one tenant.
    """

    def __init__(
        self,
        database: Database,
        *,
        most: int,
        most_per_tenant: int,
        recheck_seconds: float = RECHECK_SECONDS,
    ) -> None:
        self._database = database
        self._most = most
        self._most_per_tenant = most_per_tenant
        self._recheck_seconds = recheck_seconds
        self._seats: set[Seat] = set()
        self._per_tenant = Counter[UUID]()
        self._rechecking: asyncio.Task[None] | None = None

    @contextmanager
    def taken(self, credential: Credential) -> Iterator[Seat]:
        """A seat for the length of the block.

        Raises:
            TooManyViewers: the process has no seat left.
            ViewerShareUsedUp: the tenant has no seat left.
        """
        tenant_id = credential.tenant_id
        if self._per_tenant[tenant_id] >= self._most_per_tenant:
            raise ViewerShareUsedUp(self._most_per_tenant)
        if len(self._seats) >= self._most:
            raise TooManyViewers
        seat = Seat(credential)
        self._seats.add(seat)
        self._per_tenant[tenant_id] += 1
        if self._rechecking is None or self._rechecking.done():
            self._rechecking = asyncio.create_task(self._recheck(), name="viewer-seats")
        try:
            yield seat
        finally:
            self._seats.discard(seat)
            self._per_tenant[tenant_id] -= 1
            if not self._per_tenant[tenant_id]:
                del self._per_tenant[tenant_id]

    async def aclose(self) -> None:
        if self._rechecking is not None:
            self._rechecking.cancel()
            await asyncio.wait({self._rechecking})

    async def _recheck(self) -> None:
        """Ask for all credentials at once, again and again, until nobody watches."""
        while True:
            await asyncio.sleep(self._recheck_seconds)
            if not self._seats:
                return
            asked = {seat.credential for seat in self._seats}
            try:
                counting = await still_open(self._database, asked)
            except DatabaseUnavailable:
                _log.warning("viewers_not_rechecked")
                continue
            except Exception:  # noqa: BLE001 - streams must not outlive their keys for a bug
                _log.exception("viewers_not_rechecked")
                continue
            for seat in self._seats:
                if seat.credential in asked - counting:
                    seat.revoked.set()
