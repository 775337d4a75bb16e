"""One bash session in which a reader pastes every block of a page, from the top."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from tests.docs.blocks import ROOT, SETUP_PAGE, Block, blocks_of, setup_line

PREAMBLE = """\
set -euo pipefail
curl() { command curl --fail-with-body "$@"; }
"""
"""A refusal of the API fails the block; so does a variable that the page never filled."""


def checkout(directory: Path, venv: Path, *data_files: Path) -> Path:
    """Make ``directory`` what the project's own is while a Switchboard runs in it.

    Args:
        data_files: What the running system has left in its data directory.
    """
    for each in ROOT.iterdir():
        if each.name not in (".venv", ".switchboard", ".git"):
            (directory / each.name).symlink_to(each)
    (directory / ".venv").symlink_to(venv)
    (directory / ".switchboard").mkdir()
    for file in data_files:
        (directory / ".switchboard" / file.name).symlink_to(file)
    return directory


def run_page(page: Path, directory: Path, environment: dict[str, str]) -> str:
    """Run the page's blocks, with the set-up of the shell where the page links to it.

    Returns what they printed.

    Raises:
        AssertionError: a block failed; the last line that begins with ``##`` names it.
    """
    blocks = [block for block in blocks_of(page) if block.is_run]
    if page != SETUP_PAGE and (line := setup_line(page)) is not None:
        setup = [block for block in blocks_of(SETUP_PAGE) if block.is_run]
        before = [block for block in blocks if block.line < line]
        blocks = [*before, *setup, *blocks[len(before) :]]
    return run_blocks(blocks, directory, environment)


def run_blocks(blocks: Iterable[Block], directory: Path, environment: dict[str, str]) -> str:
    """One after the other in one session; otherwise as ``run_page``."""
    script = directory / "page.bash"
    script.write_text("\n".join([PREAMBLE, *_parts(blocks)]))
    ran = subprocess.run(
        ["bash", script],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def _parts(blocks: Iterable[Block]) -> Iterator[str]:
    for language, group in groupby(blocks, key=lambda block: block.language):
        if language == "python":
            # Consecutive examples are one program: a reader types them into one interpreter.
            yield _python(list(group))
        else:
            yield from (_sh(block) for block in group)


def _sh(block: Block) -> str:
    announced = f"echo '## {block.name}'\n"
    if block.refused_with is None:
        return announced + block.text
    return (
        f"{announced}if answer=$(\n{block.text}); then echo 'was not refused'; exit 1; fi\n"
        f'echo "$answer"; grep -q \'"status":{block.refused_with}\' <<< "$answer"\n'
    )


def _python(blocks: list[Block]) -> str:
    program = "\n".join(block.text for block in blocks)
    return f"echo '## {blocks[0].name}'\npython -W error -c {shlex.quote(program)}\n"
