"""The child process that reads one document: its file on standard input, passages as JSON on
standard output. It knows no secret, and limits its own memory, processor time and files."""

from __future__ import annotations

import json
import os
import resource
import sys
from contextlib import suppress

from knowledge.chunking import MOST_PASSAGES, TooManyPassages, passages_of
from knowledge.parsing.formats import Format
from knowledge.parsing.problems import TOO_COSTLY, Unreadable
from knowledge.parsing.readers import markdown_of

MEMORY_BYTES = 1_024 * 2**20
"""Of address space."""
CPU_SECONDS = 20
NICENESS = 10
"""See nice(2): requests and calls on the same cores come first."""


def main() -> None:
    """Arguments: the document's format and its title."""
    os.nice(NICENESS)
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_CPU, CPU_SECONDS)
    _limit(resource.RLIMIT_AS, MEMORY_BYTES)
    kind, title = Format(sys.argv[1]), sys.argv[2]
    sys.stdout.write(json.dumps(_answer(sys.stdin.buffer.read(), kind, title)))


def _answer(content: bytes, kind: Format, title: str) -> dict[str, object]:
    try:
        passages = passages_of(markdown_of(content, kind), title)
    except Unreadable as problem:
        return {"problem": str(problem)}
    except TooManyPassages:
        return {"problem": f"The document has more than {MOST_PASSAGES:,} passages; split it."}
    except (MemoryError, RecursionError):
        return {"problem": TOO_COSTLY}
    except Exception:  # noqa: BLE001 - the libraries raise anything on damaged documents
        return {"problem": "The document is damaged and cannot be read."}
    return {"passages": [[passage.context, passage.text] for passage in passages]}


def _limit(what: int, value: int) -> None:
    # macOS cannot set some, and nothing may raise one that is lower already.
    with suppress(OSError, ValueError):
        resource.setrlimit(what, (value, value))


if __name__ == "__main__":
    main()
