"""Downloads from the object store of bundles, and whether it is silent."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obstore.store import ObjectStore


class BundleDownloads:
    """Can be used from several threads.

    Args:
        url: of the object store.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._store: ObjectStore | None = None
        self._under_way: set[object] = set()
        self._heard_at = -math.inf

    def parts(self, path: str) -> Iterator[bytes]:
        """The content of an object. Blocks.

        Raises:
            OSError: it cannot be read.
        """
        import obstore
        from obstore.exceptions import BaseError

        download = object()
        self._under_way.add(download)
        try:
            for part in obstore.get(self._opened(), path).stream():
                self._heard_at = time.monotonic()
                yield bytes(part)
        except BaseError as error:
            raise OSError(str(error)) from error
        finally:
            self._under_way.discard(download)

    def are_silent_since(self, moment: float) -> bool:
        """Whether the store owes something, and has given nothing since ``moment``, by
        ``time.monotonic``."""
        return bool(self._under_way) and self._heard_at < moment

    def _opened(self) -> ObjectStore:
        from obstore.store import LocalStore, from_url

        if self._store is None:
            is_local = self._url.startswith("file:")
            self._store = (
                LocalStore.from_url(self._url)
                if is_local
                else from_url(self._url, retry_config={"max_retries": 0})
            )
        return self._store
