"""``/v1/do-not-call``."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response, status

from control_plane.calling.do_not_call import repository, service
from control_plane.calling.do_not_call.csv_file import read_csv
from control_plane.calling.do_not_call.errors import NumberNotListed
from control_plane.calling.do_not_call.models import DoNotCallNumber
from control_plane.calling.do_not_call.schemas import (
    AddedBy,
    DoNotCallPage,
    ImportReport,
    ListedNumber,
    Number,
    NumberRemoved,
    NumberToAdd,
)
from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.platform.errors import BodyTooLarge, InvalidRequest, UnsupportedMediaType
from control_plane.platform.http.openapi import problems
from control_plane.platform.http.paging import Offset

_CSV = "text/csv"
_CSV_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            _CSV: {
                "schema": {"type": "string"},
                "example": "number,reason\n+14155550100,Asked us to stop\n+442079460000,\n",
            }
        },
    }
}

router = APIRouter(prefix="/v1/do-not-call", tags=["do not call"], route_class=IdempotentRoute)


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses=problems(*MEMBER_ONLY)
    | {200: {"model": ListedNumber, "description": "The number is already on the list."}},
)
async def add_number(
    wanted: NumberToAdd,
    caller: MemberCaller,
    session: TenantSession,
    response: Response,
    _: OncePerKey,
) -> ListedNumber:
    """Add a number to the do-not-call list. From the next request on, no call to it is started.

    If the number is already on the list, its entry stays as it is and the status is 200.
    """
    entry, is_new = await service.add_number(session, caller, wanted)
    if not is_new:
        response.status_code = status.HTTP_200_OK
    return _view(entry)


@router.post(
    "/import",
    openapi_extra=_CSV_BODY,
    responses=problems(*ADMIN_ONLY, InvalidRequest, BodyTooLarge, UnsupportedMediaType),
)
async def import_numbers(
    request: Request, caller: AdminCaller, session: TenantSession, _: OncePerKey
) -> ImportReport:
    """Add the numbers of a CSV file in UTF-8 to the do-not-call list.

    A header row names the columns `number` and optionally `reason`; other columns are ignored.
    Without a header row, the first column is the number and the second the reason. Commas,
    semicolons or tabs separate the columns. Rows that cannot be used are reported and do not stop
    the import of the others.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _CSV:
        raise UnsupportedMediaType(f"Send the file as 'Content-Type: {_CSV}'")
    read = await asyncio.to_thread(read_csv, await request.body())
    return await service.import_numbers(session, caller, read)


@router.get("", responses=problems(*MEMBER_ONLY))
async def list_numbers(
    caller: MemberCaller,
    session: TenantSession,
    search: Annotated[
        str | None,
        Query(
            max_length=64,
            description="With a leading `+`, the beginning of a number; otherwise any part of one.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Offset = 0,
) -> DoNotCallPage:
    """List the numbers that must not be called, newest first."""
    numbers, total = await repository.list_numbers(
        session,
        caller.tenant_id,
        pattern=None if search is None else service.search_pattern(search),
        limit=limit,
        offset=offset,
    )
    views = [_view(number) for number in numbers]
    return DoNotCallPage(numbers=views, total=total, offset=offset, limit=limit)


@router.delete("/{number}", responses=problems(*ADMIN_ONLY, NumberNotListed))
async def remove_number(
    number: Annotated[Number, Path()], caller: AdminCaller, session: TenantSession
) -> NumberRemoved:
    """Remove a number from the do-not-call list; it may be called again."""
    await service.remove_number(session, caller, number)
    return NumberRemoved(number=number)


def _view(entry: DoNotCallNumber) -> ListedNumber:
    return ListedNumber(
        number=entry.number,
        reason=entry.reason,
        source=entry.source,
        added_by=AddedBy(
            kind=entry.added_by_kind, id=entry.added_by_id, label=entry.added_by_label
        ),
        created_at=entry.created_at,
    )
