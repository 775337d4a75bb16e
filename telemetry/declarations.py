"""How a metric is declared: once, for the scrape and for the documentation alike.

A declared metric is counted in from anywhere in its processes, but it belongs to no registry until
``registry_of`` makes one for a process.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics

from telemetry.process_name import ProcessName

PREFIX = "switchboard_"
Labels = Mapping[str, Collection[str]]
"""Every value that a label can have, by the label's name. No label names a tenant or a call."""


@dataclass(frozen=True)
class Declaration:
    metric: Counter | Gauge | Histogram
    name: str
    """As Prometheus shows it."""
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: Labels
    processes: frozenset[ProcessName]


@dataclass
class Declarations:
    """All metrics, in the order of their declarations."""

    all: list[Declaration] = field(default_factory=list)

    def counter(
        self, name: str, text: str, on: Collection[ProcessName], labels: Labels | None = None
    ) -> Counter:
        """``name`` is without the prefix, and ends with ``_total``."""
        metric = Counter(PREFIX + name, text, list(labels or ()), registry=None)
        self._add(metric, name, "counter", text, on, labels)
        return metric

    def gauge(
        self, name: str, text: str, on: Collection[ProcessName], labels: Labels | None = None
    ) -> Gauge:
        metric = Gauge(PREFIX + name, text, list(labels or ()), registry=None)
        self._add(metric, name, "gauge", text, on, labels)
        return metric

    def histogram(
        self,
        name: str,
        text: str,
        on: Collection[ProcessName],
        labels: Labels | None = None,
        *,
        buckets: tuple[float, ...],
    ) -> Histogram:
        """``buckets``: their upper bounds; the last one, infinity, is added."""
        metric = Histogram(PREFIX + name, text, list(labels or ()), registry=None, buckets=buckets)
        self._add(metric, name, "histogram", text, on, labels)
        return metric

    def of(self, process: ProcessName) -> Iterator[Declaration]:
        return (each for each in self.all if process in each.processes)

    def registry_of(self, process: ProcessName) -> CollectorRegistry:
        """What a scrape of ``process`` shows."""
        # When a series began, which Prometheus does not need.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        registry = CollectorRegistry(auto_describe=False)
        for declaration in self.of(process):
            registry.register(declaration.metric)
        return registry

    def _add(
        self,
        metric: Counter | Gauge | Histogram,
        name: str,
        kind: Literal["counter", "gauge", "histogram"],
        text: str,
        on: Collection[ProcessName],
        labels: Labels | None,
    ) -> None:
        labels = labels or {}
        # A series that is there from the start has a rate from its first event on.
        for values in itertools.product(*labels.values()) if labels else ():
            metric.labels(*values)
        self.all.append(Declaration(metric, PREFIX + name, kind, text, labels, frozenset(on)))
