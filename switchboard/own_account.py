"""The account that ``switchboard account create`` opens: kept in ``account.json``, so that the
commands on this machine need no key."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

_FILE = "account.json"


class OwnAccount(BaseModel):
    """``account.json``, readable by its owner only."""

    model_config = ConfigDict(frozen=True)

    tenant_id: str
    name: str
    secret_key: str = Field(repr=False)


def read_own_account(data_dir: Path) -> OwnAccount | None:
    """``None`` when none has been opened, or when another version wrote the file."""
    try:
        return OwnAccount.model_validate_json((data_dir / _FILE).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def write_own_account(data_dir: Path, account: OwnAccount) -> Path:
    """Returns where it is kept."""
    path = data_dir / _FILE
    staged = path.with_name(f"{_FILE}.new")
    staged.unlink(missing_ok=True)
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(fd, "w") as file:
        file.write(account.model_dump_json(indent=2) + "\n")
    staged.replace(path)
    return path
