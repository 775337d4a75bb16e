"""Addresses that the store of recordings signs itself. It may have to look up credentials first."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import cache
from time import monotonic

import structlog

from control_plane.calling.recordings.object_store import open_store, store_errors

SIGNING_SECONDS = 2.0
"""Transactions wait for it."""
REST_SECONDS = 30.0
"""A store that could not sign is not asked for so long: one call, not each, waits for it."""
THREADS = 4
_log = structlog.get_logger(__name__)


@cache
def signer_of(url: str) -> StoreSigner:
    """One for each store and process."""
    return StoreSigner(url)


class StoreSigner:
    """Signs in threads of its own: what hangs there holds up no other work of the process."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="store-signer")
        self._rests_until = 0.0

    async def address(self, path: str, ttl: timedelta) -> str | None:
        """``None`` if the store cannot sign, at all or at the moment."""
        if self._url.startswith(("file:", "memory:")) or monotonic() < self._rests_until:
            return None
        try:
            # Importing it takes its time, too, which says nothing about the store.
            await asyncio.to_thread(open_store, self._url)
            async with asyncio.timeout(SIGNING_SECONDS):
                return await asyncio.get_running_loop().run_in_executor(
                    self._threads, _signed, self._url, path, ttl
                )
        except store_errors() as error:
            self._rests_until = monotonic() + REST_SECONDS
            _log.warning("recording_addresses_not_signed_by_store", error=repr(error))
            return None


def _signed(url: str, path: str, ttl: timedelta) -> str | None:
    from obstore import sign
    from obstore.store import AzureStore, GCSStore, S3Store

    store = open_store(url)
    if not isinstance(store, AzureStore | GCSStore | S3Store):
        return None
    return sign(store, "GET", path, ttl)
