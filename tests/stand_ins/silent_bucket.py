"""A bucket whose server takes connections and says nothing."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from knowledge.object_store import open_prompt_store

URL = "s3://bundles/here"


@contextmanager
def silent_bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The vendor's variables name it. Whoever accepts its connections can answer."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        for name, value in {
            "AWS_ENDPOINT": f"http://127.0.0.1:{listening.getsockname()[1]}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "nowhere-1",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
        }.items():
            monkeypatch.setenv(name, value)
        open_prompt_store.cache_clear()
        yield listening
    open_prompt_store.cache_clear()
