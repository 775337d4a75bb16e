from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from control_plane.notifying.notifications.mail_choices.link import (
    VALID_FOR,
    LinkIsBroken,
    LinkIsOld,
    MailReader,
    reader_of,
    token_of,
)

NOW = datetime(2026, 1, 5, tzinfo=UTC)
READER = MailReader(uuid4(), uuid4(), "agent.failed")
TOKEN = token_of(READER, "secret", NOW)


def test_a_token_names_its_reader_until_it_expires() -> None:
    assert reader_of(TOKEN, "secret", NOW + VALID_FOR - timedelta(seconds=1)) == READER
    with pytest.raises(LinkIsOld):
        reader_of(TOKEN, "secret", NOW + VALID_FOR)


@pytest.mark.parametrize("place", range(len(TOKEN)))
def test_a_token_with_another_letter_is_refused(place: int) -> None:
    other = "B" if TOKEN[place] == "A" else "A"
    changed = TOKEN[:place] + other + TOKEN[place + 1 :]
    try:
        assert reader_of(changed, "secret", NOW) == READER  # the last letter has unused bits
    except LinkIsBroken:
        return
    assert place == len(TOKEN) - 1


@pytest.mark.parametrize(
    "token",
    [
        *("", "A", "AA", "é", "=", "%00"),
        # Its letters are others in each process.
        pytest.param(TOKEN[:-4], id="cut off"),
        pytest.param(TOKEN * 10, id="ten times"),
    ],
)
def test_anything_else_is_refused(token: str) -> None:
    with pytest.raises(LinkIsBroken):
        reader_of(token, "secret", NOW)


def test_the_token_of_another_installation_is_refused() -> None:
    with pytest.raises(LinkIsBroken):
        reader_of(TOKEN, "another secret", NOW)
