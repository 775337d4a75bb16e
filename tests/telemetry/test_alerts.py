"""The alerts that ``docs/metrics.md`` recommends can come."""

from __future__ import annotations

import re

import pytest

from telemetry.metrics import declared
from tests.telemetry.metrics_table import DOCUMENT

_PAGE = DOCUMENT.read_text()
_TABLE = _PAGE.partition("These are worth an alert")[2].partition("\n## ")[0]
ALERTS = re.findall(r"^\| `(.+?)` \|", _TABLE, re.MULTILINE)


@pytest.mark.parametrize("expression", ALERTS)
def test_an_alert_reads_what_a_process_exports(expression: str) -> None:
    exported = {
        f"{each.name}_bucket" if each.kind == "histogram" else each.name for each in declared.all
    }
    read = re.findall(r"switchboard_\w+", expression)
    assert read or expression.startswith("up{")
    assert set(read) <= exported


def test_a_process_that_is_gone_raises_an_alert() -> None:
    """Its own metrics do not: without them, no expression about them is true."""
    [job] = re.findall(r"job_name: (\w+)", _PAGE)
    assert f'up{{job="{job}"}} == 0' in ALERTS
