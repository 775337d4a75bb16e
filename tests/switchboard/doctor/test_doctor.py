from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.media.audio import libopus
from switchboard.doctor import machine, network, report, software
from switchboard.doctor.finding import Finding, fail, ok, warn
from switchboard.services.ports import LOOPBACK, free_port
from switchboard.settings import Settings
from tests.stand_ins.old_redis import old_redis


def test_a_healthy_machine_passes(tmp_path: Path) -> None:
    findings = report.examine(Settings(data_dir=tmp_path, port=free_port()))
    assert [finding for finding in findings if finding.level == "fail"] == []


def test_whatever_is_wrong_comes_with_what_to_do(tmp_path: Path) -> None:
    for finding in report.examine(Settings(data_dir=tmp_path, port=free_port())):
        assert finding.level == "ok" or finding.remedy


@pytest.mark.parametrize(
    ("findings", "code"),
    [([ok("a", "")], 0), ([ok("a", ""), warn("b", "", "do")], 0), ([fail("c", "", "do")], 1)],
)
def test_only_a_failure_fails(
    monkeypatch: pytest.MonkeyPatch, findings: list[Finding], code: int
) -> None:
    monkeypatch.setattr(report, "examine", lambda _settings: findings)
    assert report.run_doctor(Settings(), as_json=False) == code


def test_json_holds_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(report, "examine", lambda _settings: [fail("Port", "taken", "wait")])
    report.run_doctor(Settings(), as_json=True)
    assert json.loads(capsys.readouterr().out) == [
        {"subject": "Port", "level": "fail", "found": "taken", "remedy": "wait"}
    ]


def test_a_finding_is_shown_with_its_brackets(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    findings = [fail("Valkey", "died: [error] no room", "See [docs].")]
    monkeypatch.setattr(report, "examine", lambda _settings: findings)
    report.run_doctor(Settings(), as_json=False)
    assert capsys.readouterr().out == "✗ Valkey died: [error] no room\n  → See [docs].\n"


def test_the_user_of_the_port_is_named() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        finding = network.api_port(taken.getsockname()[1], state=None)
    assert finding.level == "warn"
    assert f"process {os.getpid()}" in finding.found


def test_a_port_that_this_user_may_not_have_is_not_called_in_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(_port: int) -> bool:
        raise PermissionError

    monkeypatch.setattr(network, "is_free", refuse)
    finding = network.api_port(80, state=None)
    assert (finding.level, finding.found) == ("fail", "this user may not listen on 80")
    assert "from 1024 on" in finding.remedy


@pytest.mark.parametrize(
    ("public_url", "trusted", "level"),
    [
        ("https://voice.example", (), "warn"),
        ("https://voice.example", ("10.0.0.1",), "ok"),
        ("http://127.0.0.1:8080", (), "ok"),
    ],
)
def test_an_address_with_tls_needs_a_trusted_proxy(
    public_url: str, trusted: tuple[str, ...], level: str
) -> None:
    settings = Settings(public_url=public_url, trusted_proxies=trusted)
    assert network.proxies(settings).level == level


def test_a_data_directory_that_is_a_file_fails(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert machine.data_directory(tmp_path / "file").level == "fail"


def test_a_clock_from_before_this_software_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("switchboard.doctor.machine.time.time", lambda: 1_000_000_000.0)
    assert machine.clock().level == "fail"


@pytest.mark.parametrize(
    ("check", "level"),
    [
        (lambda: software.postgres(Settings()), "fail"),
        (lambda: software.valkey(Settings()), "fail"),
        (software.microphone, "warn"),
    ],
)
def test_a_program_that_does_not_answer_is_told_in_words(
    monkeypatch: pytest.MonkeyPatch, check: Callable[[], Finding], level: str
) -> None:
    def hang(command: list[str], *, timeout: float, **_options: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    monkeypatch.setattr(software, "_installed", lambda _module: True)
    monkeypatch.setattr(subprocess, "run", hang)
    finding = check()
    assert finding.level == level
    assert "did not answer within" in finding.found
    assert finding.remedy


@pytest.mark.parametrize("check", [software.postgres, software.valkey])
def test_a_missing_wheel_fails_unless_the_server_is_yours(
    monkeypatch: pytest.MonkeyPatch, check: Callable[[Settings], Finding]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert check(Settings()).level == "fail"
    assert check(Settings(database_url="postgresql://db", redis_url="redis://r")).level == "ok"


def test_without_offline_models_a_key_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.delenv("DEEPGRAM_API_KEY", raising=False)
    assert software.offline_models(Settings(openai_api_key=None)).level == "fail"
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert software.offline_models(Settings()).level == "warn"


def test_it_says_which_languages_are_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    assert software.languages(Settings(openai_api_key=None)).found.startswith("English only")
    with_model = software.languages(Settings(openai_api_key="key")).found
    assert "offline agents understand English only" in with_model


def test_a_missing_codec_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    assert software.opus().level == "ok"

    def missing() -> None:
        raise libopus.OpusMissing("libopus was not found")

    monkeypatch.setattr(libopus, "libopus", missing)
    assert software.opus().level == "fail"


def test_an_old_redis_of_your_own_is_named_with_what_is_needed() -> None:
    with old_redis("6.0.16") as url:
        [finding] = software.redis_version(Settings(redis_url=url))
    assert finding.level == "fail"
    assert "Redis 6.2 or newer" in finding.found


def test_the_version_of_your_own_redis_is_shown(valkey_url: str) -> None:
    [finding] = software.redis_version(Settings(redis_url=valkey_url))
    assert (finding.level, finding.found.partition(" ")[0]) == ("ok", "Valkey")
    assert software.redis_version(Settings()) == []
    [away] = software.redis_version(Settings(redis_url="redis://127.0.0.1:1"))
    assert away.level == "warn"
