"""Where a worker stores the parts of its recordings: any store that obstore supports."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from knowledge.object_store import config_of

if TYPE_CHECKING:
    from obstore.store import ObjectStore

PUT_SECONDS = 10.0
"""How long storing one part may take before we try again."""
PUTS_AT_ONCE = 8


class PartNotStored(Exception):
    """The store is unreachable, slow or refuses the part. The message is the store's own."""


class PartStore(Protocol):
    async def put(self, path: str, content: bytes) -> None:
        """Store an object completely or not at all. Replaces one of the same name.

        Raises:
            PartNotStored: try again later.
        """

    async def delete(self, paths: Sequence[str]) -> None:
        """Delete objects. One that is not there counts as deleted.

        Raises:
            PartNotStored: try again later.
        """


class ObjectPartStore:
    """A store by its address: ``file:///…``, ``s3://bucket/prefix``, ``gs://…``.

    The client is created with the first part, and again after each failure to create it. We use
    obstore's blocking calls in separate threads, because its awaitable calls abort a process that
    ends just after one of them.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: ObjectStore | None = None
        self._threads = ThreadPoolExecutor(PUTS_AT_ONCE, thread_name_prefix="recording-upload")

    async def put(self, path: str, content: bytes) -> None:
        await self._run(self._put, path, content)

    async def delete(self, paths: Sequence[str]) -> None:
        await self._run(self._delete, paths)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _run(self, operation: Callable[..., None], *arguments: object) -> None:
        from obstore.exceptions import BaseError

        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(PUT_SECONDS):
                await loop.run_in_executor(self._threads, operation, *arguments)
        except (BaseError, OSError, TimeoutError, ValueError) as error:
            raise PartNotStored(f"{type(error).__name__}: {error}") from error

    def _put(self, path: str, content: bytes) -> None:
        import obstore

        obstore.put(self._opened(), path, content)

    def _delete(self, paths: Sequence[str]) -> None:
        import obstore

        for path in paths:
            with suppress(FileNotFoundError):
                obstore.delete(self._opened(), path)

    def _opened(self) -> ObjectStore:
        if self._client is None:
            self._client = _open(self._url)
        return self._client


def _open(url: str) -> ObjectStore:
    from obstore.store import LocalStore, from_url

    if url.startswith("file:"):
        return LocalStore.from_url(url, mkdir=True)
    # We retry ourselves, and log it. Client options would override the vendor's environment
    # variables, such as AWS_ALLOW_HTTP.
    return from_url(url, config=config_of(url), retry_config={"max_retries": 0})
