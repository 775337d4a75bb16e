"""One row of the table: the figures of one slice of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bench.density.condition import Condition
from bench.density.heard import Heard
from bench.density.installation import Usage
from bench.density.own_share import Shares


@dataclass(frozen=True)
class Row:
    """Times in ms; a list holds percentiles. Processor time is in shares of a core."""

    condition: Condition
    fixed_loop_ms: float
    minute: int | None = None
    """Of a soak, from 1 on."""
    first_sample: list[float] = field(default_factory=list)
    """50th, and the longest."""
    voice_to_voice: list[float] = field(default_factory=list)
    """50th and 95th; so are the next three."""
    end_of_turn: list[float] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)
    barge_in: list[float] = field(default_factory=list)
    turns: int = 0
    barge_ins: int = 0
    gaps: list[float] = field(default_factory=list)
    """99th, and the longest."""
    wrong_words: float | None = None
    refused: int = 0
    lost: int = 0
    unanswered: int = 0
    workers_cpu: float = 0.0
    models_cpu: float = 0.0
    others_cpu: float = 0.0
    callers_cpu: float = 0.0
    vendors_cpu: float = 0.0
    callers_lag: list[float] = field(default_factory=list)
    """99th."""
    workers_memory_mb: float = 0.0


def row(
    condition: Condition,
    heard: Heard,
    shares: Shares,
    usage: Usage,
    vendors_cpu_seconds: float,
    *,
    fixed_loop_ms: float,
    workers_memory_mb: float,
    wrong_words: float | None = None,
    minute: int | None = None,
) -> Row:
    return Row(
        condition,
        fixed_loop_ms,
        minute,
        percentiles(heard.first_sample_ms, 50, 100),
        percentiles([each.voice_to_voice_ms for each in heard.answers], 50, 95),
        percentiles(shares.end_of_turn_ms, 50, 95),
        percentiles(shares.ours_ms, 50, 95),
        percentiles(heard.barge_in_ms, 50, 95),
        len(heard.answers),
        len(heard.barge_in_ms),
        percentiles(heard.gaps_ms, 99, 100),
        wrong_words,
        heard.refused,
        heard.lost,
        heard.unanswered,
        usage.workers / heard.seconds,
        usage.models / heard.seconds,
        usage.others / heard.seconds,
        heard.callers_cpu_seconds / heard.seconds,
        vendors_cpu_seconds / heard.seconds,
        percentiles(heard.callers_lag_ms, 99),
        workers_memory_mb,
    )


def percentiles(values: list[float], *percents: float) -> list[float]:
    return [float(np.percentile(values, each)) for each in percents] if values else []
