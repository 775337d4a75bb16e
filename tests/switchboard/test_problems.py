from __future__ import annotations

from switchboard.problems import problem_of
from switchboard_client import ServerUnreachable


def test_what_keeps_a_server_from_answering_is_said() -> None:
    """A certificate that is not trusted, for example, is no server that has to be started."""
    error = ServerUnreachable("https://sb.example", "certificate verify failed")
    assert problem_of(error, {}).detail == (
        "No Switchboard answers at https://sb.example (certificate verify failed)."
    )
