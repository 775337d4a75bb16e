"""Schemathesis's login: by turns a secret key and a dashboard session, each of a fresh account.

A fresh account every few seconds, because what is tried includes revoking the very key in use.
"""

from __future__ import annotations

import os
from itertools import count
from typing import Any
from uuid import uuid4

import httpx2
import schemathesis

API_URL = "SWITCHBOARD_FUZZ_API_URL"
REFRESH_SECONDS = 10
_turns = count()
_Headers = dict[str, str]


@schemathesis.auth(refresh_interval=REFRESH_SECONDS)
class FreshAccount:
    def get(self, _case: schemathesis.Case[Any], _context: schemathesis.AuthContext) -> _Headers:
        with httpx2.Client(base_url=os.environ[API_URL]) as http:
            return _session(http) if next(_turns) % 2 else _secret_key(http)

    def set(
        self, case: schemathesis.Case[Any], data: _Headers, _context: schemathesis.AuthContext
    ) -> None:
        case.headers.update(data)


def _session(http: httpx2.Client) -> _Headers:
    signed_up = http.post(
        "/v1/auth/sign-up",
        json={
            "tenant_name": "Fuzz",
            "email": f"{uuid4().hex}@example.com",
            "password": "correct horse battery",
        },
    ).raise_for_status()
    cookies = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    return {"Cookie": cookies, "X-CSRF-Token": signed_up.json()["csrf_token"]}


def _secret_key(http: httpx2.Client) -> _Headers:
    session = _session(http)
    made = http.post("/v1/api-keys", json={"name": "Fuzz", "kind": "secret"}, headers=session)
    return {"Authorization": f"Bearer {made.raise_for_status().json()['key']}"}
