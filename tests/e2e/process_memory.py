"""What a process knows: the texts in its memory, where ever they came from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_MAPPING = re.compile(r"([0-9a-f]+)-([0-9a-f]+) rw")


def texts_in_memory(pid: int, texts: Iterable[str]) -> set[str]:
    """Those of the texts that the process holds anywhere in memory that it can write. The process
    must be ours, or a descendant of this one."""
    wanted = {text: text.encode() for text in texts}
    found: set[str] = set()
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            if match := _MAPPING.match(line):
                begin, end = (int(each, 16) for each in match.groups())
                memory.seek(begin)
                try:
                    content = memory.read(end - begin)
                except OSError:
                    # A mapping of a device, or one that is gone meanwhile.
                    continue
                found |= {text for text, word in wanted.items() if word in content}
    return found
