"""Every bench can be imported: what it uses of the packages is still there."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages

import pytest

import bench

NEEDS_ANOTHER_ENVIRONMENT = {"bench.pipecat_calls"}
NAMES = sorted(
    module.name
    for module in walk_packages(bench.__path__, "bench.")
    if not module.name.endswith("__main__")
)


@pytest.mark.parametrize("name", sorted(set(NAMES) - NEEDS_ANOTHER_ENVIRONMENT))
def test_a_bench_can_be_imported(name: str) -> None:
    import_module(name)
