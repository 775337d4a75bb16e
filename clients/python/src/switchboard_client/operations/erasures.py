"""``/v1/erasures``."""

from __future__ import annotations

from uuid import UUID

from switchboard_client.models import ErasurePage, ErasureProof, ErasureView, ErasureWanted
from switchboard_client.operation import Body, Operation, get, post
from switchboard_client.paging import Pages, by_offset
from switchboard_client.request import at, query

Id = UUID | str


def create(
    caller: ErasureWanted | Body, *, idempotency_key: str | None = None
) -> Operation[ErasureView]:
    """Erase the data of a caller, named by ``number`` or ``identity``.

    Raises ``CallerInCall`` while a call of the caller is not over.
    """
    return post("/v1/erasures", ErasureView, caller).once(idempotency_key)


def page(*, limit: int = 50, offset: int = 0) -> Operation[ErasurePage]:
    return get("/v1/erasures", ErasurePage, query(limit=limit, offset=offset))


def every() -> Pages[ErasurePage, ErasureView]:
    """All erasures, newest first."""
    return by_offset(page(limit=200), lambda page: page.erasures)


def show(erasure_id: Id) -> Operation[ErasureView]:
    return get(at("/v1/erasures/{}", erasure_id), ErasureView)


def proof(erasure_id: Id) -> Operation[ErasureProof]:
    """What was erased where. ``json.dumps(…, sort_keys=True, indent=1)`` of its members is the text
    whose SHA-256 is the erasure's ``proof_sha256``."""
    return get(at("/v1/erasures/{}/proof", erasure_id), ErasureProof)
