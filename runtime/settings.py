"""What a media worker needs to know about where it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PositiveInt


class WorkerSettings(BaseModel):
    model_config = ConfigDict(frozen=True)

    worker_id: Annotated[str, Field(min_length=1)]
    redis_url: str
    data_dir: Path
    """Holds the call journals. One live worker per directory; a restarted worker that is given
    the same directory settles what its predecessor left there."""
    object_store_url: str | None = None
    """Where recordings are kept; without it nothing is recorded."""
    slots: PositiveInt = 8
    """How many calls this worker carries at once."""
    ice_servers: tuple[str, ...] = ()
    drain_timeout_seconds: Annotated[float, Field(ge=0)] = 120
    """How long a stopping worker lets its calls go on before it ends them."""
