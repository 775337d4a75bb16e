"""The table of ``docs/metrics.md``, from the declarations."""

from __future__ import annotations

import re
from pathlib import Path

from telemetry.declarations import Declaration
from telemetry.metrics import declared
from telemetry.process_name import ProcessName

DOCUMENT = Path(__file__).parents[2] / "docs" / "metrics.md"
_BEGIN, _END = "<!-- metrics -->\n", "<!-- /metrics -->\n"


def table() -> str:
    rows = "".join(_row(each) for each in declared.all)
    return f"| metric | type | processes | labels | says |\n|---|---|---|---|---|\n{rows}"


def with_table(page: str) -> str:
    """``page`` with the present table in place of the one that it holds."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}\n{table()}\n{_END}{after}"


def _row(declaration: Declaration) -> str:
    processes = ", ".join(each for each in ProcessName if each in declaration.processes)
    if declaration.processes == set(ProcessName):
        processes = "all"
    labels = "; ".join(
        f"`{name}`: {', '.join(values)}" for name, values in declaration.labels.items()
    )
    cells = (f"`{declaration.name}`", declaration.kind, processes, labels, declaration.help)
    return f"| {' | '.join(cells)} |\n"


def declared_in(process: ProcessName) -> list[Declaration]:
    return list(declared.of(process))


def documented(page: str, process: ProcessName) -> set[str]:
    """The metrics that the page says ``process`` has."""
    rows = re.findall(r"^\| `(switchboard_\w+)` \| \w+ \| ([\w, ]+) \|", page, re.MULTILINE)
    return {name for name, processes in rows if processes == "all" or process in processes}
