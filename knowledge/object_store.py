"""Clients of an object store, and one for those that cannot wait long."""

from __future__ import annotations

import os
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from obstore.store import ClientConfig, GCSConfig, ObjectStore

_LONGEST_REQUEST = timedelta(minutes=10)
"""One may go on as long as something comes: obstore's own limit of 30 s cuts large bundles off."""
_PREFIXES = {"s3": "AWS_", "gcs": "GOOGLE_", "azure": "AZURE_"}
_VARIABLES = (
    *("allow_http", "allow_invalid_certificates", "http1_only", "http2_only"),
    *("proxy_url", "proxy_ca_certificate", "proxy_excludes", "randomize_addresses", "user_agent"),
)


def config_of(url: str) -> GCSConfig:
    """What a store is opened with beside its address. In ``GOOGLE_BASE_URL``, which is the address
    of Google's language models, obstore would see that of Google's storage."""
    return {"base_url": "https://storage.googleapis.com"} if url.startswith("gs:") else {}


@cache
def open_prompt_store(url: str, silence_seconds: float) -> ObjectStore:
    """One client for each process. It tries nothing again, and gives a request up that has got
    nothing for ``silence_seconds``. obstore's own client tries for three minutes.

    Args:
        url: ``file:///…``, ``s3://bucket/prefix``, ``gs://…``, ``az://…``. A missing folder is
            created.

    Raises:
        ValueError: the address does not belong to a known kind of store.
        obstore.exceptions.BaseError: the store's settings in the environment are incomplete.
    """
    from obstore import parse_scheme
    from obstore.store import LocalStore, from_url

    if url.startswith("file:"):
        return LocalStore.from_url(url, mkdir=True)
    limits: ClientConfig = {
        "connect_timeout": timedelta(seconds=silence_seconds),
        "read_timeout": timedelta(seconds=silence_seconds),
        "timeout": _LONGEST_REQUEST,
    }
    options = cast("ClientConfig", {**_of_environment(parse_scheme(url)), **limits})
    return from_url(
        url, config=config_of(url), client_options=options, retry_config={"max_retries": 0}
    )


def _of_environment(scheme: str) -> dict[str, str]:
    """What the vendor's environment variables, such as AWS_ALLOW_HTTP, say of the client. obstore
    forgets it where it is given options."""
    prefix = _PREFIXES.get(scheme, "")
    named = {name: os.environ.get(f"{prefix}{name.upper()}") for name in _VARIABLES}
    return {name: value for name, value in named.items() if prefix and value is not None}
