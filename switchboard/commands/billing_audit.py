"""``switchboard billing audit``: whether the books add up."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from sqlalchemy.exc import DBAPIError

from contracts.money import usd
from control_plane.money.billing.audits.audit import Difference, audit_books
from control_plane.money.payments.auditing.audit import audit_payments
from control_plane.money.payments.auditing.differences import PaymentDifference
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from switchboard.commands.local_database import database_problem, local_database_url
from switchboard.problems import show_problem

ONE_STATEMENT_SECONDS = 120.0
"""A day of a busy installation has many entries."""


def audit(seconds: float, *, as_json: bool, data_dir: Path | None) -> int:
    """Returns the exit code: 0, 1 when the books do not add up, or 2 when they cannot be read.

    Raises:
        MissingSetting: there is no database to work on.
    """
    url = local_database_url(data_dir)
    try:
        differences = asyncio.run(_audit(url, seconds))
    except (DatabaseUnavailable, DBAPIError) as error:
        show_problem(Console(stderr=True), database_problem(error))
        return 2
    if as_json:
        typer.echo(json.dumps([_document(each) for each in differences], indent=2))
    else:
        _show(Console(), differences)
    return 1 if differences else 0


async def _audit(url: str, seconds: float) -> list[Difference | PaymentDifference]:
    database = Database(url, deadline_seconds=ONE_STATEMENT_SECONDS)
    try:
        books = await audit_books(database, seconds=seconds / 2)
        return [*books, *await audit_payments(database, seconds=seconds / 2)]
    finally:
        await database.aclose()


def _document(difference: Difference | PaymentDifference) -> dict[str, Any]:
    if isinstance(difference, PaymentDifference):
        tenant_id = None if difference.tenant_id is None else str(difference.tenant_id)
        return {"tenant_id": tenant_id, "day": None, "what": difference.what}
    day = None if difference.day is None else difference.day.isoformat()
    figures = [figure._asdict() for figure in difference.figures]
    return {"tenant_id": str(difference.tenant_id), "day": day, "figures": figures}


def _show(console: Console, differences: Sequence[Difference | PaymentDifference]) -> None:
    """Each difference with both of its figures, in dollars."""
    if not differences:
        console.print("The books add up.", style="green")
        return
    for difference in differences:
        for line in _lines(difference):
            console.print(line, soft_wrap=True, highlight=False)


def _lines(difference: Difference | PaymentDifference) -> list[str]:
    if isinstance(difference, PaymentDifference):
        whose = difference.tenant_id and f"Tenant {difference.tenant_id}: "
        return [f"{whose or ''}{difference.what}."]
    where, parts = (
        ("account", "days, holds and counter accounts")
        if difference.day is None
        else (f"totals of {difference.day}", "entries")
    )
    return [
        f"Tenant {difference.tenant_id}: {figure.name} is {_shown(figure.name, figure.kept)} in its"
        f" {where}, and {_shown(figure.name, figure.counted)} by its {parts}."
        for figure in difference.figures
    ]


def _shown(name: str, amount: int) -> str:
    return str(amount) if name == "entries" else f"{'-' * (amount < 0)}${usd(abs(amount)):.6f}"
