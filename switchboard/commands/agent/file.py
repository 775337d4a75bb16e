"""An agent's fields in a JSON file, as ``POST`` and ``PATCH /v1/agents`` take them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from switchboard.commands.keyboard import ctrl_c_interrupts
from switchboard.problems import Problem


def read_agent_file(path: Path) -> dict[str, Any]:
    """``-`` is standard input.

    Raises:
        Problem: the file cannot be read, or holds no JSON object.
    """
    try:
        fields = json.loads(_typed() if str(path) == "-" else path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Problem(f"{path} is not a text file in UTF-8.") from error
    except json.JSONDecodeError as error:
        raise Problem(f"{path} is not JSON: line {error.lineno}: {error.msg}.") from error
    if not isinstance(fields, dict):
        raise Problem(f"{path} must hold one JSON object with an agent's fields.")
    return fields


def _typed() -> str:
    with ctrl_c_interrupts():
        return sys.stdin.read()
