"""Stack resolution: agent + catalogue + keys + locale → providers, models and voices. Pure."""

from pipelines.stack.catalogue import (
    CUSTOM,
    LOCAL,
    Capabilities,
    ModelEntry,
    ModelName,
    SkuEntry,
    StackCatalogue,
    VoiceEntry,
)
from pipelines.stack.frozen import still_runs
from pipelines.stack.keys import AvailableKeys
from pipelines.stack.obstacles import Situation
from pipelines.stack.outcome import CHANNEL_NAMES, CHANNELS, StackChoice, StackProblem
from pipelines.stack.resolution import resolve_stack

__all__ = [
    "CHANNELS",
    "CHANNEL_NAMES",
    "CUSTOM",
    "LOCAL",
    "AvailableKeys",
    "Capabilities",
    "ModelEntry",
    "ModelName",
    "Situation",
    "SkuEntry",
    "StackCatalogue",
    "StackChoice",
    "StackProblem",
    "VoiceEntry",
    "resolve_stack",
    "still_runs",
]
