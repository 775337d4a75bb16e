"""The check for known vulnerabilities finds them, and never passes for a check that did not run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests import audit

SOUND = {"name": "sound", "version": "1.0", "vulns": []}
UNKNOWN = {"name": "unknown", "skip_reason": "Dependency not found and could not be audited"}
BROKEN = {
    "name": "broken",
    "version": "1.0",
    "vulns": [{"id": "PYSEC-1", "aliases": ["CVE-1"], "fix_versions": ["1.1"]}],
}


def answering(*packages: dict[str, Any]) -> audit.Ask:
    return lambda _: {"dependencies": list(packages), "fixes": []}


def test_sound_packages_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.main(answering(SOUND)) == 0
    assert capsys.readouterr().out == "2 locked packages checked.\n"


def test_a_known_vulnerability_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.main(answering(SOUND, BROKEN)) == 1
    assert "error: broken 1.0: PYSEC-1 (mended in 1.1)" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["PYSEC-1", "CVE-1"])
def test_an_accepted_one_passes(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(audit, "ACCEPTED", {name: "the code is never run"})
    assert audit.main(answering(SOUND, BROKEN)) == 0


@pytest.mark.parametrize("ask", [lambda _: None, answering(UNKNOWN)], ids=["silent", "mirror"])
def test_a_registry_that_does_not_answer_is_asked_once_and_reported(
    capsys: pytest.CaptureFixture[str], ask: audit.Ask
) -> None:
    asked: list[Path] = []

    def counting(lock: Path) -> dict[str, Any] | None:
        asked.append(lock)
        assert lock.read_text().count("==") == 1
        return ask(lock)

    assert audit.main(counting) == 0
    assert len(asked) == 1
    assert capsys.readouterr().out.startswith("NOT CHECKED: ")


def test_a_failure_after_the_first_answer_is_no_success() -> None:
    reports = iter([answering(SOUND)(Path()), None])
    with pytest.raises(RuntimeError, match=r"requirements\.lock"):
        audit.main(lambda _: next(reports))


def test_packages_that_the_registry_does_not_know_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert audit.main(answering(SOUND, UNKNOWN)) == 0
    assert "NOT CHECKED, unknown to the registry: unknown" in capsys.readouterr().out
