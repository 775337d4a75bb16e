"""Reads one document in a child process of its own, which is killed when it takes too much."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from pathlib import Path

import knowledge
from knowledge.parsing.formats import Format
from knowledge.parsing.problems import NO_TEXT, TOO_COSTLY, Unreadable
from knowledge.passages import Passage

DEADLINE_SECONDS = 100.0
"""The child limits its own processor time, to a fifth of this: a busy machine gives a process so
nice less of it, and no document is refused for that."""
_ROOT = str(Path(knowledge.__file__).parent.parent)


async def read_document(
    file: Path, kind: Format, title: str, *, deadline_seconds: float = DEADLINE_SECONDS
) -> tuple[Passage, ...]:
    """The passages of the document in ``file``; at least one.

    Raises:
        Unreadable: why the document cannot be read, for the person who sent it.
    """
    with file.open("rb") as content:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "knowledge.parsing.child",
            kind.value,
            title,
            stdin=content,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PYTHONPATH": _ROOT, "LANG": "C.UTF-8"},
            cwd="/",
        )
        try:
            async with asyncio.timeout(deadline_seconds):
                answer, _ = await process.communicate()
        except TimeoutError as error:
            raise Unreadable(TOO_COSTLY) from error
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
    if process.returncode:
        raise Unreadable(TOO_COSTLY)
    return await asyncio.to_thread(_passages, answer)


def _passages(answer: bytes) -> tuple[Passage, ...]:
    found = json.loads(answer)
    if "problem" in found:
        raise Unreadable(found["problem"])
    if not found["passages"]:
        raise Unreadable(NO_TEXT)
    return tuple(Passage(context, text) for context, text in found["passages"])
