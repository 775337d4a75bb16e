"""``python -m tests.switchboard.small_api PORT OPEN_FILES``: a small application behind the API's
server, in a process that may open only so many files."""

from __future__ import annotations

import asyncio
import resource
import sys

from fastapi import FastAPI, Request

from control_plane.platform.http.body_limit import BodyLimitMiddleware
from switchboard.logs import configure_logging
from switchboard.processes.accept_failures import AcceptFailures
from switchboard.processes.api_process import api_server
from switchboard.settings import Settings


def small_app() -> FastAPI:
    app = FastAPI()
    app.add_middleware(BodyLimitMiddleware, max_bytes=1_000_000)

    @app.get("/")
    async def home() -> dict[str, str]:
        return {}

    @app.post("/")
    async def sent(request: Request) -> dict[str, int]:
        return {"bytes": len(await request.body())}

    return app


async def serve(port: int) -> None:
    asyncio.get_running_loop().set_exception_handler(AcceptFailures())
    await api_server(small_app(), Settings(port=port)).serve()


if __name__ == "__main__":
    open_files = int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_files, open_files))
    configure_logging("info", "json")
    asyncio.run(serve(int(sys.argv[1])))
