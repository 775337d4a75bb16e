"""A server that speaks OpenAI's wire for embeddings. Texts with words in common have like vectors.

async with OpenAiEmbeddings().serving() as wire:
    OpenAI(api_key="any", base_url=wire.base_url).embeddings.create(…)
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from aiohttp import web

_WORD = re.compile(r"\w{3,}")


@dataclass
class OpenAiEmbeddings:
    status: int = 200
    is_hanging: bool = False
    body: bytes | None = None
    """Sent as it is in place of an answer."""
    lost_vectors: int = 0
    """How many of the vectors an answer lacks."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    base_url: str = ""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[OpenAiEmbeddings]:
        """Listens on 127.0.0.1 at ``base_url``, which ends with ``/v1``."""
        self._stopping = asyncio.Event()
        app = web.Application()
        app.router.add_post("/v1/embeddings", self._embed)
        runner = web.AppRunner(app, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
            yield self
        finally:
            self._stopping.set()
            await runner.cleanup()

    async def _embed(self, request: web.Request) -> web.StreamResponse:
        asked: dict[str, Any] = await request.json()
        self.requests.append(asked)
        if self.is_hanging:
            await self._stopping.wait()
        if self.status != 200:
            error = {"message": f"stand-in says {self.status}", "type": "stand_in", "code": None}
            return web.json_response({"error": error}, status=self.status)
        if self.body is not None:
            return web.Response(body=self.body, content_type="application/json")
        texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
        vectors = [_vector(text, asked.get("dimensions", 1_536)) for text in texts]
        data = [
            {"object": "embedding", "index": at, "embedding": _written(vector, asked)}
            for at, vector in enumerate(vectors[: len(vectors) - self.lost_vectors])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return web.json_response(
            {"object": "list", "data": data, "model": asked["model"], "usage": usage}
        )


def _vector(text: str, dimensions: int) -> Any:
    vector = np.full(dimensions, 1e-3, np.float32)
    for word in _WORD.findall(text.lower()):
        vector[zlib.crc32(word.encode()) % dimensions] += 1
    return vector / np.linalg.norm(vector)


def _written(vector: Any, asked: dict[str, Any]) -> Any:
    if asked.get("encoding_format") == "base64":
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return vector.tolist()
