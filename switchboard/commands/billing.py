"""``switchboard billing``: the books of this installation."""

from __future__ import annotations

from typing import Annotated

import typer

from switchboard.commands.options import DataDir

AUDIT_SECONDS = 3.0
"""Half of it is for the ledger, half for payments. A day that was begun is finished: so the command
takes 5 s at most."""
app = typer.Typer(help="The books: prove that they add up.", no_args_is_help=True)


@app.command("audit")
def audit(
    seconds: Annotated[
        float,
        typer.Option(
            min=0, help="No other day of the ledger or of payments is begun after so long."
        ),
    ] = AUDIT_SECONDS,
    every_day: Annotated[
        bool, typer.Option("--all", help="Audit every day, however long it takes.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Prove that the books add up: entries to days, days and holds to accounts, both sides to 0,
    and what gateways captured and gave back to entries and invoices.

    Accounts and the newest days are audited each time, older days in turns. Names both
    figures of what differs, and exits with 1 then. Works on SWITCHBOARD_DATABASE_URL, or on the
    database of the Switchboard that runs here.
    """
    from switchboard.commands.billing_audit import audit as audit_books

    limit = float("inf") if every_day else seconds
    raise typer.Exit(audit_books(limit, as_json=as_json, data_dir=data_dir))
