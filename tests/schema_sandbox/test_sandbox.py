"""What a schema costs is paid by a child process, which is killed when it costs too much."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from schema_sandbox.sandbox import SchemaSandbox, SchemaTooCostly
from tests.control_plane.platform.json_schemas.test_checking import doubled


@pytest.fixture
def sandbox() -> Iterator[SchemaSandbox]:
    made = SchemaSandbox()
    yield made
    made.close()


def test_a_bomb_ends_the_child_and_nothing_else(sandbox: SchemaSandbox) -> None:
    """The schema is 1.6 KB; a million checks in this process would take a gigabyte."""
    with pytest.raises(SchemaTooCostly):
        sandbox.findings(doubled(22), {"a": 1})
    found = sandbox.findings({"required": ["a"], "properties": {"b": {"type": "string"}}}, {"b": 1})
    assert found.properties == {"b"}
    assert len(found.sentences) == 2


def test_a_child_serves_many_requests(sandbox: SchemaSandbox) -> None:
    assert sandbox.fault_of({}) is None
    child = sandbox.pid
    assert "at type" in str(sandbox.fault_of({"type": "tooth"}))
    assert sandbox.findings({}, {}).sentences == ()
    assert sandbox.pid == child is not None


def test_a_dead_child_is_replaced(sandbox: SchemaSandbox) -> None:
    assert sandbox.fault_of({}) is None
    child = sandbox.pid
    assert child is not None
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert sandbox.fault_of({}) is None
    assert sandbox.pid != child


def test_the_child_gets_no_secrets(sandbox: SchemaSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWITCHBOARD_SECRET_KEY", "s3cr3t")
    assert sandbox.fault_of({}) is None
    with open(f"/proc/{sandbox.pid}/environ", "rb") as environment:
        assert b"s3cr3t" not in environment.read()


def test_the_child_ends_with_its_process(sandbox: SchemaSandbox) -> None:
    assert sandbox.fault_of({}) is None
    child = sandbox.pid
    sandbox.close()
    assert child is not None
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
