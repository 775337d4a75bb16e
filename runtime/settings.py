"""What a media worker needs to know about where it runs."""

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
    """How many calls one worker carries at once."""
    drain_timeout_seconds: Annotated[float, Field(ge=0)] = 120
    """How long a stopping worker lets its calls go on before it ends them."""


class WorkerSettings(WorkerOptions):
    model_config = ConfigDict(frozen=True)

    redis_url: str
    data_dir: Path
    """Holds the call journals. One live worker per directory; a restarted worker that is given
    the same directory settles what its predecessor left there."""
    object_store_url: str | None = None
    """Where recordings are kept; without it nothing is recorded."""
