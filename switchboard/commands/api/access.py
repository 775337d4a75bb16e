"""Which API a command talks to, and with which key."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from switchboard.command_name import command_name
from switchboard.commands.api.address import api_address
from switchboard.own_account import read_own_account
from switchboard.problems import Problem
from switchboard.state import read_state


@dataclass(frozen=True)
class ApiAccess:
    url: str
    key: str = field(repr=False)


def api_access(data_dir: Path, api_url: str | None, api_key: str | None) -> ApiAccess:
    """The given address and key. Defaults: the Switchboard that runs in ``data_dir``, and the key
    of the account that was opened there, or else of its demo account.

    These accounts' keys are sent only to the installation that made them.

    Raises:
        Problem: there is no such installation or key.
    """
    state = read_state(data_dir)
    here = None if state is None else state.api_url
    given = here if api_url is None else api_url
    if given is None:
        raise Problem(
            "No Switchboard has been started here.",
            f"Start one with `{command_name()} up` or `make demo`, or name another with --api-url.",
        )
    url = api_address(given)
    key = api_key or (_key_of_this_machine(data_dir) if url == here else None)
    if key is None:
        raise Problem(
            "A secret API key is needed.",
            f"Open an account with `{command_name()} account create`, or give a key with --api-key "
            "or in the environment variable SWITCHBOARD_API_KEY.",
        )
    return ApiAccess(url, key)


def _key_of_this_machine(data_dir: Path) -> str | None:
    from switchboard.demo.account import read_account

    account = read_own_account(data_dir) or read_account(data_dir)
    return None if account is None else account.secret_key
