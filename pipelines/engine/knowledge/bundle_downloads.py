"""Downloads from the object store of bundles, and whether it is silent."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

from knowledge.object_store import open_prompt_store


class BundleDownloads:
    """Can be used from several threads.

    Args:
        url: of the object store.
        silence_seconds: after which a download is given up.
    """

    def __init__(self, url: str, silence_seconds: float) -> None:
        self._url = url
        self._silence_seconds = silence_seconds
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
            store = open_prompt_store(self._url, self._silence_seconds)
            for part in obstore.get(store, path).stream():
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
