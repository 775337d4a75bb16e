"""Whether the operator's own language model answers."""

from __future__ import annotations

import time
from typing import Any

from switchboard.doctor.finding import Finding, ok, warn
from switchboard.settings import Settings

_SUBJECT = "Own model"
_SECONDS = 30.0
"""A server may load a model into memory first."""
_QUESTION = "Answer with one word: what colour is the sky?"


def own_model(settings: Settings) -> list[Finding]:
    """Asks the first model of ``OPENAI_COMPATIBLE_BASE_URL`` one question. Empty without one."""
    import httpx2

    address = settings.openai_compatible_base_url
    if not address:
        return []
    key = settings.openai_compatible_api_key
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    root = address.rstrip("/")
    try:
        with httpx2.Client(headers=headers, timeout=_SECONDS) as http:
            return [_asked(http, root)]
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return [
            warn(
                _SUBJECT,
                f"{root} does not answer ({type(error).__name__})",
                "Start your server, or correct OPENAI_COMPATIBLE_BASE_URL. It ends with /v1 for "
                "most servers.",
            )
        ]
    except (ValueError, LookupError, TypeError):
        return [
            warn(
                _SUBJECT,
                f"{root} answers, but not as OpenAI's API does",
                "OPENAI_COMPATIBLE_BASE_URL must be the root of an API with /chat/completions. It "
                "ends with /v1 for most servers.",
            )
        ]


def _asked(http: Any, root: str) -> Finding:
    listed = http.get(f"{root}/models")
    if listed.status_code in (401, 403):
        return warn(
            _SUBJECT,
            f"{root} refuses the key ({listed.status_code})",
            "Set OPENAI_COMPATIBLE_API_KEY to a key of your server.",
        )
    names = [entry["id"] for entry in listed.json()["data"]]
    if not names:
        return warn(_SUBJECT, f"{root} has no model", "Load one into your server first.")
    began = time.monotonic()
    question = {"model": names[0], "messages": [{"role": "user", "content": _QUESTION}]}
    answer = http.post(f"{root}/chat/completions", json=question | {"max_tokens": 200})
    seconds = time.monotonic() - began
    if not answer.is_success:
        return warn(
            _SUBJECT,
            f"{names[0]} at {root} answers {answer.status_code}",
            "See the log of your server.",
        )
    answer.json()["choices"][0]["message"]
    return ok(_SUBJECT, f"{names[0]} at {root} answers in {seconds:.1f} s")
