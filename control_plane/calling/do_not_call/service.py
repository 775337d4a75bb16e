"""Changes of the do-not-call list."""

from __future__ import annotations

import re

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.do_not_call import repository
from control_plane.calling.do_not_call.csv_file import ReadFile
from control_plane.calling.do_not_call.errors import NumberNotListed
from control_plane.calling.do_not_call.models import DoNotCallNumber
from control_plane.calling.do_not_call.schemas import ImportReport, NumberToAdd, RejectedRow
from control_plane.platform.audit.recording import record_change
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.tenancy.caller import Caller

_SEARCHABLE = re.compile(r"\+?[0-9 ().\-/]*[0-9][0-9 ().\-/]*")


async def add_number(
    session: AsyncSession, caller: Caller, wanted: NumberToAdd
) -> tuple[DoNotCallNumber, bool]:
    """The entry and whether it is new. A number that is already on the list stays as it is."""
    is_new = False
    # Repeats only if another request adds and removes the number at the same time.
    while (entry := await repository.find(session, caller.tenant_id, wanted.number)) is None:
        is_new = (
            await repository.add(
                session,
                caller.tenant_id,
                {wanted.number: wanted.reason},
                source="api" if caller.role is None else "dashboard",
                added_by=caller.actor,
            )
            == 1
        )
    if is_new:
        record_change(session, caller, "do_not_call.added", target_id=wanted.number)
    return entry, is_new


async def import_numbers(session: AsyncSession, caller: Caller, read: ReadFile) -> ImportReport:
    """Add the numbers of the file and report the result."""
    added = 0
    if read.reasons:
        added = await repository.add(
            session, caller.tenant_id, read.reasons, source="import", added_by=caller.actor
        )
    report = ImportReport(
        added=added,
        already_listed=len(read.reasons) - added + read.repeated,
        rejected=read.rejected,
        rejected_rows=[RejectedRow(row=row, reason=reason) for row, reason in read.rejected_rows],
    )
    counts = report.model_dump(include={"added", "already_listed", "rejected"})
    record_change(session, caller, "do_not_call.imported", changes=counts)
    return report


async def remove_number(session: AsyncSession, caller: Caller, number: str) -> None:
    """
    Raises:
        NumberNotListed: the number is not on the list.
    """
    if not await repository.remove(session, caller.tenant_id, number):
        raise NumberNotListed
    record_change(session, caller, "do_not_call.removed", target_id=number)


def search_pattern(search: str) -> str:
    """The ``LIKE`` pattern of a search: the beginning of a number with ``+``, else any part of it.

    Raises:
        InvalidRequest: ``search`` is not a part of a number.
    """
    search = search.strip()
    if not _SEARCHABLE.fullmatch(search):
        raise InvalidRequest.at("search", "must be digits of a number, such as +1415 or 5550100")
    digits = re.sub(r"[^0-9]", "", search)
    return f"+{digits}%" if search.startswith("+") else f"%{digits}%"
