"""Which keys and addresses a client takes."""

from __future__ import annotations

import httpx2
import pytest

from switchboard_client import AsyncSwitchboard, KeyInvalid, ServerUnreachable, Switchboard
from tests.clients.stand_in import SERVER, StandIn, answer


@pytest.mark.parametrize("client", [Switchboard, AsyncSwitchboard])
@pytest.mark.parametrize("key", ["sb_secret_0123\nsb_secret_4567", "sb_secret_0123…4567"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_repeated(
    client: type[Switchboard | AsyncSwitchboard], key: str
) -> None:
    with pytest.raises(KeyInvalid) as refused:
        client(SERVER, key)
    assert "0123" not in str(refused.value)


@pytest.mark.parametrize("client", [Switchboard, AsyncSwitchboard])
@pytest.mark.parametrize("server", ["http://sb.example:80800", "http://sb.example:eighty"])
def test_an_address_that_cannot_be_one_is_an_error_of_the_client(
    client: type[Switchboard | AsyncSwitchboard], server: str
) -> None:
    """The HTTP library has errors of its own for it, which no program expects."""
    with pytest.raises(ServerUnreachable, match="Invalid port"):
        client(server, "k")


def test_the_line_end_of_a_file_is_not_part_of_the_key() -> None:
    api = StandIn([answer(200, {})])
    with Switchboard(SERVER, "sb_secret_0123\n", transport=httpx2.MockTransport(api)) as client:
        client.request("GET", "/v1/agents")
    assert api.requests[0].headers["Authorization"] == "Bearer sb_secret_0123"
