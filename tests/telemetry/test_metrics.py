"""The declarations: named well, bounded, and the same in the documentation."""

from __future__ import annotations

import os

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from control_plane.jobs import JOBS_AT_ONCE
from pipelines.stack.worker_capabilities import RUNNABLE_CHANNELS
from telemetry.metrics import CHANNELS, OTHER, PROVIDERS, QUEUES, declared
from telemetry.process_name import ProcessName
from tests.telemetry.metrics_table import DOCUMENT, with_table

UPDATE = "SWITCHBOARD_UPDATE_DOCS"
"""Environment variable: with it, the document is written instead of compared."""
MOST_SERIES = 1_000
"""Of one process."""


def test_the_documentation_lists_every_metric() -> None:
    page = DOCUMENT.read_text()
    if os.environ.get(UPDATE):
        DOCUMENT.write_text(with_table(page))
    assert DOCUMENT.read_text() == with_table(page), f"run `make docs` to update {DOCUMENT.name}"


def test_names_follow_the_conventions() -> None:
    for each in declared.all:
        assert (each.kind == "counter") == each.name.endswith("_total"), each.name
        assert each.kind != "histogram" or each.name.endswith("_seconds"), each.name
        assert each.help.endswith(".")
        assert each.processes


def test_no_label_can_name_a_tenant_or_a_call() -> None:
    labels = {name for each in declared.all for name in each.labels}
    assert labels == {
        "channel",
        "end_reason",
        "method",
        "model",
        "operation",
        "outcome",
        "provider",
        "queue",
        "reason",
        "share",
        "stage",
        "status",
        "stream",
    }


@pytest.mark.parametrize("process", list(ProcessName))
def test_every_series_is_there_from_the_start(process: ProcessName) -> None:
    scraped = generate_latest(declared.registry_of(process)).decode()
    families = {family.name: family for family in text_string_to_metric_families(scraped)}
    assert set(families) == {each.name.removesuffix("_total") for each in declared.of(process)}
    assert all(family.samples for family in families.values())
    assert sum(len(family.samples) for family in families.values()) < MOST_SERIES


def test_labels_know_all_providers_channels_and_queues() -> None:
    assert set(PROVIDERS) == {*RUNNABLE_CHANNELS, OTHER}
    assert set(CHANNELS) == {
        *(each for channels in RUNNABLE_CHANNELS.values() for each in channels),
        "realtime",
        OTHER,
    }
    assert set(QUEUES) == set(JOBS_AT_ONCE)
