"""A table can be used wherever its module is imported, without importing any other module."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import control_plane

PACKAGE = Path(control_plane.__file__).parent
MODULES = sorted(str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("models.py"))


@pytest.mark.parametrize("module", MODULES)
def test_a_foreign_key_names_a_table_that_its_module_knows(module: str) -> None:
    """``ForeignKey("tenants.id")`` fails at the first flush of a process that has not happened to
    import the other table; ``ForeignKey(Tenant.id)`` cannot."""
    tree = ast.parse((PACKAGE / module).read_text())
    own = {
        node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == "__tablename__"
        and isinstance(node.value, ast.Constant)
    }
    named = {
        node.args[0].value.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "ForeignKey"
        and isinstance(node.args[0], ast.Constant)
    }
    assert named <= own
