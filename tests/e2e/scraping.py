"""Scrapes of real processes, and whether they agree with the documentation."""

from __future__ import annotations

import re
import urllib.request

from prometheus_client.parser import text_string_to_metric_families

from switchboard.services.ports import LOOPBACK
from telemetry.declarations import Declaration
from telemetry.process_name import ProcessName
from tests.telemetry.metrics_table import DOCUMENT, declared_in, documented

_BUCKET = "le"


def scrape(port: int) -> str:
    with urllib.request.urlopen(f"http://{LOOPBACK}:{port}/metrics", timeout=10) as answer:
        content: bytes = answer.read()
    return content.decode()


def assert_agrees(process: ProcessName, scraped: str) -> dict[str, float]:
    """A process shows each metric that ``docs/metrics.md`` says it has, and no other, and no label
    has a value that is not listed.

    Returns:
        The value of each series, by its name and labels as Prometheus writes them.
    """
    families = {each.name: each for each in text_string_to_metric_families(scraped)}
    declarations = {each.name.removesuffix("_total"): each for each in declared_in(process)}
    assert families.keys() == declarations.keys()
    assert documented(DOCUMENT.read_text(), process) == {
        each.name for each in declarations.values()
    }
    values = {}
    for name, family in families.items():
        for sample in family.samples:
            _check_labels(declarations[name], sample.labels)
            shown = ",".join(f'{label}="{value}"' for label, value in sample.labels.items())
            values[sample.name + (f"{{{shown}}}" if shown else "")] = float(sample.value)
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", scraped), "an id is in a label"
    return values


def _check_labels(declaration: Declaration, labels: dict[str, str]) -> None:
    assert labels.keys() - {_BUCKET} == declaration.labels.keys()
    for label, values in declaration.labels.items():
        assert labels[label] in values, f"{declaration.name}: {label}={labels[label]}"
