"""Where a worker puts the parts of its recordings: any store that obstore speaks to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from obstore.store import ObjectStore

PUT_SECONDS = 10.0
"""What one part gets to be stored before it is tried again."""


class PartNotStored(Exception):
    """The store is away, slow or refuses. The message says what it said."""


class PartStore(Protocol):
    async def put(self, path: str, content: bytes) -> None:
        """Store an object, whole or not at all; one of the same name is replaced.

        Raises:
            PartNotStored: try again later.
        """


class ObjectPartStore:
    """A store by its address: ``file:///…``, ``s3://bucket/prefix``, ``gs://…``.

    The client is made with the first part, and again after each failure to make it.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._client: ObjectStore | None = None

    async def put(self, path: str, content: bytes) -> None:
        import obstore
        from obstore.exceptions import BaseError

        try:
            if self._client is None:
                self._client = await asyncio.to_thread(_open, self._url)
            async with asyncio.timeout(PUT_SECONDS):
                await obstore.put_async(self._client, path, content)
        except (BaseError, OSError, TimeoutError, ValueError) as error:
            raise PartNotStored(f"{type(error).__name__}: {error}") from error


def _open(url: str) -> ObjectStore:
    from obstore.store import LocalStore, from_url

    return LocalStore.from_url(url, mkdir=True) if url.startswith("file:") else from_url(url)
