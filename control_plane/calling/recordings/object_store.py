"""The object store of recordings (obstore): a folder of this machine, S3, GCS or Azure.

Use its blocking functions, in threads: after an awaitable one, a process that exits soon aborts.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from knowledge.object_store import config_of

if TYPE_CHECKING:
    from obstore.store import ObjectStore


@cache
def open_store(url: str) -> ObjectStore:
    """One client for each store and process; a missing folder is created.

    Raises:
        ValueError: the address does not belong to a known kind of store.
        obstore.exceptions.BaseError: the store's settings in the environment are incomplete.
    """
    from obstore.store import LocalStore, from_url

    if url.startswith("file:"):
        return LocalStore.from_url(url, mkdir=True)
    return from_url(url, config=config_of(url))


def store_errors() -> tuple[type[Exception], ...]:
    """What operations raise if the store is away, refuses, or does not have the object."""
    from obstore.exceptions import BaseError

    return (BaseError, OSError, TimeoutError)
