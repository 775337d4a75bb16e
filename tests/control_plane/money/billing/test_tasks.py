"""The job that audits the books, as the jobs process runs it."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from structlog.testing import capture_logs

from control_plane.money.billing import service
from control_plane.money.billing.tasks import audit_books
from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_resources
from telemetry.metrics import BOOKS_AUDITED_AT, BOOKS_UNBALANCED
from tests.control_plane.owned_books import change_books


async def audited(books: Database) -> list[Any]:
    """What the job logs about the books."""
    context: Any = SimpleNamespace(additional_context=job_resources(books))
    with capture_logs() as logs:
        await audit_books(context, timestamp=0)
    return [each for each in logs if each["event"] == "books_do_not_balance"]


async def test_each_difference_is_logged_and_counted_by_accounts(
    books: Database, account: UUID
) -> None:
    async with books.system_session() as session:
        await service.grant(session, account, 5, "Credit")
    began_at = datetime.now(UTC).timestamp()
    assert await audited(books) == []
    assert BOOKS_UNBALANCED._value.get() == 0
    assert BOOKS_AUDITED_AT._value.get() >= began_at

    await change_books(
        books, "UPDATE ledger_days SET free_micros = 6 WHERE tenant_id = :tenant", tenant=account
    )
    of_account, of_day = await audited(books)
    for logged, day, kept, counted in (
        (of_account, None, 5, 6),
        (of_day, datetime.now(UTC).date().isoformat(), 6, 5),
    ):
        assert logged["log_level"] == "error"
        assert (logged["tenant_id"], logged["day"]) == (str(account), day)
        assert {"name": "free credit", "kept": kept, "counted": counted} in logged["figures"]
    assert BOOKS_UNBALANCED._value.get() == 1, "one account, although it differs twice"
