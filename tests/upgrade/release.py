"""A release's code in a folder, and its processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


class UnknownRevision(ValueError):
    """The message says what to do."""


@dataclass(frozen=True)
class Release:
    """``tree`` holds its code. Every release runs on the packages installed for this checkout."""

    name: str
    tree: Path

    def run(
        self, arguments: tuple[str, ...], environment: Mapping[str, str], log_path: Path
    ) -> subprocess.Popen[bytes]:
        """Start ``switchboard ARGUMENTS`` of this release, without settings of this shell."""
        inherited = {
            key: value for key, value in os.environ.items() if not key.startswith("SWITCHBOARD_")
        }
        with log_path.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "switchboard", *arguments],
                cwd=self.tree,
                stdout=log,
                stderr=log,
                env={**inherited, **environment, "PYTHONPATH": str(self.tree)},
                preexec_fn=_usual_priority,
            )


def _usual_priority() -> None:
    """Not that of this process, which may have raised its own."""
    if os.getpriority(os.PRIO_PROCESS, 0) < 0:
        os.setpriority(os.PRIO_PROCESS, 0, 0)


THIS = Release("new", REPOSITORY)


@contextmanager
def previous(revision: str, directory: Path) -> Iterator[Release]:
    """The code of a tag or commit of this repository, checked out below ``directory``.

    Raises ``UnknownRevision``.
    """
    tree = directory / "previous"
    try:
        _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    except subprocess.CalledProcessError:
        raise UnknownRevision(
            f"This repository has no revision {revision!r}. Name another one with --previous; "
            "CHANGELOG.md names the commit of each release."
        ) from None
    _git("worktree", "add", "--detach", str(tree), revision)
    try:
        yield Release("old", tree)
    finally:
        _git("worktree", "remove", "--force", str(tree))


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=REPOSITORY, check=True, capture_output=True)
