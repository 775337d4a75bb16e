"""What a soak may not show. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from statistics import median

from bench.vendors.random_faults import Fault
from control_plane.platform.settings import PostCallSettings

GROWTH_AT_MOST_MIB = 20.0
GROWTH_AT_MOST_DESCRIPTORS = 40.0
GROWTH_AT_MOST = 0.05
GROWTH_MINUTES = 10
"""In a shorter run, processes have not settled."""
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
_ANALYSIS = "The analysis will be tried again: "
"""After the call. Its model has faults like the others, and no other one that takes over."""
ANALYSIS_PROVIDER = "openai"
ANALYSED_SECONDS = PostCallSettings().timeout_seconds + 1.0
"""From a fault to the note that it failed: a request may hang for the longest wait of an analysis,
and then the note is written."""


@dataclass(frozen=True)
class Warned:
    """A warning in the log of a call."""

    call_id: str
    message: str
    at: float
    """Seconds since 1970."""


def grown(
    samples: Mapping[str, Sequence[float]], at_most: float = GROWTH_AT_MOST_MIB, unit: str = "MiB"
) -> list[str]:
    """Processes of which something is not flat: the median of their last third is over that of
    their first third, both after they have settled."""
    faults = []
    for name, all_samples in samples.items():
        settled = all_samples[round(len(all_samples) * _SETTLED_SHARE) :]
        third = max(1, len(settled) // 3)
        first, last = median(settled[:third]), median(settled[-third:])
        if last - first > max(at_most, GROWTH_AT_MOST * first):
            faults.append(f"{name} grew from {first:.0f} to {last:.0f} {unit}")
    return faults


def restarted(processes: Sequence[Mapping[str, int]]) -> list[str]:
    """Processes that died. A new one begins small, so its memory tells nothing.

    Args:
        processes: the pid of each by its name, one sample after the other.
    """
    pids: dict[str, list[int]] = defaultdict(list)
    for sample in processes:
        for name, pid in sample.items():
            if pid not in pids[name]:
                pids[name].append(pid)
    gone = [name for name in pids if any(name not in sample for sample in processes)]
    again = [name for name, each in pids.items() if len(each) > 1 and name not in gone]
    return [f"{name} died" for name in (*gone, *again)]


def unexplained(warnings: Sequence[Warned], faults: Sequence[Fault]) -> list[Warned]:
    """Warnings that follow from no fault of a vendor.

    A fault meets one request or one connection, so it explains what one call noticed. Others only
    pass the model over.
    """
    in_order = sorted(faults, key=attrgetter("at"))
    noticed_by: dict[int, str] = {}
    """The call that each fault met, by the fault's place in the order."""

    def is_explained(warning: Warned) -> bool:
        switch = _SWITCH.fullmatch(warning.message)
        is_passed_over = False
        if switch is not None:
            provider = switch["provider"]
            is_passed_over = switch["why"].startswith(_PASSED_OVER)
            seconds = REMEMBERED_SECONDS if is_passed_over else NOTICED_SECONDS
        elif warning.message.startswith(_ANALYSIS):
            provider, seconds = ANALYSIS_PROVIDER, ANALYSED_SECONDS
        else:
            return False
        for place, fault in enumerate(in_order):
            if fault.provider != provider or not 0 <= warning.at - fault.at <= seconds:
                continue
            if is_passed_over or noticed_by.setdefault(place, warning.call_id) == warning.call_id:
                return True
        return False

    return [each for each in sorted(warnings, key=attrgetter("at")) if not is_explained(each)]


def said_twice(text: str) -> str | None:
    """Words of an answer that follow upon themselves, as when a model or a voice goes on before the
    place where another one broke off."""
    words = re.findall(r"[\w'’]+", text.casefold())
    for length in range(len(words) // 2, 0, -1):
        for begin in range(len(words) - 2 * length + 1):
            if words[begin : begin + length] == words[begin + length : begin + 2 * length]:
                return " ".join(words[begin : begin + length])
    return None


def shows_nothing(answers: int, faults: Sequence[Fault], warnings: Iterable[Warned]) -> list[str]:
    """Why a run proves nothing, however little went wrong in it."""
    missing = {
        "no caller was answered": not answers,
        "no vendor misbehaved": not faults,
        "no model took over from another": not any(
            _SWITCH.fullmatch(each.message) for each in warnings
        ),
    }
    return [f"the run shows nothing: {what}" for what, is_so in missing.items() if is_so]
