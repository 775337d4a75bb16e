"""Measure how long callers wait when providers fail, and write docs/faults.md.

python -m tests.faults
python -m tests.faults --only endpoints
python -m tests.faults --only realtime
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

from bench.machine_speed import fixed_loop_ms
from tests.faults.cells import Cell, noted
from tests.faults.page import MEASURED, PATH, cells_of, machines_of, page, unknown_faults

_CHANNELS = Path("tests/pipelines/engine/channels")
_REALTIME = _CHANNELS / "realtime" / "test_realtime_faults.py"
_MATRICES = {
    "vendors": (
        _REALTIME,
        _CHANNELS / "llm" / "test_supervised_llm.py",
        _CHANNELS / "stt" / "test_hearing_faults.py",
        _CHANNELS / "tts" / "test_supervised_tts.py",
    ),
    "endpoints": (
        _CHANNELS / "llm" / "test_custom_llm.py",
        _CHANNELS / "stt" / "test_custom_transcriber.py",
        _CHANNELS / "tts" / "test_custom_voice.py",
    ),
}
"""By the table of the page."""
_PARTS = {**_MATRICES, "realtime": (_REALTIME,)}
_WITHOUT_FIGURES = "test_custom_voice and once"
_LOOPS = 5


def measured(results: Path) -> Iterator[Cell]:
    """The cells in pytest's results (JUnit's XML)."""
    properties = ElementTree.parse(results).iter("property")
    return noted((each.get("name", ""), each.get("value", "")) for each in properties)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--only", choices=_PARTS, help="measure these cells, keep the others")
    only: str | None = parser.parse_args().only
    tables = list(_MATRICES) if only is None else [only]
    matrices = [str(path) for table in tables for path in _PARTS[table]]
    with tempfile.TemporaryDirectory(prefix="switchboard-faults-") as directory:
        results = Path(directory) / "results.xml"
        options = (
            *("-m", "latency", "-k", f"not ({_WITHOUT_FIGURES})"),
            *("-p", "no:cacheprovider", f"--junitxml={results}"),
        )
        run = subprocess.run([sys.executable, "-m", "pytest", *matrices, *options])
        if run.returncode:
            sys.exit("The page is not written: not every fault was answered in time.")
        cells = list(measured(results))
    if unknown := unknown_faults(cells):
        sys.exit(f"tests/faults/page.py has no row for {', '.join(sorted(unknown))}")
    loop_ms = median(fixed_loop_ms() for _ in range(_LOOPS))
    machine = (
        f"{MEASURED} a machine that needs {loop_ms:.0f} ms for the fixed loop of"
        " `bench/machine_speed.py`."
    )
    machines = dict.fromkeys(_MATRICES, machine)
    if only is not None:
        before = PATH.read_text()
        # A page may be without the second table.
        machines |= dict(zip(_MATRICES, machines_of(before), strict=False))
        if only in _MATRICES:
            machines[only] = machine
        new = {each.channel for each in cells}
        cells += [each for each in cells_of(before) if each.channel not in new]
    PATH.write_text(page(cells, *machines.values()))
    sys.stdout.write(f"{len(cells)} cells in {PATH}\n")


if __name__ == "__main__":
    main()
