"""What `up` writes to the data directory for other commands: addresses, processes, secrets."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

_Model = TypeVar("_Model", bound=BaseModel)


class State(BaseModel):
    """``state.json``. ``pids`` maps the name of each process to its id, the supervisor included.

    The file outlives a killed supervisor. Only the supervisor's lock tells whether one is running.
    """

    model_config = ConfigDict(frozen=True)

    api_url: str
    pids: dict[str, int]
    started_at: datetime
    embedded: tuple[str, ...]
    """The servers that we run ourselves: ``postgres``, ``valkey``."""
    monitoring_ports: dict[str, int] = {}
    """By process; empty if none was asked for."""


class Secrets(BaseModel):
    """``secrets.json``, readable by its owner only.

    ``secret_key`` and ``operator_token`` stay the same for as long as the data directory exists.
    The addresses, with their passwords, are those of the last start.
    """

    model_config = ConfigDict(frozen=True)

    secret_key: str
    operator_token: str
    database_url: str | None = None
    redis_url: str | None = None


class WorkerPids(BaseModel):
    """``workers.json``, which the host of the media workers writes: their process ids by name."""

    model_config = ConfigDict(frozen=True)

    pids: dict[str, int]


class SecretsDamaged(RuntimeError):
    """``secrets.json`` is there, but cannot be understood."""


def read_state(data_dir: Path) -> State | None:
    """``None`` when there is no file yet, or when another version wrote it. ``pids`` has the media
    workers' processes, too."""
    state = _read(data_dir / "state.json", State)
    workers = _read(data_dir / "workers.json", WorkerPids)
    if state is None or workers is None:
        return state
    return state.model_copy(update={"pids": state.pids | workers.pids})


def write_worker_pids(data_dir: Path, pids: Mapping[str, int]) -> None:
    _replace(data_dir / "workers.json", WorkerPids(pids=dict(pids)), mode=0o644)


def write_state(data_dir: Path, state: State) -> None:
    _replace(data_dir / "state.json", state, mode=0o644)


def read_secrets(data_dir: Path) -> Secrets | None:
    return _read(data_dir / "secrets.json", Secrets)


def kept_secrets(data_dir: Path) -> Secrets:
    """The secrets of the data directory; new ones if it has none yet.

    Raises:
        SecretsDamaged: nothing that was encrypted here could be opened with new ones, so that they
            must not take the place of what is left of the old ones.
    """
    secrets = read_secrets(data_dir)
    path = data_dir / "secrets.json"
    if secrets is None and path.exists():
        raise SecretsDamaged(
            f"{path} cannot be understood. What is encrypted in the databases here is opened with "
            "its secret_key: put a copy of the file back. If there is none and nothing is worth "
            "keeping, move the file away"
        )
    return secrets or new_secrets()


def write_secrets(data_dir: Path, values: Secrets) -> None:
    _replace(data_dir / "secrets.json", values, mode=0o600, durable=True)


def new_secrets() -> Secrets:
    return Secrets(
        secret_key=secrets.token_urlsafe(48), operator_token=f"sb_op_{secrets.token_urlsafe(32)}"
    )


def _read(path: Path, model: type[_Model]) -> _Model | None:
    try:
        return model.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _replace(path: Path, content: BaseModel, mode: int, *, durable: bool = False) -> None:
    """Readers see either the old file or the new one, and never with a wider mode; if it is to be
    durable, also after a power failure."""
    staged = path.with_name(path.name + ".new")
    staged.unlink(missing_ok=True)
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(fd, "w") as file:
        file.write(content.model_dump_json(indent=2) + "\n")
        if durable:
            file.flush()
            os.fsync(file.fileno())
    staged.replace(path)
