"""What docs/operator.md says of secrets and jobs."""

from __future__ import annotations

import re
from pathlib import Path

from control_plane.migrations import job_queue

PAGE = (Path(__file__).parents[2] / "docs" / "operator.md").read_text()


def test_who_changes_the_secret_key_learns_that_bridges_need_a_new_one() -> None:
    secrets = PAGE.partition("## Secrets and files")[2].partition("| process | secrets |")[0]
    assert "SWITCHBOARD_BRIDGE_ACCOUNT_KEY" in secrets
    assert "switchboard encryption bridge-key" in secrets


def test_the_jobs_of_requests_are_named_by_their_list_and_not_by_a_number() -> None:
    logins = PAGE.partition("## Database logins")[2].partition("\n## ")[0]
    assert "`JOBS_OF_REQUESTS`" in logins
    assert job_queue.__file__.endswith("control_plane/migrations/job_queue.py")
    assert "`control_plane/migrations/job_queue.py`" in logins
    assert job_queue.JOBS_OF_REQUESTS
    assert not re.search(r"\b(two|three|four|five|six|seven|eight|nine|ten|\d+) kinds", logins)
