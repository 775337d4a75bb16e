"""``switchboard calls export``: calls in a file, as a table or as JSON objects."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TextIO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from switchboard.commands.api.session import Session, document_of
from switchboard.problems import Problem
from switchboard_client.models import CallView

COLUMNS = (
    "id",
    "status",
    "agent_id",
    "created_at",
    "started_at",
    "ended_at",
    "bill_duration",
    "billable_seconds",
    "total_cost",
    "provider_cost",
    "provider_cost_actual",
    "end_reason",
    "intelligence_status",
    "participant_count",
    "identity",
    "transport",
    "metadata",
)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_PAGE_SIZE = 500


@contextmanager
def destination(path: Path | None) -> Iterator[TextIO]:
    """Standard output, or a new file that replaces ``path`` once the block has succeeded.

    Raises:
        Problem: the file cannot be written.
    """
    if path is None:
        yield sys.stdout
        return
    if path.is_dir():
        raise Problem(f"{path} is a directory.", "Name a file to write.")
    staged = path.with_name(f"{path.name}.part")
    try:
        with staged.open("w", encoding="utf-8", newline="") as file:
            yield file
        staged.replace(path)
    except OSError as error:
        raise Problem(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            staged.unlink()


async def export(
    session: Session,
    file: TextIO,
    file_format: Literal["csv", "jsonl"],
    *,
    limit: int,
    status: str | None,
    agent_id: str | None,
) -> None:
    calls = session.client.calls
    total = (await calls.page(limit=1, status=status, agent_id=agent_id)).total
    write = csv_writer(file) if file_format == "csv" else jsonl_writer(file)
    columns = (TextColumn("Exporting calls"), BarColumn(), MofNCompleteColumn())
    written = 0
    with Progress(*columns, console=session.notes, transient=True) as progress:
        task = progress.add_task("", total=min(total, limit))
        wanted = calls.every(status=status, agent_id=agent_id, page_size=min(limit, _PAGE_SIZE))
        async for call in wanted:
            write(call)
            written += 1
            progress.advance(task)
            if written == limit:
                break
    session.notes.print(f"{written} calls.", style="dim", highlight=False)
    if written < total:
        session.notes.print(f"There are {total}; see --limit, --status and --agent.", style="dim")


def jsonl_writer(file: TextIO) -> Callable[[CallView], None]:
    def write(call: CallView) -> None:
        file.write(json.dumps(document_of(call), ensure_ascii=False) + "\n")

    return write


def csv_writer(file: TextIO) -> Callable[[CallView], None]:
    """Writes the header at once, then a row for each call."""
    table = csv.writer(file)
    table.writerow(COLUMNS)
    return lambda call: table.writerow([cell(value) for value in row(call)])


def row(call: CallView) -> list[Any]:
    person = call.primary_participant
    document = document_of(call) | {
        "identity": person.identity if person else None,
        "transport": person.transport if person else None,
        "metadata": json.dumps(call.metadata, ensure_ascii=False) if call.metadata else None,
    }
    return [document[column] for column in COLUMNS]


def cell(value: Any) -> Any:
    """Quotes text that a spreadsheet would run as a formula, because callers choose their own
    identities. Source: OWASP, "CSV Injection"."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return f"'{value}"
    return value
