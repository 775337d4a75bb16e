from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from click.testing import Result
from typer.testing import CliRunner

from switchboard.cli import app
from tests.switchboard.commands.stand_in_api import StandInApi, stand_in_api


@dataclass(frozen=True)
class Terminal:
    """Types commands that use the stand-in."""

    api: StandInApi

    def type(self, *words: str, typed: str | None = None) -> Result:
        """
        Args:
            typed: what the command reads.
        """
        access = ("--api-url", self.api.url, "--api-key", "sb_secret_of_the_tests")
        return CliRunner(env={"COLUMNS": "100"}).invoke(app, [*words, *access], input=typed)


@pytest.fixture
def api() -> Iterator[StandInApi]:
    with stand_in_api() as api:
        yield api


@pytest.fixture
def terminal(api: StandInApi) -> Terminal:
    return Terminal(api)
