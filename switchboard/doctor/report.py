"""Runs every check and prints the findings."""

from __future__ import annotations

import dataclasses
import json

from rich.console import Console
from rich.text import Text

from switchboard.doctor import (
    database,
    machine,
    network,
    own_model,
    phones,
    services,
    software,
    workers,
)
from switchboard.doctor.finding import Finding
from switchboard.settings import Settings
from switchboard.state import read_state

_MARKS = {"ok": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red")}


def examine(settings: Settings) -> list[Finding]:
    """Every finding, in the order in which a start would run into them."""
    return [
        machine.python(),
        machine.clock(),
        machine.data_directory(settings.data_dir),
        machine.privileges(settings.data_dir),
        software.postgres(settings),
        *database.server(settings),
        database.logins(settings),
        software.valkey(settings),
        *software.redis_version(settings),
        network.api_port(settings.port, read_state(settings.data_dir)),
        network.proxies(settings),
        network.tenants_addresses(settings),
        network.ice_addresses(),
        network.udp_loopback(),
        software.opus(),
        software.offline_models(settings),
        *software.keys(settings),
        software.languages(settings),
        *own_model.own_model(settings),
        *services.addresses(settings),
        *services.mail(settings),
        *services.invoice_font(settings),
        software.microphone(),
        *workers.workers(settings),
        *phones.phones(settings),
    ]


def run_doctor(settings: Settings, *, as_json: bool) -> int:
    """Print the report. Returns the exit code: 1 when `switchboard up` would not work."""
    findings = examine(settings)
    if as_json:
        print(json.dumps([dataclasses.asdict(finding) for finding in findings], indent=2))
    else:
        _show(findings)
    return 1 if any(finding.level == "fail" for finding in findings) else 0


def _show(findings: list[Finding]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for finding in findings:
        subject = (finding.subject, "bold")
        console.print(Text.assemble(_MARKS[finding.level], " ", subject, f" {finding.found}"))
        if finding.remedy:
            console.print(Text(f"  → {finding.remedy}"))
