from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
OWN = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"bench"}


def imported(module: str) -> set[str]:
    """What ``module`` imports, and what the modules of ``bench`` that it imports do."""
    tree = ast.parse((ROOT / Path(*module.split("."))).with_suffix(".py").read_text())
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
    for each in [name for name in found if name.startswith("bench.")]:
        found |= imported(each)
    return found


def test_the_process_of_pipecat_needs_no_package_of_ours() -> None:
    names = imported("bench.pipecat_calls")
    assert "bench.memory_caller" in names
    assert not {name.split(".")[0] for name in names} & OWN
