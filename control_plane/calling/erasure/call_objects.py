"""The objects of calls in the object store. Blocking: for a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from contracts.recording import call_folder

if TYPE_CHECKING:
    from obstore.store import ObjectStore


def objects_of(store: ObjectStore, tenant_id: UUID, call_id: UUID) -> list[dict[str, Any]]:
    """``path`` and ``bytes`` of everything that the store holds of a call."""
    import obstore

    return [
        {"path": each["path"], "bytes": each["size"]}
        for page in obstore.list(store, call_folder(tenant_id, call_id))
        for each in page
    ]


def delete_objects_of(store: ObjectStore, tenant_id: UUID, call_id: UUID) -> int:
    """Returns how many objects there were. Running it again changes nothing."""
    import obstore

    paths = [each["path"] for each in objects_of(store, tenant_id, call_id)]
    if paths:
        obstore.delete(store, paths)
    return len(paths)
