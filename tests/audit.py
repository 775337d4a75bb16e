"""Asks whether a locked package has a known vulnerability: ``make audit``.

``pip-audit`` reads the lock files and asks the package registry. Where the registry does not say
what is known, as a mirror may not, nothing is checked, and this says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCKS = (ROOT / "requirements.lock", ROOT / "deploy" / "build.lock")
ACCEPTED: Mapping[str, str] = {}
"""Vulnerabilities that do not concern us, with the reason, by their id."""

Ask = Callable[[Path], dict[str, Any] | None]
"""The report of ``pip-audit`` on a lock file, or ``None`` if there is none."""


@dataclass
class Findings:
    """What was found in all lock files."""

    checked: int = 0
    unknown: list[str] = field(default_factory=list)
    """Packages that the registry says nothing about."""
    vulnerable: list[str] = field(default_factory=list)
    """A line for each vulnerability that is not accepted."""

    def add(self, report: dict[str, Any]) -> None:
        for package in report["dependencies"]:
            if "skip_reason" in package:
                self.unknown.append(package["name"])
                continue
            self.checked += 1
            for known in package["vulns"]:
                if not {known["id"], *known["aliases"]} & ACCEPTED.keys():
                    mended = ", ".join(known["fix_versions"]) or "no release"
                    self.vulnerable.append(
                        f"{package['name']} {package['version']}: {known['id']} "
                        f"(mended in {mended})"
                    )


def audit(ask: Ask) -> Findings | None:
    """``None`` if the registry does not answer: one package is asked about before all others.

    Raises:
        RuntimeError: it answered, and then ``pip-audit`` failed.
    """
    with tempfile.TemporaryDirectory() as directory:
        probe = Path(directory, "one.lock")
        first, *_ = LOCKS[1].read_text().split("    # via")
        probe.write_text(first)
        report = ask(probe)
    findings = Findings()
    if report is not None:
        findings.add(report)
    if not findings.checked:
        return None
    findings = Findings()
    for lock in LOCKS:
        if (report := ask(lock)) is None:
            raise RuntimeError(f"pip-audit failed on {lock.name}")
        findings.add(report)
    return findings


def ask_pip_audit(lock: Path) -> dict[str, Any] | None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pip_audit", "--requirement", str(lock)),
            *("--disable-pip", "--require-hashes", "--format", "json"),
            *("--progress-spinner", "off"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        report: dict[str, Any] = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None
    return report


def main(ask: Ask = ask_pip_audit) -> int:
    findings = audit(ask)
    if findings is None:
        print("NOT CHECKED: the package registry does not say which vulnerabilities are known.")
        return 0
    print(f"{findings.checked} locked packages checked.")
    if findings.unknown:
        print(f"NOT CHECKED, unknown to the registry: {', '.join(findings.unknown)}")
    for line in findings.vulnerable:
        print(f"error: {line}", file=sys.stderr)
    return 1 if findings.vulnerable else 0


if __name__ == "__main__":
    sys.exit(main())
