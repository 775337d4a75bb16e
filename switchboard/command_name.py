"""How the person at the terminal can start this program again."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def command_name() -> str:
    """``switchboard`` where the shell finds it; otherwise the path by which it was started, such as
    ``.venv/bin/switchboard`` after ``make up``."""
    started = Path(sys.argv[0])
    if shutil.which("switchboard") or started.name != "switchboard":
        return "switchboard"
    path = os.path.relpath(started)
    return str(started) if path.startswith("..") else path
