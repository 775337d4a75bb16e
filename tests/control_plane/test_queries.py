"""Every query of the control plane stands in a repository.

SQL may be built and sent in modules named ``repository.py`` or ``*_repository.py``, in
``models.py`` (server defaults, constraints), and in the modules about the database itself:
migrations, key rotation, sessions. The folder ``calling/calls/queries`` counts as a repository,
too: the queries behind what the API shows of calls are too many for one file, and its modules hold
queries and nothing else.

Types (``AsyncSession``, ``Row``), connections and errors of SQLAlchemy may be used anywhere, and so
may the unit of work: ``session.add``, ``session.flush``, ``session.begin_nested``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTROL_PLANE = ROOT / "control_plane"

ABOUT_THE_DATABASE = (
    "control_plane/key_rotation.py",
    "control_plane/migrate.py",
    "control_plane/migrations/",
    "control_plane/platform/database.py",
    "control_plane/platform/recordset.py",
    "control_plane/platform/rested_connections.py",
)
QUERY_FOLDERS = ("control_plane/calling/calls/queries/",)

NO_QUERIES = {
    "sqlalchemy": {"Connection", "Row", "create_engine"},
    "sqlalchemy.engine": {"make_url"},
    "sqlalchemy.ext.asyncio": {"AsyncSession"},
    "sqlalchemy.orm": {"InstrumentedAttribute"},
}
SENDING = {"execute", "scalar", "scalars", "stream", "stream_scalars", "get", "get_one"}
SENDERS = {"session", "connection"}


def is_repository(path: str) -> bool:
    name = path.rpartition("/")[2]
    return (
        name in ("repository.py", "models.py")
        or name.endswith("_repository.py")
        or path.startswith((*ABOUT_THE_DATABASE, *QUERY_FOLDERS))
    )


def queries_of(source: str) -> Iterator[str]:
    """What in a module builds or sends SQL, as ``line: what``."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                for each in names:
                    if each.name.partition(".")[0] == "sqlalchemy":
                        yield f"{node.lineno}: import {each.name}"
            case ast.ImportFrom(module=str(module), names=names) if (
                module.partition(".")[0] == "sqlalchemy" and module != "sqlalchemy.exc"
            ):
                for each in names:
                    if each.name not in NO_QUERIES.get(module, set()):
                        yield f"{node.lineno}: from {module} import {each.name}"
            case ast.Call(func=ast.Attribute(value=sender, attr=method)) if method in SENDING:
                if _name(sender) in SENDERS:
                    yield f"{node.lineno}: {_name(sender)}.{method}(…)"


def _name(sender: ast.expr) -> str:
    """``session`` of ``session`` and of ``self._session``."""
    match sender:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.rpartition("_")[2]
        case _:
            return ""


def modules() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in CONTROL_PLANE.rglob("*.py"))


def test_every_query_stands_in_a_repository() -> None:
    found = {
        path: queries
        for path in modules()
        if not is_repository(path) and (queries := list(queries_of((ROOT / path).read_text())))
    }
    assert found == {}


def test_a_folder_of_queries_holds_modules() -> None:
    for folder in (*QUERY_FOLDERS, *ABOUT_THE_DATABASE):
        assert any(path.startswith(folder) for path in modules()), folder


@pytest.mark.parametrize(
    "source",
    [
        "from sqlalchemy import select",
        "from sqlalchemy.dialects.postgresql import insert",
        "import sqlalchemy as sa",
        "async def f(session): return await session.scalar('SELECT 1')",
        "async def f(self): await self._session.execute(statement)",
    ],
)
def test_a_query_is_found_however_it_is_written(source: str) -> None:
    assert list(queries_of(source))


@pytest.mark.parametrize(
    "source",
    [
        "from sqlalchemy.ext.asyncio import AsyncSession",
        "from sqlalchemy.exc import IntegrityError",
        "async def f(session, row): session.add(row); await session.flush()",
        "value = settings.get('name')",
    ],
)
def test_types_and_the_unit_of_work_are_no_queries(source: str) -> None:
    assert not list(queries_of(source))
