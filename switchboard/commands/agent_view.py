"""An agent, and what is said about it, on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

Finding = str | Mapping[str, Any]
"""A sentence, or a document with ``field``, ``message`` and ``fix``."""

_LONGEST_TEXT = 300


def show_agent(console: Console, agent: Mapping[str, Any]) -> None:
    """What matters of an agent, or of a draft with an ``id``."""
    persona = agent.get("persona") or {}
    playbook = agent.get("playbook") or {}
    rows = {
        "ID": agent["id"],
        "Name": agent.get("name"),
        "Company": persona.get("companyName"),
        "Role": persona.get("role"),
        "Language": agent.get("language"),
        "Voice": agent.get("voice"),
        "Language model": agent.get("llm_model") or agent.get("llm_provider"),
        "Published": _published(agent),
        "Opens with": playbook.get("opener"),
        "Asks for": _joined(slot["name"] for slot in playbook.get("requiredSlots") or ()),
        "Questions": _joined(
            (item["question"] for item in playbook.get("qualificationFlow") or ()), "\n"
        ),
        "Knows": _joined(persona.get("knowledgeBase") or (), "\n"),
        "Instructions": agent.get("system_prompt"),
    }
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, value in rows.items():
        if value:
            table.add_row(label, Text(_shortened(str(value))))
    console.print(table)


def show_findings(console: Console, heading: str, findings: Iterable[Finding]) -> None:
    """What stands in the way, each with how to mend it."""
    console.print(Text.assemble(("  ✗ ", "red"), heading), soft_wrap=True)
    for finding in findings:
        _show_finding(console, finding, ("    • ", "red"))


def show_warnings(console: Console, warnings: Iterable[Finding]) -> None:
    for warning in warnings:
        _show_finding(console, warning, ("  ! ", "yellow"))


def _show_finding(console: Console, finding: Finding, mark: tuple[str, str]) -> None:
    if isinstance(finding, str):
        console.print(Text.assemble(mark, finding), soft_wrap=True)
        return
    field, message, fix = (finding.get(key) for key in ("field", "message", "fix"))
    said = f"{field}: {message}" if field else str(message)
    console.print(Text.assemble(mark, said), soft_wrap=True)
    if fix:
        console.print(Text(f"      {fix}", style="dim"), soft_wrap=True)


def _published(agent: Mapping[str, Any]) -> str | None:
    if "published_version" not in agent:
        return None
    version = agent["published_version"]
    return "not yet" if version is None else f"version {version}"


def _joined(texts: Iterable[str], separator: str = ", ") -> str:
    return separator.join(texts)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
