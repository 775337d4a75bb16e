"""The object store of recordings (obstore): a folder of this machine, S3, GCS or Azure.

Its blocking calls are used, in threads: the awaitable ones abort a process that ends just after one
of them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obstore.store import ObjectStore


@cache
def open_store(url: str) -> ObjectStore:
    """One client per store and process; a folder is made where there is none.

    Raises:
        ValueError: the address is of no kind of store that is known.
        obstore.exceptions.BaseError: the store's settings in the environment are incomplete.
    """
    from obstore.store import LocalStore, from_url

    if url.startswith("file:"):
        return LocalStore.from_url(url, mkdir=True)
    return from_url(url)


def store_errors() -> tuple[type[Exception], ...]:
    """What an operation on a store raises when the store is away, refuses, or lacks the object."""
    from obstore.exceptions import BaseError

    return (BaseError, OSError, TimeoutError)
