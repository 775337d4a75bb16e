"""The examples of the client's README."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parents[2] / "clients" / "python" / "README.md"
_TAKE_PART = "## Take part in a call"
_EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def api_examples() -> str:
    """All but the last, one after the other, as one program."""
    return "\n".join(_EXAMPLE.findall(README.read_text().partition(_TAKE_PART)[0]))


def webrtc_example() -> str:
    """The one that needs a worker: it listens to ``SWITCHBOARD_AGENT_ID`` and leaves
    ``heard_seconds``."""
    [example] = _EXAMPLE.findall(README.read_text().partition(_TAKE_PART)[2])
    return str(example)
