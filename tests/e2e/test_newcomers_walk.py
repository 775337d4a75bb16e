"""A newcomer's first steps: what the README starts, as written, in a fresh clone.

Only the packages are not installed again: the clone gets those of the environment that runs the
tests.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from switchboard.services.ports import is_free
from tests.docs.blocks import ROOT, blocks_of
from tests.e2e.up import wait_until_started
from tests.short_directory import short_directory
from tests.stand_ins.openai_wire import OpenAIWire, says

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

OLLAMA_PORT = 11434
"""The README's; Ollama's own."""
STARTS = "make up"
STOP_SECONDS = 20


@pytest.fixture
def clone(require_program: Callable[..., str]) -> Iterator[Path]:
    """The last commit, with the packages of this environment."""
    for program in ("git", "make", "bash"):
        require_program(program)
    with short_directory("switchboard-walk-") as directory:
        place = directory / "switchboard"
        cloned = subprocess.run(["git", "clone", "--quiet", ROOT, place], check=False)
        if cloned.returncode != 0:
            pytest.skip("this is not a checkout of git")
        _install(place)
        yield place


def _install(place: Path) -> None:
    """What ``make`` would install, without a registry."""
    commands = place / ".venv" / "bin"
    commands.mkdir(parents=True)
    python = shlex.quote(sys.executable)
    _program(commands / "python", f'exec {python} "$@"')
    _program(commands / "switchboard", f'exec {python} -m switchboard "$@"')
    _program(commands / "ollama", 'echo "$@"')
    shown = "import bootstrap, sys; print(bootstrap.fingerprint(sys.executable), end='')"
    ran = subprocess.run(
        [sys.executable, "-c", shown], cwd=place, check=True, capture_output=True, text=True
    )
    (place / ".venv" / "switchboard-installed").write_text(ran.stdout)


def _program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def _environment(place: Path) -> dict[str, str]:
    ours = {name: text for name, text in os.environ.items() if "SWITCHBOARD" not in name}
    path = f"{place / '.venv' / 'bin'}:{os.environ['PATH']}"
    return ours | {"PYTHON": sys.executable, "PYTHONPATH": str(place), "PATH": path}


@contextmanager
def _first_terminal(place: Path, lines: str) -> Iterator[Path]:
    """Lines of which the last one starts a system and stays; its output is in the file. Ctrl-C ends
    it."""
    output_path = place.parent / "first-terminal.txt"
    with output_path.open("wb") as output:
        shell = subprocess.Popen(
            ["bash", "-e", "-c", lines],
            cwd=place,
            env=_environment(place) | {"COLUMNS": "400"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        wait_until_started(output_path, lambda: shell.poll() is None)
        yield output_path
    finally:
        os.killpg(shell.pid, signal.SIGINT)
        try:
            shell.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()


def _second_terminal(place: Path, lines: str) -> str:
    ran = subprocess.run(
        ["bash", "-e", "-c", lines],
        cwd=place,
        env=_environment(place) | {"COLUMNS": "400"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


def _block(place: Path, first_line: str) -> str:
    [text] = [
        block.text for block in blocks_of(place / "README.md") if block.text.startswith(first_line)
    ]
    return text


async def test_from_the_clone_to_an_agent_on_one_s_own_model(clone: Path) -> None:
    if not is_free(OLLAMA_PORT):
        pytest.skip(f"port {OLLAMA_PORT}, which the README names, is in use")
    own_model = _block(clone, "ollama pull")
    before, rest = own_model.split(f"\n{STARTS}\n")
    wire = OpenAIWire([says("Blue.")], models=["llama3.2"], port=OLLAMA_PORT)
    async with wire.serving():
        seen = await asyncio.to_thread(_walk, clone, f"{before}\n{STARTS}", rest)
    first, added, made = seen
    assert "No account yet. Open one at that address, or in another terminal" in first
    assert "switchboard account create" in first
    assert "llama3.2 at http://127.0.0.1:11434/v1 answers" in first
    assert "Agents that name no language model use it" in added
    assert "/call?agent=" in made


def _walk(clone: Path, first: str, second: str) -> tuple[str, str, str]:
    with _first_terminal(clone, first) as output:
        added = _second_terminal(clone, second)
        made = _second_terminal(clone, _block(clone, ".venv/bin/switchboard account create"))
        return output.read_text(), added, made


def test_starting_is_the_same_command_in_every_page(clone: Path) -> None:
    setup = blocks_of(clone / "docs" / "README.md")[0]
    assert _block(clone, STARTS) == setup.text == f"{STARTS}\n"
