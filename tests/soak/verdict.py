"""What a soak may not show. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench.vendors.random_faults import Fault

GROWTH_AT_MOST_MIB = 20.0
GROWTH_AT_MOST = 0.05
_SETTLED_SHARE = 0.2
"""Of the samples: until then processes load what they load once."""
NOTICED_SECONDS = 20.0
"""From a fault to the switch that it explains: time limits, and a turn in which it is noticed."""
REMEMBERED_SECONDS = 180.0
"""A model that failed in one call is passed over in others for the longest pause of a breaker."""
_SWITCH = re.compile(
    r"(llm|stt|tts): \S+ took over from (?P<provider>[^/]+)/\S+ after \d+ ms: (?P<why>.+)"
)
_PASSED_OVER = "it failed in another call a moment ago"


@dataclass(frozen=True)
class Warned:
    """A warning in the log of a call."""

    call_id: str
    message: str
    at: float
    """Seconds since 1970."""


def grown(samples_mib: Mapping[str, Sequence[float]]) -> list[str]:
    """Processes whose memory is not flat: the median of their last third is over that of their
    first third, both after they have settled."""
    faults = []
    for name, all_samples in samples_mib.items():
        samples = all_samples[round(len(all_samples) * _SETTLED_SHARE) :]
        third = max(1, len(samples) // 3)
        first, last = median(samples[:third]), median(samples[-third:])
        if last - first > max(GROWTH_AT_MOST_MIB, GROWTH_AT_MOST * first):
            faults.append(f"{name} grew from {first:.0f} to {last:.0f} MiB")
    return faults


def unexplained(warnings: Sequence[Warned], faults: Sequence[Fault]) -> list[Warned]:
    """Warnings that follow from no fault of a vendor."""
    return [each for each in warnings if not _is_explained(each, faults)]


def _is_explained(warning: Warned, faults: Sequence[Fault]) -> bool:
    switch = _SWITCH.fullmatch(warning.message)
    if switch is None:
        return False
    seconds = REMEMBERED_SECONDS if switch["why"].startswith(_PASSED_OVER) else NOTICED_SECONDS
    return any(
        fault.provider == switch["provider"] and 0 <= warning.at - fault.at <= seconds
        for fault in faults
    )
