"""The requests of a tenant who does nothing wrong, from a process of their own: as those of a
customer's server, they do not wait for what the callers' audio computes.

python -m tests.hostile.requests URL PATH …, with the secret key on standard input; one line of
JSON for each answer
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from itertools import cycle

import httpx2

REQUEST_EVERY_SECONDS = 0.1


async def ask(url: str, secret_key: str, paths: list[str]) -> None:
    headers = {"Authorization": f"Bearer {secret_key}"}
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=30) as http:
        for path in cycle(paths):
            fault = None
            began_at = time.perf_counter()
            try:
                (await http.get(path)).raise_for_status()
            except httpx2.HTTPError as error:
                fault = f"{path}: {error!r}"
            ms = (time.perf_counter() - began_at) * 1000
            sys.stdout.write(json.dumps({"ms": ms, "fault": fault}) + "\n")
            sys.stdout.flush()
            await asyncio.sleep(REQUEST_EVERY_SECONDS)


if __name__ == "__main__":
    _, url, *paths = sys.argv
    asyncio.run(ask(url, sys.stdin.read(), paths))
