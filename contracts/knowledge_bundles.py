"""Where the passages of knowledge sources are in the object store."""

from __future__ import annotations

from uuid import UUID


def bundle_path(tenant_id: UUID, source_id: UUID, digest: str) -> str:
    """``digest`` is the SHA-256 of the content, in hexadecimal: an object never changes."""
    return f"{source_folder(tenant_id, source_id)}{digest}"


def source_folder(tenant_id: UUID, source_id: UUID) -> str:
    return f"knowledge/{tenant_id}/{source_id}/"
