"""Generated requests to every route but the operator's: no 5xx, no answer off-schema."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.fuzz.hooks import API_URL, DATABASE_URL, REDIS_URL
from tests.own_api import own_api

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
NOT_FUZZED = r"^/v1/(operator|rtc)/"
"""The operator's routes change what all others answer; media needs a worker, and is 503 without."""
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
API_LOG = Path(".switchboard/fuzz-api.log")


def fuzz_api(minutes: float, seed: int) -> int:
    """Returns schemathesis's exit code: 0 if it found nothing."""
    API_LOG.parent.mkdir(exist_ok=True)
    with own_api(API_LOG) as api:
        command = [
            str(Path(sys.executable).with_name("schemathesis")),
            f"--config-file={CONFIGURATION}",
            "run",
            f"{api.url}/openapi.json",
            f"--max-time={round(minutes * 60)}",
            f"--checks={','.join(CHECKS)}",
            f"--exclude-path-regex={NOT_FUZZED}",
            "--continue-on-failure",
            "--generation-database=none",
            "--warnings=off",
            f"--seed={seed}",
        ]
        environment = {
            API_URL: api.url,
            DATABASE_URL: api.database_url,
            REDIS_URL: api.redis_url,
            "SCHEMATHESIS_HOOKS": "tests.fuzz.hooks",
        }
        return subprocess.run(command, env=os.environ | environment, check=False).returncode
