"""What is done at a carrier after its webhook was answered: the carrier does not ask again."""

from __future__ import annotations

import pytest

from carriers.api import CarrierProblem, ProblemKind
from telephony_bridge.webhooks import app
from telephony_bridge.webhooks.app import PAUSES_SECONDS, _after


class Command:
    """Fails so often."""

    def __init__(self, failures: int, kind: ProblemKind) -> None:
        self._failures = failures
        self._kind = kind
        self.tries = 0

    async def __call__(self) -> None:
        self.tries += 1
        if self.tries <= self._failures:
            raise CarrierProblem(self._kind, "Not now.")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "PAUSES_SECONDS", (0.0,) * len(PAUSES_SECONDS))


@pytest.mark.parametrize("kind", [ProblemKind.UNREACHABLE, ProblemKind.RATE_LIMITED])
async def test_a_command_that_a_carrier_could_not_take_is_sent_again(kind: ProblemKind) -> None:
    command = Command(2, kind)
    await _after(command)
    assert command.tries == 3


async def test_a_carrier_that_stays_away_is_given_up() -> None:
    command = Command(100, ProblemKind.UNREACHABLE)
    await _after(command)
    assert command.tries == len(PAUSES_SECONDS) + 1


async def test_a_command_that_a_carrier_refuses_is_not_sent_again() -> None:
    command = Command(100, ProblemKind.REFUSED)
    await _after(command)
    assert command.tries == 1
