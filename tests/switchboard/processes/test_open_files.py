from __future__ import annotations

import resource

from switchboard.processes.open_files import raise_open_files_limit


def test_the_limit_of_open_files_is_raised_as_far_as_allowed() -> None:
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, most), most))
    try:
        raised = raise_open_files_limit()
        assert raised == resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(most, 65_536)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, most))
