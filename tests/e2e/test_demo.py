"""``switchboard demo`` as a newcomer runs it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from switchboard.services.ports import free_port

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

STOP_SECONDS = 3.0
CALL_SECONDS = 240
AMOUNT, DAY = r"\$\d+\.\d{6}", r"\d{4}-\d\d-\d\d"
CHAIN = (
    rf"^ +Charge +{AMOUNT} +charged for \d+ s, transaction [0-9a-f-]{{36}} *$",
    rf"^ +Hold +{AMOUNT} +of the balance, settled *$",
    rf"^ +Plan +{AMOUNT} +a minute of .+, version \d+ *$",
    *(
        rf"^ +{component} +{AMOUNT} +{provider}/\S+ at {AMOUNT} a minute, valid from {DAY} *$"
        for component, provider in (
            ("stt", "local"),
            ("llm", "local"),
            ("tts", "local"),
            ("platform", "switchboard"),
        )
    ),
)
"""The lines of the bill, from the charge back to the price rows."""


@pytest.fixture
def data_dir() -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="switchboard-demo-"))
    directory.chmod(0o711)
    yield directory / "data"
    shutil.rmtree(directory, ignore_errors=True)


def start(data_dir: Path, *options: str) -> subprocess.Popen[bytes]:
    """The demo, with its output in a file beside the data directory."""
    arguments = ["demo", "--data-dir", str(data_dir), "--port", str(free_port()), *options]
    with output_of(data_dir).open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "switchboard", *arguments],
            stdout=output,
            stderr=output,
            env={**os.environ, "COLUMNS": "200"},
        )


def output_of(data_dir: Path) -> Path:
    return data_dir.with_name("output.txt")


def processes_of(data_dir: Path) -> list[str]:
    """Command lines that name the data directory."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        command = " ".join(process.info["cmdline"] or ())
        if str(data_dir) in command:
            found.append(command)
    return found


def test_from_nothing_to_a_checked_bill(data_dir: Path) -> None:
    demo = start(data_dir, "--exit")
    exit_code = demo.wait(CALL_SECONDS)
    said = output_of(data_dir).read_text()
    assert exit_code == 0, said
    for part in (
        *("Connected in", "the caller cuts in", "Goodbye", "✓ the bill is exact"),
        *("The webhook", "call.completed", "✓ a signed webhook told of the call"),
    ):
        assert part in said
    for line in CHAIN:
        assert re.search(line, said, re.MULTILINE), (line, said)
    for claim in ("first agent sample", "voice to voice, p50", "voice to voice, p95", "barge-in"):
        assert claim in said
    assert "Traceback" not in said
    assert processes_of(data_dir) == []


def test_the_same_call_by_phone_has_the_phones_minutes_on_its_bill(data_dir: Path) -> None:
    demo = start(data_dir, "--exit", "--phone")
    exit_code = demo.wait(CALL_SECONDS)
    said = output_of(data_dir).read_text()
    assert exit_code == 0, said
    for part in ("Connected in", "the caller cuts in", "✓ the bill is exact", "telecom_cost"):
        assert part in said
    assert "twilio/inbound +1 at $0.008500 a minute" in said
    assert "Traceback" not in said
    assert processes_of(data_dir) == []


@pytest.mark.latency
def test_ctrl_c_during_the_call_stops_everything_at_once(data_dir: Path) -> None:
    demo = start(data_dir)
    give_up_at = time.monotonic() + CALL_SECONDS
    while "agent" not in output_of(data_dir).read_text().partition("Connected in")[2]:
        assert demo.poll() is None, output_of(data_dir).read_text()
        assert time.monotonic() < give_up_at
        time.sleep(0.1)
    caller = [
        child
        for child in psutil.Process(demo.pid).children()
        if "switchboard.caller" in child.cmdline()
    ]
    demo.send_signal(signal.SIGINT)
    assert demo.wait(STOP_SECONDS) == 130
    assert processes_of(data_dir) == []
    assert [child for child in caller if child.is_running()] == []
    assert "Traceback" not in output_of(data_dir).read_text()
