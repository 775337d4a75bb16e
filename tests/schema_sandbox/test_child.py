"""The child process starts on any system."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

from schema_sandbox import child


def test_a_limit_of_memory_that_is_lower_already_stays() -> None:
    limit = child.MEMORY_BYTES - 2**20
    request = json.dumps({"schemas": [{}]}).encode()
    ended = subprocess.run(
        [sys.executable, child.__file__],
        input=len(request).to_bytes(child.LENGTH_BYTES) + request,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout[child.LENGTH_BYTES :]) == {"faults": [None]}
