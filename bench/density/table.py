"""Rows as a table, for a terminal or in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.table import Table

from bench.density.row import Row

Columns = dict[str, Callable[[Row], str]]

CONDITION: Columns = {
    "vendors": lambda row: row.condition.vendors,
    "calls": lambda row: str(row.condition.calls),
    "build": lambda row: row.condition.build,
    "worker processes": lambda row: str(row.condition.processes),
    "on cores": lambda row: str(row.condition.cores or "all"),
    "neighbor": lambda row: _share(row.condition.neighbor) if row.condition.neighbor else "-",
    "minute": lambda row: str(row.minute or "-"),
}
HEARD: Columns = {
    "first sample p50 / longest": lambda row: _ms(row.first_sample),
    "voice to voice p50 / p95": lambda row: _ms(row.voice_to_voice),
    "end of turn p50 / p95": lambda row: _ms(row.end_of_turn),
    "ours p50 / p95": lambda row: _ms(row.ours),
    "barge-in p50 / p95": lambda row: _ms(row.barge_in),
    "turns + barge-ins": lambda row: f"{row.turns} + {row.barge_ins}",
    "gaps p99 / longest": lambda row: _ms(row.gaps),
    "words wrong": lambda row: "-" if row.wrong_words is None else _share(row.wrong_words),
    "refused / lost / unanswered": lambda row: f"{row.refused} / {row.lost} / {row.unanswered}",
}
COST: Columns = {
    "workers' CPU": lambda row: _share(row.workers_cpu),
    "models' CPU": lambda row: _share(row.models_cpu),
    "others' CPU": lambda row: _share(row.others_cpu),
    "callers' CPU": lambda row: _share(row.callers_cpu),
    "vendors' CPU": lambda row: _share(row.vendors_cpu),
    "callers' lag p99": lambda row: _ms(row.callers_lag),
    "workers' memory, MB": lambda row: f"{row.workers_memory_mb:.0f}",
    "fixed loop, ms": lambda row: f"{row.fixed_loop_ms:.0f}",
}
_SAYS_NOTHING = ({"-"}, {"all"})


def cells(rows: Sequence[Row], *groups: Columns) -> tuple[list[str], list[list[str]]]:
    """Headings and lines, without the columns in which no row says anything."""
    shown = {
        name: text
        for columns in groups
        for name, text in columns.items()
        if {text(row) for row in rows} not in _SAYS_NOTHING
    }
    return list(shown), [[text(row) for text in shown.values()] for row in rows]


def terminal_table(rows: Sequence[Row]) -> Table:
    headings, lines = cells(rows, CONDITION, HEARD, COST)
    table = Table(*headings)
    for line in lines:
        table.add_row(*line)
    return table


def markdown(rows: Sequence[Row]) -> str:
    """Two tables: what callers hear, and what it costs."""
    return "\n\n".join(_markdown(*cells(rows, CONDITION, group)) for group in (HEARD, COST))


def _markdown(headings: list[str], lines: list[list[str]]) -> str:
    all_lines = [headings, ["---"] * len(headings), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in all_lines)


def _ms(values: list[float]) -> str:
    return " / ".join(f"{each:.0f}" for each in values) or "-"


def _share(value: float) -> str:
    return f"{value:.0%}"
