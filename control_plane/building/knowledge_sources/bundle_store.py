"""The bundles of sources in the object store. Use the functions in threads: they block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING
from uuid import UUID

from contracts.knowledge_bundles import bundle_path, source_folder
from knowledge.object_store import config_of, open_prompt_store

if TYPE_CHECKING:
    from obstore.store import ObjectStore

    from knowledge.bundle import Bundle

STORE_SILENCE_SECONDS = 3.0
"""Well within the longest transaction: a thread goes on deleting when nobody waits for it."""


@cache
def open_store(url: str) -> ObjectStore:
    """One client for each store and process; a missing folder is created. For jobs: it tries for
    minutes."""
    from obstore.store import LocalStore, from_url

    if url.startswith("file:"):
        return LocalStore.from_url(url, mkdir=True)
    return from_url(url, config=config_of(url))


def prompt_store(url: str) -> ObjectStore:
    """For who waits in a transaction: it does not try for minutes."""
    return open_prompt_store(url, STORE_SILENCE_SECONDS)


def store_errors() -> tuple[type[Exception], ...]:
    """What operations raise if the store is away, refuses, or does not have the object."""
    from obstore.exceptions import BaseError

    return (BaseError, OSError, TimeoutError)


def put_bundle(store: ObjectStore, tenant_id: UUID, source_id: UUID, content: bytes) -> str:
    """Returns the digest by which it is found."""
    import obstore

    from knowledge.bundle import digest_of

    digest = digest_of(content)
    obstore.put(store, bundle_path(tenant_id, source_id, digest), content)
    return digest


def copy_bundle(
    store: ObjectStore, tenant_id: UUID, source_id: UUID, copy_id: UUID, digest: str
) -> None:
    """Give the source ``copy_id`` the bundle of another one of the tenant.

    Raises:
        FileNotFoundError, obstore.exceptions.BaseError: it cannot be copied.
    """
    import obstore

    its_path = bundle_path(tenant_id, copy_id, digest)
    obstore.copy(store, bundle_path(tenant_id, source_id, digest), its_path)


def read_bundle(store: ObjectStore, tenant_id: UUID, source_id: UUID, digest: str) -> Bundle:
    """
    Raises:
        FileNotFoundError, obstore.exceptions.BaseError: the object cannot be read.
        BundleDamaged: it is no bundle.
    """
    import obstore

    from knowledge.bundle import Bundle

    return Bundle(bytes(obstore.get(store, bundle_path(tenant_id, source_id, digest)).bytes()))


def bundle_parts(
    store: ObjectStore, tenant_id: UUID, source_id: UUID, digest: str
) -> Iterator[bytes]:
    """A bundle's content, which need not fit into the memory.

    Raises:
        FileNotFoundError, obstore.exceptions.BaseError: the object cannot be read.
    """
    import obstore

    for part in obstore.get(store, bundle_path(tenant_id, source_id, digest)).stream():
        yield bytes(part)


def has_bundle(store: ObjectStore, tenant_id: UUID, source_id: UUID, digest: str) -> bool:
    import obstore

    try:
        obstore.head(store, bundle_path(tenant_id, source_id, digest))
    except FileNotFoundError:
        return False
    return True


def delete_bundle(store: ObjectStore, tenant_id: UUID, source_id: UUID, digest: str) -> None:
    """It may be gone already."""
    import obstore

    with suppress(FileNotFoundError):
        obstore.delete(store, bundle_path(tenant_id, source_id, digest))


def delete_bundles(store: ObjectStore, tenant_id: UUID, source_id: UUID) -> None:
    """Delete all bundles of a source."""
    import obstore

    for page in obstore.list(store, prefix=source_folder(tenant_id, source_id)):
        for entry in page:
            obstore.delete(store, entry["path"])
