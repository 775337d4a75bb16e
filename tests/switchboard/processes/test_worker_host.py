"""What the host of the media workers gives them."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from switchboard.processes import worker_host
from switchboard.processes.worker_host import run_worker_host
from switchboard.settings import Settings


class HostThatTellsItsLimit:
    """In place of the one that forks the workers."""

    def __init__(self, *_: object) -> None:
        pass

    def run(self) -> int:
        return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def test_media_workers_may_open_as_many_files_as_the_system_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_host, "ProcessHost", HostThatTellsItsLimit)
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, most), most))
    try:
        assert run_worker_host(Settings(data_dir=tmp_path)) == min(most, 65_536)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
