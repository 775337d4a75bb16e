"""Measure how long callers wait when providers fail, and write docs/faults.md.

python -m tests.faults
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

from bench.machine_speed import fixed_loop_ms
from tests.faults.cells import Cell, noted
from tests.faults.page import PATH, page, unknown_faults

_CHANNELS = Path("tests/pipelines/engine/channels")
_MATRICES = (
    _CHANNELS / "realtime" / "test_realtime_faults.py",
    _CHANNELS / "llm" / "test_supervised_llm.py",
    _CHANNELS / "stt" / "test_hearing_faults.py",
    _CHANNELS / "tts" / "test_supervised_tts.py",
)
_LOOPS = 5


def measured(results: Path) -> Iterator[Cell]:
    """The cells in pytest's results (JUnit's XML)."""
    properties = ElementTree.parse(results).iter("property")
    return noted((each.get("name", ""), each.get("value", "")) for each in properties)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="switchboard-faults-") as directory:
        results = Path(directory) / "results.xml"
        options = ("-m", "latency", "-p", "no:cacheprovider", f"--junitxml={results}")
        run = subprocess.run([sys.executable, "-m", "pytest", *map(str, _MATRICES), *options])
        if run.returncode:
            sys.exit("The page is not written: not every fault was answered in time.")
        cells = list(measured(results))
    if unknown := unknown_faults(cells):
        sys.exit(f"tests/faults/page.py has no row for {', '.join(sorted(unknown))}")
    loop_ms = median(fixed_loop_ms() for _ in range(_LOOPS))
    machine = (
        f"Measured on a machine that needs {loop_ms:.0f} ms for the fixed loop of"
        " `bench/machine_speed.py`."
    )
    PATH.write_text(page(cells, machine))
    sys.stdout.write(f"{len(cells)} cells in {PATH}\n")


if __name__ == "__main__":
    main()
