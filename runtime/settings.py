"""The settings of a media worker."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, PositiveInt

from contracts.ice_settings import IceSettings


class WorkerOptions(IceSettings):
    """What the operator of an installation can choose. The command line reads these fields from
    the environment."""

    worker_id: Annotated[str, Field(min_length=1)] = "local-1"
    slots: PositiveInt = 8
    """How many calls one worker runs at once."""
    drain_timeout_seconds: Annotated[float, Field(ge=0)] = 120
    """How long a stopping worker lets its calls continue before it ends them."""


class WorkerSettings(WorkerOptions):
    model_config = ConfigDict(frozen=True)

    redis_url: str
    data_dir: Path
    """Holds the call journals. Only one running worker may use a directory. A worker that starts in
    the directory of one that died ends the calls that it finds there."""
    object_store_url: str | None = None
    """Where recordings are stored. Without it, nothing is recorded."""
